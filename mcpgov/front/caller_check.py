"""Commands that weaken the protection are refused, and recorded, if an AI app or a governed server started them.

Law: no option, variable or `--root` switches this off. A row of the parser table names the condition under which its
command weakens; the conditions are here. A running daemon is asked as well: it sees the caller from outside.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path

from mcpgov import host, refusal_records
from mcpgov.atomic_file import read_bytes
from mcpgov.daemon.callers import ancestry, own_installation
from mcpgov.daemon.callers.caller_rules import Verdict
from mcpgov.daemon.control import line_client
from mcpgov.daemon.control.client import ask
from mcpgov.daemon.control.requests import PermissionRequest
from mcpgov.daemon.instance_lock import FILE, holder
from mcpgov.errors import CallerError, McpgovError
from mcpgov.front.context import Context

HEARS_WITHIN = 2.0


def check(name: str, condition: str, args: Namespace, context: Context) -> None:
    """Raises CallerError if the command would weaken the protection and the caller may not do that."""
    if not CONDITIONS[condition](args, context):
        return
    own = own_installation.is_own(context.places, _files(args, context, condition))
    also = [own_installation.installed_home(context.places)]
    verdict = ancestry.asked_by(os.getpid(), host.home(), own=own, daemon=_daemon(context), also=also)
    if verdict.allowed:
        _ask_daemon(name, context)
        return
    recorded = refusal_records.record(
        str(context.places.journal), name, verdict.why, client=verdict.client, server=verdict.server
    )
    raise refusal(name, verdict, recorded=recorded)


def refusal(name: str, verdict: Verdict, *, recorded: bool = True) -> CallerError:
    journal_note = "" if recorded else " (and the journal cannot be written)"
    return CallerError(f"`mcpgov {name}` is refused: {verdict.why}{journal_note}", hint=verdict.hint)


def _daemon(context: Context) -> int:
    """The daemon's pid; 0 if none runs. Its own children are allowed callers."""
    try:
        process = holder(context.places.runtime / FILE)
    except (McpgovError, OSError):
        return 0
    return process.pid if process is not None else 0


def _ask_daemon(name: str, context: Context) -> None:
    try:
        answer = ask(context.places.socket, PermissionRequest(name), timeout=HEARS_WITHIN)
    except line_client.ControlError:
        return  # no daemon, or one that does not know the request: the check in this process holds
    if not answer.allowed:
        raise refusal(name, Verdict(answer.why, hint=answer.hint))


def _files(args: Namespace, context: Context, condition: str) -> Iterator[str | Path]:
    """Files outside our own directories that the command would change."""
    for option in ("output", "policy"):
        if given := getattr(args, option, None):
            yield Path(given).expanduser().absolute()
    yield from (Path(file).expanduser().absolute() for file in getattr(args, "config", None) or ())
    if condition == UNWRAPS:
        worker = context.worker()
        yield from (source.file for source in worker.with_known(worker.sources()))


# --- when a command weakens

ALWAYS, UNWRAPS, ACCEPTS, WRITES_POLICY, MOVES = "always", "unwraps", "accepts", "writes policy", "moves"
ADDS_RULES, REPLACES, ADDS_TOKENS = "adds rules", "replaces", "adds tokens"


def _changes_configs(args: Namespace, context: Context) -> bool:
    return not getattr(args, "dry_run", False)


def _accepts(args: Namespace, context: Context) -> bool:
    return bool(args.accept or args.accept_all)


def _adds_rules(args: Namespace, context: Context) -> bool:
    return args.add is not None


def _replaces(args: Namespace, context: Context) -> bool:
    return args.digest is not None


def _writes_policy(args: Namespace, context: Context) -> bool:
    """The policy in force would be replaced, or a file written to where policies are searched."""
    target = getattr(args, "output", None)
    if target == "-" or (target is None and not hasattr(args, "force")):
        return False
    if getattr(args, "force", False):
        return True
    place = os.path.realpath(Path(target).expanduser()) if target else ""
    config = os.path.realpath(context.places.config)
    return place.startswith(f"{config}/") and os.path.lexists(context.places.policy_file())


def _moves(args: Namespace, context: Context) -> bool:
    """The launcher would point to another policy, home or journal, or `--policy` would replace the policy in force.

    `--oauth-passthrough` hands the tokens of a remote server to the app.
    """
    if getattr(args, "dry_run", False):
        return False
    if getattr(args, "oauth_passthrough", False):
        return True
    if hasattr(args, "profile") and getattr(args, "policy", None) and os.path.lexists(context.places.policy_file()):
        return True
    text = read_bytes(context.places.launcher)
    if text is None:
        return False
    from mcpgov.front.install.launcher import home_of

    now = home_of(context.places, context.settings)
    return any(
        f"{key!r}: {now[key]!r}".encode() not in text for key in ("watch", "home", "compiled", "journal", "tools")
    )


CONDITIONS: dict[str, Callable[[Namespace, Context], bool]] = {
    ALWAYS: lambda args, context: True,
    UNWRAPS: _changes_configs,
    ACCEPTS: _accepts,
    WRITES_POLICY: _writes_policy,
    MOVES: _moves,
    ADDS_RULES: _adds_rules,
    REPLACES: _replaces,
    ADDS_TOKENS: lambda args, context: args.verb == "add",
}
