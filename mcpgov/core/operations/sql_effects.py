"""What an SQL text does: its strictest statement -> operation. Pure.

Law: every text is read whole with linear searches, so padding hides nothing; a statement or a function that is not
known to read is no read; in doubt the stricter answer.
"""

from __future__ import annotations

from mcpgov.core.operations import sql_words as w
from mcpgov.core.operations.tool_names import RANK

MOST_BLANKS = 4096  # more blanks or comments than this before a statement are padding, not English
# After so many words that only look like a keyword, the next counts as one: strict, and the cost stays linear.
FALSE_HITS = 50_000
ODD_HITS = 2_000
# No person's reading query has more statements, literals or brackets.
_MOST_PARTS = 20_000
CHANGING = frozenset(verb for _, verbs in w.CHANGES for verb in verbs.split())


def from_sql(text: str, shaped: bool = False, tight: bool = False) -> tuple[str, str]:
    """The strictest statement in lower-cased SQL; `execute` for one that is not known to read.

    `shaped`: a keyword counts only with its follower; `tight`: a bracket makes a function only where it touches one.
    """
    kind, why = changing_keyword(text, shaped)
    if kind in ("execute", "admin"):
        return kind, why
    bare = _without_literals(text)
    if bare.count(";") > _MOST_PARTS or bare.count("(") > _MOST_PARTS:
        return "execute", "SQL too long to be known to read"
    if "\\" in bare and _has_client_command(bare):
        return "execute", "SQL followed by a command of its client"
    for statement in bare.split(";"):
        if statement and not statement.isspace():
            other, reason = _not_known_to_read(statement.strip(), bool(kind), tight)
            if other and (not kind or RANK[other] > RANK[kind]):
                kind, why = other, reason
    return kind, why


def _has_client_command(bare: str) -> bool:
    """`\\! id`, `SELECT 1 \\g | sh`: psql and mysql take a back slash for a command of theirs anywhere."""
    parts = bare.split("\\")
    for at in range(1, len(parts)):
        before, after = parts[at - 1][-1:], parts[at][:1]
        if (not before or before.isspace() or before == ";") and (after.isalpha() or after == "!"):
            return True
    return False


def changing_keyword(text: str, shaped: bool = False) -> tuple[str, str]:
    """The strictest keyword that changes something, also in quotes and comments: dialects end those differently."""
    if not shaped and (verb := admin_statement(text)):
        return "admin", f"SQL `{verb.upper()}`"
    for kind, verbs in w.CHANGES:
        for verb in verbs.split():
            at = find_keyword(text, verb)
            if shaped and verb == "update" and text.find("set", max(at, 0)) < 0:
                continue
            for _ in range(ODD_HITS):
                if at < 0 or _is_statement_keyword(text, verb, at, shaped):
                    break
                at = find_keyword(text, verb, at + 1)
            if at >= 0:
                program = verb == "copy" and find_keyword(text, "program", at) >= 0
                return ("execute" if program else kind), f"SQL `{verb.upper()}`"
    return "", ""


def admin_statement(text: str) -> str:
    """The words of a statement on users or the system (`create user`, `alter system`); empty: there is none."""
    for verb in ("create", "alter"):
        at = find_keyword(text, verb)
        for _ in range(ODD_HITS):
            if at < 0:
                break
            following = text[at + len(verb) : at + len(verb) + 64].removeprefix(" or replace").split(None, 1)[:1]
            if following and following[0] in w.GOVERNED:
                return f"{verb} {following[0]}"
            at = find_keyword(text, verb, at + 1)
    return ""


def deletes(text: str) -> bool:
    """Does lower-cased SQL delete something besides what makes it stricter than that?"""
    return any(find_keyword(text, verb) >= 0 for kind, verbs in w.CHANGES if kind == "delete" for verb in verbs.split())


