"""One process, many sessions: everything is loaded, opened and watched once; each session is judged as if alone."""

import json
import signal
import tracemalloc

import pytest

from mcpgov import journal_reader
from mcpgov.front.main import main
from mcpgov.journal_verify import Verifier
from mcpgov.live import policy_in_force
from mcpgov.live.journal_writer import REMOVED
from mcpgov.live.refresh import FEW_LOOKS
from tests.helpers.many_sessions import Transport, descriptors
from tests.helpers.talks import ALLOW_ALL

MANY = 200
MOST_MEMORY = 3 * 6 * 1024  # bytes for one more session, three times what was measured
DENY_T = '[[rule]]\naction = "deny"\ntool = "t"\n' + ALLOW_ALL


@pytest.fixture
def root(tmp_path):
    (tmp_path / "root" / "config").mkdir(parents=True)
    write(tmp_path / "root" / "config" / "policy.toml", ALLOW_ALL)
    for name in "ab":
        (tmp_path / name).mkdir()
        write(tmp_path / name / ".mcpgov.toml", f'[[rule]]\naction = "deny"\ntool = "only_{name}"\n')
    return tmp_path / "root"


def write(path, text):
    path.write_text(text)
    path.chmod(0o600)


@pytest.fixture
def transport(root):
    before = signal.getsignal(signal.SIGIO)
    made = Transport(root)
    yield made
    made.close()
    signal.signal(signal.SIGIO, before)


def records_of(root):
    files = sorted((root / "state" / "journal").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("ascii").splitlines()]


def edit(root, text):
    write(root / "config" / "policy.toml", text)


def test_two_hundred_sessions_are_judged_by_a_policy_that_changes_under_them(transport, root):
    projects = [str(root.parent / name) for name in "ab"]
    for number in range(MANY):
        one = transport.open(f"server{number % 3}", projects[number % 2])
        assert one.call("t")
        if number == 5:
            opened = descriptors()
    for one in transport.sessions * FEW_LOOKS:
        assert one.call("t")
    opened_listening = descriptors()
    for number, one in enumerate(transport.sessions):
        assert [one.call("only_a"), one.call("only_b")] == ([False, True] if number % 2 == 0 else [True, False])
    assert len(transport.compiles) == 3  # the user's policy and two projects'
    assert opened_listening - opened <= 12  # the directories that are listened to, however many sessions do

    edit(root, DENY_T)
    for one in transport.sessions:
        one.in_force.refresh()
    assert all(one.in_force.policies.busy for one in transport.sessions)
    transport.wait_for_compilers()
    assert not any(one.call("t") for one in transport.sessions)
    assert len(transport.compiles) == 4
    assert all(one.call("u") for one in transport.sessions)
    assert descriptors() == opened_listening

    found = records_of(root)
    reloaded = [record["session"] for record in found if record["action"] == "reloaded"]
    assert sorted(reloaded) == sorted({record["session"] for record in found})
    assert len(reloaded) == MANY
    assert main(["--root", str(root), "audit", "verify"]) == 0
    verifier = Verifier()
    remarks = [
        remark for path in journal_reader.files(str(root / "state" / "journal")) for remark in verifier.check(path)
    ]
    assert [*remarks, *verifier.finish()] == []
    assert verifier.sessions == MANY


def test_a_session_that_did_not_ask_meanwhile_is_judged_by_the_new_policy_too(transport, root):
    first, second = transport.open("s"), transport.open("s")
    for _ in range(FEW_LOOKS + 2):
        assert first.call("t")
        assert second.call("t")
    edit(root, DENY_T)
    assert not first.call("t")
    assert not second.call("t")
    assert len(transport.compiles) == 2


def test_a_broken_policy_is_told_once_by_every_session_and_tried_once(transport, root):
    sessions = [transport.open(f"server{number}") for number in range(3)]
    assert all(one.call("t") for one in sessions)
    edit(root, "broken = = =")
    for _ in range(2):
        assert all(one.call("t") for one in sessions)
    assert [len(one.said) for one in sessions] == [1, 1, 1]
    assert len(transport.compiles) == 2
    assert [record["action"] for record in records_of(root) if record["dir"] == "proxy"] == ["broken"] * 3


def test_one_more_session_costs_little_memory(transport):
    for _ in range(10):
        one = transport.open("s")
        assert one.call("read_file", path="a/b")
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(100):
            one = transport.open("s")
            for _ in range(FEW_LOOKS + 2):
                assert one.call("read_file", path="a/b")
        each = (tracemalloc.get_traced_memory()[0] - before) / 100
    finally:
        tracemalloc.stop()
    assert each < MOST_MEMORY


def test_sessions_that_ended_leave_nothing_behind(transport):
    first = transport.open("s")
    for _ in range(FEW_LOOKS + 2):
        first.call("t")
    before, watches = descriptors(), len(transport.live.watches)
    for _ in range(20):
        one = transport.open("s")
        for _ in range(FEW_LOOKS + 2):
            one.call("t")
        one.in_force.close()
        transport.sessions.remove(one)
    assert (descriptors(), len(transport.live.watches)) == (before, watches)
    assert first.in_force.policies.users == 1


def test_a_process_that_gives_up_its_sessions_has_no_descriptor_left(root):
    before_signal, before = signal.getsignal(signal.SIGIO), descriptors()
    made = Transport(root)
    for number in range(3):
        one = made.open(f"s{number}")
        for _ in range(FEW_LOOKS + 2):
            assert one.call("t")
    made.close()
    assert descriptors() == before
    signal.signal(signal.SIGIO, before_signal)


def test_what_happens_to_the_journal_is_told_by_every_session_with_records_in_it(transport, root):
    first, second = transport.open("a"), transport.open("b")
    assert first.call("t")
    assert second.call("t")
    third = transport.open("c")
    [file] = (root / "state" / "journal").glob("*.jsonl")
    file.unlink()
    for one in (first, second, third):
        one.journal.recheck()
        assert one.call("t")
    told = [(record["session"], record["records"]) for record in records_of(root) if record.get("why") == REMOVED]
    assert told == [("s0000", 2), ("s0001", 2)]
    assert main(["--root", str(root), "audit", "verify"]) != 0


def test_the_day_and_the_salt_are_shared(transport, root):
    live = transport.live
    assert live.today(0.0) == live.today(59.0) == "1970-01-01"
    assert live.fingerprint("x") == live.fingerprint("x")
    assert (root / "state" / "salt").exists()
    assert live.journal_file() is live.journal_file()
    assert live.journal_file("/other") is not live.journal_file()


def test_the_roots_of_one_session_change_no_other_sessions_verdicts(transport, root):
    guarded = root.parent / "guarded"
    guarded.mkdir()
    edit(root, f'[[rule]]\naction = "deny"\nargs.path = "{guarded}/**"\n' + ALLOW_ALL)
    first, second = transport.open("s"), transport.open("s")
    assert first.in_force.session.policy is second.in_force.session.policy
    assert first.call("read_file", path="key")
    assert first.in_force.session.on_roots is not None
    first.in_force.session.on_roots((str(guarded),))
    assert not first.call("read_file", path="key")
    assert second.call("read_file", path="key")


def test_policies_that_nobody_is_judged_by_are_dropped_once_there_are_many(transport, root, monkeypatch):
    monkeypatch.setattr(policy_in_force, "MOST_UNUSED", 2)
    store = transport.live.policies
    kept, gone = store.in_force(project="/kept"), store.in_force(project="/gone")
    gone.users -= 1
    store.in_force(project="/new")
    assert store.in_force(project="/kept") is kept
    assert store.in_force(project="/gone") is not gone
