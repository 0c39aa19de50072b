"""What the local page costs: nothing while nobody has it open, and its service with an open page at rest and in use."""

import http.client
import json
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from rows import Row, table

from live import MCPGOV, Live, cpu, rss, wait_for

QUIET, OPEN = 20.0, 60.0  # seconds
MOST_CPU, MOST_RSS = 1.0, 60.0  # per cent, MB
CALLS = 300


def report(scratch: Path) -> tuple[str, bool]:
    if not Path("/proc/self/schedstat").exists():
        return "page: not measured here, it needs /proc", True
    live = Live(scratch)
    live.usual()
    with live.daemon():
        wait_for(live.governed, "the first wraps")
        before = services(live)
        with Page(live) as page:
            [service] = services(live)
            rows = [Row("processes while nobody has it open", str(len(before)), "0", not before)]
            rows += at_rest(service)
            rows.append(in_use(live, service, page))
    return table(rows)


def services(live: Live) -> list[int]:
    """The page's processes, by the daemon's own word."""
    return [row["pid"] for row in live.status().get("services", ()) if row.get("name") == "page" and row.get("pid")]


def at_rest(service: int) -> list[Row]:
    time.sleep(QUIET)
    begun = cpu(service)
    time.sleep(OPEN)
    share = (cpu(service) - begun) / OPEN * 100
    return [
        Row.most("a page is open, at rest: CPU over 60 s", share, MOST_CPU, "%", 2),
        Row.most("a page is open, at rest: RSS", rss(service), MOST_RSS, "MB", 1),
    ]


def in_use(live: Live, service: int, page: "Page") -> Row:
    """A record is written and shown five times a second; the page asks for every list once."""
    for name in ("tools", "policy", "record?since=1h", "verify", "heat"):
        page.get(name)
    file = live.root / "state" / "journal" / time.strftime("%Y-%m-%d.jsonl")
    file.parent.mkdir(parents=True, exist_ok=True)
    for number in range(CALLS):
        record = {"time": time.time(), "session": "bench", "seq": number + 1, "dir": "client", "server": "a0",
                  "method": "tools/call", "tool": "read_file", "args": {"path": f"/tmp/{number}"}, "action": "allow",
                  "rule": "allow-1", "us": 90, "decision": f"bench-{number}"}  # fmt: skip
        with open(file, "a", encoding="ascii") as journal:
            journal.write(json.dumps(record) + "\n")
        time.sleep(0.2)
    return Row.most("after a minute of calls and every list: RSS", rss(service), MOST_RSS, "MB", 1)


class Page:
    """As a browser has it: let in by a code, with an open stream."""

    def __init__(self, live: Live) -> None:
        words = [MCPGOV, "--root", str(live.root), "open", "--print", "--json"]
        done = subprocess.run(words, env=live.environ, capture_output=True, text=True, check=True, timeout=60)
        made = json.loads(done.stdout)
        parts = urlsplit(made["url"])
        self._port, self._base, self._code = parts.port, parts.path, made["code"]

    def __enter__(self) -> "Page":
        form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": "null"}
        _, answer = self._ask("POST", "enter", f"code={self._code}", form)
        self._cookie = {"Cookie": str(answer.getheader("Set-Cookie")).partition(";")[0]}
        answer.read()
        self._held, self._stream = self._ask("GET", "api/stream", None, self._cookie)
        return self

    def __exit__(self, *_error: object) -> None:
        self._held.close()

    def get(self, name: str) -> None:
        connection, answer = self._ask("GET", f"api/{name}", None, self._cookie)
        if answer.status != 200:
            sys.exit(f"the page answered {answer.status} to {name}")
        answer.read()
        connection.close()

    def _ask(
        self, method: str, name: str, body: str | None, headers: dict[str, str]
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        connection.request(method, self._base + name, body, headers)
        return connection, connection.getresponse()
