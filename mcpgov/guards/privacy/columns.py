"""Secrets in rows, told by the name of their column: tables of text, `insert into t (…) values (…)`."""

from __future__ import annotations

from mcpgov.guards.privacy.named import is_named_secret
from mcpgov.guards.privacy.values.secret_names import is_name

Span = tuple[int, int]
Head = tuple[str, list[str]]  # what separates the cells, and these
MOST_COLUMNS = 64
MOST_AGAIN = 8  # heads among the rows of a table
LONGEST = 4000  # characters of one row
SIGNS = ",;|\t"
_STATEMENT = 20_000
_BETWEEN_ROWS = "(,) \t\r\n\\nrt"  # in a text within a text a new line is a backslash and an `n`


class TextTables:
    """The tables of one text, in order. A row of one may be the head of another, but not every row: each head has all
    rows below it read."""

    __slots__ = ("_again", "_column", "_head", "_line", "_until")

    def __init__(self) -> None:
        self._until = 0  # so far rows have been read
        self._again = 0
        self._line = (-1, -1)  # the last that was looked at, and
        self._head: Head | None = None  # what it is a head of
        self._column: tuple[str, int, int, str] | None = None  # whose values have been read so far

    def secrets_below(self, text: str, start: int) -> list[Span]:
        """Those in the rows that follow the line of the name at `start`."""
        if start < self._until:
            self._again += 1
            if self._again > MOST_AGAIN:
                return []
        begin, stop = self._line
        if not begin <= start < stop:
            self._line, self._head = head_at(text, start)
            begin, stop = self._line
        if self._head is None:
            return []
        sign, cells = self._head
        place = text.count(sign, begin, start)
        name = cells[place].strip(" \"'`\r")
        column = (sign, len(cells), place, name)
        if not is_name(name) or (start < self._until and column == self._column):
            return []
        spans, until = in_column(text, stop, column)
        self._until, self._column = max(self._until, until), column
        return spans


def head_at(text: str, start: int) -> tuple[Span, Head | None]:
    """The line around `start`, and what separates its cells if it is the head of a table."""
    begin = text.rfind("\n", max(0, start - LONGEST), start) + 1
    if begin == 0 and start > LONGEST:
        return (start, start + 1), None
    stop = _line_end(text, begin)
    sign = max(SIGNS, key=lambda sign: text.count(sign, begin, stop))
    count = text.count(sign, begin, stop)
    if not 1 <= count <= MOST_COLUMNS or stop - begin > LONGEST or not _is_head(text[begin:stop], sign):
        return (begin, stop), None
    return (begin, stop), (sign, text[begin:stop].split(sign))


def in_column(text: str, stop: int, column: tuple[str, int, int, str]) -> tuple[list[Span], int]:
    """The secrets of a column in the lines behind `stop`, and where the rows end that were read for them."""
    sign, cells, place, name = column
    out: list[Span] = []
    while True:
        begin = stop + 1
        stop = _line_end(text, begin)
        if begin >= len(text) or stop - begin > LONGEST or text.count(sign, begin, stop) != cells - 1:
            return out, begin
        at = begin
        for _ in range(place):
            at = text.find(sign, at, stop) + 1
        close = text.find(sign, at, stop)
        span = _value(text, at, stop if close < 0 else close, name)
        if span is None and is_name(text[at : stop if close < 0 else close]):
            return out, begin
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
    """Of a line that is longer than any row, a place that is too far away as well."""
    most = at + LONGEST + 1
    end = text.find("\n", at, most)
    return min(most, len(text)) if end < 0 else end


def _value(text: str, at: int, end: int, name: str) -> Span | None:
    while at < end and text[at] in " \"'`":
        at += 1
    while end > at and text[end - 1] in " \"'`\r":
        end -= 1
    return (at, end) if at < end and is_named_secret(name, text[at:end]) else None


def in_statement(text: str, start: int) -> list[Span]:
    """The secrets of `insert into t (a, password) values (1, '…'), (2, '…')`, which begins at `start`.

    It ends with its last row, and in a row that is never closed where the next statement begins: each is read once.
    """
    names_at = text.find("(", start, start + 200)
    names_end = text.find(")", names_at, names_at + 2000) if names_at > 0 else -1
    head = text[names_end + 1 : names_end + 24].lower() if names_end > 0 else ""
    if "values" not in head:
        return []
    names = [name.strip(" \n\t\"'`[]") for name in text[names_at + 1 : names_end].split(",")]
    if not any(map(is_name, names)):
        return []
    out = []
    at = names_end + 1 + head.index("values") + len("values")
    last = min(len(text), start + _STATEMENT)
    column = -1  # outside of a row
    cell = at
    while at < last:
        sign = text[at]
        if (column < 0 and sign not in _BETWEEN_ROWS) or (sign in "iIrR" and _begins_statement(text, at)):
            break
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


def _begins_statement(text: str, at: int) -> bool:
    return text[at : at + 12].lower() in ("insert into ", "replace into")
