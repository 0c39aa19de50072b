import pytest

from mcpgov.core.approvals.resource_grants import (
    OTHER_COMMAND,
    OTHER_RESOURCE,
    call_refusal,
    is_permission,
    operation_fits,
    places_fit,
    why_not_exact,
)
from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.world import World, no_links

OTHER = OTHER_RESOURCE


def reader(links=None):
    return Reader(World((links or {}).get if links else no_links, "", "/home/u"))


def call(tool, args, method="tools/call"):
    return call_of(method, {"name": tool, "arguments": args} if method == "tools/call" else args, "fs")


def refused(operation, resource, made, links=None):
    return call_refusal(f"permission/{operation}", resource, made, reader(links))


@pytest.mark.parametrize(
    ("resource", "operation"),
    [
        ("/srv/a.txt", "read"),
        ("/", "write"),
        ("/srv/with blank", "delete"),
        ("https://a.example/x?q=1#top", "connect"),
        ("https://a.example", "read"),
        ("/srv/\u00e9t\u00e9/\ufb01n", "read"),
        ("https://a.example/100%25/a%20b..c", "read"),
        ("git push origin main", "execute"),
        ("/usr/bin/make", "execute"),
        ("curl https://x.example/", "execute"),
        ("https://x.example/", "execute"),
        ("git diff main..dev", "execute"),
        ("echo a... b..c ...", "execute"),
    ],
)
def test_one_exact_resource_may_be_asked_for(resource, operation):
    assert why_not_exact(resource, operation) == ""


@pytest.mark.parametrize(
    ("resource", "operation", "why"),
    [
        ("", "read", "empty"),
        (" /srv/a", "read", "blanks"),
        ("/" + "a" * 3000, "read", "longer than 2048"),
        ("/srv/\x1b[31m", "read", "control characters"),
        ("/srv/\u202ea", "read", "control characters"),
        ("/srv/*", "read", "wildcards"),
        ("/srv/a?", "read", "wildcards"),
        ("/srv/[ab]", "write", "wildcards"),
        ("/srv/{a,b}", "write", "wildcards"),
        ("https://a.example/*", "connect", "wildcards"),
        ("rm *", "execute", "wildcards"),
        *(
            (command, "execute", "`..`")
            for command in (
                "cat ../x",
                "ls .. && x",
                "cat a/../x",
                "cat x/..",
                "ls ..;x",
                "dd if=../x of=y",
                "scp a:../x b",
                "cat '../x'",
                'cat "a/.."',
                "make -C..",
                "gcc -I../x a.c",
                "tar --directory=.. -x",
                "cat <../x",
                "PATH=/a:../b x",
                "(cd ..)",
            )
        ),
        ("$HOME/a", "read", "variables"),
        ("/srv/%2e%2e/a", "read", "variables or escapes"),
        ("https://a.example/${x}", "connect", "wildcards"),
        ("https://a.example/$x", "connect", "variables"),
        ("/srv/../etc/passwd", "read", "`..`"),
        ("https://a.example/../x", "connect", "`..`"),
        ("https://a.example?/../x", "connect", "`..`"),
        ("https://a.example/a/%2e%2E/x", "connect", "`..`"),
        ("https://a.example/a%2F..%5cx", "connect", "`..`"),
        ("https://a.example/a/%252e./x", "connect", "`..`"),
        ("/srv/\u2024\u2024/etc", "read", "`..`"),
        ("/srv/\uff0e\uff0e/etc", "read", "`..`"),
        ("/srv/\u2025/etc", "read", "`..`"),
        ("/srv/\uff0a", "read", "wildcards"),
        ("/srv/\uff04X", "read", "variables"),
        ("/srv/a\uff0fb", "read", "read as `/`"),
        ("~/a", "read", "absolute path"),
        ("a.txt", "read", "absolute path"),
        ("file:///etc/passwd", "read", "plain path"),
        ("FILE://localhost/etc/passwd", "read", "plain path"),
        ("https:///x", "connect", "no URL"),
        ("https://a b/x", "connect", "no URL"),
        ("https://user@a.example/", "connect", "user or password"),
        ("https://\u0430pple.example/", "connect", "plain ASCII"),
        ("https://user%40a.example/", "connect", "plain ASCII"),
        ("a.example:443", "connect", "scheme"),
        ("/srv//a", "read", "empty parts"),
        ("/srv/./a", "read", "empty parts"),
        ("/srv/", "read", "empty parts"),
    ],
)
def test_whatever_may_be_more_than_one_resource_is_refused_and_not_repeated(resource, operation, why):
    said = why_not_exact(resource, operation)
    assert why in said
    assert not resource.strip() or resource not in said


def test_a_command_that_is_nothing_but_a_way_up_is_refused():
    assert "`..`" in why_not_exact("..", "execute")


def test_an_operation_fits_if_the_call_does_nothing_else():
    assert operation_fits("permission/read", ["read"])
    assert not operation_fits("permission/read", ["read", "write"])
    assert not operation_fits("permission/read", [])
    assert operation_fits("permission/connect", ["read", "write"])
    assert not operation_fits("permission/connect", ["delete"])
    assert not operation_fits("permission/connect", [])
    assert (is_permission("permission/read"), is_permission("tools/call")) == (True, False)


