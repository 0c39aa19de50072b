from mcpgov.configs.limits import Limits, limits_in

ARGV, WRAPPED = ("npx", "x"), ("us", "--", "npx", "x")


def test_without_lists_nothing_stands_against_a_wrap():
    assert Limits().why_not(ARGV, WRAPPED) == ""
    for odd in (None, [], {"deniedMcpServers": "x"}, {"allowedMcpServers": [1, {"serverCommand": "x"}]}):
        assert limits_in(odd, "f").why_not(ARGV, WRAPPED) == ""


def test_a_deny_list_by_command_is_not_defeated():
    found = limits_in({"deniedMcpServers": [{"serverName": "a"}, {"serverCommand": ["npx", "x"]}]}, "/etc/f")
    assert found.why_not(ARGV, WRAPPED) == (
        "the deny list in `/etc/f` names its command: wrapping would hide it from that list"
    )
    assert found.why_not(("npx", "y"), ()) == ""


def test_an_allow_list_by_command_is_not_broken_unless_it_names_the_wrapped_one():
    found = limits_in({"allowedMcpServers": [{"serverCommand": ["npx", "x"]}]}, "f")
    assert found.why_not(ARGV, WRAPPED) == "the allow list in `f` goes by command: wrapped, it would be blocked"
    assert limits_in({"allowedMcpServers": [{"serverCommand": list(WRAPPED)}]}, "f").why_not(ARGV, WRAPPED) == ""


def test_a_list_by_name_does_not_matter():
    assert limits_in({"allowedMcpServers": [{"serverName": "a"}]}, "f").why_not(ARGV, WRAPPED) == ""


def test_vs_code_that_takes_only_listed_servers_is_told():
    found = limits_in({"chat.mcp.access": "registry"}, "f")
    assert found.why_not(ARGV, WRAPPED) == "`chat.mcp.access` is `registry` in `f`: only listed servers may run"
    assert limits_in({"chat.mcp.access": "all"}, "f") == Limits(source="f")


def test_several_files_count_together():
    first = limits_in({"deniedMcpServers": [{"serverCommand": ["a"]}]}, "one")
    second = limits_in({"allowedMcpServers": [{"serverCommand": ["b"]}], "chat.mcp.access": "none"}, "two")
    assert first.merged(second) == Limits((("a",),), (("b",),), "none", "two")
    assert first.merged(limits_in({}, "two")) == first
    assert second.merged(second).allowed == (("b",), ("b",))
