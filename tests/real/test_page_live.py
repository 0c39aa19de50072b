"""The local page in a real browser: while the daemon goes away, under ten thousand calls, and without moving."""

import json
from collections.abc import Iterator

import pytest

from tests.real.browser import LAPTOP, PHONE, Browser
from tests.real.page_home import POLICY, TOOLS, App, PageHome, page_home

UNREACHABLE = '\n[[rule]]\nname = "never"\naction = "deny"\ntool = "x"\n'
MANY = 10_000
MOST_ELEMENTS = 1500
MOST_AT_ONCE = 600  # elements that one frame may add: how long that takes is the machine's own affair
ROWS = "document.querySelectorAll('.traffic .row').length"
COUNT = "Number(document.querySelector('.traffic .count').textContent.replace(/[^0-9]/g, ''))"
WATCH = """
window.tasks = []; window.shifts = []; window.added = [];
new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((each) => each.duration)))
  .observe({type: 'longtask', buffered: true});
new MutationObserver((list) => window.added.push(list.flatMap((each) => [...each.addedNodes])
  .reduce((sum, each) => sum + 1 + (each.querySelectorAll?.('*').length ?? 0), 0)))
  .observe(document, {childList: true, subtree: true});
new PerformanceObserver((list) => window.shifts.push(...list.getEntries().filter((each) => !each.hadRecentInput)
  .map((each) => ({value: each.value, at: each.startTime}))))
  .observe({type: 'layout-shift', buffered: true});
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[PageHome]:
    with page_home(tmp_path_factory.mktemp("page").resolve(), notes=TOOLS) as made:
        yield made


@pytest.fixture(scope="module")
def notes(home: PageHome) -> App:
    return home.app("notes")


def test_ten_thousand_calls_are_in_view_and_the_document_stays_small(home, notes, browser):
    tab = home.open(browser)
    tab.add_init_script(WATCH)
    tab.reload()
    tab.see(".traffic")
    tab.run("window.tasks.length = window.added.length = 0")
    notes.flood(MANY, "read_note", path="~/many.md")
    tab.until(f"{COUNT} >= {MANY}", seconds=60)
    rows, elements = tab.run(f"[{ROWS}, document.querySelectorAll('*').length]")
    assert rows < 60
    assert elements < MOST_ELEMENTS
    tab.run("document.querySelector('.window').scrollTop = 1e9")
    tab.until("document.querySelector('.traffic .row:last-child')?.getAttribute('aria-posinset') > 9000")
    assert tab.run(f"{ROWS}") < 60
    tab.fill(".filter-text", '"number":77')
    tab.until(f"{ROWS} > 0 && {ROWS} < 60")
    tasks, added = tab.run("[window.tasks, window.added]")
    print("long tasks (ms):", sorted(map(round, tasks))[-5:], "of", len(tasks), "elements at once:", max(added))
    assert max(added) < MOST_AT_ONCE


def test_nothing_moves_while_calls_and_questions_come_in(home, notes, browser):
    notes.call("read_note", path="~/before.md")
    tab = home.open(browser)
    tab.add_init_script(WATCH)
    tab.reload()
    tab.until("document.querySelector('.server') && document.querySelector('.traffic .row')")
    tab.run("window.began = performance.now()")
    for at in range(20):
        notes.call("read_note", path=f"~/steady-{at}.md")
    held = notes.begin("write_note", path="~/steady.md")
    tab.see(".question")
    tab.run("window.asked = performance.now()")
    tab.until("performance.now() - window.asked > 700")
    tab.press("n")
    assert "refused" in held.answer()
    tab.gone(".question")
    tab.until("document.querySelector('.traffic .row').textContent.includes('refused')")
    assert tab.run("window.shifts.filter((each) => each.at > window.began)") == []


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_nothing_moves_while_there_is_more_and_less_to_do(home, notes, browser, size):
    """From nothing to two problems and back; what waits is shown by a press."""
    notes.call("read_note", path="~/before.md")
    tab = home.open(browser, size=size)
    tab.add_init_script(WATCH)
    tab.reload()
    tab.until("document.querySelector('.server') && document.querySelector('.traffic .row')")
    tab.run("window.began = performance.now()")
    home.write_policy(POLICY + UNREACHABLE)
    tab.see("text=1 more to do")
    assert tab.run("document.querySelectorAll('.task').length") == 0
    home.write_policy(POLICY)
    tab.gone("text=1 more to do")
    home.write_policy(POLICY + UNREACHABLE)
    tab.see("text=1 more to do")
    assert tab.run("window.shifts.filter((each) => each.at > window.began)") == []
    tab.click("text=1 more to do")
    tab.see(".task >> text=warning")
    tab.until("performance.now() - window.began > 1000")  # what the press has moved is not what moves by itself
    tab.run("window.began = performance.now() + 600")
    home.write_policy(POLICY)
    tab.see("text=Nothing is left to do")
    assert tab.run("window.shifts.filter((each) => each.at > window.began)") == []


def test_what_is_read_stays_where_it_is_while_calls_come_in_above(home, notes, browser):
    notes.flood(100, "read_note", path="~/below.md")
    tab = home.open(browser)
    tab.until(f"{ROWS} > 20 && {COUNT} >= 100")
    tab.run("document.querySelector('.window').scrollTop = 420")
    where = "[...document.querySelectorAll('.row')].find((row) => row.getBoundingClientRect().top > innerHeight / 2)"
    tab.run(f"window.read = {where}; window.top0 = window.read.getBoundingClientRect().top")
    for at in range(5):
        notes.call("read_note", path=f"~/above-{at}.md")
    tab.until("window.read.getAttribute('aria-posinset') > 5 && document.querySelector('.window').scrollTop > 600")
    assert tab.run(
        "[window.read.isConnected, Math.abs(window.read.getBoundingClientRect().top - window.top0) < 2]"
    ) == [True, True]


def test_a_daemon_that_restarts_is_missed_and_found_again(home, notes, browser):
    tab = home.open(browser)
    tab.see(".traffic")
    assert home.mcpgov("daemon", "stop").returncode == 0
    tab.see(".banner")
    assert "mcpgov" in tab.inner_text(".banner")
    assert notes.call("read_note", path="~/without-a-daemon.md") == "done"
    assert home.mcpgov("daemon", "start").returncode == 0
    tab.run("window.kept = true")
    tab.see("text=Connected again")
    seen = json.dumps("~/without-a-daemon.md")
    tab.until(f"document.querySelector('.traffic').textContent.includes({seen})")
    notes.call("read_note", path="~/after-it-came.md")
    tab.until("document.querySelector('.traffic').textContent.includes('~/after-it-came.md')")
    tab.gone(".banner")
    assert tab.run("window.kept") is True
