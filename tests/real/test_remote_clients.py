"""The real apps and a server at a URL: the daemon wraps it, they connect through us, a denied tool is denied."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mcpgov.remote_servers import id_in, load_servers
from tests.helpers.governed import Governed
from tests.helpers.talks import wait_for
from tests.real.conformance import served
from tests.real.harness import Driver

UP_WITHIN = 15.0
POLICY = """
default = "allow"
[[rule]]
name = "no pictures"
action = "deny"
tool = "test_image_content"
message = "no pictures here"
"""


class App(NamedTuple):
    """How an app is told of a server, where it keeps it, and how it says that it is connected; "": it does not."""

    program: str
    client: str
    file: str
    add: tuple[str, ...]
    connected: str


ADD = ("mcp", "add", "-s", "user", "-t", "{transport}", "{name}", "{url}")
ADD_URL = ("mcp", "add", "{name}", "--url", "{url}")
CLAUDE = App("claude", "claude-code", ".claude.json", ADD, r"^{name}: {url} \(\w+\) - ✔ Connected")
GEMINI = App("gemini", "gemini", ".gemini/settings.json", ADD, r"✓.* {name}: {url} \(\w+\) - Connected")
OPENCODE = App("opencode", "opencode", ".config/opencode/opencode.json*", ADD_URL, r"✓ {name}.*connected\s+│\s+.*{url}")
CODEX = App("codex", "codex", ".codex/config.toml", ADD_URL, "")
CASES = [(app, kind) for app in (CLAUDE, GEMINI, OPENCODE) for kind in ("http", "sse")] + [(CODEX, "http")]


@pytest.fixture
def governed(tmp_path: Path) -> Iterator[Governed]:
    found = Governed(tmp_path.resolve())
    found.policy(POLICY)
    found.settings('clients = ["claude-code", "gemini", "opencode", "codex"]\n')
    trust = found.home / ".gemini" / "trustedFolders.json"
    trust.parent.mkdir()
    trust.write_text(json.dumps({str(found.work): "TRUST_FOLDER"}))
    with found.daemon():
        yield found


def text_of(governed: Governed, app: App) -> str:
    files = [path for path in governed.home.glob(app.file) if path.suffix in (".json", ".jsonc", ".toml")]
    return "".join(path.read_text("utf-8") for path in files)


def ours(governed: Governed, app: App) -> str:
    """The URL of ours that stands in the app's config; "": none does."""
    found = re.findall(r'"(http://127\.0\.0\.1:\d+/[^"]*)"', text_of(governed, app))
    return next((url for url in found if id_in(url)), "")


def asked(driver: Callable[[], Driver], tmp_path: Path, url: str, kind: str, *tools: str) -> list[dict[str, Any]]:
    """What a client gets that is given the wrapped URL."""
    mode = "legacy" if kind == "sse" else "auto"
    steps = [["tools"], *(["call", tool, {}] for tool in tools)]
    job = {"url": url, "transport": kind, "mode": mode, "errors": str(tmp_path / "driver.err"), "steps": steps}
    report = driver().report(job)
    assert "failed" not in report, report["failed"]
    return [result["result"] for result in report["results"]]


def denied(governed: Governed) -> list[tuple[str, str, str]]:
    lines = [line for file in governed.places.journal.glob("*.jsonl") for line in file.read_text("ascii").splitlines()]
    notes = [json.loads(line) for line in lines]
    return [(note["server"], note["client"], note["tool"]) for note in notes if note.get("action") == "deny"]


@pytest.mark.parametrize(("app", "kind"), CASES, ids=[f"{app.program}-{kind}" for app, kind in CASES])
def test_a_url_that_an_app_adds_is_governed(
    governed: Governed, tmp_path: Path, driver: Callable[[], Driver], app: App, kind: str
) -> None:
    place = tmp_path / "server"
    place.mkdir()
    with served(place, kind) as url:
        governed.client(app.program, *(word.format(transport=kind, name="web", url=url) for word in app.add))
        written = wait_for(lambda: ours(governed, app), "the wrap")
        (kept,) = load_servers(governed.places.remote_servers).values()
        assert (kept.name, kept.client, kept.url, kept.id) == ("web", app.client, url, id_in(written))
        assert url not in text_of(governed, app), "only our URL leads to the server"

        listed = governed.client(app.program, "mcp", "list")
        said = app.connected.format(name="web", url=re.escape(written))
        assert re.search(said, listed, re.MULTILINE), listed

        tools, fine, stopped = asked(driver, tmp_path, written, kind, "test_simple_text", "test_image_content")
        assert "test_simple_text" in [tool["name"] for tool in tools["tools"]]
        assert fine["content"] == [{"type": "text", "text": "This is a simple text response for testing."}]
        assert stopped["isError"] is True
        assert "no pictures here" in stopped["content"][0]["text"]
        assert denied(governed) == [("web", app.client, "test_image_content")]
        wait_for(lambda: governed.states().get("web") == "governed", "the status")
        assert governed.complaints() == []

    # Unwrapped, the app's file has the server's own URL again.
    governed.end()
    governed.mcpgov("unwrap", "--all")
    assert url in text_of(governed, app)
    assert ours(governed, app) == ""
