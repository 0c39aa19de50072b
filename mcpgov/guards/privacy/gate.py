"""One pattern for all shapes: where in a line or a text could a finding be? Made from the tables, linear in the text.

It runs over the raw line of a message and over decoded texts alike, as bytes: an escape (`\\n`, `\\/`) is a boundary,
or is allowed where its character is; `\\u00xx` stands for any character, so a line with one is always decoded.
Law: where a detector finds something in a text, the pattern matches there, and in every JSON text of it.
"""

from __future__ import annotations

from mcpgov.guards.privacy.checksums import IBAN_LENGTHS
from mcpgov.guards.privacy.shape import ALPHABETS, KeyShape

# What may stand before a key: nothing, no word, an escape of a raw line or a URL, a colour of a terminal.
BOUNDARY = r"(?:^|[^0-9A-Za-z_]|\\[bfnrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]*m)"
# The same for what base64 could be by chance.
STRICT = r"(?:^|[^0-9A-Za-z_/+]|\\[bfnrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]*m)"
_NUMBER = r"(?:^|[^0-9A-Za-z_.\-+/%&]|\\[bfnrt]|\\u[0-9A-Fa-f]{4})"
_PHONE = r"(?:^|[^0-9A-Za-z_+/=.\-]|\\[bfnrt]|\\u[0-9A-Fa-f]{4})"
_TAIL = 10  # characters of a key that the gate asks for
_CODES = {
    "N": "0-9", "H": "0-9a-f", "X": "0-9A-Fa-f", "U": "0-9A-Z", "L": "0-9a-z", "A": "0-9A-Za-z", "W": r"0-9A-Za-z_\-",
    "D": r"0-9A-Za-z_.\-", "E": r"0-9A-Za-z_=\-", "B": r"0-9A-Za-z+/=\\", "P": r"0-9A-Za-z_.+/=%\\\-",
    "@": r"0-9A-Za-z_.+/=%@\\\-",
}  # fmt: skip
_CLASSES = {ALPHABETS[code]: signs for code, signs in _CODES.items()}
_QUOTED = frozenset(".$+()[]*?^|\\{}")
_BLANKS = r"(?:[ \t]|\\+t)*"
_ASSIGNS = r"[0-9A-Za-z_\-.]{0,24}[\\\"'`\])]*" + _BLANKS + r"(?:[:=?]{1,3}>?|,)" + _BLANKS + r"[\\\"'`(]*"
_VALUE = r"(?:[!#-&*+\-.0-9:=?-\[\]^_a-z|~/]|\\/){0,40}[0-9]"
_NAMES = (
    r"passw|passphrase|pwd|_pw|secret|token|credential|authorization|authentication|"
    r"(?:api|access|secret|private|account|auth|client|master|encrypt|encryption|signing|service|license|storage|"
    r"shared|consumer|app|developer|admin|deploy)[_\-. ]?key"
)
PARTS: dict[str, tuple[str, ...]] = {
    "email": (r"[0-9A-Za-z_%+\-]@(?:[0-9A-Za-z\-]+\.)+[A-Za-z]{2}",),
    "credit_card": (
        _NUMBER + r"[1-68][0-9]{11,18}(?:[^0-9A-Za-z_]|$)",
        _NUMBER + r"[2-68][0-9]{3}[ \-](?:[0-9]{4}[ \-][0-9]{4}[ \-]|[0-9]{6}[ \-][0-9]{4})",
        _NUMBER + r"[2-68][0-9]{5}[ \-][0-9]{13}",
    ),
    "ssn": (
        _NUMBER + r"[0-8][0-9]{2}[\-. ][0-9]{2}[\-. ][0-9]{4}",
        r"(?i:ssn|social.?sec)(?:[^0-9]|\\u[0-9A-Fa-f]{4}){0,160}[0-8][0-9]{8}",
    ),
    "iban": (
        r"(?:^|[^0-9A-Za-z_/+]|\\[bfnrt]|\\u[0-9A-Fa-f]{4})(?:"
        + "|".join(IBAN_LENGTHS)
        + r")[0-9]{2}(?:[0-9A-Z]{11}|[ \-][0-9A-Z]{4}[ \-][0-9A-Z]{4})",
    ),
    "phone": (
        _PHONE + r"\+[1-9][0-9 ().\-/\\]{6,16}[0-9]",
        _PHONE + r"00[1-9][0-9 ]{7,12}[0-9](?:[^0-9A-Za-z_\-]|$)",
        _NUMBER + r"(?:1[\-. ])?\([2-9][0-9]{2}\)[\-. ]?[2-9][0-9]{2}[\-. ][0-9]{4}",
        _NUMBER + r"(?:1[\-. ])?[2-9][0-9]{2}[\-. ][2-9][0-9]{2}[\-. ][0-9]{4}",
        r"(?i:phone|mobile|fax|call me|whatsapp)(?:[^0-9]|\\u[0-9A-Fa-f]{4}){0,80}[0-9][0-9 ().\-/\\]{5,20}[0-9]",
    ),
    "jwt": (BOUNDARY + r"ey[Jj][0-9A-Za-z_\-]{8}",),
    "private_key": (r"BEGIN[ 0-9A-Z]{1,40}PRIVATE KEY", "PuTTY-User-Key-File-"),
    "credential_url": (r":\\?/\\?/(?:[^\s\"'<>\\/:,]|\\u[0-9A-Fa-f]{4})*:(?:[^\s\"'<>\\/,]|\\u[0-9A-Fa-f]{4})+@",),
}
# Anchored at the mark: a count of what is before it would make a state of every place in a number.
_MARKED = (
    r"\.atlasv1\.", r"JQQJ99[0-9A-Za-z]{8}",
    r"[0-9]:AA[0-9A-Za-z_\-]{10}", r"[0-9a-f]NRAL", r"[0-9A-Za-z]_mmk",
    BOUNDARY + r"[MNO][0-9A-Za-z_\-]{22,25}\.[0-9A-Za-z_\-]{6}\.[0-9A-Za-z_\-]{27}",
    r"[0-9A-Za-z]Q~[0-9A-Za-z_\-.~]{6}", r"[0-9a-f]-us[0-9]",
)  # fmt: skip


