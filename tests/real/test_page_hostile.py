"""The local page against those who speak to it: hostile names and texts, frames, scripts that press buttons."""

import http.server
import json
import threading
from collections.abc import Iterator

import pytest

from tests.real.browser import LOADED, Browser
from tests.real.page_home import App, PageHome, page_home, tool

MARKUP = [
    "<img src=x onerror=window.pwned=1>",
    "<script>window.pwned=1</script>",
    '"><svg onload=window.pwned=1>',
    "'-window.pwned=1-'",
    "javascript:window.pwned=1",
    "</textarea><iframe srcdoc='<script>parent.pwned=1</script>'>",
    "{{constructor.constructor('window.pwned=1')()}}",
    "<a href=//evil.example onclick=window.pwned=1>x</a>",
    "<style>*{display:none}</style>",
    "&lt;b&gt; &#x3c;",
]
UNSEEN = "a\u202egnp.exe\u200b\u2066"
SERVER = "<img src=x onerror=window.pwned=1>"
RULE = "'><script>window.pwned=1</script>"
POLICY = f"""default = "deny"

[[rule]]
name = {json.dumps(RULE)}
action = "prompt"
tool = "write_*"
message = {json.dumps(MARKUP[0])}

[[rule]]
name = "reads"
action = "allow"
tool = "*"
description = {json.dumps(MARKUP[2])}
"""
WATCH = (
    "addEventListener('securitypolicyviolation', (event) => (window.violations ??= []).push(event.violatedDirective));"
)
TOOLS = [
    *(tool(f"read_{at}_{text}", text, **{text: "string"}) for at, text in enumerate(MARKUP) if '"' not in text),
    tool("write_note", UNSEEN, path="string"),
]
# How long the question of the moment was there when a key was pressed.
PRESSED = """
const look = () => document.querySelector('.question') ? window.first ?? performance.now() : null;
new MutationObserver(() => (window.first = look())).observe(document.body, {childList: true, subtree: true});
addEventListener('keydown', () => (window.pressed = performance.now() - window.first), true);
"""
ASKED = "performance.getEntriesByType('resource')"
VIEWS = ("now", "questions", "tools", "policy", "policy/try", "policy/edit", "record", "limits")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[PageHome]:
    with page_home(tmp_path_factory.mktemp("page").resolve(), POLICY, **{SERVER: TOOLS, "notes": TOOLS}) as made:
        yield made


@pytest.fixture(scope="module")
def app(home: PageHome) -> App:
    return home.app(SERVER)


def test_nothing_that_others_wrote_is_executed_and_it_is_seen_as_it_is(home, app, browser):
    for each in TOOLS[:-1]:
        app.call(each["name"], **{text: text for text in MARKUP})
    tab = home.open(browser)
    tab.add_init_script(WATCH)
    tab.reload()
    tab.see(".traffic .row")
    held = app.begin("write_note", path=UNSEEN, more=MARKUP)
    tab.see(".question")
    assert MARKUP[0] in tab.inner_text(".question")
    assert "U+202E" in tab.inner_text(".question .clip-box")
    assert "\u202e" not in tab.run("document.body.textContent")
    for view in VIEWS:
        tab.show(view)
        for press in (".row-line", ".tool-line", ".rule", ".more"):
            if tab.run("(where) => document.querySelectorAll(where).length > 0", f"main {press}"):
                tab.click(f"main {press} >> nth=0")
        tab.until(LOADED)
        found = tab.run(
            "[document.images.length, document.querySelectorAll('iframe, script:not([src]), main style').length]"
        )
        assert found == [0, 0], view
    assert tab.run("[window.pwned ?? null, window.violations ?? []]") == [None, []]
    assert tab.heard["dialogs"] == []
    tab.press("n")
    assert "refused" in held.answer()


