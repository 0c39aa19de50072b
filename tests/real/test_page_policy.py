"""The local page in a real browser: the policy's text keeps what nobody touched, and what is tried is told."""

from collections.abc import Iterator

import pytest

from tests.real.browser import PHONE, Browser, Tab
from tests.real.page_home import POLICY, TOOLS, PageHome, page_home

SAVED = "text=It holds from the next call on"
SAVE = "document.querySelector('.edit-side .yes').disabled"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[PageHome]:
    with page_home(tmp_path_factory.mktemp("page").resolve(), notes=TOOLS) as made:
        made.app("notes")
        yield made


@pytest.fixture
def tab(home: PageHome, browser: Browser) -> Iterator[Tab]:
    opened = home.open(browser)
    yield opened
    opened.close()
    home.write_policy(POLICY)


def write(home: PageHome, text: str) -> None:
    home.policy.write_bytes(text.encode())


def edit(tab: Tab) -> None:
    tab.show("policy/edit")
    tab.until("document.querySelector('.edit-changes').textContent.includes('Nothing is changed')")


@pytest.mark.parametrize("mixed", [False, True])
def test_lines_that_nobody_changed_keep_their_line_ends(home, tab, mixed):
    before = POLICY.replace("\n", "\r\n")
    before = before.replace('tool = "delete_*"\r\n', 'tool = "delete_*"\n') if mixed else before
    write(home, before)
    edit(tab)
    assert tab.run(SAVE) is True
    typed = POLICY.replace('"nothing is deleted here"', '"not here"') + "# the end\n"
    tab.fill(".code-text", typed)
    tab.until(f"!{SAVE}")
    assert tab.run("[...document.querySelectorAll('.diff-added, .diff-removed')].length") == 3
    tab.click(".edit-side .yes")
    tab.see(SAVED)
    wanted = before.replace('"nothing is deleted here"', '"not here"') + "# the end\r\n"
    assert home.policy.read_bytes() == wanted.encode()
    tab.until(SAVE)
    tab.until("document.querySelector('.edit-changes').textContent.includes('Nothing is changed')")


def test_line_ends_are_kept_line_by_line_however_much_is_changed(tab):
    cases = [
        ("a\r\nb\nc", "a\nb\nc", "a\r\nb\nc"),
        ("a\nb\r\n\nc\r\nd\r\n", "x\nb\n\nd\n", "x\r\nb\r\n\nd\r\n"),
        ("a\nb\n", "b\n", "b\n"),
        ("a\rb\r", "a\nb\nc\n", "a\rb\rc\r"),
        ("", "a\n", "a\n"),
    ]
    found = tab.run(
        "(cases) => import('./static/views/policy_text.js').then(({asFile, asTyped}) =>"
        " cases.map(([file, typed]) => [asFile(typed, file), asFile(asTyped(file), file)]))",
        cases,
    )
    assert found == [[wanted, file] for file, _, wanted in cases]


def test_the_text_is_there_before_the_record_was_counted_and_errors_stand_above_it_on_a_phone(home, browser):
    tab = home.open(browser, size=PHONE)
    edit(tab)
    asked = tab.run("performance.getEntriesByType('resource').map((each) => each.name.split('/api/')[1])")
    assert "policy/text" in asked
    assert "policy/hits" not in asked
    tab.fill(".code-text", POLICY.replace('"allow"', '"alow"'))
    tab.see(".edit-problems >> text=line")
    above = "document.querySelector('.edit-problems').getBoundingClientRect().bottom"
    assert tab.run(f"{above} <= document.querySelector('.code-text').getBoundingClientRect().top") is True
    tab.close()
