"""What a decision may know of the machine: links, directories, names. It comes in from outside. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class World:
    """What a decision may know of the machine.

    readlink answers a link's text, "" for a name that is not there, None for anything else. cwd is the server's
    working directory by its real name, as getcwd() tells it; bases are the directories it may take a relative path
    from: this one, those its command line names, those the client gave it. absent says of a lower-case name that surely
    no entry of any of them has it. locate, asked where a relative path matters, brings bases up to date: a server may
    be elsewhere by now.
    """

    __slots__ = ("absent", "bases", "cwd", "cwd_slash", "env", "home", "home_of", "locate", "readlink")

    def __init__(
        self,
        readlink: Callable[[str], str | None],
        cwd: str = "",
        home: str = "",
        env: Mapping[str, str] | None = None,
        home_of: Callable[[str], str | None] | None = None,
        absent: Callable[[str], bool] | None = None,
        bases: tuple[str, ...] = (),
    ) -> None:
        self.readlink = readlink
        self.cwd = cwd
        self.cwd_slash = cwd.rstrip("/") + "/"
        self.home = home
        self.env = env or {}
        self.home_of = home_of
        self.absent = absent or _unknown
        self.bases = ((cwd,) if cwd else ()) + bases
        self.locate: Callable[[], None] = _stay


def _stay() -> None:
    """The server's directories never change."""


def _unknown(_name: str) -> bool:
    """No directory listing is known."""
    return False


def no_links(_path: str) -> None:
    """A file system without links, for judging texts alone."""
