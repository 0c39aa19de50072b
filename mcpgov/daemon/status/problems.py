"""Facts -> problems: what is wrong, and what to type. Pure.

Law: each cause is one problem, however many servers it concerns; the worst comes first. What needs no action is a note.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from mcpgov import reason_codes as codes
from mcpgov.daemon.children.restarts import BACKOFF, FAILED, STARTING
from mcpgov.daemon.status import ledger_problems, model, remote_problems, typed_commands
from mcpgov.daemon.status.engine_facts import engine_problem
from mcpgov.daemon.status.model import Facts, File, Problem, Server
from mcpgov.reason_codes import Reason

MOST_NAMES = 5
NO_POLICY = "there is no policy"
LEVELS = (model.BAD, model.WARNING, model.NOTE)
EMPTY = '""'
# Codes of problems that stop every server or every call.
STOPS = (
    *(codes.LAUNCHER_MISSING, codes.LAUNCHER_UNREADABLE, codes.LAUNCHER_MODE),
    *(codes.LAUNCHER_INTERPRETER, codes.LAUNCHER_PACKAGE, codes.NO_POLICY, codes.POLICY, codes.SETTINGS_DENY),
    *(codes.JOURNAL_FILE, codes.JOURNAL_MODE, codes.JOURNAL_SYSTEM, codes.JOURNAL_FULL),
)
REFUSED_FILE = (codes.UNSAFE_FILE, codes.POLICY_UNREADABLE)  # the policy file is refused without being parsed
SERVE, ENDED_WELL = "serve", "it ended with status 0"  # of the daemon's services (children/)
MEND = "mend the file; mcpgov leaves it alone until then"


def problems(facts: Facts, servers: Sequence[Server]) -> tuple[Problem, ...]:
    """Problems and notes: what stops every server or call first, then what is bad, then the rest."""
    found = [*_lock(facts), *_questions(facts), *remote_problems.remote_problems(facts)]
    found += [*ledger_problems.ledger_problems(facts), *_unsorted(facts, servers)]
    return tuple(sorted(found, key=_rank))


def _rank(problem: Problem) -> tuple[int, int, bool]:
    """A question waits for seconds only: it stands above everything but the lock, and remote servers out of reach."""
    first = (codes.REMOTE_DOWN, codes.CALLS_LOCKED, codes.QUESTION)
    place = min(first.index(problem.reason_code), 1) if problem.reason_code in first else len(first)
    return place, LEVELS.index(problem.level), problem.reason_code not in STOPS


def _lock(facts: Facts) -> list[Problem]:
    if facts.lock is None:
        return []
    why = f" ({facts.lock.why})" if facts.lock.why else ""
    told = f"mcpgov is locked, {model.DENIED}{why}"
    return [Problem(told, "mcpgov unlock", reason_code=codes.CALLS_LOCKED)]


def _questions(facts: Facts) -> list[Problem]:
    return [
        Problem(
            f"{each.headline} · {each.remaining} s left",
            f"{typed_commands.typed('approve', each.number)}, or {typed_commands.typed('deny', each.number)}",
            model.WARNING,
            codes.QUESTION,
        )
        for each in facts.questions
    ]


def _unsorted(facts: Facts, servers: Sequence[Server]) -> list[Problem]:
    titles = {file.client: file.title for file in facts.files}
    if facts.daemon.state == model.NOT_INSTALLED:
        # Installing writes a policy and wraps the entries: one command for all of it.
        return [*of_daemon(facts.daemon, facts.asked_by), *_upkeep(facts)]
    return [
        *of_daemon(facts.daemon, facts.asked_by),
        *policy_problems(facts.policy),
        *_upkeep(facts),
        *map(file_problem, filter(lambda file: file.problem, facts.files)),
        *server_problems(servers, titles, {file.file for file in facts.files if file.problem}),
        *map(_ungoverned, facts.ungoverned),
        *(_hung(proxy, titles) for proxy in facts.proxies if proxy.state == model.HUNG),
        *service_problems(facts.services),
        *_engine(facts),
    ]


def worst(facts: Facts) -> str:
    """What stops every server or every call, in a few words, or ""."""
    if facts.lock is not None:
        return f"{model.DENIED}: mcpgov is locked"
    if facts.launcher.code in STOPS:
        return f"{model.STUCK}: {facts.launcher.text}"
    if facts.journal:
        full = facts.journal.code == codes.JOURNAL_FULL
        cause = "the disk is full" if full else "the journal cannot be written"
        return f"{model.DENIED}: {cause}"
    if facts.policy.revision or facts.daemon.state == model.NOT_INSTALLED:
        return ""
    if facts.settings and facts.policy.exists:
        return f"{model.DENIED}: the settings cannot be used"
    causes = {codes.NO_POLICY: NO_POLICY, codes.POLICY: "the policy is broken"}
    return "".join(f"{model.DENIED}: {causes[each.reason_code]}" for each in policy_problems(facts.policy)[:1])


def of_daemon(daemon: model.DaemonStatus, asked_by: str) -> list[Problem]:
    """A daemon that has never run here is a note only: the servers that it would wrap are problems of their own."""
    problems = daemon_problems(daemon, asked_by)
    return [replace(problem, level=model.NOTE) for problem in problems] if daemon.by_choice else problems


def daemon_problems(daemon: model.DaemonStatus, asked_by: str) -> list[Problem]:
    if daemon.state == model.STOPPED:
        text = "the daemon is stopped: servers that are added now stay ungoverned"
        return [Problem(text, "mcpgov daemon start", reason_code=codes.DAEMON_STOPPED)]
    if daemon.state == model.NOT_INSTALLED:
        text = "mcpgov is not installed for this account"
        return [Problem(text, "mcpgov install", reason_code=codes.NOT_INSTALLED)]
    if daemon.state == model.NOT_ANSWERING:
        text = f"the daemon{_pid(daemon.pid)} does not answer"
        return [Problem(text, "mcpgov daemon restart", reason_code=codes.DAEMON_SILENT)]
    out = []
    if asked_by and asked_by != daemon.version:
        text = f"the daemon is version {daemon.version}, this is {asked_by}"
        out.append(Problem(text, "mcpgov daemon restart", reason_code=codes.DAEMON_VERSION))
    if daemon.survives_logout is False:
        text = "the daemon ends when you log out: no login service runs it"
        out.append(Problem(text, "after the next login: mcpgov daemon start", model.NOTE, codes.NO_SERVICE))
    return out


def _pid(pid: int | None) -> str:
    return f" (pid {pid})" if pid else ""


def policy_problems(policy: model.PolicyStatus) -> list[Problem]:
    if not policy.exists or policy.reason_code == codes.NO_POLICY:
        gone = f"the policy is gone, the last good one holds: `{policy.file}` does not exist"
        text, code = (gone, codes.POLICY_GONE) if policy.revision else (f"{NO_POLICY}: {model.DENIED}", codes.NO_POLICY)
        return [Problem(text, "mcpgov policy init", reason_code=code)]
    if policy.error:
        kept = bool(policy.revision)
        text = f"the policy is broken, {'the last good one holds' if kept else model.DENIED}: {policy.error}"
        return [Problem(text, "mcpgov policy check", reason_code=codes.POLICY_KEPT if kept else codes.POLICY)]
    if policy.warnings:
        many = len(policy.warnings)
        text = f"the policy has {many} warning{'' if many == 1 else 's'}"
        return [Problem(text, "mcpgov policy check", model.WARNING, codes.POLICY_WARNINGS)]
    return []


def _upkeep(facts: Facts) -> list[Problem]:
    """Problems of the launcher, the journal, the settings and file modes."""
    out, policy = [], facts.policy
    if facts.launcher:
        out.append(Problem(launcher_text(facts.launcher), "mcpgov install", reason_code=facts.launcher.code))
    if facts.journal:
        text = f"the journal cannot be written, {model.DENIED}: {facts.journal.text}"
        out.append(Problem(text, journal_hint(facts.journal), reason_code=facts.journal.code))
    if facts.settings:
        kept = bool(policy.revision) or not policy.exists
        text = f"the settings cannot be used{'' if kept else f', {model.DENIED}'}: {facts.settings}"
        code = codes.SETTINGS if kept else codes.SETTINGS_DENY
        out.append(Problem(text, facts.settings_hint or "mcpgov doctor", reason_code=code))
    # A policy that is refused for its mode is one problem, which policy_problems reports after an install.
    refused = policy.reason_code in REFUSED_FILE and facts.daemon.state != model.NOT_INSTALLED
    return out + [
        Problem(unsafe.what, unsafe.hint, reason_code=codes.UNSAFE_FILE)
        for unsafe in facts.unsafe
        if not (refused and unsafe.path == policy.file)
    ]


def launcher_text(problem: Reason) -> str:
    return f"{problem.text}: {model.STUCK}" if problem.code in STOPS else problem.text


def journal_hint(problem: Reason) -> str:
    return "move it away" if problem.code == codes.JOURNAL_FILE else "make room, or mend the directory"


def file_problem(file: File) -> Problem:
    """Names the servers that are not governed because of it: one cause is one problem."""
    named = f"`{file.file}`"
    about = file.problem if named in file.problem else f"{named}: {file.problem}"
    names = [server.name for server in file.servers if _could_be_wrapped(server, codes.FILE_REFUSED)]
    so = f", so {_names(names)} {'is' if len(names) == 1 else 'are'} not governed" if names else ""
    return Problem(f"{file.title}: {about}{so}", file.hint or MEND, reason_code=file.reason_code or codes.CONFIG_FILE)


def _could_be_wrapped(server: Server, *more: str) -> bool:
    """Not governed, without a reason to leave it alone. `more`: reason codes that do not count as one."""
    left_alone = server.reason_code not in ("", codes.NOT_WRAPPED, *more)
    return server.state == model.NATIVE and not left_alone


def server_problems(servers: Sequence[Server], titles: dict[str, str], reported: Collection[str]) -> list[Problem]:
    """One problem for all servers of a client that share state and reason; `reported`: files with a problem."""
    alike: dict[tuple[str, str, str, Reason], list[str]] = {}
    lost: dict[str, set[str]] = {}
    for server in servers:
        fine = server.state in (model.GOVERNED, model.DISABLED) or server.aside or server.excluded
        if fine or (server.file in reported and _could_be_wrapped(server, codes.FILE_REFUSED)):
            continue
        kind = server.transport if server.state == model.NATIVE else ""
        # What to type names the server: those that differ in nothing else are one problem.
        named = server.reason_code in (codes.WRAP_OFFERED, codes.REMOTE_NEEDS_LOGIN)
        why = Reason(server.reason_code, "" if named else server.reason)
        alike.setdefault((server.client, server.state, kind, why), []).append(server.name)
        if server.state == model.LOST:
            lost.setdefault(server.name, set()).add(server.client)
    out = []
    for (client, state, transport, why), names in alike.items():
        outside = why.code in (codes.OUTSIDE, codes.WRAP_OFFERED)
        whose = client if outside or any(len(lost.get(name, ())) > 1 for name in names) else ""
        problem = _alike(titles[client], names, whose, state, transport, why)
        out.append(replace(problem, reason_code=why.code or codes.NOT_WRAPPED))
    return out


def _alike(title: str, names: list[str], whose: str, state: str, transport: str, why: Reason) -> Problem:
    """`whose`: the client's name, if the command to type must contain it."""
    which, one = _names(names), len(names) == 1
    because, be = f": {why.text}" if why else "", "is" if one else "are"
    if state == model.CONTESTED:
        text = f"another program keeps unwrapping {which} in {title}{because}"
        return Problem(text, f"quit {title}, then {typed_commands.wrap(*names)}")
    if state == model.LOST:
        text = f"{which} {'was' if one else 'were'} lost by {title}{f' {why.text}' if why else ''}"
        return Problem(text, typed_commands.typed("restore", *dict.fromkeys(names), client=whose), model.WARNING)
    if state == model.ERROR:
        return Problem(f"{which} in {title} cannot be understood{because}", "mend it in the client's file")
    if why.code == codes.WRAP_OFFERED:
        text = f"{which} in {title} {be} not governed: {model.OUTSIDE}"
        return Problem(text, typed_commands.typed("wrap", *names, client=whose), model.WARNING)
    if why.code == codes.REMOTE_NEEDS_LOGIN:
        return remote_problems.needs_login(title, names)
    # Left alone for a reason, or remote: a note, because there is nothing to do.
    if why.code not in ("", codes.NOT_WRAPPED):
        text = f"{which} in {title} {be} not governed{because}"
        if _is_remote(why.code, transport):
            text = f"{which} in {title} ({why.text})"
        return Problem(text, "", model.NOTE)
    return Problem(f"{which} in {title} {be} not governed", typed_commands.wrap(*names))


