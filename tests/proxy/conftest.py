"""Proxies that end with their test, in a root of their own."""

import contextlib
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.talks import PATIENCE, Place, Talk, end_all, server


@pytest.fixture
def start() -> Iterator[Callable[..., Talk]]:
    """Start a proxy: `start(place, "echo", words…)` or `start(place, [command])`; `options` go before the `--`."""
    talks: list[Talk] = []

    def go(place: Place, habit: str | list[str], *words: object, options: tuple[str, ...] = (), **more: Any) -> Talk:
        mark = f"mark-{uuid.uuid4().hex}"
        behind = server(habit, mark, *words) if isinstance(habit, str) else habit
        command = [place.launcher, "--server", "s", *options, "--", *behind]
        more = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "bufsize": 0, **more}
        talk = Talk(subprocess.Popen(command, **more), mark)
        talks.append(talk)
        return talk

    yield go
    for talk in talks:
        for stream in (talk.process.stdin, talk.process.stdout, talk.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        with contextlib.suppress(OSError):
            talk.process.kill()
        talk.process.wait(PATIENCE)
        end_all(talk.mark)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """One place for all tests that change nothing in it: its policy is compiled once."""
    return Place(tmp_path_factory.mktemp("shared") / "root")


@pytest.fixture
def own(tmp_path: Path) -> Place:
    return Place(tmp_path / "root")