def test_no_script_of_the_page_can_answer_for_a_person(home, app, browser):
    tab = home.open(browser)
    held = app.begin("write_note", path="~/scripted.md")
    tab.see(".question")
    tab.run("window.asked = performance.now()")
    tab.until("performance.now() - window.asked > 700")
    tab.run("document.querySelector('.question .yes').click()")
    tab.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'y', bubbles: true}))")
    pointer = "new PointerEvent('click', {bubbles: true, pointerType: 'mouse', detail: 1})"
    tab.run(f"document.querySelector('.question .yes').dispatchEvent({pointer})")
    tab.click("#views a[href='#record']")
    tab.see("text=chain is whole")
    assert held.is_alive()
    assert len(home.said("status")["questions"]) == 1
    tab.press("n")
    assert "refused" in held.answer()


def test_a_key_does_not_answer_what_has_only_just_appeared(home, app, browser):
    tab = home.open(browser)
    tab.see(".traffic")
    tab.run(PRESSED)
    for at in range(10):  # until a press comes as early as a hand that was typing something else
        held = app.begin("write_note", path=f"~/sudden-{at}.md")
        tab.see(".question")
        tab.press("y")
        if tab.run("window.pressed < 550"):
            break
        assert held.answer() == "done"
        tab.gone(".question")
    tab.run("window.asked = performance.now()")
    tab.until("performance.now() - window.asked > 700")
    assert held.is_alive()
    tab.press("n")
    assert "refused" in held.answer()


def test_another_page_cannot_frame_it(home, browser):
    url = home.said("open", "--print")["url"]

    class Framing(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<!doctype html><title>x</title><iframe src='{url}'></iframe>".encode())

        def log_message(self, *_words: object) -> None:
            return

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Framing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        tab = browser.tab()
        tab.goto(f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()
    assert any("frame-ancestors" in said or "X-Frame-Options" in said for said in tab.heard["complaints"])


def test_the_first_round_is_small_and_asks_nobody_else(home, browser):
    tab = home.open(browser)
    tab.see(".traffic")
    base = tab.run("location.href.split('#')[0]")
    tab.goto(base)
    tab.see("#views a")
    tab.until(f"{ASKED}.some((each) => each.name.endsWith('/api/hello'))")
    assert [url for url in tab.heard["asked"] if not url.startswith(base)] == []
    loaded = "performance.getEntriesByType('navigation')[0].loadEventEnd"
    first = f"{ASKED}.filter((each) => each.startTime < {loaded} && !each.name.includes('/api/'))"
    sizes = tab.run(f"{first}.map((each) => each.decodedBodySize)")
    assert len(sizes) > 20
    assert sum(sizes) + tab.run("performance.getEntriesByType('navigation')[0].decodedBodySize") < 150_000


def test_nothing_is_so_much_that_the_page_stands_still(home, app, browser):
    crowd = [tool(f"crowd_{number}", MARKUP[0]) for number in range(1500)]
    home.give_tools("notes", crowd)
    home.app("notes").close()
    tab = home.open(browser)
    tab.goto(tab.run("location.href.split('#')[0]") + "#tools/%E0%A4%A")
    tab.see(".tool-line:has-text('crowd_')")
    assert tab.run("document.querySelectorAll('.tool').length") < 300
    tab.click("text=Show more")
    tab.until("document.querySelectorAll('.tool').length > 300")
    tab.goto(tab.run("location.href.split('#')[0]") + "#policy/edit")
    tab.until("document.querySelector('.code-text')?.value")
    for text, long in (("('#' + 'x'.repeat(1000) + '\\n').repeat(10e3)", True), ("'# x\\n'.repeat(50e3)", False)):
        tab.run(f"document.querySelector('.code-text').value = {text}")
        tab.run("document.querySelector('.code-text').dispatchEvent(new Event('input'))")
        tab.see(".edit-state:has-text('too long')" if long else ".diff >> text=lines more")
        assert tab.run("document.querySelectorAll('*').length") < 20_000
        assert tab.run("document.querySelector('.edit-side .yes').disabled") is long
    tab.click("text=Discard changes")
    tab.click("dialog >> text=Discard them")
    tab.until(f"document.querySelector('.code-text').value === {json.dumps(POLICY)}")
    home.give_tools("notes", TOOLS)
