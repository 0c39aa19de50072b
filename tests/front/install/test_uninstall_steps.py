import json
import os
import subprocess
import sys
from pathlib import Path

import keyring
import pytest

from mcpgov.front.context import Context
from mcpgov.front.install import install_steps, uninstall_steps
from mcpgov.front.install.install_steps import InstallRequest
from mcpgov.front.service import daemon_ops
from mcpgov.login.logins import Logins
from mcpgov.login.stored_login import StoredLogin
from mcpgov.places import Places
from mcpgov.remote_servers import RemoteServer, keep_port, keep_server, new_id
from tests.helpers.file_keyring import FileKeyring
from tests.helpers.homes import clients, end_daemon, shape, tree
from tests.helpers.nobody import PREFIX, home_of_nobody

WANTED = InstallRequest("strict", None, False)


@pytest.fixture
def context(root):
    made = Context(str(root))
    yield made
    end_daemon(made.places)


def without_powers(home, code):
    """What the code prints; our own modules are loaded while they can still be read."""
    text = f"from mcpgov.front.install import uninstall_steps\nfrom mcpgov.places import Places\n{PREFIX}\n{code}"
    done = subprocess.run([sys.executable, "-c", text, str(home)], capture_output=True, text=True, timeout=30)
    assert done.stderr == ""
    return done.stdout.splitlines()


def installed(context):
    install_steps.prepare(context, WANTED)
    install_steps.wrap(context)


