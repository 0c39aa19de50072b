import pytest

from mcpgov.daemon.processes.recognise_proxy import Proxied, Recogniser, proxy_like, read_options, server_in

LAUNCHER = "/home/me/bin/mcpgov-proxy"
OURS = Recogniser({LAUNCHER}, "/home/me/state/journal")
WORDS = ("--server", "git", "--client", "cursor", "--project", "/p", "--", "uvx", "mcp-server-git")
SAID = Proxied("git", "cursor", "/p", ("uvx", "mcp-server-git"))
CODE = "import sys\nfrom mcpgov.proxy.launch import main\nmain(sys.argv[1:], {'journal': '/home/me/state/journal'})"


def test_a_script_that_the_kernel_started_is_ours_by_its_whole_path():
    assert OURS.proxied(("/usr/bin/python3", "-IS", LAUNCHER, *WORDS)) == SAID


def test_code_on_the_command_line_is_ours_by_our_journal():
    assert OURS.proxied(("/usr/bin/python3", "-I", "-S", "-c", CODE, *WORDS)) == SAID


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("python3",),
        ("python3", "-IS"),
        ("python3", "-IS", "/tmp/mcpgov-proxy", *WORDS),
        ("python3", LAUNCHER, *WORDS),
        ("vi", LAUNCHER),
        ("sh", LAUNCHER, *WORDS),
        ("python3", "-IS", LAUNCHER),
        ("python3", "-I", "-S", "-c"),
        ("python3", "-I", "-S", "-c", "print(1)", *WORDS),
        ("python3", "-I", "-S", "-c", CODE.replace("/home/me", "/home/you"), *WORDS),
        ("python3", "-I", "-S", "-c", CODE.replace("import main", "import other"), *WORDS),
    ],
)
def test_a_look_alike_is_not_ours(argv):
    assert OURS.proxied(argv) is None


def test_options_are_read_as_the_proxy_reads_them():
    assert read_options(["--server=a=b", "--policy", "/p", "--", "x", "--", "y"]) == Proxied(
        "a=b", "", "", ("x", "--", "y")
    )


@pytest.mark.parametrize(
    "words", [[], ["--", "x"], ["--server", "a"], ["--server"], ["--server", "a", "--"], ["--other", "a", "--", "x"]]
)
def test_what_the_proxy_would_refuse_is_no_proxy(words):
    assert read_options(words) is None


def test_a_proxy_of_another_root_or_home_is_a_proxy_all_the_same():
    other = CODE.replace("/home/me", "/home/you")
    assert proxy_like(("python3", "-IS", "/elsewhere/bin/mcpgov-proxy", *WORDS))
    assert proxy_like(("python3", "-I", "-S", "-c", other, *WORDS))
    for argv in (("python3", "-IS", "/tmp/other", *WORDS), ("python3", "-IS", LAUNCHER), ("python3",), ("vi", LAUNCHER),
                 ("python3", "-I", "-S", "-c", "print(1)", *WORDS)):  # fmt: skip
        assert not proxy_like(argv)


def test_the_server_is_named_whichever_way_the_proxy_was_started():
    options = ("--server", "fs", "--", "npx")
    assert server_in(("python", "-IS", "/x/mcpgov-proxy", *options)) == "fs"
    assert server_in(("python", "-I", "-S", "-c", "code", *options)) == "fs"
    assert server_in(("node", "x")) == ""
