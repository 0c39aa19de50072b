"""Which AI app is a process? Pure: tables of program names and paths.

To add an app, add its program's name or a part of its path.
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
