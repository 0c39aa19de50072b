import time

from mcpgov.configs.text.spans import splice
from mcpgov.front.output import config_diff
from mcpgov.front.output.config_diff import masked

LINES = "".join(f"line {at}\n" for at in range(40))


def texts(blocks):
    return [block.text for block in blocks]


def edit(text, old, new):
    at = text.index(old)
    return at, at + len(old), new


def test_a_diff_joins_what_is_near_and_parts_what_is_far():
    edits = [edit(LINES, "line 2\n", "X\n"), edit(LINES, "line 5", "Y\nZ"), edit(LINES, "line 39", "END")]
    assert texts(config_diff.diff(LINES, edits)) == [
        *("@@ line 1 @@", " line 0", " line 1", "-line 2", "+X", " line 3", " line 4", "-line 5", "+Y", "+Z"),
        *(" line 6", " line 7", " line 8"),
        *("@@ line 37 @@", " line 36", " line 37", " line 38", "-line 39", "+END"),
    ]


def test_a_diff_shows_line_ends_of_any_kind_and_texts_without_one():
    assert texts(config_diff.diff("a\r\nb\r\nc", [(3, 4, "X\r\nY")])) == [
        *("@@ line 1 @@", " a", "-b", "+X", "+Y", " c"),
    ]
    assert texts(config_diff.diff("a", [(0, 1, "b")])) == ["@@ line 1 @@", "-a", "+b"]
    assert texts(config_diff.diff("a b", [(0, 1, "x"), (2, 3, "y")])) == ["@@ line 1 @@", "-a b", "+x y"]


def test_of_a_very_long_line_the_part_that_changes_is_shown():
    text = "first\n" + "x" * 5000 + "OLD" + "y" * 5000 + "\nlast " + "z" * 500
    shown = texts(config_diff.diff(text, [edit(text, "OLD", "NEW")]))
    lead, tail = "…" + "x" * config_diff.REACH, "y" * config_diff.REACH + "…"
    assert shown[-2:] == [f"-{lead}OLD{tail}", f"+{lead}NEW{tail}"]
    assert (shown[0], len(shown)) == ("@@ line 2 @@", 3)
    shown = texts(config_diff.diff("OLD\n" + "z" * 900 + "\n", [(0, 3, "NEW")]))
    assert shown[-1] == " " + "z" * (config_diff.WIDEST - 40) + " … " + "z" * 20


def test_a_diff_of_a_large_file_looks_at_the_changes_alone():
    block = '  {\n    "history": [\n' + '      "short",\n' * 200 + "    ]\n  },\n"
    text = "HERE\n" + block * 2000 + "THERE\n"
    began = time.process_time()
    shown = texts(config_diff.diff(text, [edit(text, "HERE", "A"), edit(text, "THERE", "B")]))
    assert time.process_time() - began < 3
    assert [line for line in shown if line[0] in "-+"] == ["-HERE", "+A", "-THERE", "+B"]
    assert shown[-6:-2] == [f"@@ line {2 + 2000 * 204 - 3} @@", '       "short",', "     ]", "   },"]


def test_what_is_not_shown_is_masked_in_the_old_text_and_in_the_new_one():
    before = '{"url": "https://x?k=s", "headers": {"A": "s"}}'
    start, end = before.index('"https'), before.index(', "h')
    new = '"http://127.0.0.1:2000/' + "A" * 43 + '/mcp"'
    after = before[:start] + new + before[end:]
    hidden = [(start, end, '"https://x?k=…"'), (before.index('"s"}'), before.index('"s"}') + 3, '"…"')]
    at = after.index('"s"}')
    text, edits = masked(before, [(start, end, new)], hidden, [(at, at + 3, '"…"')])
    assert text == '{"url": "https://x?k=…", "headers": {"A": "…"}}'
    assert splice(text, edits) == '{"url": "http://127.0.0.1:2000/…", "headers": {"A": "…"}}'


def test_a_mask_that_an_edit_cuts_hides_both_parts():
    before, after = "[aaBBcc]", "[aaXXBBcc]"
    text, edits = masked(before, [(3, 3, "XX")], [(1, 7, "…")], [(1, 9, "…")])
    assert (text, splice(text, edits)) == ("[…]", "[……]")
    assert after[3:5] == "XX"
