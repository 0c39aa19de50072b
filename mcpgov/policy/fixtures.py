"""Fixtures: recorded requests with the decision a person expects of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from mcpgov.core.decision import STRICTNESS, Decision
from mcpgov.core.json.values import parse
from mcpgov.core.rules.call import Call, call_of
from mcpgov.errors import McpgovError, UsageError
from mcpgov.policy.draft import ALIASES

KNOWN = (
    "method", "params", "server", "client", "project", "result", "expected", "expected_rule", "expected_guard", "name",
    "jsonrpc", "id",
)  # fmt: skip
TEXTS = ("method", "server", "client", "project", "expected_rule", "expected_guard", "name")


@dataclass(frozen=True, slots=True)
class Fixture:
    """One request; where nothing is expected its decision is only reported. `result`: what the server answers."""

    name: str
    call: Call
    expected: str = ""
    expected_rule: str = ""
    expected_guard: str = ""
    result: object = None


@dataclass(frozen=True, slots=True)
class FixtureRun:
    """`decision`: of rules and guards together; `guards`: what each of them said."""

    fixture: Fixture
    decision: Decision
    guards: tuple[Mapping[str, object], ...] = ()

    @property
    def judged(self) -> bool:
        return bool(self.fixture.expected or self.fixture.expected_rule or self.fixture.expected_guard)

    @property
    def ok(self) -> bool:
        expected, rule, guard = self.fixture.expected, self.fixture.expected_rule, self.fixture.expected_guard
        return (
            expected in ("", self.decision.action)
            and rule in ("", self.decision.rule)
            and (not guard or guard in self.deciding)
        )

    @property
    def deciding(self) -> list[str]:
        """The guards whose verdict is the one that holds: the names of limits and budgets, kinds of private data."""
        names: list[str] = []
        for entry in self.guards:
            if entry["verdict"] == self.decision.action:
                found = entry.get("found")
                names += [str(entry["name"]), *(map(str, found) if isinstance(found, list) else ())]
        return names


def find_fixtures(files: Iterable[Path], directory: Path | None) -> list[Path]:
    """The files named, and every `*.json` below the directory, sorted."""
    out = list(files)
    if directory is not None:
        if not directory.is_dir():
            raise UsageError(f"`{directory}` is not a directory")
        below = sorted(directory.rglob("*.json"))
        if not below:
            raise UsageError(f"`{directory}` holds no `*.json` fixture")
        out += below
    return out


def read_fixtures(path: Path, expect: str = "", below: Path | None = None) -> list[Fixture]:
    """One file: a fixture, or a list of them. `expect` is the default for `expected`.

    A fixture is named after its file, relative to `below` if that is given.
    """
    try:
        content = parse(path.read_text("utf-8-sig"))
    except OSError as error:
        raise McpgovError(f"cannot read `{path}`: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, RecursionError) as error:
        raise McpgovError(f"`{path}` is not a fixture: {error}") from None
    items = content if isinstance(content, list) else [content]
    inside = below is not None and path.is_relative_to(below)
    stem = path.relative_to(below).as_posix() if inside and below is not None else path.name
    names = [stem] if len(items) == 1 else [f"{stem}[{at}]" for at in range(len(items))]
    return [_fixture(item, name, path, expect) for item, name in zip(items, names, strict=True)]


def _fixture(item: object, name: str, path: Path, expect: str) -> Fixture:
    if not isinstance(item, dict):
        raise McpgovError(f"`{path}` is not a fixture: an object with `method` and `params` is wanted")
    unknown = [key for key in item if key not in KNOWN]
    if unknown:
        raise McpgovError(f"`{path}` has an unknown key `{unknown[0]}`", hint="known: " + ", ".join(KNOWN))
    texts = {key: item.get(key, "") for key in TEXTS}
    for key, value in texts.items():
        if not isinstance(value, str):
            raise McpgovError(f"`{key}` in `{path}` must be a string")
    expected = item.get("expected", expect)
    action = ALIASES.get(expected, expected) if isinstance(expected, str) else None
    if action not in ("", *STRICTNESS):
        raise McpgovError(f"`expected` in `{path}` must be one of {', '.join(STRICTNESS)}")
    try:
        call = request_call(item, texts["server"], texts["client"], texts["project"])
    except ValueError as error:
        raise McpgovError(f"`{path}` is not a fixture: {error}") from None
    wanted = (action or "", texts["expected_rule"], texts["expected_guard"])
    return Fixture(texts["name"] or name, call, *wanted, item.get("result"))


def request_call(item: object, server: str, client: str = "", project: str = "") -> Call:
    """The Call of a JSON-RPC request. Raises ValueError."""
    if not isinstance(item, dict) or not isinstance(item.get("method"), str) or not item["method"]:
        raise ValueError("`method` must be a string")
    return call_of(item["method"], item.get("params"), server, client, project, item.get("id"))


def junit(trials: Sequence[FixtureRun]) -> str:
    """The results as JUnit XML, for CI systems."""
    failures = sum(not trial.ok for trial in trials)
    suite = ElementTree.Element(
        "testsuite", name="mcpgov policy test", tests=str(len(trials)), failures=str(failures), errors="0"
    )
    for trial in trials:
        case = ElementTree.SubElement(suite, "testcase", classname="policy", name=_xml(trial.fixture.name))
        if not trial.ok:
            message = describe(trial)
            ElementTree.SubElement(case, "failure", message=_xml(message)).text = _xml(message)
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suite, "unicode") + "\n"


def describe(trial: FixtureRun) -> str:
    fixture, decision = trial.fixture, trial.decision
    by = (fixture.expected or "any action", fixture.expected_rule, fixture.expected_guard)
    got = ", ".join(dict.fromkeys((decision.rule or "the default", *trial.deciding)))
    return f"expected {' by '.join(text for text in by if text)}, got {decision.action} by {got}"


def _xml(text: str) -> str:
    """XML 1.0 cannot carry control characters, surrogates or the two non-characters."""
    return "".join(c if c in "\t\n\r" or (c >= " " and not _not_xml(c)) else "\ufffd" for c in text)


def _not_xml(char: str) -> bool:
    return "\ud800" <= char <= "\udfff" or char in "\ufffe\uffff"
