"""`mcpgov policy init`: a commented starter policy.

profiles:
  audit     everything is allowed and logged
  balanced  read and write, resources and prompts are allowed; delete, execute, admin, unknown, sampling and
            elicitation ask (the default)
  strict    read only

examples:
  mcpgov policy init
  mcpgov policy init --profile strict --output team.toml
  mcpgov policy init --profile audit --output -
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from mcpgov.errors import McpgovError
from mcpgov.front.context import Context
from mcpgov.front.policy_view import home_short
from mcpgov.front.result import Line, Result
from mcpgov.policy.starter import PROFILES, starter


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--profile", choices=tuple(PROFILES), help="which one (default: the setting, balanced)")
    parser.add_argument("--output", metavar="FILE", help="write there instead; - is standard output")
    parser.add_argument("--force", action="store_true", help="replace an existing file, keeping it as FILE.old")


def run(args: Namespace, context: Context) -> Result:
    profile = args.profile or context.settings.profile
    text = starter(profile)
    if args.output == "-":
        return Result("policy init", raw=text)
    path = Path(args.output).absolute() if args.output else context.policy_path(None)
    kept = _write(path, text, args.force)
    view = [Line(f"wrote the {profile} policy to {home_short(str(path))}", "good")]
    if kept:
        view.append(Line(f"the old one is kept as {home_short(str(kept))}", "faint"))
    view.append(Line("see it with `mcpgov policy show`", "faint"))
    data = {"profile": profile, "file": str(path), "kept": str(kept) if kept else None}
    return Result("policy init", data, view)


def _write(path: Path, text: str, force: bool) -> Path | None:
    """Create the file, 0600, never through a link, never over one that is there."""
    kept: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.path.lexists(path):
            if not force:
                raise McpgovError(f"`{path}` exists already", hint="--force replaces it and keeps the old one")
            kept = path.with_name(path.name + ".old")
            os.replace(path, kept)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(fd, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise McpgovError(f"cannot write `{path}`: {(error.strerror or str(error)).lower()}") from None
    return kept
