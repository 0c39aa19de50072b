import asyncio
import json
import sys

import pytest

from mcpgov.daemon_client import DaemonClient
from mcpgov.web.commands import PageCommands
from mcpgov.web.sections import ALWAYS, Sections, without_times


def known(tmp_path, requests, budget, *statuses):
    """The sections by what a daemon and a command say."""
    asked = []

    async def serve(reader, writer):
        op = json.loads(await reader.readline())["op"]
        asked.append(op)
        answers = {"requests": {"ok": True, "requests": requests} if requests is not None else {"ok": False},
                   "status": {"ok": True, "text": json.dumps(statuses[0])}}  # fmt: skip
        writer.write(json.dumps({"v": 1, **answers[op]}).encode() + b"\n")
        await writer.drain()
        writer.close()

    async def all_of_them():
        server = await asyncio.start_unix_server(serve, tmp_path / "s")
        async with server:
            command = [sys.executable, "-I", "-S", "-c", f"print({json.dumps(budget)!r})"]
            sections = Sections(DaemonClient(str(tmp_path / "s")), PageCommands(command))
            status = await sections.status()
            assert status == statuses[0]
            return [(sections.update(await sections.known(each)), sections.names) for each in statuses]

    return asyncio.run(all_of_them()), asked


POLICY = {"policy": {"revision": "1"}}


def test_a_section_is_there_when_its_request_is_known(tmp_path):
    found, asked = known(tmp_path, ["grants", "lock", "ping"], {"budgets": [1]}, POLICY, {**POLICY, "remote": [1]})
    assert found == [
        (True, (*ALWAYS, "grants", "lock", "budgets")),
        (True, (*ALWAYS, "grants", "lock", "remote", "budgets")),
    ]
    assert asked == ["status", "requests"]


@pytest.mark.parametrize("budget", [{}, {"budgets": [], "limits": []}, {"error": {"message": "no"}}, []])
def test_an_older_daemon_and_a_policy_without_budgets_have_fewer(tmp_path, budget):
    found, _ = known(tmp_path, None, budget, POLICY, {**POLICY, "policy": None})
    assert found == [(False, ALWAYS), (False, ALWAYS)]


def test_private_data_has_a_section_where_a_policy_looks_for_it(tmp_path):
    (tmp_path / "one.toml").write_text("# [privacy] off\n")
    (tmp_path / "two.toml").write_text("x = 1\n [[ privacy.rule ]]\n")
    for name, wanted in (("one.toml", ALWAYS), ("two.toml", (*ALWAYS, "privacy")), ("none.toml", ALWAYS)):
        (tmp_path / name[:3]).mkdir()
        found, _ = known(tmp_path / name[:3], [], {"sources": [str(tmp_path / name)]}, POLICY)
        assert found[0][1] == wanted


def test_what_changes_all_the_time_is_no_news():
    one = {"time": 1, "daemon": {"uptime": 3, "pid": 4}, "proxies": [{"idle": 1, "calls": 2}]}
    same = {"time": 2, "daemon": {"uptime": 9, "pid": 4}, "proxies": [{"idle": 0, "calls": 2}]}
    other = {"time": 1, "daemon": {"uptime": 3, "pid": 4}, "proxies": [{"idle": 1, "calls": 3}]}
    assert without_times(one) == without_times(same) != without_times(other)
