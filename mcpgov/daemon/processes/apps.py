"""Which AI app is a process? Pure: tables of program names and paths.

To add an app, add its row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from mcpgov.configs.clients import CLIENTS
from mcpgov.daemon.processes.process import Process

TITLES = {client.name: client.title for client in CLIENTS}
# An editor also stands for its extensions, because their servers run below it.
EXTENSIONS = ("cline", "roo", "kilocode")
IN_CODE = ("vscode", *EXTENSIONS)
# The clients of an app, the names of its program, and parts of its path.
APPS: tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
    (("claude-desktop",), ("Claude", "claude-desktop"), ("/Claude.app/", "/claude-desktop/")),
    (("claude-code",), ("claude",), ("/@anthropic-ai/claude-code/", "/.local/share/claude/versions/")),
    (("cursor",), ("Cursor", "cursor"), ("/Cursor.app/",)),
    (IN_CODE, ("Code", "code"), ("/Visual Studio Code", "/.vscode-server/")),
    (("vscode-insiders", *EXTENSIONS), ("Code - Insiders", "code-insiders"), ()),
    (("vscodium", *EXTENSIONS), ("VSCodium", "codium"), ()),
    (("windsurf",), ("Windsurf", "windsurf"), ("/Windsurf.app/",)),
    (("gemini",), ("gemini",), ("/@google/gemini-cli/",)),
    (("codex",), ("codex",), ("/@openai/codex",)),
    (("opencode",), ("opencode",), ()),
    (("copilot",), ("copilot",), ("/@github/copilot/",)),
    (("zed",), ("Zed", "zed", "zed-editor"), ()),
    (("lmstudio",), ("LM Studio", "lm-studio"), ("/LM Studio.app/",)),
    (("kiro",), ("Kiro", "kiro"), ("/Kiro.app/",)),
    (("qwen",), ("qwen",), ()),
    (("crush",), ("crush",), ()),
    (("kilo-cli",), ("kilo",), ()),
    (("factory",), ("droid",), ()),
    (("antigravity",), ("agy", "Antigravity"), ()),
    (("trae",), ("Trae",), ()),
    (("warp",), ("Warp",), ()),
    (("amazonq",), ("q",), ()),
    (("goose",), ("goose",), ()),
)
NAMES = {name: clients for clients, names, _ in APPS for name in names}
PATHS = {part: clients for clients, _, parts in APPS for part in parts}
INTERPRETERS = ("node", "nodejs", "bun", "deno", "python")
CODE_FOLLOWS = ("-c", "-e", "-m", "-p", "--eval", "--print")
MOST_OPTIONS = 12  # leading arguments in which an interpreter's script is searched


@dataclass(frozen=True, slots=True)
class App:
    """A running app and the clients whose entries it starts."""

    process: Process
    clients: tuple[str, ...]


def clients_of(process: Process) -> tuple[str, ...]:
    """By its program, the script it interprets, or its name; () for anything else."""
    for word in (*process.argv[:1], *_scripts(process.argv)):
        name = word.rsplit("/", 1)[-1].partition(" Helper")[0]
        # A second argument is a script only if it is a path: `git claude` is no app.
        if name in NAMES and (word is process.argv[0] or "/" in word):
            return NAMES[name]
        for part, clients in PATHS.items():
            if part in word:
                return clients
    return NAMES.get(process.name, ())


def _scripts(argv: tuple[str, ...]) -> list[str]:
    """Scripts that an interpreter may run: its first argument, or one behind options (`node --import x SCRIPT`)."""
    if not argv or argv[0].rsplit("/", 1)[-1].rstrip("0123456789.") not in INTERPRETERS:
        return [word for word in argv[1:2] if not word.startswith("-")]
    scripts: list[str] = []
    for before, word in pairwise(argv[:MOST_OPTIONS]):
        if word in CODE_FOLLOWS:
            break
        if not word.startswith("-"):
            scripts.append(word)
            if not before.startswith("-"):  # not the value of an option, so the script; its own arguments follow
                break
    return scripts


def nearest(ancestors: Iterable[Process]) -> App | None:
    for process in ancestors:
        clients = clients_of(process)
        if clients:
            return App(process, clients)
    return None
