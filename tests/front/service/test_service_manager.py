import sys

from mcpgov.front.service import service_manager


def test_a_tool_gives_its_status_its_output_and_its_complaint_on_one_line():
    code = "import sys; print('out'); print('no', 'such', file=sys.stderr); print('unit', file=sys.stderr); sys.exit(5)"
    assert service_manager.run([sys.executable, "-c", code]) == (5, "out\n", "no such unit")


def test_a_tool_that_complains_on_its_output_is_heard_too():
    assert service_manager.run([sys.executable, "-c", "print('not so'); raise SystemExit(1)"]) == (
        1,
        "not so\n",
        "not so",
    )


def test_a_tool_that_is_missing_or_does_not_answer_is_a_failure_with_a_reason(monkeypatch):
    assert service_manager.run(["/nowhere/systemctl"]) == (1, "", "no such file or directory")
    monkeypatch.setattr(service_manager, "LONGEST_ANSWER", 0.05)
    waits = [sys.executable, "-c", "import signal; signal.pause()"]
    assert service_manager.run(waits) == (1, "", "no answer within 0 s")


def test_only_plain_digits_are_a_number():
    assert [service_manager.number(text) for text in ("12", "", "[not set]", "١")] == [12, 0, 0, 0]
