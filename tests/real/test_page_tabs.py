"""The local page in many tabs of one browser: one stream for all, handed over; another `mcpgov open` breaks none."""

from collections.abc import Iterator

import pytest

from tests.real.browser import Browser, Tab
from tests.real.page_home import TOOLS, App, PageHome, page_home, question

MANY = 7  # a browser has six connections to one host
COUNTED = """
const Plain = EventSource;
window.opened = 0;
window.EventSource = class extends Plain { constructor(url) { super(url); window.opened += 1; } };
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[PageHome]:
    with page_home(tmp_path_factory.mktemp("page").resolve(), notes=TOOLS) as made:
        yield made


@pytest.fixture(scope="module")
def notes(home: PageHome) -> App:
    return home.app("notes")


def another(tab: Tab) -> Tab:
    made = tab.beside()
    made.add_init_script(COUNTED)
    made.goto(tab.run("location.href"))
    made.see(".server")
    return made


def test_many_tabs_share_one_stream_that_outlives_the_tab_that_has_it(home, notes, browser):
    notes.call("read_note", path="~/before.md")
    first = home.open(browser)
    first.see(".server")
    others = [another(first) for _ in range(MANY)]
    assert sum(tab.run("window.opened") for tab in others) == 0
    held = notes.begin("write_note", path="~/many-tabs.md")
    for tab in others:
        tab.see(".question >> text=~/many-tabs.md")
        assert tab.title().startswith("(1) ")
        tab.see(".traffic >> text=~/before.md")
    first.close()
    last = others.pop()
    question(last, "~/many-tabs.md")
    last.press("y")
    assert held.answer() == "done"
    last.gone(".question")
    last.see(".row-verdict >> text=allowed by you")
    for tab in others:
        tab.see(".row-verdict >> text=allowed by you")
    assert sum(tab.run("window.opened") for tab in [last, *others]) == 1
    last.show("policy")
    assert last.is_visible(".banner") is False


def test_a_tab_that_leads_no_more_is_replaced(home, notes, browser):
    asleep = home.open(browser)
    asleep.see(".server")
    asleep.run("BroadcastChannel.prototype.postMessage = () => {}")
    tab = another(asleep)
    notes.call("read_note", path="~/after-sleep.md")
    tab.see(".traffic >> text=~/after-sleep.md")
    asleep.see(".traffic >> text=~/after-sleep.md")  # it listens to the other one
    assert [tab.run("window.opened"), asleep.run("document.querySelector('.banner').hidden")] == [1, True]


def test_a_page_that_was_open_before_another_open_still_answers(home, notes, browser):
    tab = home.open(browser)
    made = home.said("open", "--print")
    other = tab.beside()
    other.goto(made["url"])
    other.run(
        "(code) => fetch('enter', {method: 'POST', body: new URLSearchParams({code})}).then((said) => said.text())",
        made["code"],
    )
    held = notes.begin("write_note", path="~/another-open.md")
    question(tab, "~/another-open.md")
    tab.press("y")
    assert held.answer() == "done"


def test_a_session_that_has_ended_is_said_where_something_is_to_be_changed(home, notes, browser):
    tab = home.open(browser)
    getattr(tab, "context.clear_cookies")()
    tab.click("text=Stop everything")
    tab.click("dialog button.no")
    tab.see(".complaint >> text=session has ended")
    tab.see(".banner >> text=mcpgov open")
    assert home.said("status")["locked"] is False
