import json

from tests.front.commands.test_wrap import TEXT, config, of_cursor, tree

__all__ = ["config"]


def test_whatever_is_bare_is_wrapped(run, config):
    done = run("sync", "--json")
    assert (done.status, done.json["command"], done.json["ok"]) == (0, "sync", True)
    assert [file["client"] for file in done.json["files"]] == ["claude-desktop", "claude-code", "cursor"]
    assert [(entry["name"], entry["result"]) for entry in of_cursor(done)["entries"]] == [
        ("github", "wrapped"),
        ("off", "wrapped"),
        ("web", "skipped"),
    ]
    assert of_cursor(run("sync", "--json"))["result"] == "unchanged"


def test_a_dry_run_writes_nothing(run, config, home, root):
    before = tree(home, root)
    assert "github: would be wrapped" in run("sync", "--dry-run").out
    assert tree(home, root) == before


def test_the_daemons_own_option_works_on_one_file_and_leaves_what_it_is_told(run, config):
    run("launcher")  # the daemon has it written before it works on any file
    said = {"places": [["mcpServers", "off"]], "project": "", "managed": False, "user_level": True}
    said |= {"listed": "", "exclude": []}
    done = run("sync", "--json", "--client", "cursor", f"--config={config}", f"--leave={json.dumps(said)}")
    assert done.status == 0
    assert '"off": { "command": "x"' in config.read_text()
    assert '"mcpgov-proxy' not in config.read_text().split('"off"')[1]


def test_the_daemons_own_option_is_no_word_of_others(run, config):
    for words in (["--leave=x"], [f"--config={config}", "--leave={}"]):
        done = run("sync", *words)
        assert done.status == 64
        assert "`--leave` is the daemon's own" in done.err
    assert config.read_text() == TEXT
