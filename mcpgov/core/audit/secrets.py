"""Finds secrets inside a text: known kinds of key, and values behind names of secrets. Pure.

Law: in doubt more is masked; masking affects only what a record shows.
"""

from __future__ import annotations

from mcpgov.core.audit.audit_preview import HOLDERS, MASK, NAMERS, PREFIXES, is_name_of_secret, is_secret_name
from mcpgov.core.audit.issuers import ISSUERS, is_key
from mcpgov.core.operations.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

# So many characters behind the shown ones are read to recognise a key that begins in the shown part.
MARGIN = 64
SHORTEST_KEY = 12
SHORTEST_TOKEN = 8
LONGEST_NAMED = 80
# How far behind the shown part a name is looked for that makes a shown value secret.
LONGEST_PAIR = 512
KEY_BEGIN, KEY_END = "-----BEGIN", "-----END"
SCHEMES = ("bearer", "basic", "Bearer", "Basic", "BEARER", "BASIC")
BLANKS = " \t\r\n"
LINE_ENDS = "\r\n"
QUOTES = "\"'`"
SIGNS = ("=", ":")
# Between a name and its value there may be quotes, escaped ones too.
_GAP = BLANKS + QUOTES + "\\"
_KEY_ENDS = BLANKS + QUOTES + ",;&<>()[]{}|\\"
# What may follow the quote that closes a value; behind anything else the value continues, as in a shell.
_AFTER_QUOTE = frozenset((*BLANKS, *",;:.)]}>&|#", ""))
_LINE_ESCAPES = ("\\n", "\\r", "\\t")
# A quick check: a word that begins with none of these is no key and no scheme of a token.
_FIRST_TWO = frozenset(start[:2] for start in (*PREFIXES, *SCHEMES, *(row[0] for row in ISSUERS)))
_NEAR = frozenset((*SIGNS, *_GAP, ","))
_WORD = "".join(filter(str.isalnum, map(chr, range(128)))) + "_-"
_APART = {code: " " for code in range(128) if chr(code) not in _WORD}
_JOINED = {code: None for code in range(128) if not chr(code).isalnum()}
# Every name of a secret (audit_preview.is_secret_name) contains one of these.
_TELLING = ("pass", "pwd", "secret", "token", "key", "credential", "auth", "bearer", "cookie", "jwt", "pin", "otp",
            "cvv", "ssn", "signature")  # fmt: skip
# Where one of these stands between them, a name and a value do not belong together.
_BOUNDARIES = ("{", "}", "<", "\n-", "\n\n")


def masked(text: str, most: int) -> str | None:
    """The first `most` characters, with every secret that begins there masked; None: there is none."""
    head = text[: most + MARGIN]
    out: list[str] = []
    at = 0
    for start, end in _secret_spans(head, _named_holders(text[: most + LONGEST_PAIR])):
        if start < most:
            out += (head[at:start], MASK)
            at = end
    return "".join((*out, head[at:most])) if out else None


def _words(text: str) -> Iterator[Span]:
    at = end = 0
    if text.isascii():
        apart = text.translate(_APART)
        for word in apart.split(" "):
            if word:
                at = apart.find(word, end)
                end = at + len(word)
                yield at, end
        return
    while at < len(text):
        end = at
        while end < len(text) and (text[end].isalnum() or text[end] in "_-"):
            end += 1
        if end > at:
            yield at, end
        at = max(end, at + 1)


def _words_before_signs(text: str) -> list[tuple[int, int, int]]:
    """The words before a `:` or `=`, each with the place of that sign."""
    out: list[tuple[int, int, int]] = []
    for sign in SIGNS:
        place = text.find(sign)
        while place >= 0:
            end = len(text[:place].rstrip(_GAP))
            at = len(text[:end].rstrip(_WORD))
            while at > 0 and (text[at - 1].isalnum() or text[at - 1] in "_-"):
                at -= 1
            if at < end:
                out.append((at, end, place))
            place = text.find(sign, place + 1)
    return sorted(out)


