"""What a query does that may be SQL, Cypher, GraphQL or plain English: text -> operation. Pure.

Law: as in `sql_effects`: a text is read whole, and what is not known to read is no read.
"""

from __future__ import annotations

from mcpgov.core.operations import sql_words as w
from mcpgov.core.operations.sql_effects import (
    CHANGING,
    FALSE_HITS,
    MOST_BLANKS,
    ODD_HITS,
    admin_statement,
    changing_keyword,
    explained_words,
    find_keyword,
    from_sql,
    skip_blanks,
    word_at,
)
from mcpgov.core.operations.tool_names import RANK, decided, tokens_of

_MOST_FIELDS = 1_000
_LOUD = CHANGING | w.LOUD | frozenset(("with", "explain", "set", "pragma", "begin", "declare"))


def from_query(written: str, surely: bool = False) -> tuple[str, str]:
    """A query may be SQL, GraphQL, Cypher or plain English: only a text that begins like a statement is one.

    `surely`: the server's queries are SQL and nothing else.
    """
    text = written.lower()
    at = skip_blanks(text)
    first = word_at(text, at)
    if _is_graphql(text, at, first) or ("mutation" in written and _mutates(written)):
        return _from_graphql(written)
    if (first in ("match", "unwind", "optional") and "(" in text) or "apoc." in text or "load csv" in text:
        return from_cypher(text)
    if first == "call" and text[at + 4 :].lstrip().startswith(w.CYPHER_READS):
        return from_cypher(text)
    if first in w.CYPHER_MAYBE and ("match (" in text or "match(" in text):
        return _stricter(from_cypher(text), _from_statement(text, written, at, first, surely))
    return _from_statement(text, written, at, first, surely)


def _stricter(one: tuple[str, str], other: tuple[str, str]) -> tuple[str, str]:
    return other if other[0] and (not one[0] or RANK[other[0]] > RANK[one[0]]) else one


def _from_statement(text: str, written: str, at: int, first: str, surely: bool) -> tuple[str, str]:
    if at >= MOST_BLANKS or text.startswith("/*!", at):
        kind, why = from_sql(text)
        return kind or "write", why or "padded query"
    loud = written[at : at + len(first)].isupper() and first in _LOUD
    if surely or loud or first.startswith(("xp_", "sp_")) or _is_command(text, at):
        return from_sql(text, tight=not surely)
    if first not in w.STARTS:
        return "", ""
    # English begins with `update` or `create`, but not with a comment or `;`, and seldom with `select`.
    if first != "select" and not text[:at].strip() and not _is_wrapped(text, at, first):
        return changing_keyword(text, shaped=True)
    return from_sql(text, tight=True)


def _is_wrapped(text: str, at: int, first: str) -> bool:
    """`explain select …`, `with x as (…`, `begin; …`: a statement inside another one."""
    rest = text[at + len(first) : at + 512]
    if first in ("explain", "describe", "analyze"):
        statement = explained_words(rest)
        return bool(statement) and statement[0] in ("select", "with", "values", "call")
    if first == "with":
        return "as (" in text or "as(" in text or "as materialized" in text
    return first in ("begin", "declare", "start", "set", "values", "show", "use") and ";" in text


def _is_command(text: str, at: int) -> bool:
    """Is it a short statement that cannot be English: `kill 5`, `vacuum`, `set global x = 1`?"""
    first, _, rest = text[at : at + 256].strip().partition(" ")
    rest = rest.strip()
    following = rest.split(" ", 1)[0]
    word = following.strip("();'\"")
    if first.rstrip(";") in ("shutdown", "vacuum", "reconfigure", "checkpoint"):
        return not word or word in ("with", "full", "into", "immediate", "abort", "analyze", "freeze")
    if first == "kill":
        return word.isdigit() or word in w.NEXT["kill"]
    if first in ("exec", "execute"):
        return word.startswith(("xp_", "sp_", "dbo.", "sys.", "master.", "[", "@", "immediate"))
    if first == "call":
        return "(" in following or "." in word
    if first == "copy":
        return "program" in rest or "stdin" in rest or "stdout" in rest or "'" in rest
    if first in ("do", "attach", "detach", "install", "load", "set"):
        settings = ("global", "persist", "password", "role", "database", "extension", "$$", "session", "local")
        return word in settings or rest[:1] in ("'", "$", "@") or rest.endswith(";") or (first == "set" and "=" in rest)
    return first == "pragma"


