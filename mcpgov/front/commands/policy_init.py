"""`mcpgov policy init`: a commented starter policy.

profiles:
  audit     everything is allowed and logged
  balanced  read and write, resources and prompts are allowed; delete, execute,
            admin, unknown, sampling and elicitation ask (the default)
  strict    only reading is allowed: tools that read, resources and prompts

examples:
  mcpgov policy init
  mcpgov policy init --profile strict --output team.toml
  mcpgov policy init --profile audit --output -
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.context import Context
from mcpgov.front.output.text import home_short
from mcpgov.front.result import Line, Result
from mcpgov.front.safe_create import put_aside, write_new
from mcpgov.policy.starter import PROFILES, starter


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--profile", choices=tuple(PROFILES), metavar="NAME",
                        help="audit, balanced or strict (default: the setting `profile`)")  # fmt: skip
    parser.add_argument("--output", metavar="FILE", help="write there instead; - is standard output")
    parser.add_argument(
        "--force", action="store_true", help="replace an existing file, and keep the old one as FILE.old"
    )


def run(args: Namespace, context: Context) -> Result:
    settings = context.settings
    profile = args.profile or settings.profile
    text = starter(profile)
    if args.output == "-":
        return Result("policy init", raw=text)
    path = _target(args, context)
    kept: Path | None = None
    if os.path.lexists(path):
        if not args.force:
            hint = "see it with `mcpgov policy show`; --force replaces it and keeps the old one beside it"
            raise McpgovError(f"`{path}` exists already", hint=hint)
        kept = put_aside(path)
    write_new(path, text)
    view = [Line(f"wrote the {profile} policy to {home_short(str(path))}", "good")]
    if kept:
        view.append(Line(f"the old one is now {home_short(str(kept))}", "faint"))
    other = f" --policy {home_short(str(path))}" if path != context.policy_path(None) else ""
    view.append(Line(f"see it with `mcpgov policy show{other}`", "faint"))
    data = {"profile": profile, "file": str(path), "kept": str(kept) if kept else None}
    return Result("policy init", data, view)


def _target(args: Namespace, context: Context) -> Path:
    """Where to write. A rules.json in use is not silently put out of use."""
    config, chosen = context.places.config, context.settings.policy
    path = Path(args.output).expanduser().absolute() if args.output else chosen or config / "policy.toml"
    rules = config / "rules.json"
    if not (args.output or chosen or args.force) and context.places.policy_file() == rules:
        hint = f"`mcpgov policy import {rules} --output {path}` carries its rules over; --force starts afresh"
        raise McpgovError(f"`{rules}` is your policy, and a `policy.toml` beside it would replace it", hint=hint)
    if path.suffix == ".json":
        raise UsageError(f"a starter policy is TOML, and `{path.name}` would be read as JSON", hint="name it .toml")
    return path