def quoted(text: str) -> str:
    """A text as part of a pattern; a slash may be escaped in a raw line."""
    return "".join("\\\\?/" if sign == "/" else "\\" + sign if sign in _QUOTED else sign for sign in text)


def _tail(shape: KeyShape) -> str:
    """As much of what follows a beginning as tells a key from words and from base64."""
    out = ""
    room = _TAIL
    for alphabet, least, most, literal in shape.parts:
        if literal:
            out += quoted(literal)
            continue
        count = min(least, room)
        out += f"[{_CLASSES[alphabet]}]{{{count}}}"
        room -= count
        if least != most or count < least or room <= 0:
            break
    return out


def _heads(shapes: list[KeyShape]) -> str:
    """Beginnings with the same tail together: that is a third of the work when the pattern is compiled."""
    tails: dict[str, set[str]] = {}
    for shape in shapes:
        if len(shape.prefix) > 1:
            tails.setdefault(_tail(shape), set()).add(quoted(shape.prefix))
    return "(?:" + "|".join("(?:" + "|".join(sorted(heads)) + ")" + tail for tail, heads in tails.items()) + ")"


def pattern(kinds: frozenset[str], shapes: list[KeyShape]) -> str:
    """The alternation for these kinds."""
    parts = [part for kind in PARTS if kind in kinds for part in PARTS[kind]]
    if "api_key" in kinds:
        for boundary, plain in ((BOUNDARY, False), (STRICT, True)):
            parts.append(boundary + _heads([shape for shape in shapes if shape.plain is plain]))
        parts.extend(_MARKED)
        parts.append(f"(?i:{_NAMES}){_ASSIGNS}(?i:(?:bearer|basic|token|ntlm|digest) )?{_VALUE}")
        parts.append(rf"--[A-Za-z0-9_\-]{{0,24}}(?i:{_NAMES})[0-9A-Za-z_\-]{{0,24}}{_BLANKS}[\\\"'`]*{_VALUE}")
        parts.append("(?i:bearer|basic|ntlm) " + _VALUE)
    return "|".join(parts)


ESCAPED = r"\\u00[0-7]"
