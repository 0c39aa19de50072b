"""How a status looks: one screen, from the JSON that `status --json` prints. Light: no outside library.

Laws: every text goes through visible() before it is measured; on a terminal no line is wider than the terminal.
A line is a list of (text, style) with the words of render's palette, so that all painters show the same.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from mcpgov import reason_codes
from mcpgov.front.output.grid import Row, columns, cut, fit, grid, painted, plain, wrapped
from mcpgov.front.output.remote_view import remote_rows
from mcpgov.front.output.text import count, home_in, home_short, some, state_word
from mcpgov.front.result import visible

Data = Mapping[str, Any]

LABEL = 10
MOST_PROXIES, MOST_PROBLEMS = 8, 8
LONGEST_NAME = 60
LEAST_TEXT = 24  # columns; a narrower text stands below its row
DOTS = {"governed": "allow", "native": "warning", "contested": "deny", "lost": "deny", "error": "deny"}
# What waits for seconds only, or stops everything by somebody's will, stands on top.
URGENT = (reason_codes.REMOTE_DOWN, reason_codes.CALLS_LOCKED, reason_codes.QUESTION)
# For terminals without these letters.
ASCII = str.maketrans({"●": "*", "·": "-", "…": "~", "µ": "u", "→": ">"})


def lines(data: Data, room: int | None = None, height: int | None = None) -> list[Row]:
    """The whole screen; `room` is the terminal's columns, None for a pipe, where nothing is cut.

    `height`: its rows, where what does not fit would not be seen. What to do next gives way last.
    """
    out = _screen(data, room, None)
    if height is None or len(out) <= height:
        return out
    for keep in (3, 1, 0):
        out = _screen(data, room, keep)
        if len(out) <= height:
            return out
    more: Row = [(f"{'':<{LABEL}}", ""), (f"{len(out) - height + 1} more lines: mcpgov status", "faint")]
    return [*out[: height - 1], fit(more, room)]


def _screen(data: Data, room: int | None, keep: int | None) -> list[Row]:
    """`keep`: how many rows of servers, proxies and denials there may be; with None all of them."""
    problems = data["problems"]
    style = "bad" if any(problem["level"] == "bad" for problem in problems) else "warning" if problems else "good"
    urgent = [problem for problem in problems if problem.get("reason_code") in URGENT]
    others = [problem for problem in problems if problem not in urgent]
    told = " · ".join([visible(data["summary"]), *_counted(problems)])
    head = wrapped(told, room, whole=True)
    out: list[Row] = [[("● " if not at else "  ", style), (text, "strong")] for at, text in enumerate(head)] + [[]]
    inner = None if room is None else max(room - LABEL, 20)
    parts = [
        ("now", _next(urgent, inner)),
        ("daemon", [_daemon(data["daemon"])]),
        ("policy", _policy(data["policy"])),
        ("servers", _first(_servers(data, inner), keep)),
        ("proxies", _first(_proxies(data, inner), keep, head=1)),
        ("remote", _first(remote_rows(data, inner), keep, head=1)),
        ("services", _services(data, inner)),
        ("budgets", _first(_budgets(data), keep)),
        ("engine", _engine(data)),
        ("denials", _first(_denials(data, inner), keep)),
        ("notes", _first(_next(data.get("notes", ()), inner), keep)),
        ("next", _next(others, inner)),
    ]
    if keep is not None:
        parts.insert(1, parts.pop())  # a low screen is cut at its end
    for label, rows in parts:
        if rows:
            out += [[(f"{label if not at else '':<{LABEL}}", "faint"), *fit(row, inner)] for at, row in enumerate(rows)]
            out.append([])
    return out[:-1]


def _counted(problems: Sequence[Data]) -> list[str]:
    """Questions are no problems to whoever reads: they wait for an answer."""
    asked = sum(problem.get("reason_code") == reason_codes.QUESTION for problem in problems)
    waits = [f"{count(asked, 'question')} {'waits' if asked == 1 else 'wait'} for you"] if asked else []
    return [*waits, *([count(len(problems) - asked, "problem")] if len(problems) > asked else [])]


def show(data: Data, file: TextIO, *, color: bool, room: int | None) -> None:
    """Print it: with escapes, or plain."""
    text = "\n".join(map(painted if color else plain, lines(data, room))) + "\n"
    wide = (getattr(file, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")
    file.write(text if wide else text.translate(ASCII))


def wants_color(choice: str, terminal: bool, environ: Mapping[str, str]) -> bool:
    """`choice` is auto, always or never."""
    plain = not terminal or bool(environ.get("NO_COLOR")) or environ.get("TERM", "") in ("dumb", "unknown", "")
    return choice == "always" or (choice == "auto" and not plain)


# --- the parts


def _daemon(daemon: Data) -> Row:
    state = str(daemon["state"])
    told = [f"version {daemon['version']}"] if daemon["version"] else []
    told += [f"pid {daemon['pid']}"] if daemon["pid"] else []
    told += [f"up {span(daemon['uptime'])}"] if daemon["uptime"] is not None else []
    told += [f"by {daemon['service']}"] if daemon["service"] not in ("", "none") else []
    style = "allow" if state == "running" else "deny"
    return [(state.replace("-", " "), style), *((f" · {visible(text)}", "") for text in told)]


def _policy(policy: Data) -> list[Row]:
    first: Row = [(visible(home_short(policy["file"])), "")]
    if not policy["revision"]:
        return [[*first, (" · none in force", "deny")]]
    told = [f"revision {policy['revision']}", f"default {policy['default']}", count(policy["rules"], "rule")]
    wrong = "gone" if not policy["exists"] else "broken" if policy["error"] else ""
    first += [(f" · {wrong}, the last good one holds", "deny")] if wrong else []
    second: Row = [(visible(" · ".join(told)), "")]
    if policy["warnings"]:
        second.append((f" · {count(len(policy['warnings']), 'warning')}", "warning"))
    return [first, second]


def _budgets(data: Data) -> list[Row]:
    """What is spent of each budget, and what was refused today."""
    ledger = data.get("ledger")
    if ledger is None:
        return []
    rows: list[Row] = []
    for line in ledger["budgets"]:
        share = line["spent"] / line["limit"] if line["limit"] else 1.0
        style = "deny" if share >= 1 else "warning" if line["warn"] and share >= line["warn"] else "allow"
        name = f"{line['name']} ({line['share']})" if line["share"] else line["name"]
        unit = f" {line['unit']}" if line["unit"] else ""
        told = f" {line['spent']:g} of {line['limit']:g}{unit} · {line['per']}"
        rows.append([(f"{share:4.0%}", style), (f" {visible(name)}", "strong"), (visible(told), "")])
    limits = f"{count(ledger['limits'], 'limit')} · " if ledger["limits"] else ""
    told = f"{limits}{count(ledger['refused'], 'call')} refused today · {ledger['engine']}, {ledger['health']}"
    return [*rows, [(visible(told), "faint" if ledger["health"] in ("good", "rebuilt") else "deny")]]


def _first(rows: list[Row], keep: int | None, head: int = 0) -> list[Row]:
    if keep is None or len(rows) <= keep + head + 1:
        return rows
    hidden = len(rows) - keep - head
    return [*(rows[: keep + head] if keep else []), [(f"{hidden} more: mcpgov status", "faint")]]


def _servers(data: Data, room: int | None) -> list[Row]:
    """One line for all servers of a client that are in the same state for the same reason."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for server in data["servers"]:
        state = "restart" if server["restart"] and server["state"] == "governed" else server["state"]
        reason = "" if state == "governed" else _reason(server)
        alike.setdefault((server["client"], state, reason), []).append(server["name"])
    titles = {client["client"]: client["title"] for client in data["clients"]}
    rows: list[Row] = []
    last = ""
    for client, state, reason in sorted(alike, key=lambda key: (list(titles).index(key[0]), key[1] != "governed")):
        names = alike[client, state, reason]
        why = "the client still runs it ungoverned" if state == "restart" else reason
        text = some([_name(name) for name in names]) + (f": {why}" if why else "")
        word = f"{len(names)} {'to restart' if state == 'restart' else state_word(state)}"
        style = DOTS.get(state, "faint" if state == "disabled" else "warning")
        rows.append([(titles[client] if client != last else "", "strong"), ("●", style), (word, ""), (text, "")])
        last = client
    return _with_whole_texts(rows, room)


