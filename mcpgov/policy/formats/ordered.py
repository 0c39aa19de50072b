"""Dialect 1: `[[rule]]`, ordered, first match wins."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgov.core.decision import ALLOW, LOG, REDACT
from mcpgov.core.operations.tool_names import OPERATIONS
from mcpgov.core.rules.arguments import EVERY
from mcpgov.core.rules.value_patterns import PATH, TEXT, Pattern
from mcpgov.policy.draft import Diagnostics, Draft
from mcpgov.policy.source_lines import Place

KEYS = ("rule",)
LISTS = (
    "tool", "server", "client", "project", "service", "operation", "resource", "prompt", "method", "contains",
)  # fmt: skip
ABOUT = ("name", "description", "message", "enabled", "expires")
KNOWN = ("action", "args", "when", "covers", "ask", *LISTS, *ABOUT)
# Matchers of different requests: together they can never hold.
SUBJECTS = ("tool", "resource", "prompt")


def parse(doc: Mapping[str, object], diag: Diagnostics, prefix: str = "") -> list[Draft]:
    """The rules of a document in file order; `prefix` is put before the number of a rule without a name."""
    rules = doc.get("rule", [])
    if not isinstance(rules, list):
        diag.error(("rule",), "rules are written as `[[rule]]`, with double brackets")
        return []
    drafts = [_rule(diag.table(item, ("rule", at), "a rule"), at, diag, prefix) for at, item in enumerate(rules)]
    return [draft for draft in drafts if draft is not None]


def _rule(table: dict[str, object], at: int, diag: Diagnostics, prefix: str) -> Draft | None:
    place: Place = ("rule", at)
    before = len(diag.problems)
    diag.unknown_keys(table, KNOWN, place, "a rule")
    if "action" not in table:
        diag.error(place, "a rule needs an `action`", "allow, deny, prompt, log or redact")
        return None
    action = diag.action(table["action"], (*place, "action"))
    matchers = _matchers(table, place, diag)
    if not matchers and len(diag.problems) == before:
        diag.error(place, "a rule needs at least one matcher", 'to match everything: `method = "**"`, or set `default`')
    _check_meaning(matchers, action, place, diag)
    if diag.flag(table, "covers", place, False):
        _check_covers(matchers, action, (*place, "covers"), diag)
        matchers["covers"] = True
    draft = Draft(
        id=diag.text(table, "name", place) or f"{prefix}rule-{at + 1}",
        action=action or "deny",
        file=diag.file,
        line=diag.line(place),
        matchers=matchers,
        message=diag.text(table, "message", place),
        description=diag.text(table, "description", place),
        expires=diag.date(table, "expires", place),
        enabled=diag.flag(table, "enabled", place, True),
        ask=diag.surfaces(table, place, action),
    )
    return draft if action else None


def _matchers(table: dict[str, object], place: Place, diag: Diagnostics) -> dict[str, object]:
    out: dict[str, object] = {}
    for key in LISTS:
        if key in table:
            out[key] = diag.patterns(table[key], (*place, key), f"`{key}`")
    for at, operation in enumerate(_texts(out.get("operation"))):
        diag.choice(operation, OPERATIONS, (*place, "operation", at), "operation")
    for at, text in enumerate(_texts(out.get("contains"))):
        _check_pattern(text, (*place, "contains", at), diag)
    if "args" in table:
        args = diag.table(table["args"], (*place, "args"), "`args`")
        out["args"] = _args(args, (), (*place, "args"), diag)
    if "when" in table:
        source = diag.text(table, "when", place)
        _check_when(source, (*place, "when"), diag)
        out["when"] = source
    return {key: value for key, value in out.items() if value}


def _texts(value: object) -> list[str]:
    return value if isinstance(value, list) else []


def _args(table: dict[str, object], path: tuple[str, ...], place: Place, diag: Diagnostics) -> list[object]:
    """`args.a.b` is nested, a quoted key is one name; the TOML parser has already resolved that."""
    if not table:
        diag.error(place, "`args` names no argument")
    out: list[object] = []
    for key, value in table.items():
        here, deeper = (*place, key), (*path, key)
        if "*" in key and key != EVERY:
            diag.warn(here, f"`{key}` is the name of one argument", 'a key is a name; only `"*"` alone means any')
        if isinstance(value, dict):
            out += _args(value, deeper, here, diag)
        else:
            out.append([list(deeper), diag.patterns(value, here, f"`args.{'.'.join(deeper)}`", scalars=True)])
    return out


def _check_meaning(matchers: dict[str, object], action: str | None, place: Place, diag: Diagnostics) -> None:
    """Report rules that are well-formed but cannot do what they seem to say."""
    subjects = [key for key in SUBJECTS if key in matchers]
    if len(subjects) > 1:
        diag.warn(place, f"`{subjects[0]}` and `{subjects[1]}` never belong to one request: the rule cannot match")
    if action in (ALLOW, LOG):
        for text in _relative(matchers):
            hint = "a pattern for places begins with `/`, `~/` or `file:`"
            diag.warn(place, f"`{text}` is matched as plain text: `..` and links are not resolved", hint)
    if action == REDACT and "contains" not in matchers:
        diag.error(place, "a `redact` rule needs `contains`: it says what to cut")


def _check_covers(matchers: dict[str, object], action: str | None, place: Place, diag: Diagnostics) -> None:
    """`covers` also matches directories above a pattern, so only rules that stop calls may have it."""
    if action in (ALLOW, LOG):
        diag.error(
            place, f"`covers` is for deny, prompt and redact rules: `{action}` would let more pass than it names"
        )
    args = matchers.get("args", [])
    assert isinstance(args, list)
    texts = [*_texts(matchers.get("resource")), *(text for _, wanted in args for text in wanted)]
    if not any(Pattern(text).kind == PATH for text in texts):
        hint = "a pattern for places begins with `/`, `~/` or `file:`"
        diag.error(place, "`covers` needs a pattern for places in `args` or `resource`", hint)


def _relative(matchers: dict[str, object]) -> list[str]:
    """Patterns on arguments that look like relative paths."""
    args = matchers.get("args", [])
    assert isinstance(args, list)
    texts = [text for _, wanted in args for text in wanted]
    return [text for text in texts if "/" in text and text.strip("*/?") and Pattern(text).kind == TEXT]


def _check_pattern(text: str, place: Place, diag: Diagnostics) -> None:
    if text.startswith("re:"):
        from mcpgov.guards.patterns import PatternError, compile_pattern

        try:
            compile_pattern(text[3:])
        except PatternError as error:
            diag.error(place, f"broken pattern in `contains`: {error}")


def _check_when(source: str, place: Place, diag: Diagnostics) -> None:
    from mcpgov.guards.cel import CelError, prepare

    try:
        prepare(source)
    except CelError as error:
        diag.error(place, f"broken expression in `when`: {error}")
