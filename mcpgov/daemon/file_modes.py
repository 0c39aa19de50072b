"""Which of our files and directories others may write or read: one answer for `status`, `doctor` and `policy check`.

Law: only reads, never changes a mode. Light: no outside library.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from mcpgov.atomic_file import own_group
from mcpgov.daemon.status.model import Unsafe
from mcpgov.places import Places
from mcpgov.remote_servers import load_servers

OTHERS_READ = stat.S_IRGRP | stat.S_IROTH


def unsafe(places: Places, policy: str = "") -> Iterator[Unsafe]:
    """`policy`: the file in use, where that is not the one in our config directory."""
    yield from unsafe_rules(places, policy)
    newest = sorted(places.journal.glob("*.jsonl"))[-1:] if places.journal.is_dir() else []
    private = [places.state, places.runtime, places.journal, places.compiled, places.clean_lines]
    remote = places.remote_servers.parent
    held = [remote, places.remote_port, *_below(places.remote_servers), *_below(places.remote_tokens)]
    for path in dict.fromkeys([*private, places.socket.parent, places.socket, *newest, *held]):
        yield from _check(path, rules=False)
    yield from _unsafe_configs(places)


def _below(directory: Path) -> list[Path]:
    return [directory, *sorted(directory.glob("*.json"))]


def _unsafe_configs(places: Places) -> Iterator[Unsafe]:
    """Clients' files that hold the secret part of a remote server's URL."""
    files = {server.file for server in load_servers(places.remote_servers).values() if server.file}
    for name in sorted(files):
        try:
            info = os.stat(name)
        except OSError:
            continue
        if info.st_mode & OTHERS_READ:
            text = f"others may read `{name}`, which holds the secret of a remote server"
            yield Unsafe(name, text, f"chmod go= {quote(name)}")


def unsafe_rules(places: Places, policy: str = "") -> Iterator[Unsafe]:
    """Of the files that decide about calls: the policy, the settings, and the directories they can be replaced in."""
    files = [places.settings_file, Path(policy) if policy else places.policy_file()]
    for path in dict.fromkeys([places.config, *(file.parent for file in files), *files]):
        yield from _check(path, rules=True)


def _check(path: Path, *, rules: bool) -> Iterator[Unsafe]:
    try:
        info = path.stat() if rules else path.lstat()
    except OSError:
        return  # a file that does not exist or cannot be reached is reported by the part that needs it
    mode = stat.S_IMODE(info.st_mode)
    name = str(path)
    if info.st_uid not in ((os.geteuid(), 0) if rules else (os.geteuid(),)):
        yield Unsafe(name, f"`{path}` belongs to another user", f"sudo chown {os.geteuid()} {quote(name)}", rules)
    elif not rules:
        if mode & 0o077 and not stat.S_ISLNK(info.st_mode):
            yield Unsafe(name, f"others may use `{path}`", f"chmod go= {quote(name)}", rules)
    elif _writable(info, mode):
        yield Unsafe(name, f"others may write to `{path}`", f"chmod go-w {quote(name)}", rules)


def _writable(info: os.stat_result, mode: int) -> bool:
    """As policy/files checks it: the owner's own group counts as the owner. In a sticky directory nobody else can
    replace our files.
    """
    if stat.S_ISDIR(info.st_mode) and mode & stat.S_ISVTX:
        return False
    return bool(mode & stat.S_IWOTH or (mode & stat.S_IWGRP and info.st_gid != own_group(info.st_uid)))
