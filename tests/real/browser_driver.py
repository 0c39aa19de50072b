"""Chromium, driven by Playwright for a test: one JSON line in, one out. Runs in a venv of its own.

in:  {"tab": 1, "do": "keyboard.press", "args": ["y"], "with": {}}    a method of Playwright's page, by its path
     {"tab": 1, "do": "open", "with": {…}}                            a tab; `beside` another: with its cookies
     {"tab": 1, "do": "heard"}                                        what it complained of, and whom it asked
     {"tab": 0, "do": "complaints"}                                   of all tabs, since it was asked last
out: {"value": …} or {"failed": "…"}
"""

import json
import sys
from operator import attrgetter
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

PATIENCE = 40_000  # milliseconds: nothing takes as long, unless the machine is very busy
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


class Tabs:
    """`heard`: of each tab, every complaint of the browser, and every address that it asked for."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: dict[int, BrowserContext] = {}
        self._pages: dict[int, Page] = {}
        self._heard: dict[int, dict[str, list[str]]] = {}
        self._complaints: list[list[object]] = []

    def perform(self, job: dict[str, Any]) -> object:
        tab, given = job["tab"], job.get("with") or {}
        if job["do"] == "open":
            return self._open(tab, **given)
        if job["do"] == "complaints":
            found, self._complaints[:] = [*self._complaints], []
            return found
        if job["do"] == "heard":
            return self._heard[tab]
        found = attrgetter(job["do"])(self._pages[tab])(*job.get("args", ()), **given)
        return found if isinstance(found, (str, int, float, bool, list, dict)) else None

    def _open(self, tab: int, beside: int | None = None, **context: Any) -> None:
        if beside is None:
            self._contexts[tab] = self._browser.new_context(**context)
            self._contexts[tab].set_default_timeout(PATIENCE)
        else:
            self._contexts[tab] = self._contexts[beside]
        page = self._pages[tab] = self._contexts[tab].new_page()
        heard = self._heard[tab] = {"complaints": [], "dialogs": [], "asked": []}

        def complain(text: str) -> None:
            heard["complaints"].append(text)
            self._complaints.append([tab, text])

        page.on("console", lambda said: complain(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complain(str(error)))
        page.on("request", lambda request: heard["asked"].append(request.url))
        page.on("dialog", lambda dialog: (heard["dialogs"].append(dialog.message), dialog.dismiss()))


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=sys.argv[1], args=FLAGS)
        tabs = Tabs(browser)
        print(json.dumps({"value": browser.version}), flush=True)
        for line in sys.stdin:
            try:
                said = {"value": tabs.perform(json.loads(line))}
            except (Error, AttributeError, TypeError) as error:
                said = {"failed": f"{type(error).__name__}: {error}"}
            print(json.dumps(said), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
