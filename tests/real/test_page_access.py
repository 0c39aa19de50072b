"""The local page for everybody: axe's checks, the keyboard alone, every width, both colour schemes."""

from collections.abc import Iterator

import pytest

from tests.real.browser import LAPTOP, LARGE, LOADED, PHONE, Browser, Tab
from tests.real.harness import TOOLS as PARTS
from tests.real.harness import need
from tests.real.page_home import POLICY, TOOLS, PageHome, page_home, tool

VIEWS = ("now", "questions", "tools", "policy", "policy/try", "policy/edit", "record", "limits")
LIMIT = '\n[[limit]]\nname = "reading"\ntool = "read_*"\nrate = "1000/hour"\neach = "server"\n'
LONG = "a-server-" + "with-a-long-name-" * 6
UNBROKEN = "Server" + "withoutanybreak" * 12
LIMITS = f"""
[[budget]]
name = "{UNBROKEN}"
server = "{UNBROKEN}"
tool = "{UNBROKEN}"
unit = "calls"
limit = 4
per = "day"
cost = 1

[[rule]]
name = "{UNBROKEN}"
action = "deny"
server = "{UNBROKEN}"
tool = "{UNBROKEN}"
"""
SERIOUS = ("serious", "critical")
FOUND = """axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations.map(
  (each) => ({rule: each.id, impact: each.impact, at: each.nodes.map((node) => node.target.join(' ')).slice(0, 3)})))"""
