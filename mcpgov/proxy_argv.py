"""Reads the command line of one of our proxies, as the proxy does itself (proxy/launch.py imports nothing). Leaf."""

from __future__ import annotations

from collections.abc import Sequence

# The options a wrap writes, in this order; the others only a person writes.
WRITTEN = ("--server", "--client", "--project")
OWN = ("--policy", "--journal")


def read(words: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...], str | None]:
    """The options, all words up to and including `--`, and the first unknown word, if any.

    The server's own command line follows. An option takes the next word as its value, even `--`: a server may have
    that name.
    """
    options: dict[str, str] = {}
    at = 0
    while at < len(words) and words[at] != "--":
        name, equals, value = words[at].partition("=")
        if name not in (*WRITTEN, *OWN):
            return options, tuple(words[:at]), words[at]
        if not equals:
            at += 1
            value = words[at] if at < len(words) else ""
        options[name[2:]] = value
        at += 1
    return options, tuple(words[: at + 1]), None
