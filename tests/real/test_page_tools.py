"""The local page in a real browser: another verdict for tools and classes, new tools kept out and let in again."""

from collections.abc import Iterator
from itertools import count

import pytest

from tests.real.browser import PHONE, Browser, Tab
from tests.real.page_home import POLICY, TOOLS, App, PageHome, page_home, tool

ODD = tool("frobnicate", "turns it over", path="string")
NUMBERS = count(1)
# Is it wholly in the window, above the bar at the foot of a phone's?
IN_VIEW = """((where) => { const {top, bottom} = document.querySelector(where).getBoundingClientRect();
  const foot = document.querySelector('.rail nav').getBoundingClientRect();
  return top >= 0 && bottom <= (foot.top > 0 ? foot.top : innerHeight); })"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[PageHome]:
    with page_home(tmp_path_factory.mktemp("page").resolve(), notes=[*TOOLS, ODD]) as made:
        yield made


@pytest.fixture(scope="module")
def notes(home: PageHome) -> App:
    return home.app("notes")


@pytest.fixture
def tab(home: PageHome, notes: App, browser: Browser) -> Iterator[Tab]:
    opened = home.open(browser)
    opened.show("tools")
    yield opened
    opened.close()
    home.write_policy(POLICY)


def new_tool(home: PageHome) -> str:
    name = f"share_{next(NUMBERS)}"
    home.give_tools("notes", [*TOOLS, ODD, tool(name, path="string")])
    home.app("notes").close()
    return name


@pytest.mark.parametrize(
    ("press", "name", "verdict"), [("Always ask", "read_note", "ask"), ("class", "frobnicate", "ask")]
)
def test_a_tool_or_a_class_is_asked_about_from_then_on(home, tab, press, name, verdict):
    tab.click(f".tool-line:has-text('{name}')")
    if press == "class":
        tab.select_option("select[aria-label='another verdict for all tools of the class unknown']", "ask")
    else:
        tab.click(f"text={press}")
    tab.see(".rule-text")
    shown = tab.text_content(".rule-text")
    assert tab.run("document.activeElement.className") == "offer"
    tab.click("text=Write this rule")
    tab.see(f".tool-line:has-text('{name}'):has-text('{verdict}')")
    assert shown.strip() in home.policy.read_text("utf-8")
    assert tab.inner_text(".class:has-text('unknown') .class-state").startswith("1 tool")


def test_what_a_tool_says_of_itself_is_read_also_once_it_is_accepted(tab):
    tab.click(".tool-line:has-text('frobnicate')")
    tab.click("text=What it says of itself: description")
    assert "turns it over" in tab.inner_text(".tool-said")
    assert '"path"' in tab.inner_text(".tool-said")


def test_a_tool_that_is_kept_out_says_so_and_is_let_in_again(home, notes, browser):
    name = new_tool(home)
    tab = home.open(browser, size=PHONE)
    tab.show("tools")
    tab.see(".chip >> text=1 new or changed")
    tab.click(f".tool-line:has-text('{name}')")
    tab.click("text=Keep it out")
    tab.see(".pin .rule-text")
    assert tab.run(IN_VIEW + "('.pin .offer .yes')") is True
    assert tab.run("document.querySelector('.pin .offer').contains(document.activeElement)") is True
    tab.click("text=Write this rule")
    tab.see(f".pin-kept:has-text('by rule deny-notes-{name}')")
    tab.see(f".tool-line:has-text('{name}') .chip:has-text('kept out')")
    tab.gone(".chip >> text=1 new or changed")
    assert tab.run("[...document.querySelectorAll('.pin > .buttons > *')].map((each) => each.textContent)") == [
        "Accept it as it is now", "Undo: take the rule out\u2026",
    ]  # fmt: skip
    tab.click("text=Undo: take the rule out")
    tab.see(f".diff-removed:has-text('deny-notes-{name}')")
    tab.click(".edit-side .yes")
    tab.see("text=It holds from the next call on")
    assert home.policy.read_text("utf-8") == POLICY
    tab.show("tools")
    tab.see(".chip >> text=1 new or changed")
    tab.close()


def test_a_call_is_tried_as_an_app_makes_it(home, tab):
    home.write_policy(f'{POLICY}\n[[rule]]\nname = "x"\naction = "allow"\ntool = "x"\n'.replace(
        "[[rule]]", '[[rule]]\nname = "not-for-cursor"\naction = "deny"\nclient = "cursor"\n\n[[rule]]', 1
    ))  # fmt: skip
    tab.show("policy/try")
    for label, text in (("server", "notes"), ("tool", "read_note"), ("app", "cursor"), ("project", "/srv/shop")):
        tab.fill(f"input[aria-label={label}]", text)
    tab.click("text=Judge it")
    tab.see(".step.decisive:has-text('not-for-cursor') .verdict")
    assert "from cursor in /srv/shop" in " ".join(tab.inner_text(".explained-head").split())
    tab.fill("input[aria-label=app]", "")
    tab.click("text=Judge it")
    tab.see(".step.decisive:has-text('reads')")
    assert tab.run("document.querySelectorAll('.step .verdict').length") == 1
    tab.show("record")
    tab.show("policy/try")
    assert tab.input_value("input[aria-label=project]") == "/srv/shop"