# Texts that reach beyond the window, or beyond a box that hides them, where no ellipsis says so.
CUT = """(() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const at = texts.currentNode.parentElement;
    const seen = at.checkVisibility({visibilityProperty: true, opacityProperty: true});
    if (!texts.currentNode.data.trim() || !seen) continue;
    if (at.getBoundingClientRect().width <= 1) continue;  // for a screen reader only
    if (at.closest('.hidden, .skip, noscript, textarea, select, svg')) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const {left, right} = range.getBoundingClientRect();
    for (let box = at; box; box = box.parentElement) {
      const style = getComputedStyle(box);
      const says = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none';
      if (says || /auto|scroll/.test(style.overflowX)) break;
      const edge = box.getBoundingClientRect();
      const hides = style.overflowX !== 'visible' || box === document.body;
      if (hides && (right > edge.right + 1 || left < edge.left - 1)) {
        found.push(at.className + ': ' + texts.currentNode.data.slice(0, 40));
        break;
      }
    }
  }
  return found.slice(0, 5);
})()"""
BRIGHTNESS = """(() => {
  const paint = document.createElement('canvas').getContext('2d');
  paint.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
  paint.fillRect(0, 0, 1, 1);
  return Math.max(...paint.getImageData(0, 0, 1, 1).data.slice(0, 3));
})()"""
FOCUS = """((at) => [at.textContent.trim() || at.getAttribute('aria-label') || at.tagName,
  getComputedStyle(at).outlineStyle])(document.activeElement)"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[PageHome]:
    policy = POLICY + LIMIT
    with page_home(tmp_path_factory.mktemp("page").resolve(), policy, **{"notes": TOOLS, LONG: TOOLS}) as made:
        made.app(LONG).call("read_note", path="~/" + "deep/" * 40)
        app = made.app("notes")
        for path in ("~/a.md", "~/b.md"):
            app.call("read_note", path=path)
        app.call("delete_note", path="~/c.md")
        made.give_tools("notes", [tool("write_note", "now it does more", path="string"), TOOLS[0], TOOLS[2]])
        made.app("notes")
        yield made


@pytest.fixture(scope="module")
def axe() -> str:
    with open(need(PARTS / "node-axe" / "node_modules" / "axe-core" / "axe.min.js"), encoding="utf-8") as file:
        return file.read()


def serious(tab: Tab, where: str) -> list[tuple[object, ...]]:
    return [(where, each["rule"], *each["at"]) for each in tab.run(FOUND) if each["impact"] in SERIOUS]


@pytest.mark.parametrize(("size", "scheme"), [(LAPTOP, "light"), (LAPTOP, "dark"), (PHONE, "dark")])
def test_axe_finds_nothing_serious_in_any_view(home, browser, axe, size, scheme):
    tab = home.open(browser, size=size, scheme=scheme)
    tab.run(f"() => {{ {axe} }}")
    tab.run("document.body.append(Object.assign(document.createElement('button'), {id: 'nameless'}))")
    assert serious(tab, "now") == [("now", "button-name", "#nameless")]
    tab.run("document.getElementById('nameless').remove()")
    held = home.app("notes").begin("write_note", path="~/asked.md")
    tab.see(".question")
    found = []
    for view in VIEWS:
        tab.show(view)
        if view in ("now", "tools"):
            line = ".row-line" if view == "now" else ".tool-line"
            tab.until(f"document.querySelector('{line}')")
            tab.run("(where) => document.querySelector(where).click()", line)
            tab.until(LOADED)
        found += serious(tab, view)
    tab.show("now")
    tab.click("text=For longer")
    tab.see(".rule-text")
    found += serious(tab, "for longer")
    tab.run("[...document.querySelectorAll('.lock button')].at(-1).focus()")
    tab.press("Enter")
    tab.see("dialog[open]")
    found += serious(tab, "dialog")
    tab.press("Escape")
    tab.gone("dialog[open]")
    assert found == []
    tab.press("n")
    assert "refused" in held.answer()


@pytest.mark.parametrize(("size", "scheme"), [(LAPTOP, "light"), (PHONE, "dark")])
def test_axe_finds_nothing_serious_in_what_a_press_brings_up(home, browser, axe, size, scheme):
    tab = home.open(browser, size=size, scheme=scheme)
    tab.run(f"() => {{ {axe} }}")
    tab.show("tools")
    tab.click("[aria-label='tools of notes'] .tool-line:has-text('write_note')")
    tab.click("text=Keep it out")
    tab.see(".pin .rule-text")
    tab.select_option("[aria-label='tools of notes'] .class:has-text('read') select", "deny")
    tab.see(".classes-box .rule-text")
    tab.click("[aria-label='tools of notes'] .tool-line:has-text('read_note')")
    tab.click("summary >> nth=0")
    tab.click("text=Always ask >> nth=0")
    tab.see(".tool-detail > .writer .rule-text")
    found = serious(tab, "rule offers")
    tab.show("policy/try")
    for label, text in (("server", "notes"), ("tool", "delete_note"), ("app", "cursor")):
        tab.fill(f"input[aria-label={label}]", text)
    tab.fill("textarea.code", '{"path": "/tmp/../etc/a"}')
    tab.click("text=Judge it")
    tab.see(".readings-list")
    found += serious(tab, "an answer")
    tab.show("record")
    tab.click(".search .row-line >> nth=0")
    tab.see(".search .why-again")
    found += serious(tab, "a record")
    assert found == []
    tab.close()


@pytest.mark.parametrize("width", [400, 1280])
def test_long_unbroken_names_make_no_view_wider_than_the_window(browser, tmp_path, width):
    with page_home(
        tmp_path.resolve(), POLICY + LIMITS, **{UNBROKEN: [*TOOLS, tool(UNBROKEN, UNBROKEN, path="string")]}
    ) as made:
        app = made.app(UNBROKEN)
        for path in (UNBROKEN, "~/b.md"):
            app.call("read_note", path=path)
        app.call(UNBROKEN, **{UNBROKEN: UNBROKEN})
        made.give_tools(UNBROKEN, [*TOOLS, tool(UNBROKEN, "now it does more", path="string")])
        made.app(UNBROKEN).close()
        tab = made.open(browser, size=(width, 900))
        held = app.begin("write_note", path=UNBROKEN)
        tab.see(".question")
        wrong = {}
        for view in (*VIEWS, "limits"):
            tab.show(view)
            for press in (".search .row-line", ".tool-line", ".pin button.no"):
                if tab.run("(where) => document.querySelectorAll(where).length > 0", f"main {press}"):
                    tab.run("(where) => document.querySelector(where).click()", f"main {press}")
                    tab.until(LOADED)
            if view == "tools":
                tab.see(".offer")
            if view == "policy/try":
                tab.fill("input[aria-label=server]", UNBROKEN)
                tab.fill("input[aria-label=tool]", UNBROKEN)
                tab.run("document.querySelector('form.try-form button').click()")
                tab.see(".explained")
            if found := [tab.run("document.documentElement.scrollWidth - innerWidth"), *tab.run(CUT)]:
                wrong |= {view: found} if found != [0] else {}
        assert wrong == {}
        tab.press("n")
        held.answer()
        tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, (320, 640), LAPTOP, LARGE])
def test_no_view_is_wider_than_the_window_and_nothing_is_cut(home, browser, size, scheme):
    tab = home.open(browser, size=size, scheme=scheme)
    held = home.app("notes").begin("write_note", path="~/" + "a-long-name/" * 20)
    tab.see(".question")
    wrong = {}
    for view in VIEWS:
        tab.show(view)
        found = tab.run(CUT)
        if found or tab.run("document.documentElement.scrollWidth - innerWidth"):
            wrong[view] = found
    assert wrong == {}
    assert tab.run(BRIGHTNESS) > 200 if scheme == "light" else tab.run(BRIGHTNESS) < 60
    tab.press("n")
    assert "refused" in held.answer()


def test_all_of_it_is_reached_by_the_keyboard_and_the_focus_is_seen(home, browser):
    tab = home.open(browser)
    tab.show("now")
    tab.until("document.querySelector('.row-line')")
    tab.run("document.activeElement.blur()")
    reached = []
    for _ in range(40):
        tab.press("Tab")
        reached.append(tab.run(FOCUS))
        if "row-line" in tab.run("document.activeElement.className"):
            break
    names = [name for name, _ in reached]
    assert names[0] == "Skip to the content"
    assert {"Now", "Questions", "Tools", "Policy", "Record", "Pause"} <= set(names)
    assert {outline for _, outline in reached} <= {"solid", "auto"}
    tab.press("ArrowDown")
    assert tab.run("document.activeElement.closest('li').getAttribute('aria-posinset')") == "2"
    tab.press("Enter")
    tab.see(".row-detail")
    tab.press("Enter")
    tab.gone(".row-detail")


def test_motion_is_left_out_where_it_is_not_wanted(home, browser):
    tab = home.open(browser, reduced_motion="reduce")
    tab.show("now")
    moving = (
        "[...document.querySelectorAll('*')].filter((each) => getComputedStyle(each).animationName !== 'none').length"
    )
    assert tab.run(moving) == 0