def _not_known_to_read(statement: str, changes: bool, tight: bool) -> tuple[str, str]:
    """(operation, why) of a statement without literals that is not known to read; `changes`: its keyword is judged."""
    at = skip_blanks(statement)
    first = word_at(statement, at)
    rest = statement[at + len(first) :]
    if first == "set":
        lasting = rest[:64].split(None, 1)[:1]
        strict = lasting and lasting[0].strip("@.") in w.LASTING
        return ("admin" if strict or "@@" in rest[:16] else "write"), "SQL `SET`"
    if first == "pragma":
        return _from_pragma(rest)
    if first == "use" and len(rest.split(None, 3)) < 3:
        return "", ""
    if first in w.TRANSACTION and len(rest) < 256 and all(part.strip(",") in w.TRANSACTION for part in rest.split()):
        return "", ""
    if first in ("explain", "analyze", "analyse", "describe", "desc"):
        return _from_explained(rest, first, changes, tight)
    if first == "comment":
        return "write", "SQL `COMMENT`"
    if first not in w.READS and not (changes and first in CHANGING):
        return "execute", f"SQL `{first.upper() or statement.strip()[:16]}` is not known to read"
    return _from_functions(statement, tight)


def _from_explained(rest: str, first: str, changes: bool, tight: bool) -> tuple[str, str]:
    """`EXPLAIN ANALYZE x` runs x; `DESCRIBE x` and `ANALYZE x` are about a table."""
    statement = explained_words(rest[:512])
    if first == "analyze":
        return "write", "SQL `ANALYZE`"
    if statement and statement[0] in w.READS | CHANGING | {"set", "pragma"}:
        return _not_known_to_read(rest[rest.index(statement[0]) :], changes, tight)
    if first in ("describe", "desc") or len(statement) < 2:
        return "", ""
    return "execute", "SQL `EXPLAIN` of what is not known to read"


def explained_words(rest: str) -> list[str]:
    """The words behind `explain` and its options."""
    words = rest.replace("(", " ").replace(")", " ").replace(",", " ").split()
    return [word for word in words if word.partition("=")[0] not in w.EXPLAINS]


def _from_pragma(rest: str) -> tuple[str, str]:
    name = rest.strip().rpartition(".")[2]
    bare = name.partition("(")[0].strip()
    if "=" not in rest and (bare in w.PRAGMAS or (bare in w.ASKED and "(" not in rest)):
        return "", ""
    return "admin", "SQL `PRAGMA`"


def _from_functions(statement: str, tight: bool) -> tuple[str, str]:
    """A function that is not known to read: whatever touches an opening bracket and is no keyword."""
    at = statement.find("(")
    while at >= 0:
        end = at
        while end and statement[end - 1].isspace() and at - end < 64:
            end -= 1
        if not (tight and end < at):
            name = _name_before(statement, end)
            if name and not _is_known(name, statement, end) and not statement.startswith("(nolock)", at):
                return "execute", f"SQL function `{name[:64]}` is not known to read"
        at = statement.find("(", at + 1)
    return "", ""


def _name_before(statement: str, end: int) -> str:
    """The name, with its schema, that ends there; a quoted one as it is written."""
    start = end
    while start and end - start < 256 and (statement[start - 1].isalnum() or statement[start - 1] in '_.$#@"`[]'):
        start -= 1
    return statement[start:end]


def _is_known(name: str, statement: str, end: int) -> bool:
    before = statement[max(0, end - len(name) - 64) : end - len(name)].split()[-1:]
    if before and (before[0] in w.NAMING or (before[0] == "on" and statement.startswith("create"))):
        return True
    schema, _, last = name.rpartition(".")
    if schema and schema.strip('"`[]') not in w.SCHEMAS:
        return name.startswith(w.CYPHER_READS)
    if last in w.RUNNING:
        return False
    return last in w.KEYWORDS or last in w.FUNCTIONS or last.startswith(w.PREFIXES) or last[:1].isdigit()


def _without_literals(text: str) -> str:
    """The text without literals and comments, as far as every dialect ends them at the same place."""
    out: list[str] = []
    marks = {"'": -2, '"': -2, "--": -2, "/*": -2}
    at = 0
    for _ in range(_MOST_PARTS):
        for mark, place in marks.items():
            if place != -1 and place < at:
                marks[mark] = text.find(mark, at)
        start = min((place for place in marks.values() if place >= 0), default=-1)
        end = _literal_end(text, start) if start >= 0 else -1
        if end < 0:
            break
        out.append(text[at:start])
        out.append(" " if text[start] in "-/" else text[start] * 2)
        at = end
    out.append(text[at:])
    return "".join(out)


