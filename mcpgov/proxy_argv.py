"""The command line of a proxy of ours, as the proxy itself reads it (proxy/launch.py, which loads nothing). Leaf."""

from __future__ import annotations

from collections.abc import Sequence

# What a wrap writes, in this order; the others are a person's own.
WRITTEN = ("--server", "--client", "--project")
OWN = ("--policy", "--journal")


def read(words: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...], str | None]:
    """The options, all words up to and with `--`, and a word that is no option of a proxy, if there is one.

    The server's own command line is what follows. An option takes the word behind it, whatever that is: a server may
    be called `--`.
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