def _secret_spans(text: str, holders: frozenset[int]) -> Iterator[Span]:
    """The spans of secrets; `holders`: places of words whose values another word names as secret."""
    done, before = 0, (0, 0)
    tail = text.find(KEY_END)
    if tail > 0 and KEY_BEGIN not in text[:tail]:
        yield 0, tail  # the end of a key that began before this text
        done = tail
    for at, end in _words(text):
        if at < done:
            continue
        start, last = before
        before = (at, end)
        if not _may_matter(text, at, end):
            continue
        joined = text[start:end] if text[last:at] in (" ", ".") else ""
        span = (
            _named(text, at, end, joined, at in holders) or _key(text, at) or _token(text, at, end) or _login(text, end)
        )
        if span is not None:
            yield span
            done = span[1]


def _may_matter(text: str, at: int, end: int) -> bool:
    """Could there be a secret at or behind this word? Most words begin like no key and are followed by no sign."""
    if text[at : at + 2] in _FIRST_TWO or text[at] == "-":
        return True
    behind = text[end : end + 1]
    if behind == " ":
        behind = text[end + 1 : end + 2]
    return behind in _NEAR


def _skip_to(text: str, at: int, ends: str) -> int:
    while at < len(text) and text[at] not in ends:
        at += 1
    return at


def _skip_over(text: str, at: int, chars: str) -> int:
    while at < len(text) and text[at] in chars:
        at += 1
    return at


def _named(text: str, first: int, end: int, joined: str, is_holder: bool) -> Span | None:
    """What stands behind a name: `name=value`, `name: value`, `"name": "value"`, `--name value`, `["name", "value"]`.

    `joined`: the word with the one before it, where only a blank or a dot is between.
    """
    word = text[first:end]
    at = _skip_over(text, end, _GAP)
    sign = text[at : at + 1]
    if sign in SIGNS:
        behind = _skip_over(text, at, "=:>")
    elif word[0] == "-" and at > end and text[at : at + 1] != "-":
        behind = end
    elif sign == "," and _opens_pair(text, first, end, at):
        behind = at + 1
    else:
        return None
    if not is_holder and not is_secret_name(word) and not (sign in SIGNS and joined and is_secret_name(joined)):
        return None
    span = _value(text, first, behind, sign)
    return span if span[0] < span[1] else None


def _opens_pair(text: str, first: int, end: int, comma: int) -> bool:
    """`["name", "` or `('name', '`: the first of two, as headers are written in lists."""
    quoted = comma > end and text[comma - 1] in QUOTES
    before = text[:first].rstrip(_GAP)[-1:]
    behind = text[comma + 1 :].lstrip(BLANKS + "\\")[:1]
    return quoted and before in ("[", "(") and behind != "" and behind in QUOTES


def _value(text: str, name: int, at: int, sign: str) -> Span:
    """The value that begins at or behind `at`; `name`: where its name begins."""
    start = _skip_over(text, at, BLANKS)
    opening = _skip_over(text, start, "\\")
    mark = text[opening : opening + 1]
    if mark and mark in QUOTES:
        if text.startswith(mark * 3, opening) and opening == start:
            end = text.find(mark * 3, start + 3)
            return start + 3, end if end >= 0 else len(text)
        return opening + 1, _closing(text, opening + 1, mark, opening - start)
    if text[start : start + 1] in ("{", "["):
        return start, len(text)
    if sign != ":":
        return start, _unquoted(text, start, BLANKS + "&;")
    end = _unquoted(text, start, LINE_ENDS)
    # A header's value may be several words, in YAML several lines.
    return start, _block_end(text, name, end) if text[end : end + 1] in LINE_ENDS else end


def _unquoted(text: str, start: int, ends: str) -> int:
    """The end of a value that begins without a quote; one in the middle opens or closes something."""
    at = _skip_to(text, start, ends + QUOTES)
    while at < len(text) and text[at] in QUOTES and not _closes(text, at):
        at = _skip_to(text, _closing(text, at + 1, text[at], 0) + 1, ends + QUOTES)
    slashes = len(text[start:at]) - len(text[start:at].rstrip("\\"))
    return at - slashes if text[at : at + 1] in QUOTES else min(at, len(text))


def _closes(text: str, at: int) -> bool:
    """Does the quote at this place end a value? Decided by the character behind it."""
    after = text[at + 1 : at + 2]
    if after == "\\":
        return text[at + 1 : at + 3] in _LINE_ESCAPES
    if after == "/":
        return text[at + 2 : at + 3] == ">"
    if after and after in QUOTES and after != text[at]:
        return text[at + 2 : at + 3] in _AFTER_QUOTE
    return after in _AFTER_QUOTE


