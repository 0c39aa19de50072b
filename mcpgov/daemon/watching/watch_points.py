"""Which directories a path hangs on: where something can happen that makes it another file. Reads only.

Law: what is watched is what the kernel would walk through, so a link to a dotfile, a link to a directory and a
directory that does not exist yet are the same case.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

MOST_LINKS = 40
NEAR = 2  # how many of the last steps count: the file, and its directory as a whole
MOUNTS = Path("/proc/self/mounts")
# Their changes are made elsewhere, and this kernel does not hear of all of them.
REMOTE = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "vboxsf", "drvfs"}

Trail = tuple[tuple[str, str], ...]  # (real directory, name in it)


def trail(path: str) -> Trail:
    """The steps whose change matters: every link on the way, and the last steps, of which the last may not exist."""
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
            if error.errno != errno.EINVAL:  # nothing there, or not for us to see
                break
            here = os.path.join(here, name)
            continue
        links.append(steps.pop())
        if len(links) > MOST_LINKS:
            break
        here = "/" if target.startswith("/") else here
        rest += reversed(target.split("/"))
    return (*links, *steps[-NEAR:])


def remote(paths: Iterable[str], mounts: Path = MOUNTS) -> str:
    """The kind of the first file system among these that is not of this machine; "" if there is none."""
    table = _table(mounts)
    for path in paths:
        parents = (path, *map(str, Path(path).parents))
        kind = next((table[parent] for parent in parents if parent in table), "")
        if kind in REMOTE or kind.startswith("fuse"):
            return kind
    return ""


def _table(mounts: Path) -> dict[str, str]:
    try:
        lines = mounts.read_bytes().splitlines()
    except OSError:
        return {}
    rows = (line.split(b" ") for line in lines)
    return {os.fsdecode(_plain(row[1])): os.fsdecode(row[2]) for row in rows if len(row) > 2}


def _plain(name: bytes) -> bytes:
    for text, byte in ((b"\\040", b" "), (b"\\011", b"\t"), (b"\\012", b"\n"), (b"\\134", b"\\")):
        name = name.replace(text, byte)
    return name
