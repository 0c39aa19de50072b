"""Requests for trying CEL expressions."""

from typing import Any

import pytest
from hypothesis import strategies as st

from mcpgov.guards.cel import CelError, CelRequest, prepare

CALL = {"name": "shell", "arguments": {"command": "docker", "n": 5, "l": ["a", "b"], "none": None}}


class Texted(float):
    """A number that remembers its text, as the wire reader gives them."""

    text = "1.50"


def ask(source: str, method: str = "tools/call", params: Any = None) -> str:
    params = CALL if params is None else params
    args = params.get("arguments", {}) if isinstance(params, dict) else {}
    request = CelRequest(method, 7, params, "hub", "claude-code", "github", "read", args)
    return prepare(source).evaluate(request)


def judge(source: str, args: dict[str, Any]) -> str:
    return ask(source, params={"name": "t", "arguments": args})


def broken(source: str) -> str:
    with pytest.raises(CelError) as caught:
        prepare(source)
    return str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.floats().map(Texted) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
