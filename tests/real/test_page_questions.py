"""The questions of the local page in a real browser: keys answer only what is seen, and all of it can be seen."""

from collections.abc import Iterator

import pytest

from tests.real.browser import Browser, Tab
from tests.real.page_home import TOOLS, App, PageHome, page_home, question

HEBREW = "/srv/\u05d3\u05d5\u05d7/\u05e1\u05d5\u05d3/end.md"
LAST_LINE = "&& the last line"
# Where on the screen a word of the shown arguments stands, from the left.
LEFT_OF = """(text) => {
  const texts = document.createTreeWalker(document.querySelector('.question .clip-box'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const at = texts.currentNode.data.indexOf(text);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(texts.currentNode, at);
    range.setEnd(texts.currentNode, at + text.length);
    return range.getBoundingClientRect().left;
  }
}"""
IN_VIEW = """(selector) => {
  const {top, bottom, width} = document.querySelector(selector).getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight && width > 0;
}"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[PageHome]:
    with page_home(tmp_path_factory.mktemp("page").resolve(), notes=TOOLS) as made:
        yield made


@pytest.fixture(scope="module")
def notes(home: PageHome) -> App:
    return home.app("notes")


def number_of_open(home: PageHome) -> int:
    return len(home.said("status")["questions"])


def settle(tab: Tab) -> None:
    tab.run("new Promise((done) => setTimeout(done, 700))")


def test_no_key_answers_a_question_behind_a_dialog_or_from_a_field(home, notes, browser):
    tab = home.open(browser)
    held = notes.begin("write_note", path="~/behind.md")
    question(tab, "~/behind.md")
    tab.click("text=Stop everything")
    tab.see("dialog[open]")
    for key in ("y", "Y", "s"):
        tab.press(key)
    tab.press("Escape")
    tab.gone("dialog[open]")
    tab.focus(".filter-text")
    tab.press("y")
    tab.run("document.activeElement.blur()")
    settle(tab)
    assert held.is_alive()
    assert number_of_open(home) == 1
    tab.press("Control+Y")  # a browser's own shortcut
    tab.press("N")  # Caps Lock is on
    assert "refused" in held.answer()


def test_a_key_gives_no_more_than_what_stands_on_its_button(home, notes, browser):
    tab = home.open(browser)
    held = notes.begin("write_note", path="~/scope.md")
    question(tab, "~/scope.md")
    tab.see(".session >> text=exactly this")
    tab.click("text=For longer")
    tab.click("text=this tool, any arguments")
    tab.see(".session:enabled >> text=any arguments")
    assert "scope.md" not in tab.inner_text(".rule-text")
    tab.click("text=For longer")
    tab.see(".session >> text=exactly this")
    tab.press("s")
    assert held.answer() == "done"
    tab.show("questions")
    tab.see(".grant")
    assert "exactly these arguments" in tab.inner_text(".grant")
    tab.click(".grant button")
    tab.gone(".grant")


def test_all_that_is_approved_is_seen_or_told_to_be_there(home, notes, browser):
    tab = home.open(browser)
    text = "first" + 61 * "\n" + LAST_LINE
    held = notes.begin("write_note", path=text, **{"a-name-" * 70: "its value"}, deep={"a": {"b": HEBREW}})
    question(tab, "first")
    tab.see(f".question >> text={LAST_LINE}")
    assert "\u21b5 \u00d761" in tab.inner_text(".question .clip-box")
    tab.click("text=Show all")
    tab.run("document.querySelector('.clip-box').scrollTop = 1e6")
    assert tab.run("document.querySelector('.json dd').getBoundingClientRect().width") > 100
    assert tab.run(LEFT_OF, "\u05d3\u05d5\u05d7") < tab.run(LEFT_OF, "\u05e1\u05d5\u05d3") < tab.run(LEFT_OF, "end.md")
    assert tab.run("getComputedStyle(document.querySelector('.json bdi')).direction") == "ltr"
    tab.click("text=Show less")
    assert tab.run(IN_VIEW, ".question .yes") is True
    tab.press("n")
    assert "refused" in held.answer()


def test_the_focus_goes_to_the_next_question_and_then_back_to_where_it_was(home, notes, browser):
    tab = home.open(browser)
    other = home.app("notes")
    tab.focus(".traffic .pause-word >> xpath=..")
    held = [notes.begin("write_note", path="~/one.md")]
    question(tab, "~/one.md")
    held.append(other.begin("write_note", path="~/two.md"))
    tab.see("text=2 questions wait")
    tab.focus(".question.active .no")
    settle(tab)
    tab.press("Enter")
    tab.until("document.querySelectorAll('.question').length === 1")
    tab.until("document.activeElement === document.querySelector('.question')")
    tab.focus(".question .no")
    settle(tab)
    tab.press("Enter")
    tab.gone(".question")
    assert tab.run("document.activeElement.textContent") == "Pause"
    assert all("refused" in each.answer() for each in held)
