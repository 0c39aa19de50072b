import json

TOOLS = b"""\
{"server": "github", "tool": "delete_repo"}

not json
{"server": "fs", "tool": "read_file", "arguments": ["path"]}
[1]
{"tool": 3}
{"tool": "x", "arguments": "path"}
{"tool": "x", "annotations": []}
\xff
{"tool": "read_x", "annotations": {"destructiveHint": true, "readOnlyHint": false}}
{"tool": "drop\\u001b[2J", "arguments": {"a": 1}}
"""


def test_one_object_a_line_comes_out_and_bad_lines_do_not_stop_the_others(run):
    done = run("classify", stdin=TOOLS)
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert (done.status, done.err) == (1, "")
    assert [row.get("operation", row.get("line")) for row in rows] == [
        "delete", 3, "read", 5, 6, 7, 8, 9, rows[8]["operation"], rows[9]["operation"],
    ]  # fmt: skip
    assert rows[0] == {"server": "github", "tool": "delete_repo", "operation": "delete", "why": rows[0]["why"]}
    assert rows[3] == {"line": 5, "error": "a line must hold one JSON object"}
    assert rows[4] == {"line": 6, "error": "`tool` and `server` must be strings"}
    assert rows[5] == {"line": 7, "error": "`arguments` must be a list of names"}
    assert rows[6] == {"line": 8, "error": "`annotations` must be an object"}
    assert rows[8]["operation"] != "read"


def test_values_and_a_schema_say_what_a_tool_does_whose_verb_is_an_argument(run):
    schema = {"properties": {"action": {"enum": ["list", "delete"]}}}
    tool = {"tool": "manage_notes"}
    lines = [
        tool,
        {**tool, "inputSchema": schema},
        {**tool, "inputSchema": schema, "arguments": {"action": "list"}},
        {"tool": "get_x", "arguments": {"payload": '{"action": "delete"}'}},
    ]
    done = run("classify", stdin="\n".join(map(json.dumps, lines)).encode())
    assert [json.loads(line)["operation"] for line in done.out.splitlines()] == ["unknown", "delete", "read", "delete"]


def test_json_is_the_same_without_an_envelope(run):
    assert run("classify", "--json", stdin=TOOLS) == run("classify", stdin=TOOLS)


def test_good_lines_alone_give_status_0_and_nothing_gives_nothing(run):
    assert run("classify", stdin=b'{"tool": "read_file"}').status == 0
    assert run("classify", stdin=b"") == run("classify", stdin=b"\n\n")
    assert run("classify", stdin=b"").out == ""


def test_deep_nesting_is_an_error_of_its_line(run):
    rows = run("classify", stdin=b"[" * 100_000 + b'\n{"tool": "read_file"}').out.splitlines()
    assert [list(json.loads(row)) for row in rows] == [["line", "error"], ["server", "tool", "operation", "why"]]


def test_a_terminal_is_told_what_to_type_and_gets_a_table_without_live_escapes(terminal):
    typed = b'{"server": "github", "tool": "delete_repo"}\n{"tool": "drop\\u001b[2J"}\nx\n\x04'
    done = terminal("classify", "--no-color", typed=typed)
    assert done.status == 1
    assert "mcpgov: reading tools, one JSON object a line; ctrl-d ends\n" in done.out
    lines = done.out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.split() == ["server", "tool", "operation", "why"])
    assert lines[at + 1].split()[:3] == ["github", "delete_repo", "delete"]
    assert lines[at + 2].split()[0] == "drop\\x1b[2J"
    assert "error" in lines[at + 3]
    assert "\x1b" not in done.out
