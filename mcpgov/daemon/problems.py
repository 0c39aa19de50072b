"""What is wrong, and what to do about it. Pure.

Law: everything is said once, however many servers it is true of; only what is `bad` makes the whole degraded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from shlex import quote

from mcpgov.daemon import model
from mcpgov.daemon.model import Bare, Daemon, Facts, File, Policy, Problem, Proxy, Server

MOST_NAMES = 5
NO_POLICY = "there is no policy"
EMPTY = '""'
REMOTE = "remote: "


def problems(facts: Facts, servers: Sequence[Server]) -> tuple[Problem, ...]:
    """The bad ones first."""
    titles = {file.client: file.title for file in facts.files}
    found = [
        *_of_daemon(facts),
        # Installing writes one.
        *(policy_problems(facts.policy) if facts.daemon.state != model.NOT_INSTALLED else ()),
        *_upkeep(facts),
        *(_file(file) for file in facts.files if file.problem),
        *_servers(servers, titles),
        *map(_bare, facts.bare),
        *(_hung(proxy, titles) for proxy in facts.proxies if proxy.state == model.HUNG),
    ]
    return tuple(sorted(found, key=lambda problem: problem.level != model.BAD))


def _of_daemon(facts: Facts) -> list[Problem]:
    """One that was never wanted is not missed: what it would have to do stands among the servers."""
    found = daemon_problems(facts.daemon, facts.asked_by)
    return [replace(problem, level=model.WARNING) for problem in found] if facts.daemon.by_choice else found


def daemon_problems(daemon: Daemon, asked_by: str) -> list[Problem]:
    if daemon.state == model.STOPPED:
        return [Problem("the daemon is stopped: servers that are added now stay ungoverned", "mcpgov daemon start")]
    if daemon.state == model.NOT_INSTALLED:
        return [Problem("mcpgov is not installed for this account", "mcpgov install")]
    if daemon.state == model.NOT_ANSWERING:
        return [Problem(f"the daemon{_pid(daemon.pid)} does not answer", "mcpgov daemon restart")]
    out = []
    if asked_by and asked_by != daemon.version:
        out.append(Problem(f"the daemon is version {daemon.version}, this is {asked_by}", "mcpgov daemon restart"))
    if daemon.survives_logout is False:
        told = "the daemon will not survive a logout: there is no login service for it here"
        out.append(Problem(told, "mcpgov daemon start, after the next login", model.WARNING))
    return out


def _pid(pid: int | None) -> str:
    return f" (pid {pid})" if pid else ""


def policy_problems(policy: Policy) -> list[Problem]:
    if not policy.exists or policy.error.startswith(NO_POLICY):
        gone = f"the policy is gone, the last good one holds: `{policy.file}` does not exist"
        return [Problem(gone if policy.revision else f"{NO_POLICY}: every call is denied", "mcpgov policy init")]
    if policy.error:
        holds = "the last good one holds" if policy.revision else "every call is denied"
        return [Problem(f"the policy is broken, {holds}: {policy.error}", "mcpgov policy check")]
    if policy.warnings:
        many = len(policy.warnings)
        return [
            Problem(f"the policy has {many} warning{'' if many == 1 else 's'}", "mcpgov policy check", model.WARNING)
        ]
    return []


def _upkeep(facts: Facts) -> list[Problem]:
    """What we need of the machine."""
    out = [Problem(facts.launcher, "mcpgov install")] if facts.launcher else []
    if facts.journal:
        told = f"the journal cannot be written, governed calls are denied: {facts.journal}"
        out.append(Problem(told, "make room, or mend its directory: mcpgov doctor"))
    if facts.settings:
        denied = "" if facts.policy.revision or not facts.policy.exists else ", every call is denied"
        told = f"the settings cannot be used{denied}: {facts.settings}"
        out.append(Problem(told, facts.settings_hint or "mcpgov doctor"))
    return out


def _file(file: File) -> Problem:
    named = f"`{file.file}`"
    about = file.problem if named in file.problem else f"{named}: {file.problem}"
    return Problem(f"{file.title}: {about}", "mcpgov doctor")


def _servers(servers: Sequence[Server], titles: dict[str, str]) -> list[Problem]:
    """One problem for all servers of a client that share a state and a reason."""
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    for server in servers:
        if server.state not in (model.GOVERNED, model.DISABLED):
            kind = server.transport if server.state == model.NATIVE else ""
            alike.setdefault((server.client, server.state, kind, server.reason), []).append(server.name)
    return [_alike(titles[client], names, *rest) for (client, *rest), names in alike.items()]


def _alike(title: str, names: list[str], state: str, transport: str, reason: str) -> Problem:
    which, one = _names(names), len(names) == 1
    why, be = f": {reason}" if reason else "", "is" if one else "are"
    those = quote(names[0]) if one else "--all"
    if state == model.CONTESTED:
        told = f"{which} in {title} {be} put back again and again, and left alone for now"
        return Problem(f"{told}{why}", f"quit {title}, then mcpgov wrap {those}")
    if state == model.LOST:
        told = f"{which} {'was' if one else 'were'} lost by {title}"
        return Problem(f"{told}{f' {reason}' if reason else ''}", f"mcpgov restore {quote(names[0])}", model.WARNING)
    if state == model.ERROR:
        return Problem(f"{which} in {title} cannot be understood{why}", "mcpgov servers")
    # Left alone for a reason, or remote: known and told, but nothing that waits for a hand.
    known = reason not in ("", model.NOT_WRAPPED) or transport != model.STDIO
    told = f"{which} in {title} {be} not governed{why if known else ''}"
    if "not governed" in reason:
        told = f"{which} in {title}: {reason.removeprefix(REMOTE)}"
    return Problem(told, "mcpgov servers" if known else f"mcpgov wrap {those}", model.WARNING if known else model.BAD)


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name or EMPTY}`" for name in names[:MOST_NAMES])
    return shown + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def _bare(bare: Bare) -> Problem:
    return Problem(f"`{bare.server}` (pid {bare.pid}) ungoverned for {bare.minutes} min", f"restart {bare.title}")


def _hung(proxy: Proxy, titles: dict[str, str]) -> Problem:
    client = titles.get(proxy.client, proxy.client) or "its client"
    return Problem(f"the proxy of `{proxy.server}` (pid {proxy.pid}) does not answer", f"restart {client}")
