from tests.front.commands.test_wrap import config

__all__ = ["config"]


def test_there_is_no_history_yet(run):
    done = run("history")
    assert (done.status, done.out) == (0, "no server was seen yet\n")
    assert run("history", "x").err == "mcpgov: no server `x` was ever seen\n  hint: mcpgov history\n"


def test_every_event_is_told_oldest_first(run, config):
    run("wrap", "--all")
    config.write_text('{"mcpServers": {"web": {"url": "https://y"}}}')
    run("sync")
    events = run("history", "--json").json["events"]
    assert [(event["event"], event["name"]) for event in events] == [
        *(("added", "github"), ("added", "off"), ("added", "web")),
        *(("wrapped", "github"), ("wrapped", "off")),
        *(("changed", "web"), ("removed", "github"), ("removed", "off")),
    ]
    assert events[0].keys() == {"time", "event", "name", "client", "file", "path", "form"}
    assert (events[0]["client"], events[0]["file"], events[0]["path"]) == (
        "cursor",
        str(config),
        ["mcpServers", "github"],
    )


def test_one_servers_history_and_its_text_when_asked(run, config):
    run("wrap", "--all")
    out = run("history", "github", "--show").out
    assert out.splitlines()[-1] == '{ "command": "npx", "args": ["-y", "gh"] }'
    assert "off" not in out
    assert "npx" not in run("history", "github").out


def test_only_the_last_events_are_shown(run, config):
    run("wrap", "--all")
    assert [event["name"] for event in run("history", "-n", "2", "--json").json["events"]] == ["github", "off"]
    assert run("history", "-n", "0").status == 64
