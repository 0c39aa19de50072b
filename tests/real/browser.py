"""A real browser for tests: Debian's Chromium, driven by Playwright in a process and a venv of its own."""

import json
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.real.harness import HERE, TOOLS, clean_env, need

TIMEOUT = 60
LAPTOP, PHONE, LARGE = (1440, 900), (390, 844), (3840, 2160)


_UNTIL = """(most) => new Promise((met) => {
  const end = performance.now() + most;
  const look = () => (%s) ? met(true) : performance.now() > end ? met(false) : setTimeout(look, 10);
  look();
})"""


# What the browser says of requests that fail: of a service that is away, or a refusal that is meant.
MEANT = "Failed to load resource"
LOADED = "![...document.querySelectorAll('main [aria-busy]')].some((each) => each.offsetParent)"


class BrowserError(AssertionError):
    """What the browser could not do, in its words."""


class Browser:
    def __init__(self, home: Path) -> None:
        chromium = shutil.which("chromium")
        if chromium is None:
            pytest.skip("REAL PART MISSING: there is no `chromium` on the PATH (run scripts/realparts)")
        python = need(TOOLS / "venv-browser" / "bin" / "python")
        home.mkdir(parents=True, exist_ok=True)
        self._tabs = 0
        self._looked_at: set[int] = set()
        self._turn = threading.Lock()
        self.process = subprocess.Popen(
            [python, str(HERE / "browser_driver.py"), chromium],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=clean_env(home), text=True,
        )  # fmt: skip
        self.version = self._hear()

    def tab(self, size: tuple[int, int] = LAPTOP, scheme: str = "light", **context: Any) -> "Tab":
        """A window of its own, with no cookies."""
        given = {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": scheme, **context}
        return self._new(given)

    def _new(self, given: dict[str, Any]) -> "Tab":
        self._tabs += 1
        tab = Tab(self, self._tabs)
        self.ask(tab.number, "open", given=given)
        return tab

    def ask(self, tab: int, what: str, args: tuple[Any, ...] = (), given: dict[str, Any] | None = None) -> Any:
        with self._turn:
            print(json.dumps({"tab": tab, "do": what, "args": args, "with": given or {}}), file=self.process.stdin)
            self.process.stdin.flush()
            return self._hear()

    def complaints(self) -> list[str]:
        """What the console of any page said since this was asked last, but where a test has looked for itself."""
        said = self.ask(0, "complaints")
        return [text for tab, text in said if tab not in self._looked_at and not text.startswith(MEANT)]

    def look_at(self, tab: int) -> Any:
        self._looked_at.add(tab)
        return self.ask(tab, "heard")

    def _hear(self) -> Any:
        guard = threading.Timer(TIMEOUT, self.process.kill)
        guard.start()
        try:
            line = self.process.stdout.readline()
        finally:
            guard.cancel()
        said = json.loads(line or '{"failed": "the browser has gone"}')
        if "failed" in said:
            raise BrowserError(said["failed"])
        return said["value"]

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(TIMEOUT)
        self.process.stdout.close()


class Tab:
    """A page of Playwright by its methods: tab.click("text=Save"), tab.run("document.title")."""

    def __init__(self, browser: Browser, number: int) -> None:
        self._browser = browser
        self.number = number

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *args, **given: self._browser.ask(self.number, name, args, given)

    def beside(self) -> "Tab":
        """Another tab of the same window."""
        return self._browser._new({"beside": self.number})

    def press(self, key: str) -> None:
        self._browser.ask(self.number, "keyboard.press", (key,))

    def key_down(self, key: str) -> None:
        self._browser.ask(self.number, "keyboard.down", (key,))

    def key_up(self, key: str) -> None:
        self._browser.ask(self.number, "keyboard.up", (key,))

    def hold(self, selector: str) -> None:
        """The pointer is pressed there, and not let go."""
        self._browser.ask(self.number, "hover", (selector,))
        self._browser.ask(self.number, "mouse.down")

    def let_go(self) -> None:
        self._browser.ask(self.number, "mouse.up")

    def away(self) -> None:
        """The pointer leaves what it was over."""
        self._browser.ask(self.number, "mouse.move", (2, 2))

    def see(self, selector: str) -> None:
        self._browser.ask(self.number, "wait_for_selector", (selector,))

    def gone(self, selector: str) -> None:
        self._browser.ask(self.number, "wait_for_selector", (selector,), {"state": "hidden"})

    def show(self, view: str) -> None:
        """Another view of the page, as it is once it stands there: what the one before held is gone."""
        name, _, part = view.partition("/")
        self.run("(view) => (location.hash = view)", view)
        self.until(f"document.querySelector('main').className === 'view-{name}' && document.querySelector('main h1')")
        if part:
            self.until(f"document.querySelector('main a[href=\\'#{view}\\'][aria-current]')")
        self.until(LOADED)

    def until(self, expression: str, seconds: float = 40) -> None:
        """Waits in the page itself: Playwright's own way of waiting needs an `eval` that the page's CSP refuses."""
        met = self.run(_UNTIL % expression, 1000 * seconds)
        assert met, f"this did not become true: {expression}"

    def run(self, expression: str, value: Any = None) -> Any:
        return self._browser.ask(self.number, "evaluate", (expression, value))

    @property
    def heard(self) -> dict[str, list[str]]:
        """Its complaints fail no test: this one looks at them."""
        return self._browser.look_at(self.number)