def _closing(text: str, start: int, mark: str, slashes: int) -> int:
    """The end of a value in quotes; `slashes`: how many stand before the opening one, more make a quote part of it."""
    at = text.find(mark, start)
    while at >= 0:
        count = 0
        while at - count > start and text[at - count - 1] == "\\":
            count += 1
        bare = count < slashes or ((count - slashes) // (slashes + 1)) % 2 == 0
        if bare and (slashes or _closes(text, at)):
            return at - min(count, slashes)
        at = text.find(mark, at + 1)
    return len(text)


def _block_end(text: str, name: int, at: int) -> int:
    """The end of the lines behind `at` that stand deeper than the line of the name."""
    line = text[max(text.rfind(end, 0, name) for end in LINE_ENDS) + 1 : name + 1]
    depth = len(line) - len(line.lstrip(" \t-"))
    end = at
    while at < len(text):
        start = _skip_over(text, at, LINE_ENDS)
        inside = _skip_over(text, start, " \t")
        if inside - start <= depth:
            break
        at = end = _skip_to(text, inside, LINE_ENDS)
    return end


def _key(text: str, at: int) -> Span | None:
    """A known kind of key."""
    if text.startswith(KEY_BEGIN, at):
        return at, len(text)
    at = _skip_over(text, at, "-")
    known = is_key(text, at)
    if not known and not text.startswith(PREFIXES, at):
        return None
    end = _skip_to(text, at, _KEY_ENDS)
    return (at, end) if known or end - at >= SHORTEST_KEY else None


def _token(text: str, first: int, end: int) -> Span | None:
    """`Bearer X`, `Basic X`, where X is not just the next word of a sentence."""
    word = text[first:end]
    if word not in SCHEMES or text[end : end + 1] != " ":
        return None
    start = _skip_over(text, end, " ")
    stop = _skip_to(text, start, _KEY_ENDS)
    token = text[start:stop]
    if len(token) < SHORTEST_TOKEN or (token.isalpha() and token[1:].islower()):
        return None
    return start, stop


def _login(text: str, end: int) -> Span | None:
    """The password in `scheme://user:password@host`."""
    if not text.startswith("://", end):
        return None
    start = end + 3
    at = text.rfind("@", start, _skip_to(text, start, BLANKS + QUOTES + "<>"))
    colon = text.find(":", start, max(at, start))
    return (colon + 1, at) if 0 <= colon < at - 1 else None


# --- pairs: `{"name": "X-Api-Key", "value": "…"}`, `- name: DB_PASSWORD` with `value: …` in the next line


def _named_holders(text: str) -> frozenset[int]:
    """The places of words whose values are secret because a word beside them says so."""
    if not _mentions_secret(text):
        return frozenset()
    names: list[tuple[int, bool]] = []
    holders: list[int] = []
    for at, end, sign in _words_before_signs(text):
        last = words(text[at:end])[-1:]
        if not HOLDERS.isdisjoint(last):
            holders.append(at)
        elif not NAMERS.isdisjoint(last):
            near = text[: sign + LONGEST_NAMED]
            start, stop = _value(near, at, _skip_over(near, sign, "=:>"), near[sign])
            names.append((at, is_name_of_secret(near[start:stop])))
    places = sorted([*(at for at, _ in names), *holders])
    secret = {at for at, is_secret in names if is_secret}
    return frozenset(at for at in holders if _beside(text, at, places, secret))


def _mentions_secret(text: str) -> bool:
    """Could some words of a text form the name of a secret?"""
    if not text.isascii():
        return True
    joined = text.translate(_JOINED).lower()
    return any(part in joined for part in _TELLING)


def _beside(text: str, at: int, places: list[int], secret: set[int]) -> bool:
    """Does a neighbour of this place name a secret, with no boundary in between?"""
    index = places.index(at)
    for other in (*places[max(0, index - 1) : index], *places[index + 1 : index + 2]):
        between = text[min(at, other) : max(at, other)]
        if other in secret and not any(mark in between for mark in _BOUNDARIES):
            return True
    return False
