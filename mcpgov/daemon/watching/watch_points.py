"""Which directories must be watched for a path: those where a change can make the path another file. Reads only.

Law: the watched directories are those that the kernel would walk through, so a link to a dotfile, a link to a directory
and a directory that does not exist yet are the same case.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

MOST_LINKS = 40
LAST_STEPS = 2  # the file, and its directory as a whole
MOUNTS = Path("/proc/self/mounts")
# File systems whose changes are made on other machines: this kernel does not report all of them.
REMOTE_TYPES = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "vboxsf", "drvfs"}

WatchPoints = tuple[tuple[str, str], ...]  # (real directory, name in it)


def watch_points(path: str) -> WatchPoints:
    """The names whose change matters: every link on the way, and the last steps, of which the last may not exist."""
    steps: list[tuple[str, str]] = []
    links: list[tuple[str, str]] = []
    here, rest = "/", list(reversed(os.path.abspath(path).split("/")))
    while rest:
        name = rest.pop()
        if name in ("", ".", ".."):
            here = os.path.dirname(here) if name == ".." else here
            continue
        steps.append((here, name))
        try:
            target = os.readlink(os.path.join(here, name))
        except OSError as error:
            if error.errno != errno.EINVAL:  # it does not exist, or we may not read it
                break
            here = os.path.join(here, name)
            continue
        links.append(steps.pop())
        if len(links) > MOST_LINKS:
            break
        here = "/" if target.startswith("/") else here
        rest += reversed(target.split("/"))
    return (*links, *steps[-LAST_STEPS:])


def remote_type(paths: Iterable[str], mounts: Path = MOUNTS) -> str:
    """The type of the first remote file system that one of the paths is on; "" if there is none."""
    table = _mount_types(mounts)
    for path in paths:
        parents = (path, *map(str, Path(path).parents))
        kind = next((table[parent] for parent in parents if parent in table), "")
        if kind in REMOTE_TYPES or kind.startswith("fuse"):
            return kind
    return ""


def _mount_types(mounts: Path) -> dict[str, str]:
    try:
        lines = mounts.read_bytes().splitlines()
    except OSError:
        return {}
    rows = (line.split(b" ") for line in lines)
    return {os.fsdecode(_unescape(row[1])): os.fsdecode(row[2]) for row in rows if len(row) > 2}


def _unescape(name: bytes) -> bytes:
    for text, byte in ((b"\\040", b" "), (b"\\011", b"\t"), (b"\\012", b"\n"), (b"\\134", b"\\")):
        name = name.replace(text, byte)
    return name
