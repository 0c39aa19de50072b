"""What a decision may know of the machine: links, directories, names. It comes in from outside. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    _Answer = TypeVar("_Answer")


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


class Witness:
    """Notes what a world says while something is judged: `with Witness(world) as witness`.

    Judging depends on nothing else that changes by itself, so as long as the world says the same (`agrees`), the
    verdict is the same.
    """

    __slots__ = ("_answers", "_bases", "_located", "_own", "_world")

    def __init__(self, world: World) -> None:
        self._world = world
        self._bases = world.bases
        self._located = False
        self._answers: dict[tuple[Callable[[str], object], str], object] = {}
        self._own = world.readlink, world.absent, world.home_of, world.locate

    def __enter__(self) -> Witness:
        world = self._world
        world.readlink = self._noting(world.readlink)
        world.absent = self._noting(world.absent)
        world.home_of = None if world.home_of is None else self._noting(world.home_of)
        world.locate = self._locate
        return self

    def __exit__(self, *_why: object) -> None:
        world = self._world
        world.readlink, world.absent, world.home_of, world.locate = self._own
        self._bases = world.bases

    def _noting(self, ask: Callable[[str], _Answer]) -> Callable[[str], _Answer]:
        def noted(name: str) -> _Answer:
            answer = self._answers[ask, name] = ask(name)
            return answer

        return noted

    def _locate(self) -> None:
        self._located = True
        self._own[3]()

    @property
    def questions(self) -> int:
        return len(self._answers)

    def agrees(self) -> bool:
        """Does the world say now what it said then? Asks for every link again."""
        if self._located:
            self._world.locate()
        return self._world.bases == self._bases and all(
            ask(name) == answer for (ask, name), answer in self._answers.items()
        )