def _reason(server: Data) -> str:
    """Without what to type for one server, which stands in the last part of the screen; `remote` is seen anyway."""
    code, text = server.get("reason_code"), str(server["reason"])
    if code in reason_codes.REMOTE_NATIVE:
        return text.removeprefix("remote: ").removeprefix("remote, ")
    return text.partition("; ")[0] if code == reason_codes.WRAP_OFFERED else text


def _with_whole_texts(rows: list[Row], room: int | None) -> list[Row]:
    """In columns; the last text goes on below itself, or below its row, since it may end with what to type."""
    if room is None or not rows:
        return grid(rows, room, (0, 3), gaps={1: 1})
    left = room - sum(max(columns(visible(row[at][0])) for row in rows) for at in (0, 2)) - 6  # the dot and the gaps
    if left < LEAST_TEXT:
        heads = grid([row[:3] for row in rows], room, (0,), gaps={1: 1})
        told = [[[("  " + text, "")] for text in wrapped(visible(row[3][0]), room, whole=True)] for row in rows]
        return [line for head, texts in zip(heads, told, strict=True) for line in (head, *texts)]
    out: list[Row] = []
    for row in rows:
        first, *rest = wrapped(visible(row[3][0]), left + 2, whole=True)
        out += [[*row[:3], (first, "")], *([("", ""), ("", ""), ("", ""), (text, "")] for text in rest)]
    return grid(out, room, (0,), gaps={1: 1})


