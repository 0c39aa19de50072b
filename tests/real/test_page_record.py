"""The local page in a real browser: the record, searched page by page, over days, and by the hour."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.journals import Proxy
from tests.real.browser import PHONE, Browser, Tab
from tests.real.page_home import TOOLS, App, PageHome, page_home

MANY = 700
ROWS = "[...document.querySelectorAll('.search .row')]"
COUNT = "document.querySelector('.search .count').textContent"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[PageHome]:
    with page_home(tmp_path_factory.mktemp("page").resolve(), notes=TOOLS) as made:
        yield made


@pytest.fixture(scope="module")
def notes(home: PageHome) -> App:
    return home.app("notes")


@pytest.fixture
def tab(home: PageHome, notes: App, browser: Browser) -> Iterator[Tab]:
    opened = home.open(browser)
    opened.show("record")
    yield opened
    opened.close()


def journal(home: PageHome) -> Path:
    return home.home / ".local" / "state" / "mcpgov" / "journal"


def only(tab: Tab, server: str, since: str = "30d") -> None:
    tab.fill(".record-form label:has-text('Since') input", since)
    tab.fill(".record-form label:has-text('Server') input", server)
    tab.press("Enter")


def test_every_record_of_a_flood_is_reached_and_none_comes_twice(home, tab):
    flood = Proxy(journal(home), session="f" * 12, server="flood")
    flood.at = time.time() - 60
    numbers = range(MANY)
    flood.write(
        *({"dir": "client", "method": "tools/call", "action": "allow", "decision": f"{'f' * 12}-{number}",
           "tool": "read_note", "rule": "reads", "us": 42, "args": {"number": number}} for number in numbers)
    )  # fmt: skip
    tab.run(
        "(() => { window.pages = []; const real = window.fetch; window.fetch = async (...asked) => {"
        " const answer = await real(...asked);"
        " if (String(asked[0]).startsWith('api/record')) answer.clone().json().then((said) =>"
        "   window.pages.push(said.data.records.map((each) => each.args?.number)));"
        " return answer; }; })()"
    )
    only(tab, "flood")
    for shown in (200, 400, 600):  # what an earlier search has shown may look the same
        tab.until(f"window.pages.length === {shown // 200} && {COUNT} === '{shown} records, and older ones'")
        presses = 2 if shown == 400 else 1  # at once: the second finds the button at work
        tab.run(
            "(presses) => { while (presses--) document.querySelector('.search > .buttons button').click(); }", presses
        )
    tab.until(f"{COUNT} === '{MANY} records'")
    assert tab.is_visible("text=Show older ones") is False
    found = tab.run("window.pages.flat()")
    assert sorted(each for each in found if each is not None)[-MANY:] == [*numbers]
    assert tab.run("window.pages.filter((page) => page[0] !== undefined).length") == 4


SEARCH = """
async (server) => {
  const real = window.fetch;
  let searches = 0;
  window.fetch = (...asked) => {
    searches += String(asked[0]).startsWith('api/record?');
    return real(...asked);
  };
  const typed = (server) => {
    const [box] = [...document.querySelectorAll('.record-form label')].filter((each) => each.textContent === 'Server');
    box.querySelector('input').value = server;
    box.querySelector('input').dispatchEvent(new Event('input'));
  };
  DO;
  await new Promise((done) => setTimeout(done, 350)); // behind what typing has set
  window.fetch = real;
  return searches;
}
"""


def test_what_was_typed_is_searched_for_once_also_with_enter_or_a_press_for_older_ones(home, tab):
    for server in ("one", "two"):
        proxy = Proxy(journal(home), session=f"{server}{'e' * 9}", server=server)
        proxy.at = time.time() - 60
        proxy.write(*({"dir": "client", "method": "ping", "action": "allow"} for _ in range(250)))
    enter = "document.querySelector('.record-form').requestSubmit()"
    older = "document.querySelector('.search > .buttons button').click()"
    for server, press in (("one", enter), ("two", older)):
        assert tab.run(SEARCH.replace("DO", f"typed('{server}'); {press}")) == 1
        tab.until(f"{COUNT} === '200 records, and older ones'")
        tab.until(f"{ROWS}.length > 0 && {ROWS}.every((row) => row.textContent.includes('{server}'))")


def test_each_line_says_of_which_day_it_is_and_filters_stay_over_a_look_elsewhere(home, tab):
    days = Proxy(journal(home), session="d" * 12, server="days")
    for ago in (3, 2, 1):
        days.at = time.time() - ago * 86_400
        days.call("read_note", answer=None)
    only(tab, "days")
    tab.until(f"{ROWS}.length === 3")
    seen = tab.run(f"{ROWS}.map((row) => row.querySelector('.row-day').textContent)")
    assert len(set(seen)) == 3
    tab.show("tools")
    tab.show("record")
    tab.until(f"{ROWS}.length === 3")
    assert tab.input_value(".record-form label:has-text('Server') input") == "days"
    tab.fill(".record-form label:has-text('Since') input", "never ever")
    tab.see(".search-said >> text=is no time")
    assert tab.run(f"[{ROWS}.length, {COUNT}]") == [0, ""]
    tab.fill(".record-form label:has-text('Since') input", "36h")
    tab.until(f"{ROWS}.length === 1")


def test_it_is_searched_by_time_rule_and_verdict(notes, tab):
    notes.call("delete_note", path="~/by-verdict.md")
    notes.call("read_note", path="~/by-rule.md")
    for label, value, there, gone in (
        ("Rule", "no-*", "by-verdict", "by-rule"),
        ("Rule", "reads", "by-rule", "by-verdict"),
        ("Until", "1h", "", "by-rule"),
    ):
        tab.fill(f".record-form label:has-text('{label}') input", value)
        text = f"{ROWS}.map((row) => row.textContent).join()"
        tab.until(f"{text}.includes({json.dumps(there)}) && !{text}.includes({json.dumps(gone)})")
        tab.fill(f".record-form label:has-text('{label}') input", "")
        tab.until(f"{text}.includes('by-rule') && {text}.includes('by-verdict')")
    tab.select_option(".record-form select", "deny")
    tab.until(f"{ROWS}.length > 0 && {ROWS}.every((row) => /denied/.test(row.textContent))")


def test_the_day_has_its_hours_a_legend_and_now_in_view(home, notes, browser):
    notes.call("read_note", path="~/now.md")
    tab = home.open(browser, size=PHONE)
    tab.show("record")
    tab.see(".heat-pick")
    tab.see(".heat-legend >> text=more")
    boxes = tab.run(
        "[document.querySelector('.heat-box'), [...document.querySelectorAll('.heat-pick')].at(-1)]"
        ".map((each) => each.getBoundingClientRect()).map(({left, right, height}) => [left, right, height])"
    )
    (left, right, _), (first, last, high) = boxes
    assert left - 1 <= first < last <= right + 1
    assert high >= 15
    label = tab.run("[...document.querySelectorAll('.heat-pick')].at(-1).getAttribute('aria-label')")
    hour = time.strftime("%H:00")
    assert f", {hour}: " in label
    tab.run("[...document.querySelectorAll('.heat-pick')].at(-1).scrollIntoView()")
    tab.click(".heat-pick >> nth=-1")
    tab.until(f"{ROWS}.length > 0 && {ROWS}.every((row) => row.textContent.includes('notes'))")
    assert tab.input_value(".record-form label:has-text('Since') input") == time.strftime("%Y-%m-%d ") + hour
