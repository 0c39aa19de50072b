"""Secrets in rows, told by the name of their column: tables of text, `insert into t (…) values (…)`."""

from __future__ import annotations

from mcpgov.guards.privacy.named import is_name, is_named_secret

Span = tuple[int, int]
MOST_COLUMNS = 64
LONGEST = 4000  # characters of one row
SIGNS = ",;|\t"
_STATEMENT = 20_000


def in_columns(text: str, start: int, end: int) -> list[Span]:
    """The secrets below the name at `start`, in the rows that follow its line; `end` is behind the sign after it."""
    begin = text.rfind("\n", 0, start) + 1
    stop = _line_end(text, begin)
    sign = max(SIGNS, key=lambda sign: text.count(sign, begin, stop))
    count = text.count(sign, begin, stop)
    if not 1 <= count <= MOST_COLUMNS or stop - begin > LONGEST or not _is_head(text[begin:stop], sign):
        return []
    column = text.count(sign, begin, start)
    name = text[begin:stop].split(sign)[column].strip(" \"'`\r")
    if not is_name(name):
        return []
    out: list[Span] = []
    while True:
        begin = stop + 1
        stop = _line_end(text, begin)
        if begin >= len(text) or stop - begin > LONGEST or text.count(sign, begin, stop) != count:
            return out
        at = begin
        for _ in range(column):
            at = text.find(sign, at) + 1
        close = text.find(sign, at, stop)
        span = _value(text, at, stop if close < 0 else close, name)
        if span is None and is_name(text[at : stop if close < 0 else close]):
            return out
        if span is not None:
            out.append(span)


def _is_head(line: str, sign: str) -> bool:
    """Names only: no statement of a program has but words between its commas."""
    if sign == "|":
        line = line.strip(" |\r")
    cells = [cell.strip(" \"'`\r#*") for cell in line.split(sign)]
    joined = ("".join(cell.split()) for cell in cells)
    is_named = all(cell.replace("_", "").replace("-", "").replace(".", "").isalnum() for cell in joined)
    return is_named and line[:1] not in (" ", "\t", "'", '"')


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _value(text: str, at: int, end: int, name: str) -> Span | None:
    while at < end and text[at] in " \"'`":
        at += 1
    while end > at and text[end - 1] in " \"'`\r":
        end -= 1
    return (at, end) if at < end and is_named_secret(name, text[at:end]) else None


def in_statement(text: str, start: int) -> list[Span]:
    """The secrets of `insert into t (a, password) values (1, '…'), (2, '…')`, which begins at `start`."""
    names_at = text.find("(", start, start + 200)
    names_end = text.find(")", names_at, names_at + 2000) if names_at > 0 else -1
    head = text[names_end + 1 : names_end + 24].lower() if names_end > 0 else ""
    if "values" not in head:
        return []
    names = [name.strip(" \n\t\"'`[]") for name in text[names_at + 1 : names_end].split(",")]
    if not any(map(is_name, names)):
        return []
    out = []
    at = names_end + head.index("values")
    last = min(len(text), start + _STATEMENT)
    column = -1  # outside of a row
    cell = at
    while at < last and not (text[at] == ";" and column < 0):
        sign = text[at]
        if sign in "'\"" and column >= 0:
            close = text.find(sign, at + 1, last)
            at = close if close > 0 else last
        elif sign == "(" and column < 0:
            column, cell = 0, at + 1
        elif sign in ",)" and column >= 0:
            if column < len(names) and is_name(names[column]):
                span = _value(text, cell, at, names[column])
                if span is not None:
                    out.append(span)
            column, cell = (column + 1, at + 1) if sign == "," else (-1, at)
        at += 1
    return out
