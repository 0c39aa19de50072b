"""What one decision costs, and how that grows with the number of rules.

Every size is measured in turn, many rounds, and the best round counts: ratios inside one run, no absolute promise.
`warm` repeats a few tools, as a session does; `fresh` never sees a tool name twice.
"""

import itertools
import time

from mcpgov import host
from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.guards.hooks import LazyHooks
from mcpgov.policy.build import build, read_layer

SIZES = (10, 1_000, 10_000)
ROUNDS = 15
CALLS = 300


def policy(rules: int, stars: int) -> str:
    """Literal names, prefixes, argument globs, and `stars` rules that begin with `*`; the last one allows the rest."""
    lines = []
    for at in range(rules - stars - 1):
        kind = at % 3
        tool = (f"never_{at}", f"never_{at}_*", f"other{at}_*")[kind]
        more = f'args.path = "/etc/{at}/**"\n' if kind else ""
        lines.append(f'[[rule]]\naction = "deny"\ntool = "{tool}"\n{more}')
    lines += [f'[[rule]]\naction = "deny"\ntool = "*_star{at}_*"\n' for at in range(stars)]
    lines.append('[[rule]]\naction = "allow"\ntool = "*"\n')
    return "\n".join(lines)


def compiled(directory, rules: int, stars: int) -> str:
    path = directory / f"policy-{rules}-{stars}.toml"
    path.write_text(policy(rules, stars), "utf-8")
    return build([read_layer(path)]).raise_errors().text


def load_ms(text: str) -> float:
    best = 9e9
    for _ in range(9):
        start = time.process_time()
        RuleSet(text, host.world("/"), LazyHooks())
        best = min(best, time.process_time() - start)
    return best * 1e3


def measure(directory) -> list[dict[str, object]]:
    cases = [(rules, stars) for stars in (2, 100) for rules in SIZES if rules > stars] + [(10, 5)]
    texts = {case: compiled(directory, *case) for case in cases}
    sets = {case: RuleSet(text, host.world("/"), LazyHooks()) for case, text in texts.items()}
    warm = [call_of("tools/call", {"name": f"read_{at}", "arguments": {"path": "/x"}}, "s") for at in range(4)]
    number = itertools.count()
    best: dict[tuple[tuple[int, int], str], float] = {}
    for _ in range(ROUNDS):
        for case, rules in sets.items():
            fresh = [
                call_of("tools/call", {"name": f"get_{next(number)}", "arguments": {"path": "/x"}}, "s")
                for _ in range(CALLS)
            ]
            for call in fresh:
                _ = call.operation
            for kind, calls in (("warm", warm * (CALLS // 4)), ("fresh", fresh)):
                start = time.perf_counter()
                for call in calls:
                    rules.decide(call)
                cost = (time.perf_counter() - start) / CALLS * 1e6
                best[case, kind] = min(cost, best.get((case, kind), 9e9))
    rows = []
    for case in cases:
        row = {"rules": case[0], "stars": case[1], "load ms": load_ms(texts[case])}
        for kind in ("warm", "fresh"):
            row[f"{kind} us"] = best[case, kind]
            row[f"{kind} x"] = best[case, kind] / best[(10, 2), kind]
        rows.append(row)
    return rows


def report(directory) -> tuple[str, bool]:
    rows = measure(directory)
    out = ["rules  of them `*`   load ms   warm us     x   fresh us     x", "-" * 62]
    out += [
        f"{row['rules']:>6}{row['stars']:>11}{row['load ms']:>11.2f}{row['warm us']:>10.2f}{row['warm x']:>7.2f}"
        f"{row['fresh us']:>10.2f}{row['fresh x']:>7.2f}"
        for row in rows
    ]
    worst = {
        stars: max(float(row[f"{kind} x"]) for row in rows if row["stars"] == stars for kind in ("warm", "fresh"))
        for stars in (2, 100)
    }
    met = worst[2] <= 1.1 and worst[100] <= 3.0
    out += [
        "",
        f"10,000 rules, selective names: {worst[2]:.2f} x of 10 (target 1.10)",
        f"10,000 rules, a hundred with `*`: {worst[100]:.2f} x of 10 (target 3.00)",
    ]
    return "\n".join(out), met
