"""`mcpgov grants`: what you have allowed and still holds.

A yes for a session or for a time is a grant; so is a yes that came too late,
for the next try of the same call. A yes for ever is a rule: `mcpgov policy
show`.

examples:
  mcpgov grants
  mcpgov grants revoke 4f1d-12
  mcpgov grants revoke --all
"""

from __future__ import annotations

import time
from argparse import Namespace

from mcpgov.daemon.control.approval_requests import GrantsRequest, GrantView
from mcpgov.front.approvals.answering import SCOPE_WORDS
from mcpgov.front.approvals.questions import requested
from mcpgov.front.context import Context
from mcpgov.front.output.status_view import clock, span
from mcpgov.front.result import Cell, Line, Result, Table, picked

FIELDS = ("id=grant", "question=number", "server", "method", "tool=target", "rule=asked_by", "layer", "term", "scope",
          "folders", "session", "surface", "made", "until")  # fmt: skip
TERMS = {"once": "the next try", "session": "this session", "time": "a time"}


def run(args: Namespace, context: Context) -> Result:
    found = requested(context, GrantsRequest()).grants
    now = time.time()
    if not found:
        return Result("grants", {"grants": []}, [Line("no grant holds")])
    rows = [_row(grant, now) for grant in found]
    table = Table(("id", "server", "tool", "for", "how long", "given"), rows)
    last = Line("take one back: mcpgov grants revoke ID", "faint")
    return Result("grants", {"grants": [picked(grant, *FIELDS) for grant in found]}, [table, last])


def _row(grant: GrantView, now: float) -> list[str | Cell]:
    how_long = f"{TERMS.get(grant.term, grant.term)}, {span(max(0.0, grant.until - now))} left"
    what = Cell(SCOPE_WORDS.get(grant.scope, grant.scope), "", tuple(grant.folders))
    given = Cell(f"{clock(grant.made, now)}, {grant.surface}", "faint")
    return [Cell(grant.grant, "strong"), grant.server, grant.target or grant.method, what, how_long, given]
