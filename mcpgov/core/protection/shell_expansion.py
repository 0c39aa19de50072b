"""What a shell makes of escapes, braces, choices and parts of values, as far as a text alone can tell. Pure.

Law: linear in the text; what could become more forms than anybody types stays as it is, or is UNKNOWN.
"""

from __future__ import annotations

from mcpgov.core.rules.spellings import HEX

UNKNOWN = "\0"
FORMS_AT_MOST = 64
MOST_BRACES = 16
LONGEST_VALUE = 8192
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b"}
SIZES = {"x": 2, "u": 4, "U": 8}
OCTAL = frozenset("01234567")


def unescaped(text: str) -> str:
    """The text with `\\x2e`, `\\056`, `\\u002e`, `\\n` and `\\c` decoded."""
    pieces = text.split("\\")
    out, skip = [pieces[0]], False
    for piece in pieces[1:]:
        if skip:
            out.append(piece)
            skip = False
            continue
        if not piece:  # two back slashes are one
            out.append("\\")
            skip = True
            continue
        out.append(_escape(piece))
    return "".join(out)


def _escape(piece: str) -> str:
    """Decodes the escape at the beginning of the text behind a back slash."""
    kind = piece[0]
    if kind in SIZES:
        size = 1
        while size <= SIZES[kind] and size < len(piece) and piece[size] in HEX:
            size += 1
        code = int(piece[1:size], 16) if size > 1 else -1
        return (chr(code) if 0 <= code < 0x110000 else piece[:size]) + piece[size:]
    size = 0
    while size < min(4, len(piece)) and piece[size] in OCTAL and (size < 3 or piece[0] == "0"):
        size += 1
    if size:
        return chr(int(piece[:size], 8) & 0xFF) + piece[size:]
    return ESCAPES.get(kind, kind) + piece[1:]


def expand_braces(word: str) -> list[str]:
    """`{a,b}c` as `ac`, `bc`; a word with too many choices is returned as it is."""
    if word.count("{") > MOST_BRACES:
        return [word]
    done: list[str] = []
    pending = [word]
    while pending and len(done) + len(pending) <= FORMS_AT_MOST:
        text = pending.pop()
        end = text.find("}")
        start = text.rfind("{", 0, end) if end > 0 else -1
        inner = text[start + 1 : end]
        if start < 0:
            done.append(text)
        elif "," in inner:
            pending += [text[:start] + choice + text[end + 1 :] for choice in inner.split(",")]
        elif len(inner) == 4 and inner[1:3] == "..":
            first, last = sorted((ord(inner[0]), ord(inner[3])))
            pending += [text[:start] + chr(code) + text[end + 1 :] for code in range(first, min(last + 1, first + 64))]
        else:
            # No choice: braces that stand for themselves.
            pending.append(f"{text[:start]}\1{inner}\2{text[end + 1 :]}")
    if pending:
        return [word]
    return [text.replace("\1", "{").replace("\2", "}") for text in done]


def echoed(words: list[str]) -> str:
    """The output of `echo` or `printf`."""
    rest = [word for word in words[1:] if word not in ("-n", "-e", "-ne", "-en", "%s", "%s\\n")]
    if words[0] == "printf" and rest and "%s" in rest[0]:
        pieces = rest[0].split("%s")
        filled = [*rest[1:], *[""] * len(pieces)]
        return "".join(piece + value for piece, value in zip(pieces, [*filled[: len(pieces) - 1], ""], strict=True))
    return " ".join(rest)


def combined(parts: list[list[str]]) -> list[str]:
    """Every text that the parts of a word may form; where these are too many, parts with choices are UNKNOWN."""
    count = 1
    for values in parts:
        count *= len(values)
        if count > FORMS_AT_MOST:
            return ["".join(choices[0] if len(choices) == 1 else UNKNOWN for choices in parts)]
    forms: list[list[str]] = [[]]
    for values in parts:
        if len(values) == 1:
            for form in forms:
                form.append(values[0])
        else:
            forms = [[*form, value] for form in forms for value in values]
    return ["".join(form) for form in forms]


def trimmed_value(value: str, operator: str, word: str) -> str:
    """The part of a value that is left, where the pattern is a plain text."""
    plain = word.strip("'\"").replace("\\", "")
    if operator == "#":
        return value.removeprefix(plain.lstrip("#"))
    if operator == "%":
        return value.removesuffix(plain.lstrip("%"))
    if operator == "/":
        old, _, new = plain.lstrip("/").partition("/")
        return value.replace(old, new)[:LONGEST_VALUE] if old else value
    start, _, size = plain.partition(":")
    if operator == ":" and start.isdecimal() and len(start) < 6 and (not size or (size.isdecimal() and len(size) < 6)):
        return value[int(start) :][: int(size) if size else None]
    return value
