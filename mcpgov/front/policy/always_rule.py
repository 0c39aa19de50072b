"""A rule for calls that a person allows always: written directly above the rule that asked.

Laws: every other character of the file stays; the rule lets pass the call it was written for, or is not written; never
into the managed layer nor against it; no rule that holds calls back and stands above the one that asked loses its say.
A rule of another dialect, or the default, is preceded by all `[[rule]]`: then the new one comes last among those of
the same file, for the operations that were asked about only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mcpgov import tool_store
from mcpgov.core.approvals.grants import DEFAULT, EXACT, FOLDER
from mcpgov.core.decision import ALLOW
from mcpgov.core.rules.call import Call, call_of
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.rule import Rule, Setting
from mcpgov.daemon.approvals.choices import ALWAYS, COMMAND, Choice, objection
from mcpgov.daemon.approvals.question import Question
from mcpgov.errors import McpgovError
from mcpgov.front.context import Context, Rules, today
from mcpgov.front.policy import new_rule
from mcpgov.front.policy.new_rule import Asked, line_of, managed_files, place_of, policy_file
from mcpgov.front.policy.policy_write import write_included, write_policy
from mcpgov.front.policy.rule_text import MARK, Addition, Args, added, free_name, key_text, quoted
from mcpgov.policy.draft import Draft
from mcpgov.policy.files import read_text
from mcpgov.policy.source_lines import toml_lines

BY_HAND = "allow it for a time instead, or write the rule by hand"
ORDERED = "ordered"


def always(question: Question, scope: str, context: Context) -> Addition:
    """The rule and the policy with it, to be shown before it is written. Raises McpgovError where it cannot be."""
    why = objection(Choice(True, ALWAYS, scope), question, COMMAND)
    if why:
        raise McpgovError(why, hint=BY_HAND)
    rules = context.rules(None)
    asking = _asking(question, rules)
    file = Path(asking.file) if asking is not None else policy_file(context)
    _check_file(file, context)
    call = _call(question, context)
    _check_above(question, scope, rules, asking, str(file), call)
    name = free_name(f"allow-{question.server}-{question.target}", {draft.id for draft in rules.compiled.drafts})
    read_text(file)  # refused where others may write it
    before = file.read_bytes().decode("utf-8")
    pairs = _pairs(question, scope, name, asking)
    note = f"# approved on {today()}, decision {question.number}"
    above = asking if asking is not None and asking.dialect == ORDERED else None
    made = _inserted(file, before, name, note, pairs, above, rules)
    asked = Asked(ALLOW, question.server, question.target)
    return replace(made, overtakes=tuple(new_rule.overtaken(asked, rules, call, made.above)) if scope != EXACT else ())


def write(made: Addition, question: Question, context: Context) -> None:
    """Put it in place. Raises McpgovError where the call would not pass by it; then nothing is changed."""
    if str(made.file) == str(policy_file(context)):
        write_policy(made, lambda trial: _decides(made, question, context, str(trial)))
    else:
        write_included(made, lambda: _decides(made, question, context, None))


def _decides(made: Addition, question: Question, context: Context, policy: str | None) -> None:
    found = context.rules(policy).ruleset.decide(_call(question, context), today())
    if found.rule != made.name or found.action != ALLOW:
        by = f"`{found.rule}`" if found.rule else "the default"
        raise McpgovError(f"the rule would change nothing: {by} still decides ({found.action}); nothing was written")


# --- its place


def _asking(question: Question, rules: Rules) -> Draft | None:
    """The rule that asked, as it is in the policy now; None: the default did."""
    if question.asked_by == DEFAULT:
        return None
    found = [draft for draft in rules.compiled.drafts if draft.id == question.asked_by and draft.file == question.file]
    if not found:
        raise McpgovError(f"rule `{question.asked_by}` is no longer in `{question.file}`", hint="try the call again")
    return found[0]


def _check_file(file: Path, context: Context) -> None:
    if str(file) in managed_files(context):
        raise McpgovError(f"`{file}` is the administrator's policy", hint="ask whoever manages this machine")
    if file.suffix == ".json":
        hint = f"`mcpgov policy import` makes a policy.toml of it; or {BY_HAND}"
        raise McpgovError(f"`{file}` has no rules for single tools", hint=hint)


def _check_above(question: Question, scope: str, rules: Rules, asking: Draft | None, file: str, call: Call) -> None:
    """INVARIANT: what holds calls back and stands between the new rule and the one that asked has nothing to say of
    the calls that the new rule lets pass."""
    ruleset = rules.ruleset
    service, reader = ruleset.service_of(call), Reader(ruleset.world)
    for rule in _between(rules, asking, file):
        setting = Setting(reader, today(), service)
        other = rule.operation and rule.operation.isdisjoint(question.operations)
        if not rule.lenient or other or rule.static_mismatch(call, setting):
            continue
        settings = [Setting(reader, today(), service, operation) for operation in question.operations]
        if scope == EXACT and all(rule.mismatch(call, each) for each in settings or [setting]):
            continue
        told = f"rule `{rule.id}` ({rule.data['file']}:{rule.data['line']}) stands above and would lose its say"
        raise McpgovError(told, hint="--exact, or " + BY_HAND)


def _between(rules: Rules, asking: Draft | None, file: str) -> Iterator[Rule]:
    """The rules that come after the new one and before the one that asked."""
    if asking is not None and asking.dialect == ORDERED:
        return
    passed = False
    kinds = {(draft.file, draft.line, draft.id): draft.dialect for draft in rules.compiled.drafts}
    for rule in rules.ruleset:
        key = str(rule.data["file"]), line_of(rule), rule.id
        if asking is not None and key == (asking.file, asking.line, asking.id):
            return
        passed = passed or (key[0] == file and kinds[key] != ORDERED)
        if passed:
            yield rule


def _inserted(
    file: Path, before: str, name: str, note: str, pairs: list[tuple[str, str]], above: Draft | None, rules: Rules
) -> Addition:
    body = before.removeprefix(MARK)
    at = place_of(body, rules.compiled.drafts, str(file), above)
    ident = above.id if above is not None else ""
    text = "\n".join([note, "[[rule]]", *(f"{key} = {value}" for key, value in pairs)]) + "\n"
    if ("rule", 0) in (lines := toml_lines(body)) and not _is_table(body, lines["rule", 0]):
        # `rule = [{…}, {…}]`: an item of its own line, above that of the rule that asked.
        item = ", ".join(f"{key} = {value}" for key, value in pairs)
        text = f"{note}\n{{ {item} }},\n"
        return added(file, before, name, text, ident, at, gap=False)
    return added(file, before, name, text, ident, at)


def _is_table(text: str, line: int) -> bool:
    return text.split("\n")[line - 1].lstrip().startswith("[[")


# --- its text


def _pairs(question: Question, scope: str, name: str, asking: Draft | None) -> list[tuple[str, str]]:
    pairs = [("name", quoted(name)), ("action", quoted(ALLOW)), ("server", quoted(_literal(question.server)))]
    if question.method == "tools/call":
        pairs.append(("tool", quoted(_literal(question.target))))
    elif question.method == "prompts/get":
        pairs.append(("prompt", quoted(_literal(question.target))))
    elif "uri" in (question.args or {}) and len(question.args or {}) == 1:
        pairs += [
            ("method", quoted(question.method)),
            ("resource", quoted(_literal(str((question.args or {})["uri"])))),
        ]
        return pairs
    else:
        raise McpgovError(f"no rule can name one `{question.method}`", hint=BY_HAND)
    if scope != EXACT and question.operations and _by_operation(asking):
        pairs.append(("operation", f"[{', '.join(map(quoted, question.operations))}]"))
    for path, patterns in _folders(question) if scope == FOLDER else ():
        pairs.append((f"args.{'.'.join(map(key_text, path))}", f"[{', '.join(map(quoted, patterns))}]"))
    if scope == EXACT:
        pairs.append(("when", _expression(question.args or {})))
    return pairs


def _by_operation(asking: Draft | None) -> bool:
    """Was the call judged by what it does? Then the rule is for that, not for whatever the tool may do."""
    return asking is None or asking.dialect != ORDERED or "operation" in asking.matchers


def _literal(text: str) -> str:
    """A pattern has no way to say that a `*` is meant as such."""
    if "*" in text or "?" in text:
        raise McpgovError(f"`{text}` cannot be named by a rule: it would match others as well", hint=BY_HAND)
    return text


def _folders(question: Question) -> Args:
    found: dict[tuple[str, ...], list[str]] = {}
    for keys, pattern in question.folders:
        found.setdefault(keys, []).append(pattern)
    return tuple((keys, tuple(patterns)) for keys, patterns in found.items())


def _expression(args: dict[str, object]) -> str:
    """These arguments and no others, as CEL."""
    source = f"args == {json.dumps(args, ensure_ascii=False)}"
    plain = source.isprintable() and "'" not in source
    return f"'{source}'" if plain else quoted(source)


def _call(question: Question, context: Context) -> Call:
    """The call that was asked about; without its arguments one like it, in the same folders."""
    args = question.args
    if args is None:
        args = {}
        for keys, pattern in question.folders:
            inner = args
            for key in keys[:-1]:
                deeper = inner.setdefault(key, {})
                assert isinstance(deeper, dict)
                inner = deeper
            inner[keys[-1]] = pattern.removesuffix("**") + "x"
    seen = tool_store.load(str(context.places.tools), question.server)
    tool = question.target
    hints = tool_store.hints(seen, tool) if seen is not None and tool in seen.names else None
    params: dict[str, object] = {"name": tool, "arguments": args} if tool else args
    return call_of(question.method, params, question.server, question.client, "", None, hints)
