"""The local page in a real browser: no live update swallows a press, closes what is open, or loses what was typed."""

import json
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from tests.real.browser import Browser, Tab
from tests.real.page_home import POLICY, SETTLED, TOOLS, App, PageHome, page_home, question, tool

# The names of the live events that have reached the page.
HEARD = """
window.heard = [];
const add = EventSource.prototype.addEventListener;
EventSource.prototype.addEventListener = function (name, act) {
  return add.call(this, name, (event) => { act(event); window.heard.push(name); });
};
"""
OTHER_POLICY = POLICY.replace("nothing is deleted here", "never here")
BUDGET = '[[budget]]\nname = "reading"\ntool = "read_*"\nunit = "calls"\nlimit = 4000\nper = "day"\ncost = 1\n'


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[PageHome]:
    with page_home(tmp_path_factory.mktemp("page").resolve(), notes=TOOLS, mail=[tool("send_mail")]) as made:
        yield made


@pytest.fixture(scope="module")
def notes(home: PageHome) -> App:
    return home.app("notes")


@pytest.fixture
def tab(home: PageHome, notes: App, browser: Browser) -> Iterator[Tab]:
    """A page whose live events are counted; policy and tools are as ever, before and after."""
    home.write_policy(POLICY)
    home.give_tools("notes", TOOLS)
    notes.call("read_note", path="~/first.md")
    opened = home.open(browser)
    opened.add_init_script(HEARD)
    opened.reload()
    opened.see(".traffic .row")
    opened.see(".server")
    yield opened
    opened.close()
    home.write_policy(POLICY)


def go(tab: Tab, view: str) -> None:
    tab.show(view)
    tab.until("!document.querySelector('main [aria-busy]')")


def hears(tab: Tab, event: str, act: Callable[[], Any]) -> Any:
    """Something happens, and the page is told of it."""
    tab.run("window.heard.length = 0")
    done = act()
    tab.until(f"window.heard.includes({json.dumps(event)})")
    return done


NUMBERS = count(1)


def new_tool(home: PageHome, stem: str = "new") -> str:
    """One that nobody has seen before; its name."""
    name = f"{stem}_{next(NUMBERS)}"
    home.give_tools("notes", [*TOOLS, tool(name, path="string")])
    home.app("notes").close()
    return name


