"""The daemon's config worker: replaced whenever the settings change, none before they are known.

Laws: nothing here waits: a file that another mcpgov has locked is busy; heavy files go to a child. A missing launcher
is requested before a pass, which configs/config_pass refuses until the launcher exists.
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
from mcpgov.daemon.watching.project_servers import ProjectServers, UnmanagedApps, project_directories
from mcpgov.places import Places
from mcpgov.self_command import child_command, child_environment

if TYPE_CHECKING:
    from mcpgov.configs.clients import Place
    from mcpgov.configs.config_pass import FileResult

LOCK_TIMEOUT = 0.0  # seconds; a busy file is retried soon


class ConfigWorker:
    """The worker of sync_loop. `missing` is called when there is no launcher."""

    def __init__(self, places: Places, missing: Callable[[], None] = lambda: None) -> None:
        self._places, self._missing = places, missing
        self._worker: Worker | None = None
        self._reset_readers()
        self._projects: dict[Path, list[str]] = {}  # Claude Code's file -> the projects it names

    def _reset_readers(self) -> None:
        self._child_reads = ChildReads(child_command(self._places.root))
        self._unmanaged = UnmanagedApps(offload.is_heavy, self._child_reads.read)
        self._project_servers = ProjectServers(offload.is_heavy)

    def take(self, values: Mapping[str, object]) -> None:
        """Use these settings, as `settings show --json` has them."""
        places = self._places
        clients = tuple(name for name in _texts(values.get("clients")) if name in BY_NAME)
        configs = tuple(map(Path, _texts(values.get("configs"))))
        projects = values.get("project_files") is True
        user_home, exclude = Path(host.home()), tuple(_texts(values.get("exclude")))
        home = Home(user_home, places.state, places.launcher, clients, projects, configs, exclude=exclude)
        self._worker = Worker(home, patience=LOCK_TIMEOUT)
        # Results of before may be different under these settings.
        self._child_reads.close()
        self._reset_readers()
        self._unmanaged.look(self._worker)  # starts the children, so that the first status has their results

    def sources(self) -> list[ConfigSource]:
        self._child_reads.collect()
        return self._worker.sources() if self._worker is not None else []

    def sync(self, source: ConfigSource, leave: frozenset[Place]) -> FileResult:
        assert self._worker is not None, "sources come from this worker"
        self._require_launcher()
        return self._keep_projects(source, self._worker.sync(source, leave))

    def begin(self, source: ConfigSource, leave: frozenset[Place]) -> Child[FileResult]:
        """The same in a child."""
        self._require_launcher()
        exclude = self._worker.home.exclude if self._worker is not None else ()
        argv = [*child_command(self._places.root), *offload.build_args(source, leave, exclude)]

        def read(output: bytes, status: int) -> FileResult:
            return self._keep_projects(source, offload.decode(source, output, status))

        return Child(argv, read, child_environment())

    def aside(self) -> list[FileResult]:
        """Files that are reported and never touched: projects' own files, and those of apps outside `clients`."""
        if self._worker is None:
            return []
        projects = dict.fromkeys(chain.from_iterable(self._projects.values()))
        return [*self._unmanaged.look(self._worker), *self._project_servers.look(self._worker, projects)]

    def close(self) -> None:
        self._child_reads.close()

    def _keep_projects(self, source: ConfigSource, result: FileResult) -> FileResult:
        """Keep the projects that Claude Code's file names, so that it need not be parsed for them again."""
        if source.client.name == "claude-code" and source.user_level and result.containers is not None:
            self._projects[source.file] = project_directories(result)
        return result

    def _require_launcher(self) -> None:
        if not self._places.launcher.is_file():
            self._missing()


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
