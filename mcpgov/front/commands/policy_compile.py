"""`mcpgov policy compile`: write the compiled form that proxies load.

A proxy runs this itself when a policy has changed; by hand it is only good for looking.
A policy with errors is not written: the last good one stays in force.

examples:
  mcpgov policy compile
  mcpgov policy compile --policy team.toml
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from mcpgov.compiled import PROJECT_FILE, cache_name, signature
from mcpgov.errors import McpgovError
from mcpgov.front.context import Context
from mcpgov.front.policy_view import home_short
from mcpgov.front.result import Line, Result
from mcpgov.policy.build import Compiled, build_project


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--policy", metavar="FILE", help="compile this policy instead of the one in use")
    parser.add_argument("--narrow", metavar="DIR", help="compile the project policy DIR/.mcpgov.toml")


def run(args: Namespace, context: Context) -> Result:
    if args.narrow:
        source = Path(args.narrow).absolute() / PROJECT_FILE
        name, before = cache_name(str(source)), signature([str(source)])
        compiled = build_project(source).raise_errors()
    else:
        source = context.policy_path(args.policy)
        name = cache_name(str(source)) if args.policy else cache_name("")
        first = [str(source), *_candidates(context)]
        before = signature(first)
        compiled = context.compile(args.policy).raise_errors()
    # A file that changed while we read it has another state than `before`: the next look compiles again.
    known = {path for path, *_ in before}
    inputs = [*before, *signature([path for path in _files(compiled) if path not in known])]
    target = context.places.compiled / name
    _replace(target, compiled.sealed(inputs))
    view = [Line(f"compiled {len(compiled.drafts)} rules to {home_short(str(target))}", "good")]
    return Result("policy compile", {"file": str(target), "revision": compiled.revision}, view)


def _candidates(context: Context) -> list[str]:
    """Files whose coming or going changes which policy is in use."""
    places = context.places
    own = [places.config / "policy.toml", places.config / "rules.json", places.settings_file, places.managed_policy]
    return list(map(str, own))


def _files(compiled: Compiled) -> list[str]:
    """Everything read, and the directories in which an include may find more."""
    return list(dict.fromkeys([*compiled.sources, *(str(Path(source).parent) for source in compiled.sources[:-1])]))


def _replace(target: Path, text: str) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        scratch = target.with_name(f"{target.name}.{os.getpid()}")
        fd = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with open(fd, "w", encoding="ascii") as file:
            file.write(text)
        os.replace(scratch, target)
    except OSError as error:
        raise McpgovError(f"cannot write `{target}`: {(error.strerror or str(error)).lower()}") from None
