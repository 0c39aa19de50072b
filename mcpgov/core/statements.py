"""A call's arguments fall into telling texts, a query (SQL, GraphQL, Cypher) into what it does. Pure.

Law: every text is read whole with linear searches, so padding hides nothing; in doubt the stricter answer.
"""

from __future__ import annotations

from mcpgov.core.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LONGEST_KEY = 256
_BLANKS = 4096  # more blank or comment before a statement than this is padding, not English
# A keyword met so often without being one is taken for one: strict, and the cost stays linear.
_FALSE_HITS = 50_000
_ODD_HITS = 2_000


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Keys of a call whose text can tell an operation.
SQL_KEYS = _set("sql statement statements stmt ddl dml cql soql hql")
QUERY_KEYS = _set("query queries q input cypher")
SHELL_KEYS = _set("command commands cmd cmdline argv script shell bash powershell javascript")
ACTION_KEYS = _set("action actions operation operations op mode method methods verb subcommand")
HTTP = {"post": "write", "put": "write", "patch": "write", "delete": "delete"}
_WATCHED = SQL_KEYS | QUERY_KEYS | SHELL_KEYS | ACTION_KEYS
# A `command` of one of these words picks a function of the tool; it is no shell line.
FUNCTIONS = _set("view create insert get list delete update add remove describe search undo_edit str_replace")
# OUTPUT with PLACE (`output_dir`, `saveTo`): a file gets written.
OUTPUT = _set("output out save response result download export dest destination")
PLACE = _set("path file folder dir directory filename to location")

# SQL keywords, strictest first; SQL_NEXT must follow where the text may be plain English.
_SQL = (
    ("admin", "grant revoke"),
    ("execute", "exec execute call"),
    ("delete", "drop delete truncate"),
    ("write", "insert update create alter merge replace upsert into copy rename attach reindex vacuum load"),
)
_MADE = """
    table tables database schema index view user role function procedure trigger sequence type
    materialized or temporary temp unique external extension policy column constraint keyspace if stream
"""
_SQL_NEXT = {
    verb: _set(following)
    for verbs, following in (
        ("drop alter create", _MADE),
        ("delete", "from"),
        ("truncate", "table"),
        ("insert replace merge upsert", "into overwrite"),
        ("grant revoke", "select insert update delete all usage execute create connect"),
    )
    for verb in verbs.split()
}
# Also names of columns: statements only where one may begin.
_SQL_OPENERS = _set("call copy rename attach reindex vacuum load")
_SQL_STARTS = _set("""
    select with explain begin declare set use show values start pragma describe analyze insert update
    delete drop truncate create alter grant revoke merge replace upsert exec execute call
""")

# Argument names, last word. `action` and its like make one tool many operations.
WRITE_ARGS = _set("body content contents payload data value values message attachments edits changes rating")
READ_ARGS = _set("query q search keyword keywords limit cursor page offset filter filters since until symbol ticker")
# All a noun needs to be looked up by (`character(id)`).
ASKING = ("id", "ids", "query", "limit", "page", "offset", "cursor", "symbol", "ticker", "date", "language")
CODE_ARGS = _set("command commands cmd script code shell javascript")
CHOICE_ARGS = _set("action actions operation operations op subcommand mode")
# Only what changes something asks for these.
SAFETY_ARGS = _set("""
    confirm confirmed overwrite ignoreconflicts onconflict destpath replacement newname newvalue newcontent
    newtext newtitle newpath commitmessage
""")
# Last words that mean something else behind another word: `errorCode`, `next_action`, `safe_mode`.
HOMONYMS = _set("code action mode")
# A file by another name: what `export` and `download` write to.
FILE_ARGS = _set("path filepath localpath filename directory dir folder outputdir targetpath targetdir")
# Openings of switches and bounds (`include_content`, `max_value`): no payload whatever they end with.
SWITCHES = _set("include exclude with without has is return show only fetch max min enable use generate expand")


def tails(arguments: Iterable[str]) -> dict[str, None]:
    """Of each argument its last word and the whole without separators; `>name` for a file to be written."""
    found: dict[str, None] = {}
    for name in arguments:
        if isinstance(name, str) and len(name) <= _LONGEST_KEY and (parts := words(name)):
            if parts[-1] not in HOMONYMS and parts[0] not in SWITCHES:
                found[parts[-1]] = None
            found["".join(parts)] = None
            if parts[0] in OUTPUT and not PLACE.isdisjoint(parts[1:]):
                found[">" + name] = None
    return found


def texts(arguments: object) -> Iterator[tuple[list[str], str]]:
    """Every text with the words of the nearest key above it; no recursion, so depth cannot hurt."""
    stack: list[tuple[list[str], object]] = [([], arguments)]
    while stack:
        key, value = stack.pop()
        if isinstance(value, dict):
            stack.extend((watched(name), inner) for name, inner in value.items())
        elif isinstance(value, list):
            stack.extend((key, inner) for inner in value if key or not isinstance(inner, str))
        elif key and isinstance(value, str) and value and not value.isspace():
            yield key, value


