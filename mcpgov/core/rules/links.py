"""Where a path leads: links resolved as the kernel does, and links that lead each process elsewhere. Pure.

Law: a link whose target depends on the process that opens it is never resolved by ours: it counts as ELSEWHERE.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.world import World

MOST_LINKS = 40  # as the Linux kernel
ELSEWHERE = ""  # canonical() of a path through a link that leads each process elsewhere
# Names that may be such a link, or hold some: /proc/<pid>/root, /proc/<pid>/fd/3, /dev/fd/3, macOS's paths by number.
SPECIAL = frozenset(("root", "cwd", "exe", "fd", "map_files", "self", "thread-self", ".vol"))
LINKS, HOLDERS = ("root", "cwd", "exe"), ("fd", "map_files")
STANDARD = ("0", "1", "2")  # our pipes: no file lies behind them
PATTERN_SIGNS = "*?[{$"
MAC_DATA = "/System/Volumes/Data/"  # the same files as without it


def canonical(path: str, world: World) -> str | None:
    """An absolute path as the kernel resolves it, missing parts by name. None: a loop. ELSEWHERE: not known."""
    out, links = "", 0
    missing = ""  # below a missing name nothing can be a link, so no link is read there
    pending = path.split("/")[::-1]
    if world.cwd and path.startswith(world.cwd_slash):
        # getcwd() gives a real name: the parents of the working directory are no links.
        out, pending = world.cwd.rstrip("/"), path[len(world.cwd_slash) :].split("/")[::-1]
    while pending:
        part = pending.pop()
        if part == "" or part == ".":
            continue
        if part == "..":
            out = out[: out.rfind("/")] if out else out
            missing = missing if out.startswith(missing) else ""
            continue
        above, out = out, f"{out}/{part}"
        if part in SPECIAL:
            if _leads_elsewhere(above, part, pending):
                return ELSEWHERE
            if above.endswith("/proc") and part in ("self", "thread-self"):
                # The server's own entry is not ours; its layout is the same.
                out = above + ("/self" if part == "self" else "/self/task/1")
                continue
        target = None if missing else world.readlink(out)
        if target is None:
            continue
        if target == "":
            missing = out
            continue
        links += 1
        if links > MOST_LINKS:
            return None
        out = "" if target.startswith("/") else above
        pending += target.split("/")[::-1]
    return out or "/"


def _leads_elsewhere(above: str, part: str, pending: list[str]) -> bool:
    """Is this name, or the next one below it, a link that belongs to some process (`/proc/<pid>/root`)?"""
    if part in LINKS:
        return _is_process(above)
    if part in HOLDERS:
        if not _is_process(above) and (above, part) != ("/dev", "fd"):
            return False
        following = [name for name in reversed(pending) if name not in ("", ".")]
        return bool(following) and following[0] != ".." and not (len(following) == 1 and following[0] in STANDARD)
    return part == ".vol" and not above


def _is_process(path: str) -> bool:
    """`/proc/<pid>`, `/proc/<pid>/task/<tid>`; the same where another machine's or container's /proc is mounted."""
    above, _, name = path.rpartition("/")
    if above.endswith("/task"):
        return _is_process(above[: -len("/task")])
    return above.endswith("/proc") and (name == "self" or name.isdigit() or any(sign in name for sign in PATTERN_SIGNS))


def aliases(path: str) -> tuple[str, ...]:
    """Other names of the same place: any process may be the one that asks; macOS's data volume is the root as well."""
    if path.startswith(MAC_DATA):
        return (path[len(MAC_DATA) - 1 :],)
    if not path.startswith("/proc/"):
        return ()
    name, _, rest = path[len("/proc/") :].partition("/")
    if not rest or not (name == "self" or name.isdigit()):
        return ()
    if rest.startswith("task/"):
        rest = rest[len("task/") :].partition("/")[2]
    return f"/proc/self/{rest}", f"/proc/self/task/1/{rest}"
