"""Does an argument satisfy a rule's patterns? Pure.

Law: an allow needs every value certain, a deny needs one possible; a missing value satisfies nothing.
"""

from __future__ import annotations

from mcpgov.core.json.values import Tangled, as_double, number_of, number_texts, opened_json
from mcpgov.core.operations.words import word_set, words
from mcpgov.core.rules.path_matching import MANY, Reader
from mcpgov.core.rules.spellings import fold
from mcpgov.core.rules.value_patterns import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

EVERY = "*"
INFINITE = float("inf")
MOST_NESTED = 64  # objects inside objects, below a `*`
# Words of argument names that hold a place even when the value has no slash.
PLACE_WORDS = word_set("""
    path paths file files filename filepath dir directory folder source src destination dest target uri url location
    from to root cwd
""")


def satisfied(
    args: dict[str, object],
    path: tuple[str, ...],
    patterns: tuple[Pattern, ...],
    reader: Reader,
    lenient: bool,
    is_file_tool: Callable[[], bool] | None = None,
) -> bool:
    """Do the values under `path` satisfy a rule? `lenient`: for deny, prompt and redact one possible match is enough.

    `is_file_tool` is asked only where it matters: a tool that passes nothing to a shell reads `$id` in a path argument
    as part of a name.
    """
    if not lenient:
        return _all_certain(args, path, patterns, reader, is_file_tool)
    if path not in reader.leaves:
        reader.spend(len(args))
        reader.leaves[path] = _loose_values(args, path)
    leaves = reader.leaves[path]
    if leaves is None:
        return True
    numbers = [pattern for pattern in patterns if pattern.number is not None]
    if numbers and any(_same_number(leaf, pattern) for leaf in leaves for pattern in numbers):
        return True
    if len(leaves) <= MANY:
        return any(reader.matches_any(patterns, text) for leaf in leaves for text in _readings(leaf))
    if path in reader.screens:
        return reader.screens[path].any_possible(patterns)
    return reader.any_possible(patterns, [text for leaf in leaves for text in _readings(leaf)], path)


def argument_names(args: Iterable[str]) -> set[str]:
    """Every name, folded, that some reader might take an argument's name for."""
    return {form for name in args for form in key_forms(name)}


def key_forms(key: str) -> tuple[str, ...]:
    """A key, folded; one with invisible characters also as readers cut it at a NUL, or without those characters."""
    if key.isprintable():
        return (fold(key),)
    return fold(key), fold(key.partition("\0")[0]), fold("".join(char for char in key if char.isprintable()))


def _loose_values(args: dict[str, object], path: tuple[str, ...]) -> list[str | int | float] | None:
    """Every value a deny may find under a path; None where the values are nested too deeply to be read."""
    try:
        # The names of a call's own arguments are the tool's, not data; keys further down may be anything.
        return _loose_leaves(list(args.values()) if path == (EVERY,) else _loose_select(args, path))
    except Tangled:
        return None


def _all_certain(
    args: dict[str, object],
    path: tuple[str, ...],
    patterns: tuple[Pattern, ...],
    reader: Reader,
    is_file_tool: Callable[[], bool] | None,
) -> bool:
    nodes: list[object] = [args]
    for key in path:
        values = _strict_step(nodes, key)
        if values is None:
            return False
        nodes = values
    leaves = _strict_leaves(nodes)
    for leaf in leaves or ():
        if not all(any(reader.certain(p, text) for p in patterns) for text in scalar_texts(leaf)):
            if (
                not isinstance(leaf, str)
                or "$" not in leaf
                or not any(names_place(key) for key in path[-2:] if key != EVERY)
            ):
                return False
            if is_file_tool is None or not is_file_tool():
                return False
            if not any(reader.certain(p, leaf, named=True) for p in patterns):
                return False
    return bool(leaves)


def _strict_step(nodes: list[object], key: str) -> list[object] | None:
    """The value under `key` of every node, lists taken apart; None if one lacks it. `*` is every key there is."""
    out: list[object] = []
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        if isinstance(node, list) and node:  # an empty list lacks the key
            stack += reversed(node)
        elif isinstance(node, dict) and key == EVERY and node:
            out += node.values()
        elif isinstance(node, dict) and key in node and _alone(node, key):
            out.append(node[key])
        else:
            return None
    return out


