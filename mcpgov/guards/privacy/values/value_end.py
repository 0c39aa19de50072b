"""Where a value ends: at its quote, at a sign that none has, at the `&` between two fields. Every look is bounded."""

from __future__ import annotations

from mcpgov.guards.privacy.shape import ALNUM

QUOTES = "\"'`"
_ENDS_VALUE = " \"'\n,;`\t\r<>()[]{}\\"
MOST_AMPERSANDS = 8  # of a value that are looked at
_FIELDS_BEFORE = 120
_LONGEST_FIELD = 32
_FIELD = ALNUM + "_-.%[]#"
LONGEST_VALUE = 6000
SOON = 48  # characters in which most values end
LONG = 256  # characters of a value: names in a longer one are not all looked at
_ENDS = bytes(0 if chr(code) in _ENDS_VALUE else 65 for code in range(256))


def value_end(text: str, at: int, quote: str) -> int:
    if quote:
        end = text.find(quote, at, at + 400)
        if end >= 0:
            while text[end - 1] == "\\":
                end -= 1
            return end
    # Most end soon: the whole length is searched for the others only.
    near = text[at : at + SOON].encode("ascii", "replace").translate(_ENDS).find(0)
    end = _pair_end(text, at, at + (SOON if near < 0 else near))
    if near >= 0 or end < at + SOON or at + SOON >= len(text):
        return min(end, len(text))
    for length in (LONG, LONGEST_VALUE):
        end = most = min(at + length, len(text))
        for sign in _ENDS_VALUE:
            found = text.find(sign, at, end)
            if found >= 0:
                end = found
        end = _pair_end(text, at, end)
        if end < most:
            break
    return end


def _pair_end(text: str, at: int, end: int) -> int:
    """The first `&` of a value that ends it: between the fields of a URL or a form, two commands, in an entity."""
    found = text.find("&", at, end)
    if found < 0:
        return end
    if found == at:  # what it stands before has an address: `token: &config.Token`
        return at
    before = text[max(0, at - _FIELDS_BEFORE) : at].split()[-1:]
    if before and any(sign in before[0] for sign in ("?", "&", "://")):
        return found
    for _ in range(MOST_AMPERSANDS):
        window = text[found + 1 : found + 1 + _LONGEST_FIELD]
        behind = window.lstrip(_FIELD)[:1]
        if not window or window[0] in "& \t\r\n\"'`;|" or behind == "=" or (behind == ";" and _is_entity(window)):
            return found
        found = text.find("&", found + 1, end)
        if found < 0:
            return end
    return found


def _is_entity(window: str) -> bool:
    """`amp;`, `#39;`: what stands for a sign in HTML."""
    name = window.partition(";")[0]
    return name[0] == "#" or (name.isalnum() and name[0].isalpha() and len(name) > 1)


def last_long_value(text: str, at: int) -> int:
    """Where the last value begins that is longer than LONG, of those that end where one at `at` does; -1: none is.

    In a run without any end every name has nearly all of it as its value: to look at one of them is enough.
    """
    far = at + LONG
    if len(text) < far or text.find(" ", at, far) >= 0 or text.find("\n", at, far) >= 0 or text.find('"', at, far) >= 0:
        return -1
    end = value_end(text, at, "")
    return end - LONG if end - at > LONG else -1
