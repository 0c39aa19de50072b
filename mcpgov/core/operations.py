"""Which operation a tool is: read, write, delete, execute, admin or unknown. Pure: no I/O.

Law: whatever is added (arguments, annotations, the values of a call) only makes the answer stricter.
`read` is for what only looks; a name that is not understood is `unknown`, never `read`.
"""

from __future__ import annotations

from mcpgov.core import vocabulary as v

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OPERATIONS = ("read", "write", "delete", "execute", "admin", "unknown")
_RANK = {name: rank for rank, name in enumerate(OPERATIONS)}
_LONGEST_NAME = 256
_DIGITS = "0123456789"
_BLANKS = 4096  # more blank or comment before a statement than this is padding, not English
# A keyword met so often without being one is taken for one: strict, and the cost stays linear.
_FALSE_HITS = 50_000
_ODD_HITS = 2_000


def words(name: str) -> list[str]:
    """Split at all but letters and digits, at aB and at ABc; digits stay with the letters before them."""
    found: list[str] = []
    start = -1
    for at, char in enumerate(name):
        if not char.isalnum():
            if start >= 0:
                found.append(name[start:at].lower())
            start = -1
        elif start < 0:
            start = at
        elif char.isupper():
            before = name[at - 1]
            if not before.isupper() or name[at + 1 : at + 2].islower():
                found.append(name[start:at].lower())
                start = at
    if start >= 0:
        found.append(name[start:].lower())
    return found


def classify(
    tool: str,
    arguments: Iterable[str] = (),
    annotations: dict[str, object] | None = None,
    server: str = "",
) -> tuple[str, str]:
    """The operation and, in a few words, why."""
    if len(tool) > _LONGEST_NAME:
        return "unknown", "name too long"
    tails = _tails(arguments)
    operation, why = _from_name(_tokens(tool), frozenset(words(server[:_LONGEST_NAME])), tails)
    if operation == "read" and (name := _telling(tails, why)):
        operation, why = "write", f"{why} raised by argument `{name}`"
    return _annotated(operation, why, annotations)


def _annotated(operation: str, why: str, annotations: dict[str, object] | None) -> tuple[str, str]:
    # A server's word about itself is no ground for trust, only for doubt: hints never loosen.
    if operation == "read" and isinstance(annotations, dict):
        if annotations.get("destructiveHint") is True:
            return "write", f"{why} raised by annotation destructiveHint"
        if annotations.get("readOnlyHint") is False:
            return "write", f"{why} raised by annotation readOnlyHint"
    return operation, why


def _tails(arguments: Iterable[str]) -> dict[str, None]:
    """Of each argument its last word and the whole without separators; `>name` for a file to be written."""
    tails: dict[str, None] = {}
    for name in arguments:
        if isinstance(name, str) and len(name) <= _LONGEST_NAME and (parts := words(name)):
            if parts[-1] not in ("code", "action"):  # `errorCode`, `next_action`
                tails[parts[-1]] = None
            tails["".join(parts)] = None
            if parts[0] in v.OUTPUT and not v.PLACE.isdisjoint(parts[1:]):
                tails[">" + name] = None
    return tails


def _telling(tails: dict[str, None], why: str) -> str:
    """The argument that gives away a change under a reading name, or nothing."""
    verb = why[6:-1] if why.startswith("verb `") else ""
    for name in tails:
        if name in v.SAFETY_ARGS or (name[0] == ">" and verb not in ("get", "fetch")):
            return name.lstrip(">")
        if name == "action" and verb in v.NOUNISH and verb != "list":
            return name
        if name == "filepath" and verb.startswith(("take-", "capture-")):
            return name
    return ""


def _tokens(name: str) -> list[str]:
    """The words of a name, phrases joined, version digits and glued verbs (`listissues`) taken apart."""
    tokens: list[str] = []
    for word in words(name):
        if word not in v.STRONG and word not in v.WEAK:
            word = word.rstrip(_DIGITS) or word
        if tokens and f"{tokens[-1]}-{word}" in v.PHRASES:
            tokens[-1] = f"{tokens[-1]}-{word}"
        else:
            tokens.append(word)
    if tokens and tokens[0] not in v.STRONG and tokens[0] not in v.WEAK:
        for cut in range(3, len(tokens[0]) - 2):
            if tokens[0][:cut] in v.STRONG and tokens[0][cut:] in v.NOUNS:
                tokens[:1] = [tokens[0][:cut], tokens[0][cut:]]
                break
    return tokens


def _strong(word: str) -> str:
    """Class of an always-verb, also behind un-, re-, de-, auto-: undoing a change is a change."""
    kind = v.STRONG.get(word, "")
    if kind or len(word) < 6 or word in v.NOUNS or word in v.WEAK:
        return kind
    if word.startswith("un"):
        return "write" if word[2:] in v.STRONG or word[2:] in v.WEAK else ""
    if word.startswith(("re", "de", "auto")):
        return v.STRONG.get(word[4 if word[0] == "a" else 2 :], "")
    return ""


