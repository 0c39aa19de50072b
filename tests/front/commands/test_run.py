import os
import signal
import subprocess

import pytest

from tests.front.commands.test_wrap import TEXT, config

__all__ = ["config"]


def test_the_exit_status_is_the_clients_and_its_servers_are_wrapped(child, config):
    done = child("run", "--", "sh", "-c", 'echo $0 "$@"; exit 7', "a b", "--json", "--", "status")
    assert (done.status, done.out) == (7, "a b --json -- status\n")
    assert "mcpgov-proxy" in config.read_text()


def test_the_terminal_is_the_clients(terminal, config, policy):
    policy('default = "deny"\n')
    done = terminal("run", "--", "sh", "-c", "test -t 0 && test -t 1 && read line && echo got $line", typed=b"typed\n")
    assert (done.status, done.out.splitlines()[-1]) == (0, "got typed")


def test_a_signal_ends_the_client_as_it_would_without_us(child, config):
    assert child("run", "--", "sh", "-c", "kill -TERM $$").status == -15


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_signals_are_to_the_client_what_they_are_without_us(child, config):
    command = ["grep", "-E", "Sig(Ign|Blk)", "/proc/self/status"]
    assert child("run", "--", *command).out == subprocess.run(command, capture_output=True, text=True).stdout


def test_a_client_that_is_not_there_changes_nothing(child, config):
    done = child("run", "--", "no-such-client")
    assert (done.status, done.err) == (1, "mcpgov: cannot start `no-such-client`: there is no such command\n")
    assert config.read_text() == TEXT


def test_a_client_that_cannot_be_started_is_told_and_we_go_on_as_before(run, home):
    odd = home / "odd"
    odd.write_bytes(b"\x7fELF no program")
    odd.chmod(0o755)
    done = run("run", "--", odd)
    assert (done.status, done.err) == (1, f"mcpgov: cannot start `{odd}`: exec format error\n")
    assert signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN


def test_a_file_that_cannot_be_changed_is_told_and_the_client_starts(child, config):
    config.chmod(0o444)
    done = child("run", "--", "echo", "started")
    assert (done.status, done.out) == (0, "started\n")
    assert done.err == f"mcpgov: {config}: left as it is: `{config}` is read-only\n"


def test_who_has_no_policy_is_told_unless_quiet(child, config):
    assert "there is no policy yet" in child("run", "--", "true").err
    config.write_text(TEXT)
    assert child("run", "--quiet", "--", "true").err == ""


def test_a_client_must_be_named(run):
    done = run("run")
    assert (done.status, done.err) == (64, "mcpgov: say which client to run\n  hint: mcpgov run -- claude\n")


def test_a_config_that_is_being_written_is_waited_for(child, config):
    config.write_text(TEXT[:20])
    half = subprocess.Popen(["sh", "-c", 'sleep 0.3; printf %s "$1" > "$2"', "sh", TEXT, str(config)])
    try:
        done = child("run", "--", "true")
    finally:
        half.wait(timeout=5)
    assert (done.status, "left as it is" in done.err) == (0, False)
    assert "mcpgov-proxy" in config.read_text()
