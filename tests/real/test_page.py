"""The local page in a real browser: what happens is seen at once, and a person's answer decides."""

import json
from collections.abc import Iterator

import pytest

from tests.real.browser import Browser
from tests.real.page_home import TOOLS, App, PageHome, page_home, question, tool

SEEN_IN = 500  # milliseconds; promised, and held with three times the slack
SLACK = 3
# How long after the moment that its record has a row with this text was in the page, by the one clock of this machine.
SEEN_AFTER = """(text) => new Promise((seen) => {
  const look = () => {
    const row = [...document.querySelectorAll('.traffic .row')].find((row) => row.textContent.includes(text));
    if (row) seen(Date.now() - Date.parse(row.querySelector('time').dateTime));
    return Boolean(row);
  };
  const changes = new MutationObserver(() => look() && changes.disconnect());
  if (!look()) changes.observe(document.querySelector('.traffic'), {childList: true, subtree: true});
})"""
ROWS = "[...document.querySelectorAll('.traffic .row')]"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[PageHome]:
    with page_home(
        tmp_path_factory.mktemp("page").resolve(), notes=TOOLS, mail=[tool("send_mail", to="string")]
    ) as made:
        yield made


@pytest.fixture(scope="module")
def notes(home: PageHome) -> App:
    return home.app("notes")


def shows(text: str) -> str:
    """Is there a row of the traffic with this text?"""
    return f"{ROWS}.some((row) => row.textContent.includes({json.dumps(text)}))"


def test_a_code_opens_the_page_once_and_what_was_before_is_there(home, notes, browser):
    assert notes.call("read_note", path="~/before.md") == "done"
    made = home.said("open", "--print")
    for seen in ("text=~/before.md", "text=does not open the page"):
        tab = browser.tab()
        tab.goto(made["url"])
        tab.fill("#code", made["code"])
        tab.click("button[type=submit]")
        tab.see(seen)
    assert "mcpgov open" in tab.inner_text("main")


def test_the_first_view_says_how_things_stand_and_shows_the_servers(home, notes, browser):
    tab = home.open(browser)
    tab.until("document.querySelector('.hero-title')?.textContent === 'All 2 servers governed'")
    tab.see("text=2 of 2 governed")
    assert [tab.inner_text(f".server >> nth={at} >> .server-title") for at in range(2)] == ["notes", "mail"]


def test_where_nothing_is_governed_nothing_is_said_to_be_fine(tmp_path, browser):
    with page_home(tmp_path.resolve()) as empty:
        tab = empty.open(browser)
        tab.until("document.querySelector('.hero-title')?.textContent === 'No servers yet'")
        tab.see(".hero-mark.tone-quiet")
        tab.see(".servers >> text=mcpgov servers")
        assert tab.run("document.querySelectorAll('.task').length") == 0


@pytest.mark.deadline
def test_a_call_is_seen_at_once_with_its_verdict_and_in_full_when_it_is_opened(home, notes, browser):
    tab = home.open(browser)
    tab.see(".traffic")
    tab.run(f"window.seen = ({SEEN_AFTER})('~/gone.md'); 0")
    notes.call("delete_note", path="~/gone.md")
    assert tab.run("window.seen") < SLACK * SEEN_IN
    tab.until("document.querySelector('.spark-line').getAttribute('d') && document.querySelector('.spark-denials')")
    row = tab.inner_text(".traffic .row >> nth=0")
    assert ("denied" in row, "no-deletes" in row) == (True, True)
    tab.click(".traffic .row-line >> nth=0")
    tab.until("document.querySelector('.detail .why')?.textContent.includes('nothing is deleted here')")
    detail = tab.inner_text(".row-detail")
    assert "~/gone.md" in detail
    assert "mcpgov why" in detail


def test_calls_are_filtered_by_server_tool_verdict_and_text_and_wait_while_paused(home, notes, browser):
    notes.call("read_note", path="~/passed.md")
    notes.call("delete_note", path="~/filtered.md")
    home.app("mail").call("nothing_like_it")
    tab = home.open(browser)
    tab.until(shows("~/filtered.md"))
    tab.select_option("select[aria-label=server]", "mail")
    tab.until(f"{ROWS}.length > 0 && {ROWS}.every((row) => row.textContent.includes('mail'))")
    tab.select_option("select[aria-label=server]", "")
    tab.fill(".filter-tool", "delete")
    tab.until(f"{ROWS}.length > 0 && {ROWS}.every((row) => row.textContent.includes('delete_note'))")
    tab.fill(".filter-tool", "")
    tab.select_option("select[aria-label=verdict]", "deny")
    tab.until(f"{ROWS}.length > 0 && {ROWS}.every((row) => /denied|refused/.test(row.textContent))")
    tab.fill(".filter-text", "filtered")
    tab.until(f"{ROWS}.length === 1")
    tab.fill(".filter-text", "")
    tab.select_option("select[aria-label=verdict]", "")
    tab.click("text=Pause")
    tab.away()
    notes.call("read_note", path="~/while-paused.md")
    tab.see("text=1 new call")
    assert tab.run(shows("~/while-paused.md")) is False
    tab.click("text=1 new call")
    tab.until(shows("~/while-paused.md"))


