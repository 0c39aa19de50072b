"""What is wrong, and what to do about it. Pure.

Law: everything is said once, however many servers it is true of; the worst comes first. What waits for nobody is a
note, and no problem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mcpgov.daemon import hints, model
from mcpgov.daemon.model import Bare, Daemon, Facts, File, KeptService, Policy, Problem, Proxy, Server
from mcpgov.daemon.restarts import FAILED

MOST_NAMES = 5
NO_POLICY = "there is no policy"
INIT = "mcpgov policy init"
LEVELS = (model.BAD, model.WARNING, model.NOTE)
EMPTY = '""'
REMOTE = "remote: "
BACK = "put back "  # how the reason of a contested entry begins
TO_WRAP = f"{model.OUTSIDE}; `mcpgov wrap"  # how the reason of one begins that waits for that command
MEND = "mend the file; mcpgov leaves it alone until then"


def problems(facts: Facts, servers: Sequence[Server]) -> tuple[Problem, ...]:
    """Problems and notes: what stops every server or call first, then what is bad, then the rest."""
    return tuple(sorted(_found(facts, servers), key=lambda problem: (LEVELS.index(problem.level), not _stops(problem))))


def _stops(problem: Problem) -> bool:
    return model.STUCK in problem.what or model.DENIED in problem.what


def _found(facts: Facts, servers: Sequence[Server]) -> list[Problem]:
    titles = {file.client: file.title for file in facts.files}
    if facts.daemon.state == model.NOT_INSTALLED:
        # Installing writes a policy and wraps what is there: one thing to type.
        return [*of_daemon(facts.daemon, facts.asked_by), *_upkeep(facts)]
    return [
        *of_daemon(facts.daemon, facts.asked_by),
        *policy_problems(facts.policy),
        *_upkeep(facts),
        *map(file_problem, filter(lambda file: file.problem, facts.files)),
        *server_problems(servers, titles, {file.file: file.problem for file in facts.files if file.problem}),
        *map(_bare, facts.bare),
        *(_hung(proxy, titles) for proxy in facts.proxies if proxy.state == model.HUNG),
        *(_failed(service) for service in facts.services if service.state == FAILED),
    ]


def worst(facts: Facts) -> str:
    """What stops every server or every call, in a few words, or ""."""
    if model.STUCK in facts.launcher:
        return f"{model.STUCK}: {facts.launcher.partition(f': {model.STUCK}')[0]}"
    if facts.journal:
        cause = "the disk is full" if facts.journal.startswith(model.NO_ROOM) else "the journal cannot be written"
        return f"{model.DENIED}: {cause}"
    if facts.policy.revision or facts.daemon.state == model.NOT_INSTALLED:
        return ""
    if facts.settings and facts.policy.exists:
        return f"{model.DENIED}: the settings cannot be used"
    told = policy_problems(facts.policy)
    return f"{model.DENIED}: {NO_POLICY if told[0].hint == INIT else 'the policy is broken'}" if told else ""


def of_daemon(daemon: Daemon, asked_by: str) -> list[Problem]:
    """One that was never wanted is not missed: what it would have to do stands among the servers."""
    found = daemon_problems(daemon, asked_by)
    return [replace(problem, level=model.NOTE) for problem in found] if daemon.by_choice else found


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
        told = "the daemon ends when you log out: no login service runs it"
        out.append(Problem(told, "after the next login: mcpgov daemon start", model.NOTE))
    return out


def _pid(pid: int | None) -> str:
    return f" (pid {pid})" if pid else ""


def policy_problems(policy: Policy) -> list[Problem]:
    if not policy.exists or policy.error.startswith(NO_POLICY):
        gone = f"the policy is gone, the last good one holds: `{policy.file}` does not exist"
        return [Problem(gone if policy.revision else f"{NO_POLICY}: {model.DENIED}", INIT)]
    if policy.error:
        holds = "the last good one holds" if policy.revision else model.DENIED
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
        told = f"the journal cannot be written, {model.DENIED}: {facts.journal}"
        out.append(Problem(told, journal_hint(facts.journal)))
    if facts.settings:
        denied = "" if facts.policy.revision or not facts.policy.exists else f", {model.DENIED}"
        told = f"the settings cannot be used{denied}: {facts.settings}"
        out.append(Problem(told, facts.settings_hint or "mcpgov doctor"))
    # A policy that is refused for its mode is one problem; before an install its errors are not told.
    told = facts.policy.error if facts.daemon.state != model.NOT_INSTALLED else ""
    return [*out, *(Problem(found.what, found.hint) for found in facts.unsafe if f"`{found.path}`" not in told)]


def journal_hint(problem: str) -> str:
    return "move it away" if problem.endswith(model.A_FILE) else "make room, or mend the directory"


def file_problem(file: File) -> Problem:
    """With the servers that are not governed because of it: one cause is one problem."""
    named = f"`{file.file}`"
    about = file.problem if named in file.problem else f"{named}: {file.problem}"
    names = [server.name for server in file.servers if _waits(server, file.problem)]
    so = f", so {_names(names)} {'is' if len(names) == 1 else 'are'} not governed" if names else ""
    return Problem(f"{file.title}: {about}{so}", file.hint or MEND)


def _waits(server: Server, problem: str = "") -> bool:
    """It could be governed and is not: that waits for a hand. `problem`: what is wrong with its file."""
    left = server.reason not in ("", model.NOT_WRAPPED, problem)
    return server.state == model.NATIVE and server.transport == model.STDIO and not left


def server_problems(servers: Sequence[Server], titles: dict[str, str], told: Mapping[str, str]) -> list[Problem]:
    """One problem for all servers of a client that share a state and a reason; `told`: files and their problems."""
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    lost: dict[str, set[str]] = {}
    for server in servers:
        fine = server.state in (model.GOVERNED, model.DISABLED) or server.aside or server.excluded
        if fine or (server.file in told and _waits(server, told[server.file])):
            continue
        kind = server.transport if server.state == model.NATIVE else ""
        # What to type names the server: those that differ in nothing else are one problem.
        reason = TO_WRAP if server.reason.startswith(TO_WRAP) else server.reason
        alike.setdefault((server.client, server.state, kind, reason), []).append(server.name)
        if server.state == model.LOST:
            lost.setdefault(server.name, set()).add(server.client)
    out = []
    for (client, *rest), names in alike.items():
        outside = rest[-1].startswith(model.OUTSIDE)
        whose = client if outside or any(len(lost.get(name, ())) > 1 for name in names) else ""
        out.append(_alike(titles[client], names, whose, *rest))
    return out


def _alike(title: str, names: list[str], whose: str, state: str, transport: str, reason: str) -> Problem:
    """`whose`: the client's name where a command must say it."""
    which, one = _names(names), len(names) == 1
    why, be = f": {reason}" if reason else "", "is" if one else "are"
    if state == model.CONTESTED:
        how = reason.removeprefix(BACK) if reason else "again and again"
        return Problem(f"another program put {which} in {title} back {how}", f"quit {title}, then {hints.wrap(*names)}")
    if state == model.LOST:
        told = f"{which} {'was' if one else 'were'} lost by {title}{f' {reason}' if reason else ''}"
        return Problem(told, hints.typed("restore", *dict.fromkeys(names), client=whose), model.WARNING)
    if state == model.ERROR:
        return Problem(f"{which} in {title} cannot be understood{why}", "mend it in the client's file")
    # Left alone for a reason, or remote: known and told, but nothing that waits for a hand.
    if reason not in ("", model.NOT_WRAPPED) or transport != model.STDIO:
        if reason == TO_WRAP:
            told = f"{which} in {title} {be} not governed: {model.OUTSIDE}"
            return Problem(told, hints.typed("wrap", *names, client=whose), model.WARNING)
        told = f"{which} in {title} {be} not governed{why}"
        if "not governed" in reason:
            told = f"{which} in {title}: {reason.removeprefix(REMOTE)}"
        return Problem(told, "", model.NOTE)
    return Problem(f"{which} in {title} {be} not governed", hints.wrap(*names))


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name or EMPTY}`" for name in names[:MOST_NAMES])
    return shown + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def _bare(bare: Bare) -> Problem:
    return Problem(bare_words(bare), f"restart {bare.title}")


def bare_words(bare: Bare) -> str:
    long = f"{bare.minutes} min" if bare.minutes else "less than a minute"
    return f"`{bare.server}` (pid {bare.pid}) ungoverned for {long}"


def _failed(service: KeptService) -> Problem:
    why = f": {service.reason}" if service.reason else ""
    return Problem(f"the daemon's service `{service.name}` has failed{why}", "mcpgov daemon restart")


def _hung(proxy: Proxy, titles: dict[str, str]) -> Problem:
    client = titles.get(proxy.client, proxy.client) or "its client"
    return Problem(f"the proxy of `{proxy.server}` (pid {proxy.pid}) does not answer", f"restart {client}")
