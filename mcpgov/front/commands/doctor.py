"""`mcpgov doctor`: look at everything that has to be right, and say what to type where it is not.

Nothing is changed. Exit status 1 if anything is bad; warnings alone are 0.

examples:
  mcpgov doctor
  mcpgov doctor --json | jq '.checks[] | select(.level != "ok")'
"""

from __future__ import annotations

import getpass
from argparse import Namespace
from functools import partial

from mcpgov.configs.work import FileResult
from mcpgov.errors import SettingsError
from mcpgov.front import checkup, look
from mcpgov.front.checkup import Check
from mcpgov.front.context import Context
from mcpgov.front.result import Block, Line, Result, picked
from mcpgov.front.wording import count, home_in

STYLES = {checkup.OK: "", checkup.WARNING: "warning", checkup.BAD: "bad"}


def run(args: Namespace, context: Context) -> Result:
    checks = _checks(context)
    bad = sum(check.level == checkup.BAD for check in checks)
    warnings = sum(check.level == checkup.WARNING for check in checks)
    data = {"checks": [picked(check, "check=name", "level", "what", "hint", "reason_code") for check in checks]}
    told = f"{count(bad, 'thing')} to mend, {count(warnings, 'warning')}" if bad or warnings else "all is well"
    style = "bad" if bad else "warning" if warnings else "good"
    return Result("doctor", data, [*_view(checks), Line(""), Line(told, style)], 1 if bad else 0)


def _checks(context: Context) -> list[Check]:
    looker, places = look.Looker(context), context.places
    out = checkup.tried("places", lambda: checkup.places(places, looker.policy().file))
    out += checkup.tried("disk", lambda: checkup.disk(places))
    out += checkup.tried("launcher", lambda: checkup.launcher(places))
    worker, results, outside = None, list[FileResult](), list[FileResult]()
    try:
        worker = context.worker()
        results = [worker.look(source) for source in worker.sources()]
        outside = looker.outside()
        out.append(Check("settings", checkup.OK, "the settings can be read"))
    except SettingsError as error:
        # Which files there are, they alone say; the rest does not need them.
        out.append(Check("settings", checkup.BAD, str(error), error.hint, error.reason_code))
    out += checkup.tried("policy", lambda: checkup.policy(looker.policy()))
    out += checkup.tried("daemon", lambda: _daemon(looker))
    if worker is not None:
        out += checkup.tried("configs", partial(checkup.configs, worker, results, looker.known(), outside))
    out += checkup.tried("watches", checkup.watches)
    return out + checkup.tried("processes", lambda: checkup.processes(*looker.processes(results)))


def _daemon(looker: look.Looker) -> checkup.Checks:
    """The service that starts it, and it."""
    found = looker.daemon()
    yield from checkup.service(*looker.service(), getpass.getuser(), by_choice=found.by_choice)
    yield from checkup.daemon(found)


def _view(checks: list[Check]) -> list[Block]:
    out: list[Block] = []
    last = ""
    for check in checks:
        name = check.name if check.name != last else ""
        out.append(Line(f"{name:<11}{check.level:<9}{home_in(check.what)}", STYLES[check.level]))
        if check.hint:
            out.append(Line(f"{'':<20}→ {check.hint}", "strong"))
        last = check.name
    return out
