"""`mcpgov policy compile`: write the compiled form that proxies load.

A proxy runs this itself when a policy has changed; by hand it is only good
for looking. A policy with errors is not written: the last good one stays in
force.

examples:
  mcpgov policy compile
  mcpgov policy compile --policy team.toml
"""

from __future__ import annotations

import glob
import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from mcpgov.atomic_file import replace_file
from mcpgov.front.context import Context
from mcpgov.front.output.policy_view import problem_data
from mcpgov.front.output.text import home_short
from mcpgov.front.result import Line, Result
from mcpgov.policy.build import Compiled, build_project
from mcpgov.policy.files import read_document
from mcpgov.policy_cache import PROJECT_FILE, Signature, cache_name, signature

TICK = 10_000_000  # nanoseconds


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--policy", metavar="FILE", help="compile this policy instead of the one in use")
    parser.add_argument("--narrow", metavar="DIR", help="compile the project policy DIR/.mcpgov.toml")


def run(args: Namespace, context: Context) -> Result:
    if args.narrow:
        source = Path(args.narrow).absolute() / PROJECT_FILE
        name, first = cache_name(str(source)), [str(source)]
        compiled, inputs = _steady(lambda: build_project(source).raise_errors(), first)
    else:
        source = context.policy_path(args.policy)
        # The policy in use is the one that settings.toml names, whatever this shell says.
        named = args.policy or context.loaded_settings[1]["policy"] == "env"
        name = cache_name(str(source) if named else "")
        # A config that joins is protected from then on.
        first = [str(source), *context.places.policy_candidates(), str(context.places.known_configs)]
        compiled, inputs = _steady(lambda: context.compile(args.policy).raise_errors(), first)
    target = context.places.compiled / name
    replace_file(target, compiled.sealed(inputs).encode("ascii"))
    view = [Line(f"compiled {len(compiled.drafts)} rules to {home_short(str(target))}", "good")]
    data = {
        "file": str(target),
        "policy": str(source),
        "revision": compiled.revision,
        "default": compiled.default,
        "rules": len(compiled.drafts),
        "problems": [problem_data(problem) for problem in compiled.problems],
    }
    return Result("policy compile", data, view)


def _steady(build: Callable[[], Compiled], first: list[str]) -> tuple[Compiled, Signature]:
    """Compile, with the state of every file as it was before it was read.

    Which files are included is only known afterwards: then it is done once more. A file that changes meanwhile has
    another state than the one we note, and the next look compiles again.
    """
    paths = list(dict.fromkeys(first))
    while True:
        before = _settled(paths)
        compiled = build()
        all_paths = list(dict.fromkeys((*paths, *_files(compiled))))
        if all_paths == paths:
            return compiled, before
        paths = all_paths


def _settled(paths: list[str]) -> Signature:
    """A change in the same tick of the file system's clock would not show: let the tick pass."""
    while True:
        states = signature(paths)
        youngest = max(changed for _, changed, _, _ in states)
        if not 0 <= time.time_ns() - youngest < TICK:
            return states
        time.sleep(TICK / 1e9)


def _files(compiled: Compiled) -> list[str]:
    """Everything read, and the directories in which an include may find more."""
    out: list[str] = []
    for source in compiled.sources:
        out.append(source)
        if not source.endswith(".json"):
            document = read_document(Path(source), safe=False)
            for pattern in document.options.include:
                out += _directories(Path(source).parent, os.path.expanduser(pattern))
    return out


def _directories(base: Path, pattern: str) -> list[str]:
    """Where new matches of a glob may appear: every directory that its beginnings name, be it not there yet."""
    parts = Path(pattern).parts
    directories: list[str] = []
    for end in range(len(parts)):
        if not glob.has_magic("/".join(parts[: end + 1])):
            continue
        above = str(Path(*parts[:end]))
        deeper = [above, f"{above}/**/"] if parts[end] == "**" else [above]
        for place in deeper:
            matches = glob.glob(place, root_dir=base, recursive=True) if glob.has_magic(place) else [place]
            directories += [str(base / name) for name in sorted(matches)]
    return directories
