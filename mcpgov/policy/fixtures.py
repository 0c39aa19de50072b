"""Fixtures: recorded requests with the decision a person expects of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from mcpgov.core.decision import STRICTNESS, Decision
from mcpgov.core.json.values import parse
from mcpgov.core.rules.call import Call, call_of
from mcpgov.errors import McpgovError, UsageError
from mcpgov.policy.draft import ALIASES

KNOWN = (
    "method", "params", "server", "client", "project", "expected", "expected_rule", "name", "jsonrpc", "id",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fixture:
    """One request; without `expected` and `expected_rule` its decision is only reported."""

    name: str
    call: Call
    expected: str = ""
    expected_rule: str = ""


@dataclass(frozen=True, slots=True)
class FixtureRun:
    fixture: Fixture
    decision: Decision

    @property
    def judged(self) -> bool:
        return bool(self.fixture.expected or self.fixture.expected_rule)

    @property
    def ok(self) -> bool:
        expected, rule = self.fixture.expected, self.fixture.expected_rule
        return expected in ("", self.decision.action) and rule in ("", self.decision.rule)


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
    texts = {key: item.get(key, "") for key in ("method", "server", "client", "project", "expected_rule", "name")}
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
    return Fixture(texts["name"] or name, call, action or "", texts["expected_rule"])


def request_call(item: object, server: str, client: str = "", project: str = "") -> Call:
    """The Call of a JSON-RPC request. Raises ValueError."""
    if not isinstance(item, dict) or not isinstance(item.get("method"), str) or not item["method"]:
        raise ValueError("`method` must be a string")
    return call_of(item["method"], item.get("params"), server, client, project, item.get("id"))


def run(fixtures: Iterable[Fixture], decide: Callable[[Call], Decision]) -> list[FixtureRun]:
    return [FixtureRun(fixture, decide(fixture.call)) for fixture in fixtures]


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
    wanted = " by ".join(text for text in (fixture.expected or "any action", fixture.expected_rule) if text)
    return f"expected {wanted}, got {decision.action} by {decision.rule or 'the default'}"


def _xml(text: str) -> str:
    """XML 1.0 cannot carry control characters, surrogates or the two non-characters."""
    return "".join(c if c in "\t\n\r" or (c >= " " and not _not_xml(c)) else "\ufffd" for c in text)


def _not_xml(char: str) -> bool:
    return "\ud800" <= char <= "\udfff" or char in "\ufffe\uffff"
