"""The worker in force: another one whenever the settings are others, none before they are known.

Laws: nobody is waited for here: where another mcpgov is at work, the file is busy; what is heavy goes to a child. A
launcher that is missing is asked for before a pass, which is refused by `configs/work` until it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgov import host
from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.config_pass import Worker
from mcpgov.configs.locations import ConfigSource, Home
from mcpgov.daemon.children.child import Child
from mcpgov.daemon.watching import offload
from mcpgov.daemon.watching.child_reads import ChildReads
from mcpgov.daemon.watching.project_servers import ProjectServers, UnmanagedApps, directories_in
from mcpgov.places import Places
from mcpgov.self_command import child_command, child_environment

if TYPE_CHECKING:
    from mcpgov.configs.clients import Place
    from mcpgov.configs.config_pass import FileResult

PATIENCE = 0.0  # seconds for the lock; a file that is busy is looked at again soon


class ConfigWorker:
    """A Worker to daemon/loop. `missing` hears that there is no launcher."""

    def __init__(self, places: Places, missing: Callable[[], None] = lambda: None) -> None:
        self._places, self._missing = places, missing
        self._worker: Worker | None = None
        self._looks = ChildReads(child_command(places.root))
        self._outside = UnmanagedApps(offload.heavy, self._looks.look)
        self._projects = ProjectServers(offload.heavy)
        self._known: dict[Path, list[str]] = {}  # Claude Code's file -> the projects it names

    def take(self, values: Mapping[str, object]) -> None:
        """The settings, as `settings show --json` has them."""
        places = self._places
        clients = tuple(name for name in _texts(values.get("clients")) if name in BY_NAME)
        configs = tuple(map(Path, _texts(values.get("configs"))))
        projects = values.get("project_files") is True
        mine, exclude = Path(host.home()), tuple(_texts(values.get("exclude")))
        home = Home(mine, places.state, places.launcher, clients, projects, configs, exclude=exclude)
        self._worker = Worker(home, patience=PATIENCE)
        # What was read before may mean something else now.
        self._projects = ProjectServers(offload.heavy)
        self._looks.close()
        self._looks = ChildReads(child_command(places.root))
        self._outside = UnmanagedApps(offload.heavy, self._looks.look)
        self._outside.look(self._worker)  # the children begin, so that somebody who asks need not ask twice

    def sources(self) -> list[ConfigSource]:
        self._looks.hear()
        return self._worker.sources() if self._worker is not None else []

    def sync(self, source: ConfigSource, leave: frozenset[Place]) -> FileResult:
        assert self._worker is not None, "no source comes from anywhere else"
        self._ask()
        return self._noted(source, self._worker.sync(source, leave))

    def begin(self, source: ConfigSource, leave: frozenset[Place]) -> Child[FileResult]:
        """The same in a child."""
        self._ask()
        words = [*child_command(self._places.root), *offload.words(source, leave, self._exclude())]

        def read(output: bytes, status: int) -> FileResult:
            return self._noted(source, offload.hear(source, output, status))

        return Child(words, read, child_environment())

    def aside(self) -> list[FileResult]:
        """What there is in projects' own files, and of apps outside `clients`, as far as a look in here can tell."""
        if self._worker is None:
            return []
        known = dict.fromkeys(chain.from_iterable(self._known.values()))
        return [*self._outside.look(self._worker), *self._projects.look(self._worker, known)]

    def close(self) -> None:
        self._looks.close()

    def _noted(self, source: ConfigSource, found: FileResult) -> FileResult:
        """A pass has read which projects there are; nobody needs to parse that file again."""
        if source.client.name == "claude-code" and source.user_level and found.containers is not None:
            self._known[source.file] = directories_in(found)
        return found

    def _exclude(self) -> tuple[str, ...]:
        return self._worker.home.exclude if self._worker is not None else ()

    def _ask(self) -> None:
        if not self._places.launcher.is_file():
            self._missing()


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