def from_cypher(text: str) -> tuple[str, str]:
    """The strictest clause of a lower-cased Cypher text; procedures count as what they are known to do."""
    for opening in ("call", "apoc."):
        at = text.find(opening)
        for _ in range(FALSE_HITS):
            if at < 0:
                break
            called = text[at : at + 256].removeprefix("call").lstrip()
            own = opening == "call" and (text[at - 1 : at].isalnum() or text[at + 4 : at + 5].isalnum())
            if not own and called[:1] not in ("{", "(") and not called.startswith(w.CYPHER_READS):
                return "execute", f"Cypher `{opening.strip('.').upper()}`"
            at = text.find(opening, at + 1)
    if verb := admin_statement(text):
        return "admin", f"Cypher `{verb.upper()}`"
    for kind, verbs in w.CYPHER_CHANGES:
        for verb in verbs.split():
            if find_keyword(text, verb) >= 0:
                return kind, f"Cypher `{verb.upper()}`"
    kind, why = changing_keyword(text)
    if why == "SQL `CALL`":  # judged above
        kind, why = "", ""
    first = word_at(text, skip_blanks(text))
    if first in w.CYPHER_STARTS or kind in ("execute", "admin"):
        return kind, why
    return (kind, why) if kind and first in CHANGING else ("execute", f"Cypher `{first.upper()}` is not known to read")


def _is_graphql(text: str, at: int, first: str) -> bool:
    if first in ("mutation", "subscription"):
        return True
    return text.startswith("{", at) or (first in ("query", "fragment") and "{" in text)


def _from_graphql(text: str) -> tuple[str, str]:
    """Any operation of the document may be the one that runs, so a mutation anywhere counts; its fields say as what."""
    at = text.find("mutation")
    while at >= 0 and not _opens_operation(text, at):
        at = text.find("mutation", at + 1)
    if at < 0:
        return "", ""
    best, why = "write", "GraphQL `mutation`"
    for name in _fields(text[at:]):
        kind = decided(tokens_of(name), frozenset(), {})[0]
        if kind != "unknown" and RANK[kind] > RANK[best]:
            best, why = kind, f"GraphQL `{name}`"
    return best, why


def _mutates(text: str) -> bool:
    """Does `mutation Name($a: Int) {` stand anywhere? It may run whatever stands before it."""
    at = text.find("mutation")
    for _ in range(ODD_HITS):
        if at < 0:
            return False
        if _opens_operation(text, at):
            rest = text[at + 8 : at + 512].lstrip()
            if rest[:1] == "{" or rest[len(word_at(rest, 0)) :].lstrip()[:1] in ("{", "(", "@"):
                return True
        at = text.find("mutation", at + 1)
    return True


def _opens_operation(text: str, at: int) -> bool:
    """Does an operation begin here: is the word neither part of a name nor a value or field?"""
    before, after = text[at - 1 : at], text[at + 8 : at + 9]
    return not (before.isalnum() or before in ("_", "$", ".")) and (after.isspace() or after in ("{", "(", "@", "#"))


def _fields(text: str) -> list[str]:
    """The first thousand names in a GraphQL text; aliases and arguments among them only make the answer stricter."""
    for char in "{}():,!$@\"'=[]":
        text = text.replace(char, " ")
    return [name for name in text.split(None, _MOST_FIELDS)[:_MOST_FIELDS] if name != "mutation" and len(name) <= 64]
