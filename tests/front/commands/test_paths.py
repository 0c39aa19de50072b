from mcpgov.front.main import main
from mcpgov.places import Places


def test_with_a_root_every_place_lies_below_it(run, root):
    assert run("paths", "--json").json == {
        "version": 1, "command": "paths", "ok": True,
        "paths": {
            "config": f"{root}/config",
            "settings": f"{root}/config/settings.toml",
            "policy": f"{root}/config/policy.toml",
            "managed_policy": f"{root}/managed/policy.toml",
            "state": f"{root}/state",
            "compiled": f"{root}/state/compiled",
            "journal": f"{root}/state/journal",
            "ledger": f"{root}/state/ledger.sqlite",
            "tools": f"{root}/state/tools",
            "log": f"{root}/state/log",
            "runtime": f"{root}/run",
            "socket": str(Places(root).socket),
            "launcher": f"{root}/bin/mcpgov-proxy",
        },
    }  # fmt: skip


def test_people_see_what_is_not_there_yet(run, root):
    lines = [line.split(maxsplit=2) for line in run("paths").out.splitlines()]
    assert lines[1] == ["config", str(root / "config")]
    assert lines[2] == ["settings", str(root / "config" / "settings.toml"), "not there yet"]


def test_a_rules_json_is_the_policy_where_only_that_exists(run, root):
    (root / "config" / "rules.json").write_text("{}")
    assert run("paths", "--json").json["paths"]["policy"] == f"{root}/config/rules.json"
    (root / "config" / "policy.toml").write_text("")
    assert run("paths", "--json").json["paths"]["policy"] == f"{root}/config/policy.toml"


def test_places_below_the_home_are_shortened(home, capsys):
    assert main(["--root", str(home / "trial"), "paths"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "config          ~/trial/config                not there yet"


def test_asking_creates_nothing(run, root):
    run("paths")
    assert sorted(path.name for path in root.rglob("*")) == ["config"]
