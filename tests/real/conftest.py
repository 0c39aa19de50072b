"""Every test here has a home, a root and a work directory of its own."""

from pathlib import Path

import pytest

from tests.real.harness import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path.resolve())