def test_a_grant_for_a_file_holds_for_calls_that_name_that_file_alone():
    for args in ({"path": "/srv/a"}, {"path": "/srv/./a"}, {"paths": ["/srv/a"]}, {"path": "/srv/a", "limit": 3}):
        assert refused("read", "/srv/a", call("read_file", args)) == ""
    for args in (
        {},
        {"path": "/srv/b"},
        {"path": "a"},
        {"path": "~/a"},
        {"paths": ["/srv/a", "/srv/b"]},
        {"path": "/srv/a", "other": "/etc/passwd"},
        {"path": "/srv/a", "url": "https://a.example"},
        {"path": "/srv/%61"},
        {"x": [[["/srv/a"]] * 300] * 300},
    ):
        assert refused("read", "/srv/a", call("read_file", args)) == OTHER
    assert refused("read", "/srv/a", call("delete_file", {"path": "/srv/a"})) == "the grant is for another operation"


def test_a_link_that_leads_elsewhere_is_another_file():
    links = {"/srv/a": "/etc/shadow"}
    assert refused("read", "/srv/a", call("read_file", {"path": "/srv/a"}), links) == OTHER
    assert refused("read", "/etc/shadow", call("read_file", {"path": "/srv/a"}), links) == ""
    assert refused("read", "/srv/d/a", call("read_file", {"path": "/srv/d/a"}), {"/srv/d": "/etc"}) == OTHER


def test_a_grant_for_a_url_holds_for_that_text_alone():
    url = "https://a.example/x"
    assert refused("connect", url, call("fetch_url", {"url": url})) == ""
    for args in (
        {},
        {"url": "https://a.example/y"},
        {"url": url, "path": "/srv/a"},
        {"url": [url, "https://b.example"]},
    ):
        assert refused("connect", url, call("fetch_url", args)) == OTHER


def test_a_grant_for_a_command_holds_where_the_arguments_say_nothing_else():
    run = "make test"
    assert refused("execute", run, call("run_command", {"command": run})) == ""
    for args in ({}, {"command": "make test; rm x"}, {"command": run, "cwd": "/"}, {"command": [run, "x"]}):
        assert refused("execute", run, call("run_command", args)) == OTHER_COMMAND


def test_a_grant_to_read_holds_for_resources_too():
    assert refused("read", "/srv/a", call("", {"uri": "file:///srv/a"}, "resources/read")) == ""
    assert refused("read", "https://a.example/x", call("", {"uri": "https://a.example/x"}, "resources/read")) == ""
    assert refused("read", "/srv/a", call("", {"uri": "file:///srv/b"}, "resources/read")) == OTHER
    assert refused("read", "/srv/a", call_of("prompts/get", {"name": "x"}, "fs")) == OTHER


def test_a_call_that_is_only_kept_in_part_is_not_told_by_its_resource():
    made = call("read_file", {"path": "/srv/a"})

    class Part(dict):
        pass

    made.args = Part(path="/srv/a")
    assert refused("read", "/srv/a", made) == "the call is too large to be told by its resource"


def test_the_daemon_tells_by_texts_and_by_where_paths_lead():
    fits = places_fit
    assert fits("permission/read", "/srv/a", {"path": "/l"}, [("/srv/a",)])
    assert not fits("permission/read", "/srv/a", {"path": "/l"}, [("/srv/b",)])
    assert not fits("permission/read", "/srv/a", {"path": "/l"}, [])
    assert not fits("permission/read", "/srv/a", {}, [])
    assert not fits("permission/read", "/srv/a", {"path": "/l", "u": "https://x.example"}, [("/srv/a",)])
    assert fits("permission/connect", "https://x.example/", {"url": "https://x.example/"}, [])
    assert not fits("permission/connect", "https://x.example/", {"url": "https://y.example/"}, [])
    assert fits("permission/execute", "make", {"command": "make"}, [])
    assert not fits("permission/read", "/srv/a", {"x": [[["/srv/a"]] * 300] * 300}, [])
    assert not fits("permission/delete", "/srv/a", {"path": "/l", "recursive": True}, [("/srv/a",)])
    assert not fits("permission/execute", "make", {"command": "make", "sudo": True}, [])


def test_a_grant_to_delete_a_path_is_not_one_to_delete_what_is_below_it():
    for more in ({}, {"recursive": False}, {"force": None}, {"timeout": 5}):
        assert refused("delete", "/srv/a", call("delete_file", {"path": "/srv/a", **more})) == ""
    for more in ({"recursive": True}, {"force": True}, {"mode": "recursive"}, {"depth": 9}, {"use_trash": False}):
        assert refused("delete", "/srv/a", call("delete_file", {"path": "/srv/a", **more})) == OTHER


def test_a_grant_for_a_command_is_for_no_flag_beside_it():
    run = "make test"
    assert refused("execute", run, call("run_command", {"command": run, "timeout_ms": 500})) == ""
    for more in ({"sudo": True}, {"background": True}, {"retries": 3}):
        assert refused("execute", run, call("run_command", {"command": run, **more})) == OTHER_COMMAND
    assert refused("execute", run, call("run_command", {"command": [run, True]})) == OTHER_COMMAND
