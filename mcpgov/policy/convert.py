"""Another tool's policy -> a policy.toml of ordered rules, and a list of what could not be expressed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from mcpgov.errors import PolicyError
from mcpgov.policy.build import build, read_layer
from mcpgov.policy.draft import ERROR, Draft, Problem
from mcpgov.policy.files import read_text
from mcpgov.policy.formats.named import MATCH
from mcpgov.policy.formats.ordered import LISTS


def convert(path: Path, action: str = "allow") -> tuple[str, list[str]]:
    """The text and what is lost. An unreadable file raises; a readable one always gives something."""
    if path.suffix == ".cel":
        return _cel(path, action)
    if path.suffix in (".yaml", ".yml"):
        raise PolicyError(f"`{path}`: YAML is not read", hint="save the CEL expression alone in a .cel file")
    compiled = build([read_layer(path, safe=False)])
    lost = [_said(problem) for problem in compiled.problems if problem.level == ERROR]
    kept = [f"# {_said(problem)}" for problem in compiled.problems]
    head = [f"# imported from {path.name}", *kept, "", f"default = {_toml(compiled.default)}"]
    body = _body(compiled.drafts, path.suffix == ".json")
    return "\n".join([*head, *body]) + "\n", lost


def _body(drafts: Sequence[Draft], from_json: bool) -> list[str]:
    """Each rule in its own dialect, so that the order stays; JSON rules carry reasons, so they become ordered ones."""
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


def _said(problem: Problem) -> str:
    return f"line {problem.line}: {problem.message}"


def _cel(path: Path, action: str) -> tuple[str, list[str]]:
    from mcpgov.guards.cel import CelError, prepare

    source = read_text(path, safe=False).strip()
    try:
        prepare(source)
    except CelError as error:
        raise PolicyError(f"`{path}`: {error}") from None
    rule = f"[[rule]]\nname = {_toml(path.stem)}\naction = {_toml(action)}\nwhen = {_toml(source)}\n"
    return f'# imported from {path.name}\n\ndefault = "deny"\n\n{rule}', []


def _rule(draft: Draft) -> str:
    lines = ["", "[[rule]]", f"name = {_toml(draft.id)}", f"action = {_toml(draft.action)}"]
    lines += [f"{key} = {_toml(draft.matchers[key])}" for key in LISTS if key in draft.matchers]
    args = draft.matchers.get("args", [])
    assert isinstance(args, list)
    for keys, wanted in args:
        lines.append(f"args.{'.'.join(_key(key) for key in keys)} = {_toml(wanted)}")
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
    """A string or list of strings as TOML. JSON strings are TOML strings, but for DEL and surrogates."""
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return json.dumps(value).replace("\x7f", "\\u007f")
