"""Commands to type, for hints. Pure.

Law: a printed command can be typed as it is: through a shell and our own parser it names exactly these servers.
"""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote


def typed(verb: str, *names: str, client: str = "", options: Sequence[str] = ()) -> str:
    """`mcpgov VERB NAME …`; a name that looks like an option comes after `--`."""
    whose = [*(["--client", quote(client)] if client else []), *map(quote, options)]
    ends = ["--"] if any(name.startswith("-") for name in names) else []
    return " ".join(["mcpgov", verb, *whose, *ends, *map(quote, names)])


def raise_budget(name: str, share: str = "") -> str:
    """The command that allows more, as a person writes it: the share last."""
    option = [] if not share else ["--share", share] if not share.startswith("-") else [f"--share={share}"]
    if name.startswith("-"):
        return typed("budget raise", name, "AMOUNT", options=option)
    return " ".join([typed("budget raise", name, "AMOUNT"), *map(quote, option)])


def wrap(*names: str) -> str:
    return typed("wrap", *names) if len(names) == 1 else "mcpgov wrap --all"