def _from_name(tokens: list[str], server: frozenset[str], tails: dict[str, None]) -> tuple[str, str]:
    start = 0
    while start < len(tokens) - 1 and (
        tokens[start] in v.SKIP or (tokens[start] in server and not _is_lead(tokens, start))
    ):
        start += 1
    end = len(tokens)
    while end - start > 1 and tokens[end - 1] in ("tool", "mcp", "api"):
        end -= 1
    tokens = tokens[start:end]
    if not tokens:
        return "unknown", "no name"
    at, kind = _find_verb(tokens, tails)
    if kind:
        return _raise_by_words(tokens, at, kind)
    return _from_nouns(tokens, server, tails)


def _is_lead(tokens: list[str], start: int) -> bool:
    """A verb that is also in the server's name (`fetch`) stays a verb unless another one follows."""
    return bool(_strong(tokens[start])) and not _strong(tokens[start + 1])


def _find_verb(tokens: list[str], tails: dict[str, None]) -> tuple[int, str]:
    """Place and class of the verb that speaks: leading, else the first sure one, else a noun-like one."""
    lead, last = tokens[0], len(tokens) - 1
    agent = lead in v.DOUBLE and tokens[last] == "reader"  # `deploy_reader` reads
    if not agent and (kind := _strong(lead)):
        return 0, _turned(tokens, 0, kind)
    weak = v.WEAK.get(lead, "")
    for at in range(1, last + 1):
        if kind := _strong(tokens[at]):
            # `log_search_event`: behind a word that may be a verb itself, a reading verb must close the name.
            # `post` is also the HTTP method: `post_search` posts.
            if kind == "read" and weak and tokens[at] in v.NOUNISH and (at != last or lead == "post"):
                return 0, weak
            return at, _turned(tokens, at, kind)
    if last and tokens[last] in v.READ_NOUNS and not v.WRITE_ARGS & tails.keys():
        return 0, ""
    for at in (min(1, last), last, 0) if weak == "read" else (0, min(1, last), last):
        if kind := v.WEAK.get(tokens[at], ""):
            return at, _turned(tokens, at, kind)
    return 0, ""


def _turned(tokens: list[str], at: int, kind: str) -> str:
    others = tokens[at + 1 :] or tokens[:at]
    for nouns, turned in v.TURNS.get(tokens[at], ()):
        if not nouns.isdisjoint(others):
            return turned
    if tokens[at] == "evaluate" and at == len(tokens) - 1:
        return "execute"
    return kind


def _raise_by_words(tokens: list[str], at: int, kind: str) -> tuple[str, str]:
    verb, why = tokens[at], f"verb `{tokens[at]}`"
    for place in range(at + 1, len(tokens)):
        other = _strong(tokens[place])
        if not other and tokens[place - 1] in v.JOIN:
            other = v.WEAK.get(tokens[place], "")
        if other and _RANK[other] > _RANK[kind] and _joined(tokens, at, place):
            kind, why = other, f"{why} raised by verb `{tokens[place]}`"
    return _raise_by_object(tokens, at, verb, kind, why)


def _joined(tokens: list[str], at: int, place: int) -> bool:
    """Is the word at `place` a second verb of the name, not part of the first one's object?"""
    if tokens[place - 1] in v.JOIN:
        return tokens[place] in v.STRONG or place - 2 == at
    if tokens[place - 1] in v.PREPOSITIONS or tokens[at] in v.QUESTIONS:
        return False
    last, double = len(tokens) - 1, tokens[place] in v.DOUBLE
    if tokens[at] in v.NOUNISH:
        return place == last or (place == at + 1 and not double)
    return place == at + 1 == last and not double


def _raise_by_object(tokens: list[str], at: int, verb: str, kind: str, why: str) -> tuple[str, str]:
    thing: list[str] = []
    for word in tokens[at + 1 :] or tokens[:at]:
        if word in v.PREPOSITIONS:
            break
        thing.append(word)
    if kind == "read" and verb in v.REVEALS and thing and thing[-1] in v.SECRET:
        return "admin", f"{why} raised by noun `{thing[-1]}`"
    if kind == "write" and verb in v.CONTROL:
        for word in thing:
            if word in v.ACCESS or (word in v.PEOPLE and word == thing[-1]):
                return "admin", f"{why} raised by noun `{word}`"
    return kind, why


def _from_nouns(tokens: list[str], server: frozenset[str], tails: dict[str, None]) -> tuple[str, str]:
    """A name without a verb: its head noun and its arguments must both say that it only looks."""
    for name in tails:
        if name in v.CODE_ARGS:
            return "execute", f"argument `{name}`"
    head = tokens[-1]
    for name in tails:
        if name in v.WRITE_ARGS or (name in v.CHOICE_ARGS and head not in ("docs", "guide", "help")):
            return "unknown", f"no verb, argument `{name}`"
    if head in v.READ_NOUNS:
        return "read", f"noun `{head}`"
    plural = head[-1] == "s" and head[-2:] != "ss"
    known = all(word in v.NOUNS or word in server or word in v.READ_NOUNS for word in tokens[:-1])
    if plural and (known or not v.READ_ARGS.isdisjoint(tails)):
        return "read", f"plural noun `{head}`"
    return "unknown", "no known verb"