@pytest.mark.parametrize(
    ("view", "target", "event", "act", "done"),
    [
        ("now", ".traffic .row-line >> nth=0", "records",
         lambda home, notes: [notes.call("read_note", path=f"~/{at}.md") for at in range(30)],
         "document.querySelector('.row-detail')"),
        ("now", "#views a[href='#tools']", "sections",
         lambda home, notes: home.write_policy(POLICY + BUDGET), "location.hash === '#tools'"),
        ("now", ".filters select[aria-label=server]", "status",
         lambda home, notes: home.app("mail"), "document.activeElement.getAttribute('aria-label') === 'server'"),
        ("tools", ".tool-line:has-text('read_note')", "tools",
         lambda home, notes: new_tool(home), "document.querySelector('.tool.open .tool-detail')"),
        ("tools", ".tool-line:has-text('delete_note')", "policy",
         lambda home, notes: home.write_policy(OTHER_POLICY), "document.querySelector('.tool.open .tool-detail')"),
        ("policy", ".tabs a[href='#policy/try']", "policy",
         lambda home, notes: home.write_policy(OTHER_POLICY), "location.hash === '#policy/try'"),
    ],
)  # fmt: skip
def test_a_press_counts_whatever_happens_before_it_ends(home, notes, tab, view, target, event, act, done):
    go(tab, view)
    tab.hold(target)
    hears(tab, event, lambda: act(home, notes))
    tab.run("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    tab.let_go()
    tab.until(done)


def test_a_key_that_is_pressed_counts_whatever_happens_before_it_comes_up(home, notes, tab):
    go(tab, "tools")
    tab.focus(".tool-line:has-text('read_note')")
    tab.key_down(" ")
    name = hears(tab, "tools", lambda: new_tool(home))
    tab.key_up(" ")
    tab.see(".tool.open:has-text('read_note') .tool-detail")
    tab.see(f".tool-line:has-text('{name}')")


def test_a_rule_that_is_shown_stays_and_is_the_one_that_is_written(home, notes, tab):
    go(tab, "tools")
    tab.click(".tool-line:has-text('read_note')")
    tab.click("text=Always deny")
    tab.see(".tool-detail .rule-text")
    shown = tab.text_content(".rule-text")
    tab.focus("text=Write this rule")
    name = new_tool(home)
    tab.see(f".tool-line:has-text('{name}')")
    assert tab.run("document.activeElement.textContent") == "Write this rule"
    home.write_policy(POLICY.replace('action = "allow"\ntool = "*"', 'action = "log"\ntool = "*"'))
    tab.see(".tool-line:has-text('read_note'):has-text('log')")  # this very tool is drawn anew
    assert tab.text_content(".rule-text") == shown
    assert tab.run("document.activeElement.textContent") == "Write this rule"
    tab.press("Enter")
    tab.see(".writer >> text=Written")
    assert shown.strip() in home.policy.read_text("utf-8")
    tab.see(".tool-line:has-text('read_note'):has-text('deny')")
    assert "holds from the next call on" in tab.inner_text(".tool-detail .writer")


def test_the_rule_for_a_class_stays_while_its_server_shows_more_tools(home, notes, tab):
    go(tab, "tools")
    tab.select_option("[aria-label='tools of notes'] select", "deny")
    tab.see(".classes-box .rule-text")
    name = new_tool(home, "read")
    tab.see(f".tool-line:has-text('{name}')")
    assert tab.is_visible(".classes-box .rule-text") is True
    tab.click("text=Cancel")
    tab.gone(".classes-box .rule-text")


def test_what_was_chosen_last_is_what_is_shown(home, notes, tab):
    go(tab, "tools")
    tab.click(".tool-line:has-text('read_note')")
    for action in ("allow", "deny") * 3:
        tab.click(f".tool-detail >> text=Always {action}")
    tab.see(".rule-text")
    assert 'action = "deny"' in tab.text_content(".rule-text")


@pytest.mark.parametrize(
    ("view", "field"),
    [
        ("now", ".filter-text"),
        ("tools", "input[type=search]"),
        ("policy/try", "textarea.code"),
        ("policy/try", "input[aria-label=tool]"),
        ("policy/edit", ".code-text"),
        ("record", ".record-form input >> nth=0"),
    ],
)
def test_what_is_typed_stays_while_everything_else_changes(home, notes, tab, view, field):
    go(tab, view)
    tab.fill(field, "read")
    tab.run("document.activeElement.setSelectionRange(2, 3)")
    hears(tab, "policy", lambda: home.write_policy(OTHER_POLICY + BUDGET))
    tab.see("#views a[href='#limits']")
    name = hears(tab, "tools", lambda: new_tool(home, "read"))
    hears(tab, "records", lambda: notes.call("read_note", path="~/typing.md"))
    if view == "tools":
        tab.see(f".tool-line:has-text('{name}')")
    at = "document.activeElement"
    assert tab.run(f"[{at}.value, {at}.selectionStart, {at}.selectionEnd]") == ["read", 2, 3]


def test_a_grant_is_taken_back_by_a_press_that_began_before_another_question_ended(home, notes, tab):
    go(tab, "questions")
    held = notes.begin("write_note", path="~/granted.md")
    question(tab, "~/granted.md")
    tab.press("s")
    assert held.answer() == "done"
    tab.see(".grant")
    mail = home.app("mail")
    held = mail.begin("send_mail", to="a")
    question(tab, "send_mail")
    tab.hold(".grant button")
    hears(tab, "questions", lambda: home.mcpgov("deny", *[each["number"] for each in home.said("status")["questions"]]))
    tab.let_go()
    tab.gone(".grant")
    assert "denied" in held.answer() or "refused" in held.answer()


def test_what_is_open_stays_open_while_the_service_is_away(home, notes, tab):
    tab.click(".traffic .row-line >> nth=0")
    tab.see(".row-detail .why-again")
    tab.until("document.querySelector('.row-detail').innerText.includes('Claude Code')")  # names of apps come apart
    opened = tab.inner_text(".row-detail")
    assert home.mcpgov("daemon", "stop").returncode == 0
    tab.see(".banner")
    assert home.mcpgov("daemon", "start").returncode == 0
    tab.see("text=Connected again")
    tab.away()
    notes.call("read_note", path="~/after.md")
    tab.see("text=1 new call")
    assert tab.inner_text(".row-detail") == opened


def test_a_rule_that_is_shown_outlives_a_daemon(home, notes, tab):
    go(tab, "tools")
    tab.click(".tool-line:has-text('read_note')")
    tab.click("text=Always deny")
    tab.see(".rule-text")
    assert home.mcpgov("daemon", "stop").returncode == 0
    tab.see(".banner")
    new_tool(home)
    assert home.mcpgov("daemon", "start").returncode == 0
    tab.see("text=Connected again")
    assert tab.is_visible(".rule-text") is True


def test_stops_are_counted_once_however_often_the_page_comes_back(home, notes, tab):
    stopped = "Number(document.querySelector('.figures div:nth-child(2) dd')?.textContent || -1)"
    tab.until(f"{stopped} >= 0")
    wanted = tab.run(stopped) + 1
    held = notes.begin("write_note", path="~/counted.md")
    question(tab, "~/counted.md")
    tab.press("n")
    assert "refused" in held.answer()
    tab.until("document.querySelector('.traffic .row').textContent.includes('refused')")
    tab.until(f"{stopped} === {wanted}")  # drawn with the next frame
    tab.reload()
    tab.see(".traffic .row")
    tab.until(f"{stopped} === {wanted}")
    tab.run("window.asked = performance.now()")
    tab.until(SETTLED)
    assert tab.run(stopped) == wanted
