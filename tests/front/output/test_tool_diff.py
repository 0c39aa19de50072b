from mcpgov.front.output.tool_diff import described, diff
from mcpgov.tool_store import ServerTools


def entry(**definition):
    return {"digest": "d", "hidden": False, "definition": {"name": "t", **definition}}


def test_a_change_is_a_diff_of_lines_with_hidden_characters_seen():
    before = entry(description="Reads.\nFast.", inputSchema={"type": "object"})
    after = entry(description="Reads.\nFast.\u200b\x1b[2J", inputSchema={"type": "object"})
    assert diff(ServerTools("fs", {"t": before}, {"t": after}), "t") == [
        "@@ -1,6 +1,6 @@",
        " description:",
        "   Reads.",
        "-  Fast.",
        "+  Fast.\\u200b\\x1b[2J",
        " inputSchema: {",
        '   "type": "object"',
        " }",
    ]


def test_a_change_inside_the_schema_is_seen_and_text_that_looks_like_a_diff_stays_text():
    before, after = entry(inputSchema={"a": 1}, title="--- x"), entry(inputSchema={"a\u202e": 1}, title="--- x")
    found = diff(ServerTools("fs", {"t": before}, {"t": after}), "t")
    assert [line for line in found if line[0] in "+-"] == ['-  "a": 1', '+  "a\\u202e": 1']
    assert "   --- x" in found


def test_a_new_tool_is_all_added_and_an_unchanged_one_has_no_diff():
    assert diff(ServerTools("fs", {}, {"t": entry(title="T")}), "t") == ["@@ -0,0 +1,2 @@", "+title:", "+  T"]
    assert diff(ServerTools("fs", {"t": entry(title="T")}, {}), "t") == []


def test_texts_come_first_and_odd_ones_as_json():
    assert described(entry(annotations={}, title=5, description="D")) == [
        "description:",
        "  D",
        "title: 5",
        "annotations: {}",
    ]
    assert described({}) == []


def test_a_name_listed_twice_is_described_twice():
    parts = [{"name": "t", "title": "A"}, {"name": "t", "title": "B"}]
    assert described({"definition": parts}) == [
        "definition 1 of 2 with this name:", "title:", "  A", "definition 2 of 2 with this name:", "title:", "  B",
    ]  # fmt: skip
