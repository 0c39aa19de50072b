"""Asks remote servers what they want, by children: for commands that are not to wait for the daemon.

Laws: no network in this process; what a child finds is kept where the daemon keeps it. A child that fails leaves the
entry as it is, with the reason it had.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from collections.abc import Iterable, Sequence

from mcpgov.configs.pass_result import FileResult
from mcpgov.errors import McpgovError
from mcpgov.front.context import Context
from mcpgov.reason_codes import REMOTE_UNPROBED, REMOTE_UNREACHED
from mcpgov.remote_servers import CREDENTIAL, OAUTH, OPEN, UNREACHED, ProbeResult, keep_probe
from mcpgov.self_command import child_command, child_environment

TIMEOUT = 20.0  # seconds for all of them; a probe itself takes 3
AT_ONCE = 8


def probe_waiting(context: Context, results: Iterable[FileResult], names: Sequence[str] | None = None) -> None:
    """Probe the servers that wait for it; those that a person names also if they did not answer before."""
    codes = (REMOTE_UNPROBED,) if names is None else (REMOTE_UNPROBED, REMOTE_UNREACHED)
    states = [state for result in results for state in result.states if names is None or state.name in names]
    urls = [state.url for state in states if state.reason_code in codes and state.url]
    probe(context, list(dict.fromkeys(urls)))


def probe(context: Context, urls: Sequence[str]) -> None:
    end = time.monotonic() + TIMEOUT
    for first in range(0, len(urls), AT_ONCE):
        some = urls[first : first + AT_ONCE]
        children = [_begin(context, url) for url in some]
        for url, child in zip(some, children, strict=True):
            found = _answer(child, max(0.0, end - time.monotonic()))
            if found is not None:
                with contextlib.suppress(McpgovError):
                    keep_probe(context.places.remote_probes, url, found)


def _begin(context: Context, url: str) -> subprocess.Popen[bytes]:
    argv = [*child_command(context.places.root), "remote", "probe", "--json", "--", url]
    return subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=child_environment()
    )


def _answer(child: subprocess.Popen[bytes], patience: float) -> ProbeResult | None:
    try:
        output, _ = child.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return None
    return read_answer(output)


def read_answer(output: bytes) -> ProbeResult | None:
    """What a child printed; None if that is no finding."""
    try:
        value = json.loads(output)
    except (ValueError, RecursionError):
        return None
    found = value.get("found") if isinstance(value, dict) else None
    if found not in (OPEN, OAUTH, CREDENTIAL, UNREACHED):
        return None
    return ProbeResult(str(found), time.time(), str(value.get("why", "")))
