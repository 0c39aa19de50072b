"""`mcpgov policy edit`: replace the policy's text by standard input.

For programs that show the text to a person. Without an option it prints the
file as it is, with its SHA-256. --check tells the errors of the text on
standard input, and what would change. --digest writes that text, if it has no
error and the file on disk is still the one with that SHA-256.

examples:
  mcpgov policy edit --json
  mcpgov policy edit --check < new.toml
  mcpgov policy edit --digest DIGEST < new.toml
"""

from __future__ import annotations

import difflib
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from mcpgov.errors import EXIT_INVALID, McpgovError, PolicyError, reason_of
from mcpgov.front.context import Context, has_policy, no_policy
from mcpgov.front.output.policy_view import problem_blocks, problem_data
from mcpgov.front.policy.new_rule import policy_file
from mcpgov.front.policy.policy_write import CHANGED, trial_of, write_policy
from mcpgov.front.policy.rule_text import Addition
from mcpgov.front.policy.unsaved_text import given_text
from mcpgov.front.result import Block, Line, Result
from mcpgov.policy.build import Compiled
from mcpgov.policy.draft import PolicyProblem
from mcpgov.policy.files import read_text

STYLES = {"+": "allow", "-": "deny", "@": "faint"}


def add_arguments(parser: ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="check the text on standard input, and write nothing")
    what.add_argument("--digest", metavar="DIGEST", help="write it, if the file on disk has this SHA-256")


def run(args: Namespace, context: Context) -> Result:
    if not (args.check or args.digest):
        return _shown(context)
    file = policy_file(context)
    read_text(file)  # refused where others may write it
    before, text = file.read_bytes(), given_text()
    if args.digest and digest(before) != args.digest:
        told = f"`{file}` was changed meanwhile: nothing was written"
        raise McpgovError(told, hint="load it again", reason_code=CHANGED)
    made = Addition(file, "", "", 0, before.decode("utf-8"), text, "")
    data, view = _tried(made, context)
    data["digest"] = digest(before)
    if args.check or not data["valid"]:
        return Result("policy edit", {**data, "written": False}, view, 0 if data["valid"] else EXIT_INVALID)
    write_policy(made, lambda path: context.compile(str(path)).raise_errors())
    data |= {"written": True, "digest": digest(text.encode("utf-8"))}
    return Result("policy edit", data, [*view, Line("written; it holds from the next call on", "good")])


def digest(raw: bytes) -> str:
    return sha256(raw).hexdigest()


def _shown(context: Context) -> Result:
    path = context.policy_path(None)
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8")
    except FileNotFoundError:
        if not has_policy(context):
            raise no_policy(path) from None
        raw, text = b"", ""  # the administrator's alone is in force
    except OSError as error:
        raise McpgovError(f"cannot read `{path}`: {reason_of(error)}") from None
    except UnicodeDecodeError:
        raise McpgovError(f"`{path}` is not UTF-8") from None
    try:
        policy_file(context)
        read_text(path)
        why = ""
    except McpgovError as problem:
        why = str(problem)
    data = {"file": str(path), "text": text, "digest": digest(raw), "writable": not why, "why": why or None}
    return Result("policy edit", data, raw=None, view=[Line(line) for line in text.splitlines()])


def _tried(made: Addition, context: Context) -> tuple[dict[str, object], list[Block]]:
    """The problems with the policy's own name, whatever the trial was called; and what would change."""
    with trial_of(made) as trial:
        try:
            compiled = context.compile(str(trial))
            found = compiled.problems
        except PolicyError as error:  # a text that is no TOML yet, as one is while it is typed
            compiled, found = None, (_broken(error, trial),)
    own = str(trial)
    problems = [replace(problem, file=str(made.file)) if problem.file == own else problem for problem in found]
    return _checked(compiled, problems, made)


def _broken(error: PolicyError, trial: Path) -> PolicyProblem:
    """A text that cannot be read, where it says so: `FILE:LINE: why`."""
    place, _, why = str(error).partition(": ")
    file, _, line = place.rpartition(":")
    if not why or not line.isdigit():
        return PolicyProblem(str(trial), 0, str(error).replace(str(trial), "the text"), error.hint)
    return PolicyProblem(file, int(line), why, error.hint)


def _checked(
    compiled: Compiled | None, problems: Sequence[PolicyProblem], made: Addition
) -> tuple[dict[str, object], list[Block]]:
    changes = [
        line.rstrip("\n")
        for line in difflib.unified_diff(
            made.before.splitlines(), made.text.splitlines(), f"{made.file.name} (on disk)", f"{made.file.name} (new)",
            lineterm="",
        )
    ]  # fmt: skip
    data: dict[str, object] = {
        "valid": not any(problem.level == "error" for problem in problems),
        "rules": sum(draft.enabled for draft in compiled.drafts) if compiled else 0,
        "default": compiled.default if compiled else "deny",
        "revision": compiled.revision if compiled else "",
        "problems": [problem_data(problem) for problem in problems],
        "diff": changes,
        "file": str(made.file),
    }
    lines: list[Block] = [Line(line, STYLES.get(line[:1], "")) for line in changes]
    return data, [*lines, *problem_blocks(problems)]