def _literal_end(text: str, start: int) -> int:
    """Where a literal or comment ends; -1 where servers may differ."""
    if text.startswith("--", start):
        if text[start + 2 : start + 3].strip():
            return -1  # two minus signs in MySQL, not a comment
        line = text.find("\n", start)
        line = len(text) if line < 0 else line
        early = text.find("\r", start, line)
        return line if early < 0 else early
    if text.startswith("/*", start):
        end = text.find("*/", start + 2)
        return -1 if end < 0 or text.startswith("/*!", start) or text.find("/*", start + 2, end) >= 0 else end + 2
    end = text.find(text[start], start + 1)
    return -1 if end < 0 or text[end - 1] == "\\" else end + 1


def _is_statement_keyword(text: str, verb: str, at: int, shaped: bool) -> bool:
    if verb in w.OPENERS and not _is_lone(text, verb, at):
        gap = text[max(0, at - 64) : at]
        before = gap.rstrip()
        return before[-1:] in ("", ";", "/") or ("\n" in gap[len(before) :] and before[-1] != ",")
    if not shaped or verb == "update":
        return True
    after = text[at + len(verb) : at + len(verb) + 64].lstrip()
    return after[:1] in ("", "(") or after[:2] in ("/*", "--") or word_at(after, 0) in w.NEXT.get(verb, ())


def _is_lone(text: str, verb: str, at: int) -> bool:
    """T-SQL needs no `;` before the next statement: `SELECT 1 KILL 53`."""
    rest = text[at + len(verb) : at + len(verb) + 64].strip()
    return (verb == "kill" and rest[:1].isdigit()) or (verb == "shutdown" and rest in ("", ";", "with nowait"))


def find_keyword(text: str, verb: str, at: int = 0) -> int:
    """The next place of `verb` as a word of its own, not as `'verb'`, `x.verb` or `verb(`; -1: there is none.

    Quotes and comments are searched too: dialects end them differently, and MySQL runs some comments.
    """
    size = len(verb)
    at = text.find(verb, at)
    for _ in range(FALSE_HITS):
        if at < 0:
            break
        before, after = text[at - 1] if at else " ", text[at + size : at + size + 2]
        quoted = before in "'\"`" and before == after[:1]
        if not quoted and _ends_keyword(after, verb) and _begins_keyword(before, text[at - 2 : at - 1]):
            break
        at = text.find(verb, at + 1)
    return at


def _ends_keyword(after: str, verb: str) -> bool:
    char = after[:1]
    if char in ("-", "/"):
        return after in ("--", "/*")
    if char == "(":
        return verb.startswith("exec")
    return not (char.isalnum() or char in ("_", ".", ",", "=", "%", ")"))


def _begins_keyword(before: str, earlier: str) -> bool:
    """Digits may touch a keyword: `SELECT 1DROP` and `1.DROP` are two words to some servers."""
    return not (before.isalpha() or before in "_@$%" or (before == "." and not earlier.isdigit()))


def skip_blanks(text: str) -> int:
    """The first place that is neither blank, `;`, `(` nor in a comment, up to MOST_BLANKS characters."""
    at = 0
    while at < min(len(text), MOST_BLANKS):
        if text.startswith("/*", at) and not text.startswith("/*!", at):
            end = text.find("*/", at)
            at = end + 2 if end >= 0 else len(text)
        elif text.startswith(("--", "#"), at):
            end = text.find("\n", at)
            at = end + 1 if end >= 0 else len(text)
        elif text[at].isspace() or text[at] in ";(\ufeff":
            at += 1
        else:
            break
    return at


def word_at(text: str, at: int) -> str:
    end = at
    while end - at < 32 and (text[end : end + 1].isalpha() or text[end : end + 1] == "_"):
        end += 1
    return text[at:end]
