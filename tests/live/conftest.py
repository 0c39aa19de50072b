"""Some tests of this room talk through a whole proxy: the same fixtures as in `tests/proxy`."""

from tests.proxy.conftest import own, shared, start

__all__ = ["own", "shared", "start"]
