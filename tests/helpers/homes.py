"""A home with clients in it for `install` and `uninstall`: what is there, what has changed, what is left."""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from mcpgov.configs.locations import Home
from mcpgov.front.service import daemon_ops
from mcpgov.places import Places
from tests.helpers.talks import wait_for

CURSOR = b'{\r\n\t"mcpServers": { "fs": {"command": "stand-in", "args": ["-u"]} }\r\n}\r\n// mine\r\n'
DESKTOP = b'{\n  "mcpServers" : {"notes": {"args": [], "command": "stand-in"}},\n  "theme": "dark" }\n'
CLAUDE = b'{"numStartups": 3, "mcpServers": {"db": {"type": "stdio", "command": "stand-in"}}, "projects": {}}'


def linux_home(above: Path) -> Home:
    """What the clients' files are looked for in, and an administrator's files beside it."""
    place = above.resolve() / "home"
    place.mkdir()
    machine = str(above.resolve() / "machine")
    return Home(place, place / "state", place / "launcher", system="linux", environ={}, above=machine)


def write(path: Path, value: Any) -> Path:
    """A file with a text, or with a value as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


def clients(home: Path) -> dict[Path, bytes]:
    """Three of them, each with a server, and their files."""
    desktop = "Library/Application Support" if sys.platform == "darwin" else ".config"
    files = {
        home / ".cursor" / "mcp.json": CURSOR,
        home / desktop / "Claude" / "claude_desktop_config.json": DESKTOP,
        home / ".claude.json": CLAUDE,
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        path.chmod(0o600)
    return files


def tree(*places: Path) -> dict[str, tuple[Any, ...]]:
    """Everything below, as it is: kind, mode, time of the last change, and what is in it."""
    found = {}
    for place in places:
        for path in [place, *place.rglob("*")] if place.exists() else []:
            about = path.lstat()
            held = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[str(path)] = (oct(about.st_mode), about.st_mtime_ns, held)
    return found


def shape(*places: Path) -> dict[str, tuple[Any, ...]]:
    """The same without the times: what an uninstall must give back."""
    return {path: (mode, held) for path, (mode, _, held) in tree(*places).items()}


def touched(before: dict[str, tuple[Any, ...]], after: dict[str, tuple[Any, ...]]) -> set[str]:
    """Files that came, went or changed; directories are made of them."""
    names = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    kinds = {path: (after.get(path) or before[path])[0] for path in names}
    return {path for path in names if not kinds[path].startswith("0o4")}


def covered(files: set[str], listed: list[str]) -> set[str]:
    """The files that a list does not hold, be it by a directory with all that is in it."""
    return {
        file
        for file in files
        if not any(file == name or (name.endswith("/") and file.startswith(name)) for name in listed)
    }


def entry(path: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_bytes())["mcpServers"][name]
    return found


def end_daemon(places: Places) -> None:
    there = daemon_ops.lock_holder(places)
    if there is not None and there.pid:
        os.kill(there.pid, signal.SIGKILL)
        wait_for(lambda: daemon_ops.lock_holder(places) is None, "the daemon's end")
