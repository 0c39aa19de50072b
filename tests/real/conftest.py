"""Every test here has a home and a work directory of its own; what costs a second to make is made once a worker."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.real.browser import Browser
from tests.real.harness import Bench, Driver


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Driver]]:
    """The SDK client, started when first needed and again after it had to be stopped."""
    started: list[Driver] = []

    def running() -> Driver:
        if not started or started[-1].process.poll() is not None:
            started.append(Driver(tmp_path_factory.mktemp("driver")))
        return started[-1]

    yield running
    for each in started:
        each.close()


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("root").resolve()


@pytest.fixture
def bench(tmp_path: Path, root: Path, driver: Callable[[], Driver]) -> Bench:
    return Bench(tmp_path.resolve(), root, driver)


@pytest.fixture(autouse=True)
def _console(request: pytest.FixtureRequest) -> Iterator[None]:
    """No page writes errors or warnings to the console."""
    yield
    if "browser" in request.fixturenames and (browser := request.getfixturevalue("browser")):
        assert browser.complaints() == []


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium, where it is installed."""
    started = Browser(tmp_path_factory.mktemp("browser"))
    yield started
    started.close()
