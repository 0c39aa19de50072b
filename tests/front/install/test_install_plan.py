import json
import os
import sys

import pytest

from mcpgov.front.context import Context
from mcpgov.front.install import install_plan, install_steps
from mcpgov.front.install.install_plan import PlannedChange
from mcpgov.front.install.install_steps import InstallRequest
from mcpgov.front.install.launcher import bundle_path
from mcpgov.front.service import login_service
from tests.helpers.homes import clients, tree

WANTED = InstallRequest("strict", None, False)
SERVER = {"mcpServers": {"fs": {"command": "stand-in"}}}


@pytest.fixture
def context(root):
    return Context(str(root))


def files(context, wanted=WANTED):
    return [touch.file for touch in install_plan.planned(context, wanted).touches]


def test_what_stands_already_is_not_listed(context, root, home):
    clients(home)
    install_steps.prepare(context, WANTED)
    assert len(files(context)) == 7
    install_steps.wrap(context)
    before = tree(root, home)
    assert install_plan.planned(context, WANTED).touches == (
        PlannedChange(f"{root}/state/", "journal, backups, history, compiled rules"),
    )
    assert tree(root, home) == before


def test_old_modules_of_the_launcher_are_listed_as_going(context, root):
    (root / "bin").mkdir()
    (root / "bin" / "hot-0.0.1-cpython-311-0123456789ab.bin").touch()
    assert bundle_path(context.places) is None  # a working copy needs none
    assert files(context)[:2] == [
        f"{root}/bin/{name}" for name in ("mcpgov-proxy", "hot-0.0.1-cpython-311-0123456789ab.bin")
    ]


def test_a_daemon_needs_its_runtime_directory(context, root):
    assert f"{root}/run/" in files(context, InstallRequest("strict", None, True))
    assert f"{root}/run/" not in files(context)


@pytest.mark.skipif(sys.platform == "darwin", reason="there launchd is asked")
def test_a_unit_that_is_the_same_and_a_link_that_is_there_are_not_listed(context, home, monkeypatch, tmp_path):
    systemctl = tmp_path / "systemctl"
    systemctl.write_text('#!/bin/sh\necho "UnitPath=$HOME/.config/systemd/user"\n')
    systemctl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    wanted = InstallRequest("strict", None, True)
    service = login_service.which(context.places)
    unit, link = login_service.planned(service, context.places)
    assert files(context, wanted)[-2:] == [str(unit), str(link)]
    link.parent.mkdir(parents=True)
    link.symlink_to(unit)
    unit.write_text(login_service.render(service, context.places))
    assert [file for file in files(context, wanted) if "systemd" in file] == []
    unit.write_text("# mcpgov 0.0.1\n")
    assert [file for file in files(context, wanted) if "systemd" in file] == [str(unit)]


def wrap(context):
    """Entries are only wrapped onto a launcher that is there."""
    context.ensure_launcher()
    install_steps.wrap(context)


def cursor(home, value=SERVER):
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value))
    return path


@pytest.mark.parametrize(("there", "name"), [([], ".bak"), ([".bak"], ".mcpgov.bak"), ([".bak", ".mcpgov.bak"], None)])
def test_the_backup_has_the_name_that_it_will_get(context, home, there, name):
    path = cursor(home)
    for end in there:
        path.with_name(f"{path.name}{end}").write_text("mine")
    listed = [file for file in files(context) if file.startswith(str(path.parent))]
    assert listed == [str(path)] + ([f"{path}{name}"] if name else [])
    before = tree(home)
    wrap(context)
    assert [file for file in tree(home) if file not in before] == listed[1:]


def test_a_second_server_makes_no_second_backup_and_a_file_with_wraps_is_no_original(context, home):
    path = cursor(home)
    wrap(context)
    value = json.loads(path.read_text())
    value["mcpServers"]["new"] = {"command": "stand-in"}
    path.write_text(json.dumps(value))
    assert [file for file in files(context) if file.startswith(str(path))] == [str(path)]
    path.with_name("mcp.json.bak").unlink()
    assert [file for file in files(context) if file.startswith(str(path))] == [str(path)]
    path.write_text(json.dumps(SERVER))
    assert [file for file in files(context) if file.startswith(str(path))] == [str(path), f"{path}.bak"]


def test_a_backup_of_ours_that_is_there_is_not_made_again(context, home):
    path = cursor(home)
    wrap(context)
    path.write_text(json.dumps(SERVER))
    assert [file for file in files(context) if file.startswith(str(path))] == [str(path)]


def test_a_file_that_may_not_be_changed_is_left_with_its_reason(context, home):
    path = cursor(home)
    path.chmod(0o444)
    plan = install_plan.planned(context, WANTED)
    assert [(found.file, found.code, found.hint) for found in plan.left] == [(str(path), 4, f"chmod u+w {path}")]
    assert str(path) not in [touch.file for touch in plan.touches]


def test_no_free_name_for_an_old_policy_is_found_out_later(context, root, tmp_path, policy):
    path = policy("")
    for end in ("", *(f".{n}" for n in range(2, 100))):
        path.with_name(f"policy.toml.old{end}").touch()
    new = tmp_path / "new.toml"
    new.write_text('default = "deny"\n')
    new.chmod(0o600)
    assert files(context, InstallRequest("strict", new, False))[1:4] == [str(path)] * 3
