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

from mcpgov.configs.config_pass import FileResult
from mcpgov.errors import SettingsError
from mcpgov.front.context import Context
from mcpgov.front.output.text import count, home_in
from mcpgov.front.result import Block, Line, Result, picked
from mcpgov.front.status import doctor_checks, engine_check, ledger_check, local_status, remote_checks
from mcpgov.front.status.doctor_checks import Check

STYLES = {doctor_checks.OK: "", doctor_checks.WARNING: "warning", doctor_checks.BAD: "bad"}


def run(args: Namespace, context: Context) -> Result:
    checks = _checks(context)
    bad = sum(check.level == doctor_checks.BAD for check in checks)
    warnings = sum(check.level == doctor_checks.WARNING for check in checks)
    data = {"checks": [picked(check, "check=name", "level", "what", "hint", "reason_code") for check in checks]}
    summary = f"{count(bad, 'thing')} to mend, {count(warnings, 'warning')}" if bad or warnings else "all is well"
    style = "bad" if bad else "warning" if warnings else "good"
    return Result("doctor", data, [*_view(checks), Line(""), Line(summary, style)], 1 if bad else 0)


def _checks(context: Context) -> list[Check]:
    local, places = local_status.LocalStatus(context), context.places
    checks = doctor_checks.run_checks("places", lambda: doctor_checks.places(places, local.policy().file))
    checks += doctor_checks.run_checks("disk", lambda: doctor_checks.disk(places))
    checks += doctor_checks.run_checks("launcher", lambda: doctor_checks.launcher(places))
    worker, results, outside = None, list[FileResult](), list[FileResult]()
    try:
        worker = context.worker()
        results = [worker.look(source) for source in worker.sources()]
        outside = local.outside()
        checks.append(Check("settings", doctor_checks.OK, "the settings can be read"))
    except SettingsError as error:
        # Which files there are, they alone say; the rest does not need them.
        checks.append(Check("settings", doctor_checks.BAD, str(error), error.hint, error.reason_code))
    checks += doctor_checks.run_checks("policy", lambda: doctor_checks.policy(local.policy()))
    checks += doctor_checks.run_checks("ledger", lambda: ledger_check.ledger(context))
    checks += doctor_checks.run_checks("daemon", lambda: _daemon(local))
    checks += doctor_checks.run_checks("engine", lambda: engine_check.engine(places))
    checks += doctor_checks.run_checks("remote", lambda: remote_checks.remote(places, local.listener()))
    if worker is not None:
        checks += doctor_checks.run_checks(
            "configs", partial(doctor_checks.configs, worker, results, local.known(), outside)
        )
    checks += doctor_checks.run_checks("watches", doctor_checks.watches)
    return checks + doctor_checks.run_checks("processes", lambda: doctor_checks.processes(*local.processes(results)))


def _daemon(local: local_status.LocalStatus) -> doctor_checks.Checks:
    """The service that starts it, and it."""
    status = local.daemon()
    yield from doctor_checks.service(*local.service(), getpass.getuser(), by_choice=status.by_choice)
    yield from doctor_checks.daemon(status)
    yield from doctor_checks.services(local.services())


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
