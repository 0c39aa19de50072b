"""Which AI app a process is. Pure: a table of names, and how a process shows its own.

To teach it an app, add its program's name or a part of its path.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from mcpgov.configs.clients import CLIENTS
from mcpgov.daemon.processes.process import Process

TITLES = {client.name: client.title for client in CLIENTS}
# An editor speaks for its extensions too: their servers run below it.
EXTENSIONS = ("cline", "roo", "kilocode")
IN_CODE = ("vscode", *EXTENSIONS)
IN_INSIDERS = ("vscode-insiders", *EXTENSIONS)
IN_CODIUM = ("vscodium", *EXTENSIONS)
NAMES: dict[str, tuple[str, ...]] = {
    "Claude": ("claude-desktop",),
    "claude-desktop": ("claude-desktop",),
    "claude": ("claude-code",),
    "Cursor": ("cursor",),
    "cursor": ("cursor",),
    "Code": IN_CODE,
    "Code - Insiders": IN_INSIDERS,
    "code": IN_CODE,
    "code-insiders": IN_INSIDERS,
    "Windsurf": ("windsurf",),
    "windsurf": ("windsurf",),
    "gemini": ("gemini",),
    "codex": ("codex",),
    "opencode": ("opencode",),
    "copilot": ("copilot",),
    "Zed": ("zed",),
    "zed": ("zed",),
    "zed-editor": ("zed",),
    "LM Studio": ("lmstudio",),
    "lm-studio": ("lmstudio",),
    "Kiro": ("kiro",),
    "kiro": ("kiro",),
    "VSCodium": IN_CODIUM,
    "codium": IN_CODIUM,
    "qwen": ("qwen",),
    "crush": ("crush",),
    "kilo": ("kilo-cli",),
    "droid": ("factory",),
    "agy": ("antigravity",),
    "Antigravity": ("antigravity",),
    "Trae": ("trae",),
    "Warp": ("warp",),
    "q": ("amazonq",),
    "goose": ("goose",),
}
PATHS: dict[str, tuple[str, ...]] = {
    "/Claude.app/": ("claude-desktop",),
    "/claude-desktop/": ("claude-desktop",),
    "/@anthropic-ai/claude-code/": ("claude-code",),
    "/.local/share/claude/versions/": ("claude-code",),
    "/Cursor.app/": ("cursor",),
    "/Visual Studio Code": IN_CODE,
    "/.vscode-server/": IN_CODE,
    "/Windsurf.app/": ("windsurf",),
    "/@google/gemini-cli/": ("gemini",),
    "/@openai/codex": ("codex",),
    "/@github/copilot/": ("copilot",),
    "/LM Studio.app/": ("lmstudio",),
    "/Kiro.app/": ("kiro",),
}
INTERPRETERS = ("node", "nodejs", "bun", "deno", "python")
CODE_FOLLOWS = ("-c", "-e", "-m", "-p", "--eval", "--print")
MOST_OPTIONS = 12  # words in which an interpreter's script is looked for


@dataclass(frozen=True, slots=True)
class App:
    """A running app and the clients whose entries it starts."""

    process: Process
    clients: tuple[str, ...]


def clients_of(process: Process) -> tuple[str, ...]:
    """From its program, the script it interprets, or its name; () for anything else."""
    for word in (*process.argv[:1], *_scripts(process.argv)):
        name = word.rsplit("/", 1)[-1].partition(" Helper")[0]
        # A second word is a script only if it is a path: `git claude` is no app.
        if name in NAMES and (word is process.argv[0] or "/" in word):
            return NAMES[name]
        for part, clients in PATHS.items():
            if part in word:
                return clients
    return NAMES.get(process.name, ())


def _scripts(argv: tuple[str, ...]) -> list[str]:
    """What an interpreter may be running: its second word, or one behind options (`node --import x.mjs SCRIPT`)."""
    if not argv or argv[0].rsplit("/", 1)[-1].rstrip("0123456789.") not in INTERPRETERS:
        return [word for word in argv[1:2] if not word.startswith("-")]
    found: list[str] = []
    for before, word in pairwise(argv[:MOST_OPTIONS]):
        if word in CODE_FOLLOWS:
            break
        if not word.startswith("-"):
            found.append(word)
            if not before.startswith("-"):  # no option's value: the script, and behind it its own arguments
                break
    return found


def nearest(ancestors: Iterable[Process]) -> App | None:
    for process in ancestors:
        clients = clients_of(process)
        if clients:
            return App(process, clients)
    return None
