"""What `[privacy]` adds to a proxy: at its start, in memory, to a clean call; and what rewriting a message costs."""

import json
import statistics
from collections.abc import Callable
from pathlib import Path

from rows import Row
from talk import Talk, cpu, pss

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.screening.leaves import Roles
from mcpgov.guards.screening.placeholders import Placeholders
from mcpgov.guards.screening.rewrite import Rewriter
from proxy import rules, targets

STARTS, CALLS = 21, 2000
PRIVACY = '\n[privacy]\nparams = "redact"\nresults = "redact"\n'


class Always:
    """Everything is cut."""

    def of(self, kind: str, value: str) -> tuple[str, str]:
        return "redact", "privacy"


def rewritten(lines: dict[str, bytes], best: Callable[..., float]) -> list[Row]:
    detector, roles = Detector(), Roles("server", "tools/call", asks=False)
    out = []
    for kind, line in lines.items():
        text = line.decode()

        def work(text: str = text) -> object:
            one = Rewriter(detector, Always(), Placeholders(), "server", restore=True)  # type: ignore[arg-type]
            return one.run(text, roles)

        took, loads = best(work, 5), best(lambda line=line: json.loads(line), 5)
        out.append(Row(f"dirty {kind}, every finding cut", f"{took:.0f} ms, {took / loads:.1f} x json.loads"))
    return out


def added(scratch: Path) -> list[Row]:
    """Both proxies take turns, so that both meet the same noise. The start: until the tools are listed, which is all
    that happens to most servers of an app; and until the first call is answered, for which the gate is made."""
    plain, private = rules(scratch / "plain.toml", 10), rules(scratch / "private.toml", 10)
    private.write_text(private.read_text("utf-8") + PRIVACY, "utf-8")
    root = scratch / "root"
    found = {str(file): targets(scratch, root, file)["mcpgov"] for file in (plain, private)}
    started: dict[str, list[float]] = {name: [] for name in found}
    called: dict[str, list[float]] = {name: [] for name in found}
    memory: dict[str, list[float]] = {name: [] for name in found}
    trips: dict[str, float] = {}
    for repeat in range(STARTS):
        for name, argv in found.items():
            talk = Talk(argv, scratch)
            talk.ready()
            talk.ask("tools/list", {})
            pids = [talk.process.pid]
            start = cpu(pids)
            talk.number = 1000 * repeat  # no call that an earlier one has made
            talk.ping_pong(1)
            if 0 < repeat < STARTS - 1:  # the first one compiles the policy
                started[name].append(start * 1e3)
                called[name].append(cpu(pids) * 1e3)
                memory[name].append(pss(pids))
            if repeat == STARTS - 1:
                trips[name] = statistics.median(talk.ping_pong(CALLS))
            talk.close()
    one, two = found
    return [
        Row.most("added at a proxy's start, CPU", min(started[two]) - min(started[one]), 4, "ms"),
        Row("the same with its first call", f"{min(called[two]) - min(called[one]):.2f} ms"),
        Row.most("added to a proxy's memory (PSS)", min(memory[two]) - min(memory[one]), 3, "MiB"),
        Row("added to a clean call", f"{trips[two] - trips[one]:.0f} µs of {trips[one]:.0f}"),
    ]
