"""The page's own files: small, loaded in one round, naming no other host, building no markup from strings."""

import os.path
import re
from pathlib import Path

from tests.real.harness import HERE

STATIC = HERE.parents[1] / "mcpgov" / "web" / "static"
FILES = sorted(path for path in STATIC.rglob("*") if path.is_file())
LARGEST_ROUND = 150_000  # bytes, without compression
LONGEST_FILE = 250  # lines
NAMESPACE = "http://www.w3.org/2000/svg"
HOST = re.compile(r"(?:https?:)?//[a-z0-9-]+\.[a-z]", re.IGNORECASE)
# What makes markup, code or style of a string: the page's CSP and Trusted Types would refuse it.
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|createContextualFragment"
    r"|srcdoc|setAttribute\(\"(?:style|on)|\bon[a-z]+=\"|<style|\sstyle=\""
)


def name(path: Path) -> str:
    return path.relative_to(STATIC).as_posix()


def modules(start: str, found: set[str] | None = None) -> set[str]:
    """A module and all that it imports before it runs."""
    found = set() if found is None else found
    if start not in found:
        found.add(start)
        for where in re.findall(r'^(?:import|export) [^;]*?"(\.[^"]+)";', (STATIC / start).read_text("utf-8"), re.M):
            modules(os.path.normpath(os.path.join(os.path.dirname(start), where)), found)
    return found


def linked(kind: str) -> set[str]:
    page = (STATIC / "index.html").read_text("utf-8")
    tags = [tag for tag in re.findall(r"<link[^>]*>", page) if f'rel="{kind}"' in tag]
    return {found for tag in tags for found in re.findall(r'href="static/([^"]+)"', tag)}


def test_every_module_of_the_first_view_is_asked_for_at_once():
    assert linked("modulepreload") == modules("app.js") - {"app.js"}


def test_the_first_round_is_small():
    first = {"index.html", *modules("app.js"), *linked("stylesheet"), *linked("icon")}
    assert sum((STATIC / each).stat().st_size for each in first) < LARGEST_ROUND


def test_no_file_names_another_host():
    named = {name(path): HOST.findall(path.read_text("utf-8").replace(NAMESPACE, "")) for path in FILES}
    assert {path: hosts for path, hosts in named.items() if hosts} == {}


def test_no_file_makes_markup_or_code_of_a_string():
    found = {
        name(path): FORBIDDEN.findall(path.read_text("utf-8")) for path in FILES if path.suffix in (".js", ".html")
    }
    assert {path: words for path, words in found.items() if words} == {}


def test_every_file_is_used_and_short():
    texts = {name(path): path.read_text("utf-8") for path in FILES}
    everything = "\n".join(texts.values())
    first_pages = {"index.html", "enter.html", "entered.html", "refused.html"}  # named by the service
    assert [each for each in texts if each not in first_pages and os.path.basename(each) not in everything] == []
    assert [each for each, text in texts.items() if text.count("\n") > LONGEST_FILE] == []
