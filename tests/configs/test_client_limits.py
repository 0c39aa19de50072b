import pytest

from mcpgov.configs.client_limits import ClientLimits, limits_in, may_be

ARGV, WRAPPED = ("npx", "x"), ("us", "--", "npx", "x")


def test_without_lists_nothing_stands_against_a_wrap():
    assert ClientLimits().why_not(ARGV, WRAPPED).text == ""
    for odd in (None, [], {"deniedMcpServers": "x"}, {"allowedMcpServers": [1, {"serverCommand": "x"}]}):
        assert limits_in(odd, "f").why_not(ARGV, WRAPPED).text == ""


def test_a_deny_list_by_command_is_not_defeated():
    found = limits_in({"deniedMcpServers": [{"serverName": "a"}, {"serverCommand": ["npx", "x"]}]}, "/etc/f")
    assert found.why_not(ARGV, WRAPPED).text == (
        "the deny list in `/etc/f` names its command: wrapping would hide it from that list"
    )
    assert found.why_not(("npx", "y"), ()).text == ""
    assert found.why_not(("npx", "${Y:-x}"), ()).text == (
        "the deny list in `/etc/f` may name its command, by its variables: a wrap would hide that"
    )


@pytest.mark.parametrize(
    ("word", "wanted", "may"),
    [
        ("/a/fs.js", "/a/fs.js", True),
        ("${X}", "/a/fs.js", True),
        ("${X:-/a/fs.js}", "/a/fs.js", True),
        ("${X:-other}", "/a/fs.js", True),
        ("${X}/fs.js", "/a/fs.js", True),
        ("/a/${X}", "/a/fs.js", True),
        ("/a/${X}.js", "/a/fs.js", True),
        ("${X}/${Y}.js", "/a/fs.js", True),
        ("${X}${Y}", "", True),
        ("${X}", "${X}", True),
        ("$X", "/a/fs.js", False),
        ("${X}/db.js", "/a/fs.js", False),
        ("/b/${X}", "/a/fs.js", False),
        ("/a/fs${X}s.js", "/a/fs.js", False),
        ("${X}q${Y}.js", "/a/fs.js", False),
        ("${X}.js${Y}.js", "/a/fs.js", False),
    ],
)
def test_a_variable_may_be_anything_and_the_rest_of_a_word_is_as_it_is(word, wanted, may):
    assert may_be(["node", word], ("node", wanted)) is may
    assert not may_be(["node", word, "more"], ("node", wanted))


def test_an_allow_list_by_command_is_not_broken_unless_it_names_the_wrapped_one():
    found = limits_in({"allowedMcpServers": [{"serverCommand": ["npx", "x"]}]}, "f")
    assert found.why_not(ARGV, WRAPPED).text == "the allow list in `f` goes by command: wrapped, it would be blocked"
    assert limits_in({"allowedMcpServers": [{"serverCommand": list(WRAPPED)}]}, "f").why_not(ARGV, WRAPPED).text == ""


def test_a_list_by_name_does_not_matter():
    assert limits_in({"allowedMcpServers": [{"serverName": "a"}]}, "f").why_not(ARGV, WRAPPED).text == ""


def test_vs_code_that_takes_only_listed_servers_is_told():
    found = limits_in({"chat.mcp.access": "registry"}, "f")
    assert found.why_not(ARGV, WRAPPED).text == "`chat.mcp.access` is `registry` in `f`: only listed servers may run"
    assert limits_in({"chat.mcp.access": "all"}, "f") == ClientLimits(source="f")


def test_several_files_count_together_and_each_is_named_for_what_it_says():
    first = limits_in({"deniedMcpServers": [{"serverCommand": ["a"]}]}, "one")
    second = limits_in({"allowedMcpServers": [{"serverCommand": ["b"]}], "chat.mcp.access": "none"}, "two")
    both = ClientLimits().merged(first).merged(second).merged(limits_in({}, "three"))
    assert both == ClientLimits(((("a",), "one"),), (("b",),), "none", "two")
    assert second.merged(second).allowed == (("b",), ("b",))
    assert both.merged(ClientLimits(unread="four")).merged(ClientLimits(unread="five")).unread == "four"


def test_a_list_that_goes_by_url_holds_for_remote_servers():
    settings = {
        "deniedMcpServers": [{"serverUrl": "https://*.evil.example/*"}, {"serverUrl": 3}, {"serverName": "x"}],
        "allowedMcpServers": [{"serverUrl": "https://good.example/*"}, {"serverUrl": "http://127.0.0.1:1/a"}],
    }
    limits = limits_in(settings, "/s")
    ours = "http://127.0.0.1:1/a"
    assert limits.why_not_url("https://a.evil.example/mcp", ours).code == "client-deny-list"
    assert limits.why_not_url("https://good.example/mcp", "http://127.0.0.1:2/b").code == "client-allow-list"
    assert limits.why_not_url("https://good.example/mcp", ours).code == ""
    assert limits.why_not(("npx",), ("x",)).code == "", "a list of URLs says nothing of commands"
    assert limits_in({}, "/s").why_not_url("https://x", ours).code == ""
    access = limits_in({"chat.mcp.access": "none"}, "/s")
    assert access.why_not_url("https://x", ours).code == "client-access"


def test_lists_of_urls_in_several_files_are_one():
    one = limits_in({"allowedMcpServers": [{"serverUrl": "https://a"}]}, "/a")
    two = limits_in({"allowedMcpServers": [{"serverUrl": "https://b"}], "deniedMcpServers": [{"serverUrl": "u"}]}, "/b")
    both = one.merged(two)
    assert (both.allowed_urls, both.urls_source, both.denied_urls) == (("https://a", "https://b"), "/b", (("u", "/b"),))
    assert one.merged(limits_in({}, "/c")).urls_source == "/a"