def _is_remote(code: str, transport: str) -> bool:
    """The reason's own sentence says that the server is not governed."""
    outside = code == codes.OUTSIDE and transport != model.STDIO
    return outside or code in codes.REMOTE_NATIVE


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name or EMPTY}`" for name in names[:MOST_NAMES])
    return shown + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def _ungoverned(server: model.UngovernedServer) -> Problem:
    return Problem(ungoverned_text(server), f"restart {server.title}", reason_code=codes.UNGOVERNED)


def ungoverned_text(server: model.UngovernedServer) -> str:
    time = f"{server.minutes} min" if server.minutes else "less than a minute"
    return f"`{server.server}` (pid {server.pid}) ungoverned for {time}"


def service_problems(services: Sequence[model.KeptService]) -> list[Problem]:
    """Services that were given up; and that of `mcpgov serve --install`, which is tried on and on."""
    found = [_failed(service) for service in services if service.state == FAILED]
    return found + [_tried_on(service) for service in services if _is_tried_on(service)]


def _is_tried_on(service: model.KeptService) -> bool:
    """The HTTP form of `mcpgov serve` ended by a failure, and does not run yet again."""
    waits = service.name == SERVE and service.state in (STARTING, BACKOFF)
    return waits and service.reason not in ("", ENDED_WELL)


def _tried_on(service: model.KeptService) -> Problem:
    text = f"`mcpgov serve --http` does not run: {service.reason}; the daemon tries again and again"
    hint = "mcpgov serve --install --port N, or mcpgov serve --uninstall"
    return Problem(text, hint, reason_code=codes.SERVICE_FAILED)


def _failed(service: model.KeptService) -> Problem:
    why = f": {service.reason}" if service.reason else ""
    return Problem(
        f"the daemon's service `{service.name}` has failed{why}",
        "mcpgov daemon restart",
        reason_code=codes.SERVICE_FAILED,
    )


def _engine(facts: Facts) -> list[Problem]:
    found = engine_problem(facts.engine) if facts.engine is not None else None
    return [Problem(found[0], found[1], reason_code=found[2])] if found is not None else []


def _hung(proxy: model.ProxyStatus, titles: dict[str, str]) -> Problem:
    client = titles.get(proxy.client, proxy.client) or "its client"
    text = f"the proxy of `{proxy.server}` (pid {proxy.pid}) does not answer"
    return Problem(text, f"restart {client}", reason_code=codes.HUNG)