def _alone(node: dict[str, object], key: str) -> bool:
    """Does no other key of the object look like this one to some reader?"""
    folded = fold(key)
    return sum(folded in key_forms(name) for name in node) == 1


def _strict_leaves(nodes: list[object]) -> list[str | int | float] | None:
    """Every scalar of the lists; None if something else is among them (an object never satisfies an allow)."""
    out: list[str | int | float] = []
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, (str, int, float)):
            out.append(node)
        elif isinstance(node, list) and node:
            stack += node
        else:
            return None
    return out


def _loose_select(args: dict[str, object], path: tuple[str, ...]) -> list[object]:
    """Whatever some reader might find under the path: any case of the key, any element, JSON in strings.

    `*` is every key at any depth below; as the last element what is there, lists and keys too.
    """
    nodes: list[object] = [args]
    for at, key in enumerate(path):
        folded = fold(key)
        out: list[object] = []
        if key == EVERY and at == len(path) - 1:
            return [
                node
                for node in nodes
                if isinstance(node, (dict, list)) or (isinstance(node, str) and opened_json(node, 0) is not None)
            ]
        for node in _objects_in(nodes):
            if key == EVERY:
                out += _everything_below(node)
            else:
                out += [value for name, value in node.items() if name == key or folded in key_forms(name)]
        nodes = out
    return nodes


def _everything_below(node: dict[str, object]) -> list[object]:
    """The values of an object and of all objects inside it."""
    out: list[object] = []
    level = [node]
    for _ in range(MOST_NESTED):
        values = [value for table in level for value in table.values()]
        out += values
        level = _objects_in(values)
        if not level:
            return out
    raise Tangled


def _objects_in(nodes: list[object]) -> list[dict[str, object]]:
    """All objects found at this level, through lists and through strings that hold JSON."""
    out: list[dict[str, object]] = []
    stack = [(node, 0) for node in nodes]
    while stack:
        node, depth = stack.pop()
        if isinstance(node, str):
            node, depth = opened_json(node, depth), depth + 1
        if isinstance(node, dict):
            out.append(node)
        elif isinstance(node, list):
            stack += [(item, depth) for item in node]
    return out


def _loose_leaves(nodes: object) -> list[str | int | float]:
    """Every scalar at any depth, object keys included, and what strings hide."""
    out: list[str | int | float] = []
    # Only what holds others is kept on the stack: a message may have a hundred thousand scalars.
    stack: list[tuple[object, int]] = [([nodes], 0)]
    while stack:
        node, depth = stack.pop()
        if isinstance(node, dict):
            out += node
        items = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        for item in items:
            if isinstance(item, str):
                out.append(item)
                inner = opened_json(item, depth)
                if inner is not None:
                    stack.append((inner, depth + 1))
            elif isinstance(item, (int, float)):
                out.append(item)
            elif item:
                stack.append((item, depth))
    return out


def scalar_texts(leaf: str | int | float) -> tuple[str, ...]:
    """The texts that a pattern is matched against: of a number its JSON text and its shortest decimal form."""
    if isinstance(leaf, str):
        return (leaf,)
    if isinstance(leaf, bool):
        return ("true",) if leaf else ("false",)
    return number_texts(leaf)


def _readings(leaf: str | int | float) -> tuple[str, ...]:
    """The texts that a deny's patterns are matched against: of a number also its value as a double."""
    readings = scalar_texts(leaf)
    if not isinstance(leaf, (str, bool)):
        readings = tuple(dict.fromkeys((*readings, as_double(leaf))))
    return readings


def _same_number(leaf: str | int | float, pattern: Pattern) -> bool:
    """Equal to a reader of doubles; a text only to a rule that names a whole number, which readers make of texts."""
    if isinstance(leaf, bool):
        return False
    if isinstance(leaf, str):
        return pattern.text.isdigit() and number_of(leaf) == pattern.number
    try:
        return float(leaf) == pattern.number
    except OverflowError:
        return pattern.number == (INFINITE if leaf > 0 else -INFINITE)


def loose_texts(value: object) -> list[str] | None:
    """Every string that some reader might find, keys and embedded JSON included; None: nested too deeply."""
    try:
        return [leaf for leaf in _loose_leaves(value) if isinstance(leaf, str)]
    except Tangled:
        return None


def names_place(key: str) -> bool:
    return not PLACE_WORDS.isdisjoint(words(key))
