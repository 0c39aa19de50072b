"""Headers of the stateless revision against the body they repeat."""

import pytest

from mcpgov.core.json.lookalikes import VERSION_KEY
from mcpgov.loopback.request_checks import RequestHead
from mcpgov.remote.messages import mirrored_headers as mirrored

VERSION = "2026-07-28"
SCHEMA = {
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "deep": {"properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
        "flag": {"type": "boolean", "x-mcp-header": "Flag"},
        "other": True,
        "bad": {"x-mcp-header": "a b"},
    }
}


def head(**headers):
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return RequestHead("POST", "/", (1, 1), tuple(pairs))


def call(name="echo", version=VERSION, method="tools/call", **params):
    meta = {"_meta": {VERSION_KEY: version}} if version is not None else {}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"name": name, **meta, **params}}


GOOD = {"mcp_protocol_version": VERSION, "mcp_method": "tools/call", "mcp_name": "echo"}


def test_headers_that_repeat_the_body_pass():
    assert mirrored.mismatch(head(**GOOD), call()) == ""
    assert mirrored.mismatch(head(**{**GOOD, "mcp_name": "  echo\t", "mcp_method": " tools/call "}), call()) == ""
    assert mirrored.mismatch(head(**{**GOOD, "mcp_name": mirrored.encoded("höh")}), call("höh")) == ""
    assert (
        mirrored.mismatch(head(mcp_protocol_version=VERSION, mcp_method="tools/list"), call(None, method="tools/list"))
        == ""
    )
    assert mirrored.mismatch(head(mcp_method="tools/call", mcp_name="echo"), call(version=None)) == ""
    assert mirrored.mismatch(head(mcp_method="x"), {"method": "x"}) == ""


@pytest.mark.parametrize(
    "change",
    [
        {"mcp_protocol_version": "2025-11-25"},
        {"mcp_protocol_version": None},
        {"mcp_method": "tools/list"},
        {"mcp_method": None},
        {"mcp_name": "other"},
        {"mcp_name": "Echo"},
        {"mcp_name": None},
        {"mcp_name": "=?base64?ZWNobw?="},
        {"mcp_name": "=?base64?/w==?="},
        {"mcp_name": "=?base64?ZWNoZZ==?="},
        {"mcp_name": "=?BASE64?ZWNobw==?="},
    ],
)
def test_a_header_that_is_missing_or_differs_is_told(change):
    found = {key: value for key, value in {**GOOD, **change}.items() if value is not None}
    assert mirrored.mismatch(head(**found), call()) != ""


def test_arguments_that_are_repeated_are_compared_where_the_schema_is_known():
    arguments = {"region": "eu", "deep": {"n": 42}, "flag": True}
    same = {"mcp_param_region": "eu", "mcp_param_n": "42", "mcp_param_flag": "true", "mcp_param_new": "x"}
    assert mirrored.differing_param(head(**same), arguments, SCHEMA) == ""
    assert mirrored.differing_param(head(mcp_param_n="42.0"), arguments, SCHEMA) == ""
    assert mirrored.differing_param(head(), arguments, SCHEMA) == ""
    assert mirrored.differing_param(head(**same), arguments, None) == ""
    for name, value in (("region", "us"), ("n", "43"), ("n", "x"), ("flag", "false"), ("region", "=?base64?x?=")):
        assert mirrored.differing_param(head(**{f"mcp_param_{name}": value}), arguments, SCHEMA) != ""
    assert mirrored.differing_param(head(mcp_param_n="1"), {"deep": 3}, SCHEMA) == "Mcp-Param-N"
    assert mirrored.differing_param(head(mcp_param_region="x"), {"region": ["x"]}, SCHEMA) == "Mcp-Param-Region"


def test_a_schema_of_any_depth_is_read_to_a_bound():
    deep = {"x-mcp-header": "D"}
    for _ in range(100):
        deep = {"properties": {"a": deep}}
    assert list(mirrored.annotated(deep)) == []


def test_the_headers_of_a_message_of_ours_pass_the_check():
    tools = {"echo": {"definition": {"inputSchema": SCHEMA}}}
    message = call(arguments={"region": " é", "deep": {"n": 3}, "flag": False, "bad": "v"})
    made = mirrored.headers_for(message, tools)
    assert [name for name, _ in made] == [
        "MCP-Protocol-Version",
        "Mcp-Method",
        "Mcp-Name",
        "Mcp-Param-Region",
        "Mcp-Param-N",
        "Mcp-Param-Flag",
    ]
    sent = RequestHead("POST", "/", (1, 1), tuple((name.encode(), value.encode()) for name, value in made))
    assert mirrored.mismatch(sent, message) == ""
    assert mirrored.differing_param(sent, message["params"]["arguments"], SCHEMA) == ""
    assert mirrored.headers_for({"method": 3}, {}) == []
    assert mirrored.headers_for(call(arguments={"region": 1.5}), tools)[-1][0] == "Mcp-Name"
    assert mirrored.decoded(mirrored.encoded("=?base64?x?=")) == "=?base64?x?="
    assert mirrored.schema_of({"a": 1}, "a") is None
    assert mirrored.repeats("MCP-Param-X")
    assert mirrored.repeats("Mcp-Name")
    assert not mirrored.repeats("Mcp-Session-Id")


def test_the_era_of_a_version_header():
    assert mirrored.is_modern_header(b"2026-07-28")
    assert not mirrored.is_modern_header(b"2025-11-25")
    assert not mirrored.is_modern_header(b"zzz")
    assert not mirrored.is_modern_header(None)
    assert mirrored.version_in({"params": []}) is None
    assert mirrored.version_in({"params": {"_meta": 3}}) is None