def watched(key: object) -> list[str]:
    """The words of a key whose text can tell an operation, else none."""
    parts = words(key[:_LONGEST_KEY]) if isinstance(key, str) else []
    return parts if parts and (parts[0] in OUTPUT or not _WATCHED.isdisjoint(parts)) else []


def from_text(key: list[str], value: str) -> tuple[str, str]:
    """What a text does by the words of its key: a command, SQL, a query or the place of a file to write."""
    if key[-1] in SHELL_KEYS:
        return "execute", f"argument `{key[-1]}` is a command"
    if not SQL_KEYS.isdisjoint(key):
        return from_sql(value.lower())
    if key[-1] in QUERY_KEYS:
        return from_query(value.lower(), loud=value[:64].split(None, 1)[0].isupper() if value[:64].strip() else False)
    if key[0] in OUTPUT and not PLACE.isdisjoint(key[1:]):
        return "write", f"argument `{'_'.join(key)}` is a file to write"
    return "", ""


def from_query(text: str, loud: bool = False) -> tuple[str, str]:
    """A query may be SQL, GraphQL, Cypher or plain English: only what begins like a statement is one.

    `loud`: its first word stood in capitals, as people write SQL and not English.
    """
    at = _skip(text)
    first = _word(text, at)
    if first == "mutation":
        return "write", "GraphQL `mutation`"
    if first in ("match", "unwind", "optional") and "(" in text:
        for verb, kind in (("delete", "delete"), ("remove", "delete"), ("set", "write")):
            if _bare(text, verb) >= 0:
                return kind, f"Cypher `{verb.upper()}`"
        return from_sql(text)
    if at >= _BLANKS or text.startswith("/*!", at):
        kind, why = from_sql(text)
        return kind or "write", why or "padded query"
    if loud and any(first in verbs.split() for _, verbs in _SQL):
        return from_sql(text)
    if first not in _SQL_STARTS:
        return "", ""
    # English begins with `update` or `create`, but not with a comment or `;`, and seldom with `select`.
    return from_sql(text, shaped=first != "select" and not text[:at].strip())


def from_sql(text: str, shaped: bool = False) -> tuple[str, str]:
    """The strictest statement in lower-cased SQL. `shaped`: a keyword counts only with its follower."""
    for kind, verbs in _SQL:
        for verb in verbs.split():
            at = _bare(text, verb)
            if shaped and verb == "update" and text.find("set", max(at, 0)) < 0:
                continue
            for _ in range(_ODD_HITS):
                if at < 0 or _counts(text, verb, at, shaped):
                    break
                at = _bare(text, verb, at + 1)
            if at >= 0:
                return kind, f"SQL `{verb.upper()}`"
    return "", ""


def _counts(text: str, verb: str, at: int, shaped: bool) -> bool:
    if verb in _SQL_OPENERS:
        gap = text[max(0, at - 64) : at]
        before = gap.rstrip()
        return before[-1:] in ("", ";", "/") or ("\n" in gap[len(before) :] and before[-1] != ",")
    if not shaped or verb == "update":
        return True
    after = text[at + len(verb) : at + len(verb) + 64].lstrip()
    return after[:1] in ("", "(") or after[:2] in ("/*", "--") or _word(after, 0) in _SQL_NEXT.get(verb, ())


def _bare(text: str, verb: str, at: int = 0) -> int:
    """Where `verb` stands as a word of its own, not as `'verb'`, `x.verb` or `verb(`; -1 if nowhere.

    Text in quotes and comments is not left out: dialects end them differently, and MySQL runs some comments.
    """
    size = len(verb)
    at = text.find(verb, at)
    for _ in range(_FALSE_HITS):
        if at < 0:
            break
        before, after = text[at - 1] if at else " ", text[at + size : at + size + 2]
        quoted = before in "'\"`" and before == after[:1]
        if not quoted and _ends(after, verb) and _begins(before, text[at - 2 : at - 1]):
            break
        at = text.find(verb, at + 1)
    return at


def _ends(after: str, verb: str) -> bool:
    char = after[:1]
    if char in ("-", "/"):
        return after in ("--", "/*")
    if char == "(":
        return verb.startswith("exec")
    return not (char.isalnum() or char in ("_", ".", ",", "=", "%", ")"))


def _begins(before: str, earlier: str) -> bool:
    """Digits may touch a keyword: `SELECT 1DROP` and `1.DROP` are two words to some servers."""
    return not (before.isalpha() or before in "_@$%" or (before == "." and not earlier.isdigit()))


def _skip(text: str) -> int:
    """The first place that is neither blank, `;`, `(` nor in a comment; padding is not followed."""
    at = 0
    while at < min(len(text), _BLANKS):
        if text.startswith("/*", at) and not text.startswith("/*!", at):
            end = text.find("*/", at)
            at = end + 2 if end >= 0 else len(text)
        elif text.startswith(("--", "#"), at):
            end = text.find("\n", at)
            at = end + 1 if end >= 0 else len(text)
        elif text[at].isspace() or text[at] in ";(":
            at += 1
        else:
            break
    return at


def _word(text: str, at: int) -> str:
    end = at
    while end - at < 32 and text[end : end + 1].isalpha():
        end += 1
    return text[at:end]
