import asyncio
import sys

import pytest

from mcpgov.web import commands
from mcpgov.web.commands import CommandFailed, PageCommands

ECHO = "import json, sys; print(json.dumps({'version': 1, 'ok': True, 'words': sys.argv[1:], 'in': sys.stdin.read()}))"


def made(code, **given):
    return lambda: PageCommands([sys.executable, "-I", "-S", "-c", code], **given)


def run(make, *words, **given):
    async def once():
        return await make().run(*words, **given)

    return asyncio.run(once())


def test_the_answer_comes_without_its_envelope():
    done = run(made(ECHO), "policy", "--x=1", names=["--quiet", "b"], given=b"text")
    assert (done.status, done.data) == (0, {"words": ["policy", "--x=1", "--json", "--", "--quiet", "b"], "in": "text"})


@pytest.mark.parametrize(("reason", "code"), [("changed", "changed"), ("caller-refused", "caller-refused"),
                                              ("policy-broken", "declined"), ("failed", "declined")])  # fmt: skip
def test_a_command_that_says_no_is_heard(reason, code):
    error = {"message": "no", "hint": "do", "reason_code": reason}
    with pytest.raises(CommandFailed, match="no") as found:
        run(made(f"import json; print(json.dumps({{'error': {error!r}}})); raise SystemExit(3)"), "x")
    assert (found.value.code, found.value.hint) == (code, "do")


@pytest.mark.parametrize("code", ["print('[]')", "raise SystemExit(5)", "print('[' * 100000)"])
def test_a_command_without_an_answer_has_failed(code):
    with pytest.raises(CommandFailed, match="`mcpgov x` ended with status") as found:
        run(made(code), "x")
    assert found.value.code == "broken"


def test_a_command_that_takes_too_long_is_ended():
    with pytest.raises(CommandFailed, match="takes longer") as found:
        run(made("import time; time.sleep(600)", patience=0.2), "x")
    assert found.value.code == "slow"


def test_too_much_output_is_cut_off(monkeypatch):
    monkeypatch.setattr(commands, "LONGEST_OUTPUT", 1000)
    with pytest.raises(CommandFailed, match="more than the page can show"):
        run(made("print('x' * 100000)"), "x")


def test_a_command_that_does_not_read_is_no_trouble():
    assert run(made("import sys; sys.stdin.close(); print('{}')"), "x", given=b"y" * 1_000_000).data == {}


def test_few_run_at_once_and_few_wait(monkeypatch):
    monkeypatch.setattr(commands, "MOST_WAITING", 2)

    async def many():
        found = PageCommands([sys.executable, "-I", "-S", "-c", ECHO])
        return await asyncio.gather(*(found.run("x") for _ in range(3)), return_exceptions=True)

    refused = [found for found in asyncio.run(many()) if isinstance(found, CommandFailed)]
    assert [found.code for found in refused] == ["too-many"]


def test_settings_of_the_caller_do_not_reach_it(monkeypatch):
    monkeypatch.setenv("MCPGOV_ROOT", "/elsewhere")
    code = "import json, os; print(json.dumps({'root': os.environ.get('MCPGOV_ROOT')}))"
    assert run(made(code), "x").data == {"root": None}
