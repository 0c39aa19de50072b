"""A second, slow and obvious evaluator of ordered rules, written from the policy language's text alone.

It shares no code with mcpgov. Beyond the text's letter it follows the documented decisions of the core: a deny also
reads a directory with its final slash, `..` both by text and by links, JSON hidden in strings, keys of nested
objects, variables of the environment, blanks and quotes at the edges. Left to the generator to avoid: `%uXXXX`,
overlong UTF-8, `~name`, wildcards that Unicode folding would invent, texts with more than 64 readings, and
arguments that raise an operation.
"""

import json
import re
import unicodedata
from decimal import Decimal

from tests.helpers.reference_values import Wanted, any_like

GOVERNED = {
    "tools/call",
    "resources/read",
    "resources/subscribe",
    "prompts/get",
    "sampling/createMessage",
    "elicitation/create",
}
OPERATIONS = {"read_file": "read", "write_file": "write", "delete_file": "delete", "frobnicate": "unknown"}
LENIENT = ("deny", "prompt", "redact")


class Number(str):
    """A JSON number, as written."""


def load(text):
    return json.loads(text, parse_int=Number, parse_float=Number)


def scalar_texts(value, lenient):
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if not isinstance(value, Number):
        return [value]
    plain = format(Decimal(value).normalize(), "f")
    doubles = [format(Decimal(repr(float(value))).normalize(), "f")] if lenient else []
    return [str(value), plain, *doubles]


def same_number(value, pattern):
    """To a reader of doubles; texts only where the rule names a whole number."""
    if isinstance(value, bool) or not re.fullmatch(r"\d+(\.\d+)?", pattern):
        return False
    if isinstance(value, Number) or pattern.isdigit():
        try:
            return float(value) == float(pattern)
        except ValueError:
            return False
    return False


def hidden(value):
    if isinstance(value, str) and not isinstance(value, Number) and value.strip()[:1] in ("[", "{"):
        try:
            return load(value.strip())
        except ValueError:
            return None
    return None


def loose_leaves(value):
    if isinstance(value, list):
        return [leaf for item in value for leaf in loose_leaves(item)]
    if isinstance(value, dict):
        return [*value, *loose_leaves(list(value.values()))]
    return [] if value is None else [value, *loose_leaves(hidden(value))]


def below(value):
    """Every value under a key, at any depth."""
    if isinstance(value, list):
        return [found for item in value for found in below(item)]
    if isinstance(value, dict):
        return [*value.values(), *below(list(value.values()))]
    return below(hidden(value)) if hidden(value) is not None else []


def loose_find(value, path):
    if not path:
        return [value]
    if path == ["*"]:
        return [value] if isinstance(value, (dict, list)) or hidden(value) is not None else []
    if path[0] == "*":
        return [found for item in below(value) for found in loose_find(item, path[1:])]
    if isinstance(value, list):
        return [found for item in value for found in loose_find(item, path)]
    if isinstance(value, dict):
        inside = [item for key, item in value.items() if key.casefold() == path[0].casefold()]
        return [found for item in inside for found in loose_find(item, path[1:])]
    inner = hidden(value)
    return [] if inner is None else loose_find(inner, path)


def strict_leaves(value, objects):
    """Every scalar; a None among them stands for something no allow is satisfied by."""
    if isinstance(value, list):
        return [leaf for item in value for leaf in strict_leaves(item, objects)] or [None]
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in strict_leaves(item, objects)] if objects else [None]
    return [value]


def folded(text):
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def strict_find(value, path):
    if not path:
        return [value]
    if isinstance(value, list):
        return [found for item in value for found in strict_find(item, path)] or [None]
    if isinstance(value, dict) and path[0] == "*" and value:
        return [found for item in value.values() for found in strict_find(item, path[1:])]
    if not isinstance(value, dict) or path[0] not in value or [folded(key) for key in value].count(folded(path[0])) > 1:
        return [None]
    return strict_find(value[path[0]], path[1:])


def argument_holds(args, path, wanted, lenient, operation):
    every = path == ["*"]
    if lenient:
        leaves = loose_leaves(list(args.values())) if every else loose_leaves(loose_find(args, path))
        return any(
            each.possible(text) or same_number(leaf, each.text)
            for leaf in leaves
            for text in scalar_texts(leaf, True)
            for each in wanted
        )
    # To a tool that runs no commands a variable in an argument for places is part of a name.
    named = operation != "unknown" and "path" in [key.lower() for key in path[-2:]]
    found = list(args.values()) if every else strict_find(args, path)
    leaves = [leaf for value in found for leaf in strict_leaves(value, False)]
    return bool(leaves) and all(
        leaf is not None
        and all(any(each.certain(text, named=named) for each in wanted) for text in scalar_texts(leaf, False))
        for leaf in leaves
    )


def all_text(value):
    if isinstance(value, dict):
        return [*value, *all_text(list(value.values()))]
    if isinstance(value, list):
        return [text for item in value for text in all_text(item)]
    return [value] if isinstance(value, str) and not isinstance(value, Number) else []


def holds(rule, request, machine, today):
    method, params = request["method"], request["params"]
    lenient = rule["action"] in LENIENT
    tool = params["name"] if method == "tools/call" else None
    prompt = params["name"] if method == "prompts/get" else None
    uris = [params["uri"]] if method.startswith("resources/") else []
    args = params.get("arguments", {}) if tool is not None or prompt is not None else None
    operation = OPERATIONS[tool] if tool is not None else "read" if prompt is not None or uris else ""
    if rule.get("expires", today) < today:
        return False
    if not (any_like(rule["method"], method) if "method" in rule else method in GOVERNED):
        return False
    names = {"tool": tool, "prompt": prompt, "server": request["server"]}
    if any(key in rule and (name is None or not any_like(rule[key], name)) for key, name in names.items()):
        return False
    if "operation" in rule and operation not in rule["operation"]:
        return False
    if "contains" in rule and not any(part in text for part in rule["contains"] for text in all_text(params)):
        return False
    for path, patterns in rule.get("args", []):
        wanted = [Wanted(text, machine) for text in patterns]
        if args is None or not argument_holds(args, path, wanted, lenient, operation):
            return False
    wanted = [Wanted(text, machine) for text in rule.get("resource", [])]
    if not wanted:
        return True
    if lenient:
        return any(each.possible(uri) for uri in uris for each in wanted)
    return bool(uris) and all(any(each.certain(uri, uri=True) for each in wanted) for uri in uris)


def judge(rules, default, request, machine, today):
    for rule in rules:
        if holds(rule, request, machine, today):
            return rule["action"], rule["name"]
    return default, None
