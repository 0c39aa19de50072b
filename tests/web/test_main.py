"""The page from end to end: a real daemon, its real service, real proxies and commands; a browser played over HTTP."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from mcpgov.places import Places
from mcpgov.web.main import PageProcess, remove_files
from tests.helpers.pages import Browser, page_desk
from tests.helpers.talks import PATIENCE, wait_for


@pytest.fixture
def desk(tmp_path):
    with page_desk(tmp_path / "d") as made:
        yield made


def hold(app, path="/srv/a/x"):
    return app.send("tools/call", {"name": "delete_file", "arguments": {"path": path}})


def service_of(desk):
    return next(each for each in desk.status()["services"] if each["name"] == "page")


def test_the_service_runs_only_from_the_first_open_on(desk):
    assert "services" not in desk.status()
    desk.browser()
    assert service_of(desk)["state"] in ("starting", "running")


def test_a_file_lets_the_browser_in_once_and_is_gone_then(desk):
    made = desk.json("open", "--no-browser")
    file = desk.root / "run" / "page" / os.path.basename(made["file"])
    text = file.read_text()
    assert (file.stat().st_mode & 0o777, str(file)) == (0o600, made["file"])
    code = text.split('value="')[1].split('"')[0]
    assert f'action="{made["url"]}enter"' in text
    assert code not in json.dumps(made)
    browser = Browser(made["url"])
    assert browser.ask("GET", "").status == 401
    assert b"refresh" in browser.enter(code).body
    assert browser.ask("GET", "").status == 200
    assert not file.exists()
    other = Browser(made["url"])
    assert (other.enter(code).status, other.get("hello").code) == (403, "401 session")
    logs = b"".join(path.read_bytes() for path in (desk.root / "state").rglob("*.jsonl"))
    lines = [" ".join(found.info["cmdline"] or ()) for found in psutil.process_iter(["cmdline"])]
    assert code.encode() not in logs
    assert not any(code in line for line in lines)


@pytest.mark.deadline
def test_a_call_is_on_the_stream_within_half_a_second_with_its_answer(desk):
    browser = desk.browser()
    with desk.app() as app, browser.listening() as live:
        live.until("records")
        sent = time.time()
        app.call("read_file", path="/srv/a")
        item = live.item(lambda found: found.get("tool") == "read_file")
        took = time.time() - sent
        shown = {key: item[key] for key in ("type", "server", "client", "action", "rule", "args")}
        assert shown == {"type": "call", "server": "files", "client": "cursor", "action": "allow", "rule": "rest",
                         "args": {"path": "/srv/a"}}  # fmt: skip
        live.item(lambda found: (found["type"], found["id"]) == ("answer", item["id"]))
        assert took < 1.5, "half a second, with slack for a busy machine"


def test_an_approval_from_the_page_lets_a_held_call_pass_and_is_on_record_as_the_pages(desk):
    browser = desk.browser()
    with desk.app() as app, browser.listening() as live:
        live.until("questions")
        held = hold(app)
        question = live.until("questions", lambda data: data["waiting"])["waiting"][0]
        assert (question["surfaces"], question["headline"][:31]) == (["page"], "files wants to run delete_file ")
        given = browser.post("approve", {"number": question["number"], "term": "session"}).data
        assert given["late"] is False
        assert app.receive()["id"] == held
        live.until("questions", lambda data: not data["waiting"])
        assert live.item(lambda found: found["type"] == "outcome")["outcome"] == "allowed"
        [grant] = browser.get("grants").data["grants"]
        assert (grant["surface"], grant["term"], grant["target"]) == ("page", "session", "delete_file")
        assert browser.post("revoke", {"grants": [grant["grant"]]}).data == {
            "revoked": [grant["grant"]], "unknown": [],
        }  # fmt: skip
        assert "allowed" in desk.mcpgov("why", question["number"])


def test_a_denial_and_a_withdrawn_question(desk):
    browser = desk.browser()
    with browser.listening() as live:
        live.until("questions")
        with desk.app() as app:
            hold(app)
            number = live.until("questions", lambda data: data["waiting"])["waiting"][0]["number"]
            assert browser.post("deny", {"number": number}).data == {"number": number}
            assert "was refused by the user" in json.dumps(app.receive())
            hold(app, "/srv/b")
            live.until("questions", lambda data: data["waiting"])
        ended = live.until("questions", lambda data: not data["waiting"])["ended"]
        assert ended[0]["state"] == "withdrawn"
        assert browser.post("approve", {"number": ended[0]["number"]}).code == "409 declined"


def test_always_writes_the_rule_that_was_shown(desk):
    browser = desk.browser()
    with desk.app() as app, browser.listening() as live:
        live.until("questions")
        held = hold(app)
        number = live.until("questions", lambda data: data["waiting"])["waiting"][0]["number"]
        shown = browser.post("preview", {"number": number, "scope": "tool"}).data
        assert 'name = "allow-files-delete_file"' in shown["text"]
        before = desk.policy.read_text()
        wrong = {"number": number, "term": "always", "scope": "tool", "rule": "another"}
        assert browser.post("approve", wrong).code == "409 changed"
        assert desk.policy.read_text() == before
        given = browser.post("approve", {**wrong, "rule": shown["text"]}).data
        assert given["written"]["rule"] == "allow-files-delete_file"
        assert app.receive()["id"] == held
        assert shown["text"] in desk.policy.read_text()
        live.until("policy", patience=30.0)


def test_the_policy_is_checked_and_saved_if_nobody_changed_it(desk):
    browser = desk.browser()
    found = browser.get("policy").data
    assert (found["text"], found["writable"]) == (desk.policy.read_text(), True)
    assert [(rule["rule"], rule["shadowed"]) for rule in found["show"]["rules"]] == [("sure", False), ("rest", False)]
    wrong = browser.post("policy/check", {"text": found["text"] + '[[rule]]\naction = "nope"\n'}).data
    assert (wrong["valid"], wrong["problems"][0]["line"]) == (False, found["text"].count("\n") + 2)
    refused = browser.post("policy/save", {"text": "default = 1\n", "digest": found["digest"]})
    assert (refused.code, refused.json["error"]["problems"][0]["line"]) == ("409 declined", 1)
    better = found["text"] + "# more\n"
    done = browser.post("policy/save", {"text": better, "digest": found["digest"]}).data
    assert desk.policy.read_text() == better
    late = browser.post("policy/save", {"text": "", "digest": found["digest"]})
    assert (late.code, desk.policy.read_text()) == ("409 changed", better)
    assert browser.get("policy").data["digest"] == done["digest"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_page_that_is_open_finds_the_next_daemon(tmp_path, number):
    with page_desk(tmp_path / "d") as desk:
        browser = desk.browser()
        with browser.listening() as live:
            live.until("status")
            os.kill(desk.status()["daemon"]["pid"], number)
            with pytest.raises((EOFError, ConnectionError)):
                live.until("no such event")
    with desk.daemon():
        wait_for(lambda: answers(browser), "the page's return")
        assert browser.get("hello").json["token"] == browser.token
        with browser.listening(live.last_id) as again:
            again.until("daemon", lambda data: data == {"state": "up"})
            with desk.app() as app:
                app.call("read_file", path="/srv/again")
                again.item(lambda found: found.get("args") == {"path": "/srv/again"})
            assert next(data["backlog"] for name, data in again.seen if name == "records") is True


def answers(browser):
    try:
        return browser.get("hello").status == 200
    except OSError:
        return False


def test_a_service_that_is_killed_comes_back_at_its_port(desk):
    browser = desk.browser()
    wait_for(lambda: service_of(desk)["state"] == "running")
    os.kill(service_of(desk)["pid"], signal.SIGKILL)
    wait_for(lambda: answers(browser), "the page's return")


def test_ten_thousand_calls_reach_a_page_that_listens(desk):
    browser = desk.browser()
    with browser.listening() as live:
        live.until("records")
        with desk.app() as app:
            for _ in range(100):
                for _ in range(100):
                    app.send("tools/call", {"name": "echo", "arguments": {"x": 1}})
                for _ in range(100):
                    app.receive()
        calls = 0
        while calls < 10_000:
            name, data = live.next()
            calls += sum(item["type"] == "call" for item in data["items"]) if name == "records" else 0
            assert name != "dropped"
    with browser.listening() as later:
        backlog = later.until("records")
        assert backlog["backlog"] is True
        assert browser.get("record?limit=5&tool=echo").data["older"]
        found = psutil.Process(service_of(desk)["pid"])
        assert found.memory_info().rss < 60 * 1024 * 1024


def test_a_service_that_nobody_uses_says_so_and_forgets_its_sessions(tmp_path):
    async def whole():
        places = Places(tmp_path)
        places.runtime.mkdir()
        idle, given = asyncio.Event(), []

        async def serve(reader, writer):
            request = json.loads(await reader.readline())
            given.append(request["op"])
            answer = {"v": 1, "ok": True}
            if request["op"] == "page_service":
                code = {"one_time_code": "AAAA-BBBB-CCCC", "seconds": 0.3, "file": str(tmp_path / "entry")}
                writer.write(json.dumps({**answer, "item": code}).encode() + b"\n")
                await reader.read()
            elif request["op"] == "page_idle":
                assert not (tmp_path / "entry").exists(), "its code still held"
                idle.set()
            writer.write(json.dumps(answer).encode() + b"\n")
            writer.close()

        (tmp_path / "entry").write_text("x")
        server = await asyncio.start_unix_server(serve, places.socket)
        service = PageProcess(places, idle=0.05)
        async with server:
            await service.open()
            assert places.page_sessions.exists()
            async with asyncio.timeout(PATIENCE):
                await idle.wait()
            await service.close()
        assert not places.page_sessions.exists()
        assert "page_service" in given

    asyncio.run(whole())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_user_of_this_machine_is_refused(desk):
    browser = desk.browser()
    code = (
        "import os, socket, sys; os.setresuid(65534, 65534, 65534); "
        "s = socket.socket(); s.connect(('127.0.0.1', int(sys.argv[1]))); s.sendall(sys.argv[2].encode()); "
        "print(s.recv(65536).decode())"
    )
    text = (
        f"GET {browser.base}api/hello HTTP/1.1\r\nHost: 127.0.0.1:{browser.port}\r\n"
        f"Cookie: mcpgov_page={browser.cookie}\r\n\r\n"
    )
    words = [sys.executable, "-I", "-S", "-c", code, str(browser.port), text]
    told = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    assert told.startswith("HTTP/1.1 403 ")
    assert "another user's connection" in told
    assert browser.get("hello").status == 200


def test_files_that_are_gone_already_are_no_trouble(tmp_path):
    (tmp_path / "a").write_text("x")
    remove_files([str(tmp_path / "a"), str(tmp_path / "b")])
    assert list(tmp_path.iterdir()) == []