def test_the_message_says_what_to_do_and_fails_as_a_missing_command_does(tmp_path):
    script = tmp_path / "mcpgov-proxy"
    script.write_text(uninstall_steps.launcher_message())
    script.chmod(0o755)
    done = subprocess.run([str(script), "--server", "x", "--", "cat"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (
        127,
        "",
        "mcpgov: this server is governed by mcpgov, which is no longer installed here\n"
        "mcpgov: install it again, or remove mcpgov-proxy and its options from the server's entry\n",
    )


def test_looking_for_our_part_writes_nothing_where_we_never_were(context, home, root):
    clients(home)
    before = tree(home, root)
    assert uninstall_steps.unwrap(context) == ([], [])
    assert (uninstall_steps.has_data(context.places), uninstall_steps.still_running(context)) == (False, [])
    assert tree(home, root) == before


def test_tokens_are_taken_out_of_the_keyring(context, tmp_path):
    directory = context.places.remote_tokens
    assert uninstall_steps.forget_logins(context) == []
    before, ring = keyring.core._keyring_backend, FileKeyring(tmp_path / "ring.json")
    keyring.set_keyring(ring)
    try:
        login = StoredLogin("https://x/mcp", {"client_id": "c"}, {}, {}, {}, "at-1", "rt-1")
        Logins(directory).keep(login, "x")
        assert "at-1" in ring.path.read_text()
        assert uninstall_steps.forget_logins(context) == ["removed the token of 1 login from the system's keyring"]
        assert ring.path.read_text() == "{}"
    finally:
        keyring.core._keyring_backend = before


def test_only_files_with_a_part_of_us_are_worked_on(context, home):
    files = clients(home)
    installed(context)
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text('{"mcpServers": {"g": {"command": "stand-in"}}}')
    results, named = uninstall_steps.unwrap(context)
    assert (sorted(found.file for found in results), named) == (sorted(map(str, files)), [])
    assert len(uninstall_steps.unwrapped(results)) == 3
    assert {path: path.read_bytes() for path in files} == files


def test_a_file_that_is_not_understood_counts_by_what_it_says(context, home, root):
    clients(home)
    installed(context)
    launcher = str(context.places.launcher)
    cursor, claude = home / ".cursor" / "mcp.json", home / ".claude.json"
    cursor.write_text("{")
    claude.write_text('{"mcpServers": {"db": {"command": ' + json.dumps(launcher))
    results, named = uninstall_steps.unwrap(context)
    assert named == [str(claude)]
    assert {found.file: found.result for found in results}[str(claude)] == "busy"


def test_a_launcher_with_odd_letters_is_found_as_json_spells_it(tmp_path, home):
    context = Context(str(tmp_path / 'r"ü'))
    clients(home)
    installed(context)
    claude = home / ".claude.json"
    for ascii_only in (True, False):
        text = json.dumps(str(context.places.launcher), ensure_ascii=ascii_only)
        claude.write_text('{"mcpServers": {"db": {"command": ' + text)
        assert uninstall_steps.unwrap(context)[1] == [str(claude)]


def test_a_file_that_cannot_be_read_counts_if_we_know_it():
    code = """
file = home / "config.json"
file.write_text("{}")
file.chmod(0)
print([uninstall_steps._mentions(file, ["/x"], known) for known in (True, False)])
print(uninstall_steps._mentions(home / "missing", ["/x"], True))
"""
    with home_of_nobody() as place:
        assert without_powers(place, code) == ["[True, False]", "False"]


def test_a_launcher_goes_with_its_modules_or_stays_as_a_message(context, root):
    installed(context)
    launcher, bundle = context.places.launcher, root / "bin" / "hot-1-cpython-311-0123456789ab.bin"
    bundle.touch()
    said = uninstall_steps.remove_launcher(context, ["/c.json"])
    assert said == [f"left {launcher} as a message: /c.json still names it"]
    assert (launcher.read_text(), bundle.exists()) == (uninstall_steps.launcher_message(), False)
    assert uninstall_steps.remove_launcher(context, []) == [f"removed the launcher {launcher}"]
    assert (launcher.exists(), uninstall_steps.remove_launcher(context, [])) == (False, [])


def test_a_daemon_is_stopped_and_its_pid_told(context):
    assert uninstall_steps.end_service(context) == []
    pid = daemon_ops.start(context.places, service=None).pid
    assert uninstall_steps.end_service(context) == [f"stopped the daemon (pid {pid})"]
    assert daemon_ops.lock_holder(context.places) is None


def test_backups_are_counted(context, home):
    assert uninstall_steps.remove_backups(context) == []
    clients(home)
    installed(context)
    assert uninstall_steps.remove_backups(context) == ["removed 3 backups beside configs"]


def emptied(places):
    """As the command does it."""
    directories = list(uninstall_steps.removable_directories(places))
    said = uninstall_steps.remove_data(places)
    uninstall_steps.remove_empty(directories)
    return said


def test_in_a_root_only_what_is_ours_goes(context, root):
    (root / "state").mkdir()
    for place in ("config/mine.toml", "state/mine", "config/policy.toml.older"):
        (root / place).write_text("mine")
    before = shape(root)
    install_steps.prepare(context, WANTED)
    uninstall_steps.remove_launcher(context, [])
    assert uninstall_steps.has_data(context.places) is True
    assert emptied(context.places) == [f"removed {root}/config", f"removed {root}/state"]
    assert (shape(root), uninstall_steps.has_data(context.places)) == (before, False)


def test_in_a_root_all_that_we_may_have_written_goes(context, root):
    """A root may be anybody's directory: what is ours there is known by its name, and no place is forgotten."""
    places = context.places
    ours = [path for path in vars(places).values() if isinstance(path, Path)]
    kept = (root, places.launcher, places.managed_policy, places.socket, places.lender_socket)
    for path in (each for each in ours if each not in kept and each.is_relative_to(root)):
        path.mkdir(parents=True, exist_ok=True)
    assert not (places.state / install_steps.MADE).exists()
    uninstall_steps.remove_data(places)
    kept = {str(path) for path in (root, places.config, places.state, places.runtime, places.managed_policy.parent)}
    assert set(tree(root)) <= kept


def test_in_the_home_the_directories_of_our_name_go_whole(home):
    places = Places()
    context = Context()
    installed(context)
    (places.config / "team.toml").write_text("")
    (places.runtime / "old").mkdir(parents=True)
    uninstall_steps.remove_launcher(context, [])
    assert [line.rpartition("/")[2] for line in emptied(places)] == ["mcpgov"] * len({places.config, places.state})
    assert list(home.iterdir()) == []


def test_the_program_itself_stays_where_it_lies_among_the_data(home, monkeypatch):
    places = Places()
    installed(Context())
    program = places.state / "venv"
    program.mkdir()
    monkeypatch.setattr("sys.prefix", str(program))
    emptied(places)
    assert list(places.state.iterdir()) == [program]


def test_a_socket_that_lies_elsewhere_goes_too(tmp_path):
    places = Places(tmp_path / ("long" * 30))
    assert not places.socket.is_relative_to(places.runtime)
    places.socket.parent.mkdir(mode=0o700)
    places.socket.touch()
    assert uninstall_steps.has_data(places)
    assert emptied(places) == [f"removed {places.socket.parent}"]
    assert not places.socket.parent.exists()


def test_a_directory_that_is_a_link_is_left(context, root, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    os.rmdir(root / "config")
    (root / "config").symlink_to(elsewhere)
    install_steps.prepare(context, WANTED)
    emptied(context.places)
    assert [path.name for path in elsewhere.iterdir()] == ["policy.toml"]


def test_what_cannot_be_removed_is_named():
    code = """
places = Places(home)
(home / "state" / "journal").mkdir(parents=True)
(home / "state" / "journal" / "x").touch()
(home / "state" / "journal").chmod(0o500)
try:
    uninstall_steps.remove_data(places)
except McpgovError as error:
    print(error)
"""
    with home_of_nobody() as place:
        told = f"cannot remove `{place}/state/journal`: permission denied"
        assert without_powers(place, code) == [told]


@pytest.mark.parametrize("alone", [True, False])
def test_the_one_command_removes_the_environment_and_the_link_that_the_install_script_made(
    tmp_path, monkeypatch, alone
):
    venv, link = tmp_path / "it's here" / "mcpgov" / "venv", tmp_path / "bin" / "mcpgov"
    for place in (venv / "bin", link.parent):
        place.mkdir(parents=True)
    (venv / "bin" / "mcpgov").touch()
    monkeypatch.setattr("sys.prefix", str(venv))
    assert uninstall_steps.program_removal_command() == "", "an environment of somebody else's"
    (venv / ".mcpgov-install").write_text(f"{link}\n")
    link.symlink_to(venv / "bin" / "mcpgov")
    if not alone:
        (venv.parent / "mine").touch()
    subprocess.run(uninstall_steps.program_removal_command(), shell=True, check=True)
    assert (venv.exists(), link.is_symlink(), venv.parent.exists()) == (False, False, not alone)


def test_a_link_that_leads_elsewhere_stays(tmp_path, monkeypatch):
    venv, link = tmp_path / "venv", tmp_path / "mcpgov"
    venv.mkdir()
    (venv / ".mcpgov-install").write_text(f"{link}\n")
    link.symlink_to("/somewhere/else/bin/mcpgov")
    monkeypatch.setattr("sys.prefix", str(venv))
    assert uninstall_steps.program_removal_command() == f"rm -rf {venv}"


# --- remote servers


def remote(context, file):
    server = RemoteServer(new_id(), "sentry", "cursor", "", "https://mcp.sentry.dev/mcp", file=str(file))
    keep_server(context.places.remote_servers, server)
    keep_port(context.places.remote_port, 20001)
    return server


def test_a_broken_file_that_holds_a_remote_servers_id_is_our_business(context, home):
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir(parents=True)
    server = remote(context, file)
    file.write_text(f'{{"mcpServers": {{"sentry": {{"url": "http://127.0.0.1:20001/{server.id}/mcp"')
    assert uninstall_steps.unwrap(context)[1] == [str(file)]
    file.write_text('{"mcpServers": {"sentry": {"url": "http://127.0.0.1:20001/')
    assert uninstall_steps.unwrap(context)[1] == []


def test_what_is_kept_of_remote_servers_goes_and_is_told(context, home):
    assert (uninstall_steps.remove_remote(context), uninstall_steps.forget_logins(context)) == ([], [])
    remote(context, home / "f")
    assert uninstall_steps.has_data(context.places)
    assert uninstall_steps.remove_remote(context) == ["removed what was kept of remote servers"]
    assert not context.places.remote_servers.parent.exists()
