import pytest

from mcpgov.core.approvals.other_arguments import only_harmless

HARMLESS = {
    "read": [
        {}, {"head": 10}, {"tail": 5, "offset": 2}, {"start_line": 3, "endLine": 9}, {"timeout": 2.5},
        {"encoding": "utf-8"}, {"recursive": False}, {"follow_symlinks": False}, {"filter": None}, {"options": {}},
    ],
    "write": [
        {"content": "hello there"}, {"file_text": "x y"}, {"new_str": "a", "old_str": "b"}, {"line": 4},
        {"edits": [{"oldText": "a b", "newText": "c"}]}, {"content": ["a", "b"]},
    ],
    "connect": [{"method": "POST", "body": "a b"}, {"max_length": 5000, "start_index": 0}],
    "delete": [{"timeout": 3}, {"force": False}],
    "execute": [{"timeout_ms": 3}],
}  # fmt: skip
MORE = {
    "read": [
        {"recursive": True}, {"max_depth": 3}, {"pattern": "secret"}, {"content": "x"}, {"encoding": "utf 8; x"},
        {"follow": True}, {"confirm": False}, {"": False}, {"": 1}, {"method": "POST"}, {"options": {"head": 3}},
        {"filter": "a"}, {"encoding": "x" * 30}, {"raw": object()},
    ],
    "write": [
        {"recursive": True}, {"append": True}, {"mode": 511}, {"mode": "0777"}, {"owner": "root"}, {"new": "b"},
        {"files": {"text": "x"}}, {"content": {"etc text": "x"}}, {"content": {"t\u00e9xt": "x"}},
        {"edits": [{"line": 3}]}, {"content": True},
    ],
    "connect": [{"follow_redirects": True}, {"headers": {"Host": "x"}}, {"method": "a b"}, {"raw": True}],
    "delete": [{"recursive": True}, {"content": "x"}, {"head": 1}, {"limit": 3}, {"mode": "all"}],
    "execute": [{"sudo": True}, {"env": {"A": "b"}}, {"head": 1}],
    "no such operation": [{"content": "x"}, {"head": 3}],
}  # fmt: skip


@pytest.mark.parametrize("operation", HARMLESS)
def test_what_chooses_a_part_or_is_written_makes_no_call_do_more(operation):
    for args in HARMLESS[operation]:
        assert only_harmless({"path": "/srv/a", **args}, operation, "/srv/a"), args


@pytest.mark.parametrize("operation", MORE)
def test_a_flag_and_a_name_that_nobody_knows_may_make_it_do_more(operation):
    for args in MORE[operation]:
        assert not only_harmless({"path": "/srv/a", **args}, operation, "/srv/a"), args


def test_paths_urls_and_the_resource_are_compared_elsewhere():
    args = {"path": "/srv/a", "other": "/etc/b", "link": "https://a.example", "q": "the resource"}
    assert only_harmless(args, "delete", "the resource")
    assert not only_harmless(args, "delete", "another")


def test_what_is_deep_or_long_is_not_looked_through():
    deep = "x"
    for _ in range(20):
        deep = {"content": deep}
    assert not only_harmless(deep, "write", "/srv/a")
    assert not only_harmless({"content": ["x"] * 2000}, "write", "/srv/a")
