"""Converts another tool's policy into a policy.toml, with a list of what could not be expressed."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mcpgov.errors import PolicyError
from mcpgov.policy.build import build, read_layer
from mcpgov.policy.draft import ERROR, Draft, PolicyProblem
from mcpgov.policy.files import Document, read_text
from mcpgov.policy.formats.named import MATCH
from mcpgov.policy.formats.ordered import LISTS


def convert(path: Path, action: str = "allow") -> tuple[str, list[str]]:
    """The text, and what is lost. An unreadable file raises; a readable one always gives a text."""
    if path.suffix == ".cel":
        return _cel(path, action)
    if path.suffix in (".yaml", ".yml"):
        raise PolicyError(f"`{path}`: YAML is not read", hint="save the CEL expression alone in a .cel file")
    layer = read_layer(path, safe=False)
    main = layer.main
    compiled = build([layer])
    problems = [problem for problem in compiled.problems if problem.file == main.diag.file]
    lost = [_comment(problem) for problem in problems if problem.level == ERROR]
    kept = [f"# {_comment(problem)}" for problem in problems]
    head = [f"# imported from {_printable(path.name)}", *kept, "", f"default = {_toml(compiled.default)}"]
    # Included files stay where they are: their rules come before all others, which one file cannot express.
    drafts = [draft for draft in compiled.drafts if draft.file == main.diag.file]
    wide = _widened(drafts, [problem.line for problem in problems if problem.level == ERROR])
    drafts = [replace(draft, enabled=draft.enabled and draft.id not in wide) for draft in drafts]
    head[1:1] = [f"# `{_printable(name)}` would allow more than its source, so it is switched off" for name in wide]
    text = "\n".join([*head, *_options(main), *_body(drafts, main.is_json)]) + "\n"
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise PolicyError(f"`{path}` holds half a surrogate pair, which TOML cannot say")
    return text, lost


def _widened(drafts: Sequence[Draft], lost: Sequence[int]) -> list[str]:
    """Names of allow rules that have lost a part: without it they may match more than intended."""
    starts = sorted(draft.line for draft in drafts)
    cut = {max((start for start in starts if start <= line), default=0) for line in lost}
    return [draft.id for draft in drafts if draft.line in cut and draft.action in ("allow", "log")]


def _options(main: Document) -> list[str]:
    """The options of the file, as TOML."""
    options = main.options
    base = main.path.absolute().parent
    include = [str(base / os.path.expanduser(pattern)) for pattern in options.include]
    flat = {"include": include, "deny_as": options.deny_as}
    out = [f"{key} = {_toml(value)}" for key, value in flat.items() if value]
    out += ["protect = false"] if options.protect is False else []
    out += ["protect_shell = false"] if options.protect_shell is False else []
    out += ["", "[methods]", f"allow = {_toml(options.methods_allow)}"] if options.methods_allow else []
    out += ["", "[aliases]"] if options.aliases else []
    out += [f"{_key(name)} = {_toml(service)}" for name, service in options.aliases.items()]
    for name in {**options.hubs, **options.server_deny_as}:
        table = {"services": options.hubs.get(name), "deny_as": options.server_deny_as.get(name)}
        out += ["", f"[server.{_key(name)}]", *(f"{key} = {_toml(value)}" for key, value in table.items() if value)]
    tools = [f"pin = {_toml(options.pin)}"] if options.pin else []
    tools += ["hide_denied = false"] if options.hide_denied is False else []
    out += ["", "[tools]", *tools] if tools else []
    out += ["", "[metadata]"] if options.metadata else []
    return out + [f"{_key(name)} = {_toml(value)}" for name, value in options.metadata.items()]


def _body(drafts: Sequence[Draft], from_json: bool) -> list[str]:
    """Each rule in its own dialect, which keeps the order; JSON rules have reasons, so they become `[[rule]]`."""
    out: list[str] = []
    service = ""
    for at, draft in enumerate(drafts):
        if draft.dialect == "named":
            out.append(_named(draft, at))
        elif draft.dialect == "ordered" or from_json:
            out.append(_rule(draft))
        elif not draft.description:
            name, _, operation = draft.id.removeprefix("services.").rpartition(".")
            out += [] if name == service else ["", f"[services.{_key(name)}]"]
            service = name
            out.append(f"{_key(operation)} = {_toml(draft.action)}")
    return out


def _comment(problem: PolicyProblem) -> str:
    return _printable(f"line {problem.line}: {problem.message}")


def _printable(text: str) -> str:
    """Safe in a comment: a line end in it would begin a line of policy."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _cel(path: Path, action: str) -> tuple[str, list[str]]:
    from mcpgov.guards.cel import CelError, prepare

    source = read_text(path, safe=False).strip()
    try:
        prepare(source)
    except CelError as error:
        raise PolicyError(f"`{path}`: {error}") from None
    rule = f"[[rule]]\nname = {_toml(path.stem)}\naction = {_toml(action)}\nwhen = {_toml(source)}\n"
    return f'# imported from {_printable(path.name)}\n\ndefault = "deny"\n\n{rule}', []


def _rule(draft: Draft) -> str:
    lines = ["", "[[rule]]", f"name = {_toml(draft.id)}", f"action = {_toml(draft.action)}"]
    lines += [f"{key} = {_toml(draft.matchers[key])}" for key in LISTS if key in draft.matchers]
    args = draft.matchers.get("args", [])
    assert isinstance(args, list)
    for keys, wanted in args:
        lines.append(f"args.{'.'.join(_key(key) for key in keys)} = {_toml(wanted)}")
    lines += ["covers = true"] if draft.matchers.get("covers") else []
    if "when" in draft.matchers:
        lines.append(f"when = {_toml(draft.matchers['when'])}")
    return "\n".join(lines + _about(draft))


def _named(draft: Draft, priority: int) -> str:
    name = _key(draft.id)
    lines = [
        "",
        f"[rules.{name}]",
        f"action = {_toml(draft.action)}",
        f"priority = {priority}",
        *_about(draft),
    ]
    lines.append(f"[rules.{name}.match]")
    lines += [f"{word} = {_toml(draft.matchers[key])}" for word, key in MATCH.items() if key in draft.matchers]
    return "\n".join(lines + ([] if draft.matchers else ["any = true"]))


def _about(draft: Draft) -> list[str]:
    about = {"message": draft.message, "description": draft.description, "expires": draft.expires}
    out = [f"{key} = {_toml(value)}" for key, value in about.items() if value]
    return out + ([] if draft.enabled else ["enabled = false"])


def _key(key: str) -> str:
    return key if key.isascii() and key.replace("_", "").replace("-", "").isalnum() else _toml(key)


def _toml(value: object) -> str:
    """A value as TOML. JSON strings are TOML strings, but for DEL and escaped pairs."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
