"""What `[privacy]` adds to a proxy: at its start, in memory, to a clean call; and what reading a message costs."""

import json
import statistics
from collections.abc import Callable
from pathlib import Path

from rows import Row
from talk import Talk, cpu, pss

from mcpgov import host
from mcpgov.core.rules.call import call_of
from mcpgov.guards.screening.reader import reader_of
from mcpgov.policy.build import build, read_layer
from proxy import rules, targets

STARTS, CALLS = 21, 2000
PRIVACY = '\n[privacy]\nparams = "redact"\nresults = "redact"\n'


def read(scratch: Path, lines: dict[str, bytes], best: Callable[..., float]) -> list[Row]:
    """A message with findings as a proxy reads it, beside `json.loads` of it: under a policy that notes what it finds,
    and under one that cuts it."""
    out = []
    call = call_of("tools/call", {"name": "t", "arguments": {}})
    for mode, most in (("log", 4), ("redact", None)):
        policy = scratch / f"{mode}.toml"
        policy.write_text(f'default = "allow"\n\n[privacy]\nresults = "{mode}"\n', "utf-8")
        policy.chmod(0o600)
        reader = reader_of([json.loads(build([read_layer(policy)]).text)["head"]], host.world())
        for kind, line in lines.items():
            text = line.decode()
            took = best(lambda reader=reader, text=text: reader.screen("server", call, text, {}), 7)
            ratio = took / best(lambda line=line: json.loads(line), 7)
            named = f"dirty {kind}, every finding {'noted' if mode == 'log' else 'cut'}"
            if most is None:
                out.append(Row(named, f"{took:.0f} ms, {ratio:.1f} x json.loads"))
            else:
                out.append(Row.most(f"{named}, beside json.loads", ratio, most, "x"))
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