def raised(operation: str, arguments: dict[str, object]) -> tuple[str, str]:
    """What the values of a real call make of the tool's operation, and why ("" if they change nothing).

    Only upwards in read < write < delete < execute < admin. `unknown` stays unknown when the values only
    write, since it already takes the strictest verdict; it becomes delete, execute or admin when they say so.
    INVARIANT for callers: judge a call as both operations; a policy may deny `delete` and allow `execute`.
    Seen: SQL under keys that name SQL or a query, HTTP methods, action words, shell lines, output files.
    Not seen: SQL put together by the server, what functions in a SELECT do, encoded text, other languages.
    Every string is read whole with linear searches, so padding hides nothing.
    """
    best, why = "", ""
    for key, value in _texts(arguments):
        kind, reason = _from_value(key, value)
        if kind and (not best or _RANK[kind] > _RANK[best]):
            best, why = kind, reason
    floor = "write" if operation == "unknown" else operation
    if best and operation in _RANK and _RANK[best] > _RANK[floor]:
        return best, why
    return operation, ""


def _texts(arguments: object) -> Iterator[tuple[list[str], str]]:
    """Every text with the words of the nearest key above it; no recursion, so depth cannot hurt."""
    stack: list[tuple[list[str], object]] = [([], arguments)]
    while stack:
        key, value = stack.pop()
        if isinstance(value, dict):
            stack.extend((_watched(name), inner) for name, inner in value.items())
        elif isinstance(value, list):
            stack.extend((key, inner) for inner in value if key or not isinstance(inner, str))
        elif key and isinstance(value, str) and value and not value.isspace():
            yield key, value


def _watched(key: object) -> list[str]:
    """The words of a key whose text can tell an operation, else none."""
    parts = words(key[:_LONGEST_NAME]) if isinstance(key, str) else []
    return parts if parts and (parts[0] in v.OUTPUT or not v.WATCHED.isdisjoint(parts)) else []


def _from_value(key: list[str], value: str) -> tuple[str, str]:
    tail = key[-1]
    if tail in v.SHELL_KEYS:
        if value in v.FUNCTIONS:
            return _from_action(tail, value)
        return "execute", f"argument `{tail}` is a command"
    if tail in v.ACTION_KEYS:
        return _from_action(tail, value.strip())
    if not v.SQL_KEYS.isdisjoint(key):
        return _from_sql(value.lower())
    if tail in v.QUERY_KEYS:
        return _from_query(value.lower())
    if key[0] in v.OUTPUT and not v.PLACE.isdisjoint(key[1:]):
        return "write", f"argument `{'_'.join(key)}` is a file to write"
    return "", ""


def _from_action(key: str, value: str) -> tuple[str, str]:
    # A longer value is no action word: a server that compares it finds nothing either.
    tokens = _tokens(value) if len(value) <= _LONGEST_NAME else []
    if not tokens:
        return "", ""
    kind = v.HTTP.get(value.lower()) or _from_name(tokens, frozenset(), {})[0]
    return ("", "") if kind in ("read", "unknown") else (kind, f"argument `{key}` is `{value}`")


def _from_query(text: str) -> tuple[str, str]:
    """A query may be SQL, GraphQL, Cypher or plain English: only what begins like a statement is one."""
    at = _skip(text)
    first = _word(text, at)
    if first == "mutation":
        return "write", "GraphQL `mutation`"
    if first in ("match", "unwind", "optional") and "(" in text:
        for verb, kind in (("delete", "delete"), ("remove", "delete"), ("set", "write")):
            if _bare(text, verb) >= 0:
                return kind, f"Cypher `{verb.upper()}`"
        return _from_sql(text)
    if at >= _BLANKS or text.startswith("/*!", at):
        kind, why = _from_sql(text)
        return kind or "write", why or "padded query"
    if first not in v.SQL_STARTS:
        return "", ""
    # English begins with `update` or `create`, but not with a comment or `;`, and seldom with `select`.
    return _from_sql(text, shaped=first != "select" and not text[:at].strip())


def _from_sql(text: str, shaped: bool = False) -> tuple[str, str]:
    """The strictest statement in lower-cased SQL. `shaped`: a keyword counts only with its follower."""
    for kind, verbs in v.SQL:
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
    if verb in v.SQL_OPENERS:
        gap = text[max(0, at - 64) : at]
        before = gap.rstrip()
        return before[-1:] in ("", ";", "/") or ("\n" in gap[len(before) :] and before[-1] != ",")
    if not shaped or verb == "update":
        return True
    after = text[at + len(verb) : at + len(verb) + 64].lstrip()
    return after[:1] in ("", "(") or after[:2] in ("/*", "--") or _word(after, 0) in v.SQL_NEXT.get(verb, ())


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
