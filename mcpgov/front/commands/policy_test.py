"""`mcpgov policy test`: decide fixtures and compare.

A fixture is a JSON file with one object, or a list of them:
  {"method": "tools/call", "params": {"name": "read_file"}, "server": "fs",
   "expected": "allow", "expected_rule": "reading"}
Only `method` is needed, and `params` where the method has them; `client` and
`project` may be given too. One without `expected` is only reported.
Limits, budgets and other guards judge too, each fixture alone and with nothing
spent: `expected_guard` names the one whose verdict holds. With `result`, what
the server answers, the strictest verdict on call and answer is compared.

exit status:
  0  all as expected
  2  a mismatch
  3  the policy is invalid

examples:
  mcpgov policy test --fixture-dir fixtures/
  mcpgov policy test --policy team.toml --fixture ssh-key.json --expect deny
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from mcpgov.atomic_file import cannot_write
from mcpgov.core.decision import STRICTNESS
from mcpgov.core.rules.ruleset import stricter
from mcpgov.core.session.guard import told
from mcpgov.core.session.verdict import STOPPED
from mcpgov.errors import EXIT_DENIED, UsageError
from mcpgov.front.context import Context, Rules
from mcpgov.front.output.policy_view import subject
from mcpgov.front.result import Block, Cell, Line, Result, Table
from mcpgov.policy.draft import ALIASES
from mcpgov.policy.explain import after_guards, guard_verdicts
from mcpgov.policy.fixtures import Fixture, FixtureRun, describe, find_fixtures, junit, read_fixtures

NO_LEDGER = f"{os.devnull}/ledger"  # no file can be there: nothing is spent


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--policy", metavar="FILE", help="judge by this policy instead of the one in use")
    parser.add_argument("--fixture", metavar="FILE", nargs="+", action="extend", default=[], help="fixture files")
    parser.add_argument("--fixture-dir", metavar="DIR", help="every *.json below DIR")
    parser.add_argument("--expect", metavar="ACTION", choices=(*STRICTNESS, *ALIASES), default="",
                        help="expected of fixtures that say nothing themselves")  # fmt: skip
    parser.add_argument("--junit", metavar="FILE", help="also write the results as JUnit XML")


def run(args: Namespace, context: Context) -> Result:
    directory = Path(args.fixture_dir) if args.fixture_dir else None
    if not args.fixture and directory is None:
        directory = context.settings.fixtures
        if directory is None:
            raise UsageError("no fixtures given", hint="--fixture FILE … or --fixture-dir DIR")
    rules = context.rules(args.policy)
    paths = find_fixtures([Path(name) for name in args.fixture], directory)
    fixtures = [fixture for path in paths for fixture in read_fixtures(path, args.expect, directory)]
    trials = [_judged(fixture, rules) for fixture in fixtures]
    if args.junit:
        _write(Path(args.junit), junit(trials))
    failed = sum(not trial.ok for trial in trials)
    judged = sum(trial.judged for trial in trials)
    summary = f"{judged - failed} passed, {failed} failed, {len(trials) - judged} only reported"
    data = {
        "passed": judged - failed,
        "failed": failed,
        "reported": len(trials) - judged,
        "revision": rules.compiled.revision,
        "fixtures": [_data(trial) for trial in trials],
    }
    view: list[Block] = [_table(trials), Line(summary, "bad" if failed else "good")]
    return Result("policy test", data, view, EXIT_DENIED if failed else 0)


def _judged(fixture: Fixture, rules: Rules) -> FixtureRun:
    call, guards = fixture.call, rules.guards(fixture.call.project, ledger=NO_LEDGER)
    decision = rules.decide(guards.judged(call) if guards is not None else call)
    said = guard_verdicts(guards, call, decision)
    decision = after_guards(decision, said)
    if fixture.result is None or decision.action in STOPPED:
        return FixtureRun(fixture, decision, tuple(said))
    answer = fixture.result
    if guards is not None:
        screened, answer = guards.explain_answer(call, answer)
        said += screened
        decision = after_guards(decision, screened)
    found = rules.judge_answer(call, answer)
    if guards is not None and (scanned := guards.scan(call, answer, found)) not in (None, found):
        assert scanned is not None
        found = scanned
        said.append(told("answer", scanned.rule or scanned.kind, scanned))
    return FixtureRun(fixture, stricter(decision, found) if found is not None else decision, tuple(said))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise cannot_write(path, error) from None


def _data(trial: FixtureRun) -> dict[str, object]:
    fixture, decision = trial.fixture, trial.decision
    return {
        "name": fixture.name,
        "action": decision.action,
        "rule": decision.rule,
        "kind": decision.kind,
        "expected": fixture.expected or None,
        "expected_rule": fixture.expected_rule or None,
        "expected_guard": fixture.expected_guard or None,
        "guards": [dict(entry) for entry in trial.guards],
        "ok": trial.ok,
    }


def _table(trials: list[FixtureRun]) -> Table:
    rows: list[list[str | Cell]] = []
    for trial in trials:
        action, rule = trial.decision.action, trial.decision.rule or "the default"
        mark = Cell("ok", "good") if trial.judged else Cell("–", "faint")
        notes = () if trial.ok else (describe(trial),)
        if not trial.ok:
            mark = Cell("FAILED", "bad")
        call = f"{trial.fixture.call.method} {subject(trial.fixture.call)}".rstrip()
        rows.append([mark, Cell(trial.fixture.name, "", notes), call, Cell(action, action), rule])
    failed = frozenset(at for at, trial in enumerate(trials) if not trial.ok)
    return Table(("", "fixture", "call", "decision", "rule"), rows, strong=failed, empty="no fixtures")