def test_a_yes_lets_the_held_call_pass_and_a_no_does_not(home, notes, browser):
    tab = home.open(browser)
    tab.see(".traffic")
    for key, path, said in (("y", "~/yes.md", "done"), ("n", "~/no.md", "was refused by the user")):
        held = notes.begin("write_note", path=path)
        question(tab, path)
        left = "Number(document.querySelector('.left-time').textContent.replace(':', ''))"
        tab.run(f"window.left0 = {left}")
        tab.until(f"{left} < window.left0")
        assert tab.title().startswith("(1) ")
        assert tab.run("document.querySelectorAll('.task').length") == 0, "a question has its own place"
        tab.press(key)
        assert said in held.answer()
        tab.gone(".question")
    assert tab.title() == "mcpgov"
    held = notes.begin("write_note", path="~/click.md")
    question(tab, "~/click.md")
    tab.click(".question .yes >> nth=0")
    assert held.answer() == "done"


def test_a_yes_for_the_session_is_listed_and_can_be_taken_back(home, notes, browser):
    tab = home.open(browser)
    tab.click("#views a[href='#questions']")
    held = notes.begin("write_note", path="~/session.md")
    question(tab, "~/session.md")
    tab.press("s")
    assert held.answer() == "done"
    assert notes.call("write_note", path="~/session.md") == "done"
    tab.see(".grant")
    tab.click(".grant button")
    tab.gone(".grant")
    held = notes.begin("write_note", path="~/session.md")
    question(tab, "~/session.md")
    tab.press("n")
    assert "refused" in held.answer()


def test_a_question_that_is_answered_elsewhere_vanishes_in_every_tab(home, notes, browser):
    tab = home.open(browser)
    other = tab.beside()
    other.goto(tab.run("location.href"))
    other.see("#views a")
    held = notes.begin("write_note", path="~/two-tabs.md")
    question(tab, "~/two-tabs.md")
    question(other, "~/two-tabs.md")
    other.press("n")
    tab.gone(".question")
    other.gone(".question")
    assert "refused" in held.answer()
    assert home.said("status")["questions"] == []


def test_always_writes_the_rule_that_was_shown(home, browser):
    mail = home.app("mail")
    before = home.policy.read_text("utf-8")
    tab = home.open(browser)
    held = mail.begin("send_mail", to="me@example.test")
    question(tab, "me@example.test")
    tab.click("text=For longer")
    tab.see(".rule-text >> text=me@example.test")
    tab.click("text=this tool, any arguments")
    tab.until("!document.querySelector('.rule-text')?.textContent.includes('me@example.test')")
    tab.select_option(".longer select", "always")
    tab.see(".rule-text")
    shown = tab.text_content(".rule-text")
    tab.click("text=Write this rule and allow")
    assert held.answer() == "done"
    assert shown.strip() in home.policy.read_text("utf-8")
    assert mail.call("send_mail", to="another@example.test") == "done"
    home.write_policy(before)


def test_everything_is_stopped_by_one_switch(home, notes, browser):
    tab = home.open(browser)
    tab.click("text=Stop everything")
    tab.click("dialog button.no")
    tab.see("text=Let calls pass again")
    assert "locked" in notes.call("read_note", path="~/locked.md")
    tab.click("text=Let calls pass again")
    tab.see("text=Stop everything")
    assert notes.call("read_note", path="~/unlocked.md") == "done"


def test_a_session_that_has_ended_says_so_and_what_to_type(home, browser):
    tab = home.open(browser)
    tab.see(".traffic")
    leave = "{method: 'POST', headers: {'Content-Type': 'application/json', 'X-Mcpgov-Token': said.token}, body: '{}'}"
    tab.run(
        f"fetch('api/hello').then((answer) => answer.json()).then((said) => fetch('api/leave', {leave})).then(() => 1)"
    )
    tab.see(".banner >> text=session has ended")
    assert "mcpgov open" in tab.inner_text(".banner")
    tab.reload()
    tab.see("#code")


def test_what_is_open_of_a_call_tells_how_it_ended(home, notes, browser):
    tab = home.open(browser)
    held = notes.begin("write_note", path="~/opened.md")
    question(tab, "~/opened.md")
    tab.click(".traffic .row-line >> nth=0")
    tab.see(".detail-head >> text=waiting")
    tab.see(".why-again")
    tab.run("document.activeElement.blur()")
    tab.press("n")
    assert "refused" in held.answer()
    tab.see(".detail-head >> text=refused by you")
    tab.see(".row-detail .story >> text=deny")