def _proxies(data: Data, room: int | None) -> list[Row]:
    found = sorted(data["proxies"], key=lambda proxy: -(proxy["calls"] or 0))
    if not found:
        return []
    titles = {client["client"]: client["title"] for client in data["clients"]}
    head: Row = [(name, "faint") for name in ("server", "client", "calls", "denied", "errors", "added", "memory", "")]
    rows = [head]
    for proxy in found if room is None else found[:MOST_PROXIES]:
        memory = "" if proxy["rss"] is None else f"{proxy['rss'] / 1e6:.0f} MB"
        state = "" if proxy["state"] == "alive" else proxy["state"]
        rows.append(
            [
                (_name(proxy["server"]), "strong"), (titles.get(proxy["client"], proxy["client"]), ""),
                (_number(proxy["calls"]), ""), (_number(proxy["denied"]), ""), (_number(proxy["errors"]), ""),
                (_us(proxy["p50_us"]), ""), (memory, ""),
                (state, "deny" if state in ("hung", "stopped") else "faint"),
            ]
        )  # fmt: skip
    out = grid(rows, room, (0, 1), right=(2, 3, 4, 5, 6), drop=(6, 4, 5, 1))
    hidden = len(found) - len(rows) + 1
    return [*out, [(f"and {hidden} more: mcpgov status --json", "faint")]] if hidden else out


def _services(data: Data, room: int | None) -> list[Row]:
    """What the daemon keeps running, one line each."""
    rows: list[Row] = []
    for service in data.get("services", ()):
        state = str(service["state"])
        style = {"running": "allow", "failed": "deny", "backing off": "warning"}.get(state, "faint")
        told = [f"pid {service['pid']}"] if service["pid"] else []
        told += [f"for {span(service['since'])}"] if state == "running" else []
        told += [count(service["restarts"], "restart")] if service["restarts"] else []
        told += [visible(service["reason"])] if service["reason"] and state != "running" else []
        rows.append([(_name(service["name"]), "strong"), ("●", style), (state, ""), (" · ".join(told), "faint")])
    return grid(rows, room, (0, 3), gaps={1: 1})


def _engine(data: Data) -> list[Row]:
    """The engine that limits and budgets are shared through."""
    found = data.get("engine")
    if not found:
        return []
    style = {"reached": "allow", "starting": "faint"}.get(found["state"], "deny")
    state = str(found["state"]).replace("-", " ")
    left = f" · lent to this machine: {', '.join(found['left'])}" if found["left"] else ""
    return [[("● ", style), (visible(found["engine"]), "strong"), (f" {state}", ""), (visible(left), "faint")]]


def _denials(data: Data, room: int | None) -> list[Row]:
    rows: list[Row] = []
    for denial in data["denials"]:
        when = clock(denial["time"], data["time"])
        what = _name(denial["server"]), denial["tool"], denial["rule"]
        rows.append([(when, "faint"), (what[0], ""), (what[1], "strong"), (what[2], ""), (denial["id"], "faint")])
    out = grid(rows, room, (1, 2, 3))
    return [*out, [(visible(f"why: mcpgov why {data['denials'][0]['id']}"), "faint")]] if out else []


def _next(problems: Sequence[Data], room: int | None) -> list[Row]:
    out: list[Row] = []
    for problem in problems[:MOST_PROBLEMS]:
        style = {"bad": "deny", "note": "faint"}.get(problem["level"], "warning")
        told = wrapped(visible(home_in(problem["what"])), room, whole=True)
        out += [[("● " if not at else "  ", style), (text, "")] for at, text in enumerate(told)]
        if problem["hint"]:
            hint = wrapped(visible(problem["hint"]), None if room is None else room - 2, whole=True)
            out += [[("  → " if not at else "    ", "faint"), (text, "strong")] for at, text in enumerate(hint)]
    hidden = len(problems) - MOST_PROBLEMS
    return [*out, [(f"and {hidden} more: mcpgov status --json", "faint")]] if hidden > 0 else out


# --- texts


def span(seconds: float) -> str:
    """A duration in its two largest units."""
    units = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
    left, told = int(seconds), list[str]()
    for name, size in units:
        if left >= size or (told and name != "s"):
            told.append(f"{left // size} {name}")
            left %= size
    return " ".join(told[:2]) or "0 s"


def clock(moment: float, now: float) -> str:
    """The time of day, with the day where it was another."""
    try:
        then = time.localtime(moment)
        same = then[:3] == time.localtime(now)[:3]
        return time.strftime("%H:%M:%S" if same else "%m-%d %H:%M", then)
    except (ValueError, OverflowError, OSError):
        return "?"


def _name(name: str) -> str:
    return cut(visible(name), LONGEST_NAME) or '""'


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _us(value: int | None) -> str:
    if value is None:
        return ""
    return f"{value} µs" if value < 1000 else f"{value / 1000:.1f} ms"
