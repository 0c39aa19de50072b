"""The local page in a real browser: what only some people have: private data, remote servers, a sound."""

import http.server
import json
import threading
from collections.abc import Iterator

import pytest

from tests.real.browser import Browser
from tests.real.page_home import POLICY, SETTLED, TOOLS, App, PageHome, page_home

PRIVACY = '\n[privacy]\nparams = "log"\nkinds = ["email", "iban"]\n'
LIMITS = """
[[limit]]
name = "reading"
tool = "read_*"
rate = "10/hour"
each = "server"

[[limit]]
rate = "100/hour"
"""
PEOPLE = ["ada.private@posteo.de", "grace.private@posteo.de"]
IBAN = "DE89370400440532013000"
INITIALIZED = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "remote", "version": "1"},
}
# Every note that the page plays: its pitch.
LISTEN = """
window.notes = [];
const make = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () {
  const made = make.call(this);
  const start = made.start.bind(made);
  made.start = (at) => { window.notes.push(made.frequency.value); start(at); };
  return made;
};
"""
METADATA = "/.well-known/oauth-protected-resource"


class Upstream(http.server.BaseHTTPRequestHandler):
    """A server at /open, and one at /private that wants a login."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/private":
            return self._say(401, {"error": "login"}, self._challenge())
        results = {"initialize": INITIALIZED, "tools/list": {"tools": TOOLS}}
        if "id" not in asked:
            return self._say(202, None)
        return self._say(200, {"jsonrpc": "2.0", "id": asked["id"], "result": results.get(asked["method"], {})})

    def do_GET(self) -> None:
        here = f"http://{self.headers['Host']}"
        if self.path.startswith(METADATA):
            return self._say(200, {"resource": f"{here}/private", "authorization_servers": [here]})
        return self._say(401, {}, self._challenge()) if self.path == "/private" else self._say(405, {})

    def _challenge(self) -> tuple[str, str]:
        where = f"http://{self.headers['Host']}{METADATA}/private"
        return "WWW-Authenticate", f'Bearer resource_metadata="{where}"'

    def _say(self, status: int, body: object, *headers: tuple[str, str]) -> None:
        raw = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", str(len(raw))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_words: object) -> None:
        return


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, browser: Browser, upstream: str) -> Iterator[PageHome]:
    servers = {
        "notes": TOOLS,
        "shop": {"type": "http", "url": f"{upstream}/open"},
        "linear": {"type": "http", "url": f"{upstream}/private"},
    }
    with page_home(tmp_path_factory.mktemp("page").resolve(), POLICY + PRIVACY, **servers) as made:
        yield made


@pytest.fixture(scope="module")
def notes(home: PageHome) -> App:
    return home.app("notes")


def test_private_data_is_counted_by_kind_and_server_and_never_shown(home, notes, browser):
    for person in PEOPLE:
        notes.call("read_note", path=person)
    notes.call("read_note", path=IBAN)
    tab = home.open(browser)
    tab.see("#views a[href='#limits']")
    tab.click("#views a[href='#limits']")
    tab.see(".finding")
    found = tab.run(
        "[...document.querySelectorAll('.finding')].map((row) => [...row.querySelectorAll('span')]"
        ".map((each) => each.textContent))"
    )
    assert found == [["email", "notes", "2"], ["iban", "notes", "1"]]
    everything = "[document.documentElement.outerHTML, ...performance.getEntriesByType('resource').map((r) => r.name)]"
    for view in ("limits", "record", "now"):
        tab.show(view)
        seen = "".join(tab.run(everything))
        assert [value for value in (*PEOPLE, IBAN) if value in seen] == []


def test_limits_are_bars_one_for_each_share(home, notes, browser):
    home.write_policy(POLICY + PRIVACY + LIMITS)
    notes.call("read_note", path="~/limited.md")
    tab = home.open(browser)
    tab.show("limits")
    tab.see(".bucket")
    assert tab.run("[...document.querySelectorAll('.bucket')].map((each) => each.innerText.split('\\n'))") == [
        ["notes", "9 of 10 free"],
        ["99 of 100 free"],
    ]
    used = "[...document.querySelectorAll('.bucket .bar-used')].map((each) => each.getAttribute('width'))"
    assert tab.run(used) == ["10", "1"]
    assert "100 calls in an hour limit-2" in tab.inner_text(".budget >> nth=1").replace("\n", " ")
    home.write_policy(POLICY + PRIVACY)


def test_remote_servers_are_shown_with_their_login(home, upstream, browser):
    tab = home.open(browser)
    tab.see(".server:has-text('shop') .server-note >> text=not used yet")
    assert tab.inner_text(".server:has-text('shop') .server-note code") == upstream.removeprefix("http://")
    tab.see(".server:has-text('linear') >> text=login")
    tab.see(".tasks >> text=mcpgov login linear")
    assert "`" not in tab.inner_text(".servers")


def test_a_question_rings_once_it_was_switched_on_and_not_after_it_was_switched_off(home, notes, browser):
    tab = home.open(browser)
    tab.add_init_script(LISTEN)
    tab.reload()
    tab.see("text=Sound is off")
    for switch, heard in (("", []), ("text=Sound is off", [660, 880]), ("text=Sound is on", [])):
        if switch:
            tab.click(switch)
        tab.run("window.notes.length = 0")
        held = notes.begin("write_note", path=f"~/sound{len(heard)}{bool(switch)}.md")
        tab.see(".question")
        assert tab.run("window.notes") == heard
        assert tab.title().startswith("(1) ")
        assert tab.get_attribute("#favicon", "href") == "static/icon-asking.svg"
        tab.run("window.asked = performance.now()")
        tab.until(SETTLED)
        tab.press("n")
        assert "refused" in held.answer()
        tab.gone(".question")
    assert tab.get_attribute("#favicon", "href") == "static/icon.svg"
