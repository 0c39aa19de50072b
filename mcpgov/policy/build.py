"""Parse, check, number, hash: policy files -> one compiled text. Law: the same files give the same bytes.

Order: built-in protection, managed layer, `[[rule]]`, `[rules.*]` by priority, `[services.*]`, default.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mcpgov.core.decision import ALLOW, DENY, LOG, strictest
from mcpgov.core.rules.ruleset import MIDDLE, OPENING
from mcpgov.errors import PolicyError
from mcpgov.guards.screening.rows import gate_text, names_people
from mcpgov.policy.draft import ERROR, Diagnostics, Draft, PolicyProblem
from mcpgov.policy.files import Document, included, read_document
from mcpgov.policy.formats import limits, named, options, ordered, privacy, services, signals
from mcpgov.policy.index import make_index
from mcpgov.policy.names import check_renames, same_names
from mcpgov.policy.unreachable import unreachable

TOP_KEYS = (*options.KEYS, *limits.KEYS, *privacy.KEYS, *signals.KEYS, *ordered.KEYS, *named.KEYS, *services.KEYS)
# Keys of an included file besides rules: aliases, but no option that applies to the whole policy.
RULE_KEYS = ("include", "metadata", *ordered.KEYS, *named.KEYS, *services.KEYS)
INCLUDED_KEYS = ("aliases", *limits.KEYS, *privacy.KEYS, *RULE_KEYS)
PROJECT_KEYS = ("default", *privacy.KEYS, *RULE_KEYS)
HERE = ("ledger", "lender", "privacy_clean")  # where this machine keeps something: no part of the revision
MOST_PROJECT_RULES = 2000
MOST_PROJECT_WHEN = 256 * 1024  # characters of all expressions; a proxy needs half a second to prepare them


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled policy: its text for RuleSet, its rules and its problems."""

    text: str
    revision: str
    default: str
    drafts: tuple[Draft, ...]
    problems: tuple[PolicyProblem, ...]
    sources: tuple[str, ...]
    metadata: Mapping[str, object] = field(default_factory=dict)

    @property
    def errors(self) -> tuple[PolicyProblem, ...]:
        return tuple(problem for problem in self.problems if problem.level == ERROR)

    @property
    def warnings(self) -> tuple[PolicyProblem, ...]:
        return tuple(problem for problem in self.problems if problem.level != ERROR)

    def sealed(self, inputs: Iterable[Sequence[object]]) -> str:
        """The text with the signature of the files it was compiled from, by which a proxy notices that they changed."""
        return self.text.replace(OPENING + "{", f'{OPENING}{{"inputs":{_dump(list(inputs))},', 1)

    def raise_errors(self) -> Compiled:
        if self.errors:
            first, *rest = self.errors
            more = f" (and {len(rest)} more: mcpgov policy check)" if rest else ""
            raise PolicyError(f"{first}{more}", hint=first.hint)
        return self


@dataclass(frozen=True, slots=True)
class Layer:
    """One policy with the files it includes. `prefix` is put before generated rule names."""

    documents: tuple[Document, ...]
    prefix: str = ""

    @property
    def main(self) -> Document:
        return self.documents[-1]

    @property
    def name(self) -> str:
        """`managed` or `project`; "" is the user's own."""
        return self.prefix.rstrip(":")


def read_layer(path: Path, *, prefix: str = "", safe: bool = True, owner: int | None = None) -> Layer:
    main = read_document(path, safe=safe, owner=owner)
    once: dict[Path, Document] = {}
    for document in included(main, safe=safe, owner=owner):
        once.setdefault(document.path.resolve(), document)
    return Layer((*once.values(), main), prefix)


def build(
    layers: Sequence[Layer],
    protect: Iterable[str] = (),
    audit: str = "redacted",
    shell: Iterable[str] = (),
    secret: Iterable[str] = (),
    ledger: str = "",
    lender: Sequence[str] = (),
    tools: str = "",
    clean: str = "",
) -> Compiled:
    """Compile the layers, the managed one first if there is one. Problems are reported, not raised.

    `protect` and `shell` are the places to protect; the policy may switch off the second, or both. `secret`: places
    that no call may even read, whatever the policy says. `ledger`: the file in which limits and budgets are counted;
    `lender`: where other machines share them, the engine's name and the socket of the service that lends of it.
    `tools`: the directory in which the tools of all servers are kept, for signals; `clean`: that of the lines in which
    nothing private was found.
    """
    default = _default(layers)
    drafts: list[Draft] = []
    for layer in layers:
        for document in layer.documents:
            _check_keys(document, TOP_KEYS if document is layer.main else INCLUDED_KEYS, "a policy")
        found = [draft for document in layer.documents for draft in _drafts(document, layer, default)]
        found = [replace(draft, layer=layer.name) for draft in found] if layer.name else found
        layer.main.diag.problems += same_names(found)
        if layer is not layers[0]:
            check_renames([document.options for document in layers[0].documents], drafts, layer.documents)
        drafts += found
    protected = list(protect) if _protection(layers, "protect") else []
    if _protection(layers, "protect_shell") and protected:
        protected += [place for place in shell if place not in protected]
    counted = _counted(layers)
    if any(counted.values()):
        counted |= {"ledger": ledger, "lender": list(lender)} if lender else {"ledger": ledger}
    if screened := _screened(layers):
        counted |= {**screened, "privacy_clean": clean} if clean else screened
    counted |= _signals(layers, tools)
    return _compile(layers, drafts, default, protected, audit, list(secret), counted)


def build_project(path: Path) -> Compiled:
    """A project's own policy: it may only narrow, so no rule in it can allow a call."""
    layer = read_layer(path, prefix="project:", safe=False)
    main = layer.main
    default = main.options.default or ALLOW
    for document in layer.documents:
        _check_keys(document, PROJECT_KEYS if document is main else RULE_KEYS, "a project policy")
        if not document.path.resolve().is_relative_to(path.resolve().parent):
            main.diag.error(("include",), f"a project policy cannot include `{document.path}` from outside")
    if main.options.default in (ALLOW, LOG):
        main.diag.error(("default",), "a project policy may only narrow: its default cannot let calls pass")
    found = [draft for document in layer.documents for draft in _drafts(document, layer, default)]
    drafts = [replace(draft, layer=layer.name) for draft in found]
    main.diag.problems += same_names(drafts)
    _check_amount(main.diag, drafts)
    for draft in drafts:
        if draft.action in (ALLOW, LOG):
            problem = PolicyProblem(
                draft.file, draft.line, f"a project policy may only narrow: `{draft.id}` is `{draft.action}`",
                "use deny, prompt or redact",
            )  # fmt: skip
            main.diag.problems.append(problem)
    return _compile([layer], drafts, default, [], counted=_screened([layer], narrows=True))


def _check_amount(diag: Diagnostics, drafts: list[Draft]) -> None:
    """A project's policy comes from a stranger, and every proxy in the project loads its rules: limit its size."""
    if len(drafts) > MOST_PROJECT_RULES:
        diag.error((), f"a project policy has at most {MOST_PROJECT_RULES} rules")
    if sum(len(str(draft.matchers.get("when") or "")) for draft in drafts) > MOST_PROJECT_WHEN:
        diag.error((), f"all `when` of a project policy have at most {MOST_PROJECT_WHEN} characters together")


def _default(layers: Sequence[Layer]) -> str:
    """The strictest default that a layer sets; nobody sets one: deny."""
    found = [said for layer in layers if (said := _said_default(layer))]
    return strictest(*found) if found else DENY


def _said_default(layer: Layer) -> str | None:
    main = layer.main
    return services.json_default(main.doc, main.diag) if main.is_json else main.options.default


def _check_keys(document: Document, known: Sequence[str], what: str) -> None:
    if not isinstance(document.doc, dict):
        return
    included = "default" not in known
    if not document.is_json:
        document.diag.unknown_keys(document.doc, known, (), f"{what} that is included" if included else what)
    elif included and "defaultPolicy" in document.doc:
        document.diag.error(("defaultPolicy",), "an included file cannot set `defaultPolicy` for the whole policy")


def _drafts(document: Document, layer: Layer, default: str) -> list[Draft]:
    prefix = layer.prefix if document is layer.main else f"{layer.prefix}{document.path.stem}:"
    if document.is_json:
        return services.parse_json(document.doc, document.diag, default, prefix)
    assert isinstance(document.doc, dict)
    return [
        *ordered.parse(document.doc, document.diag, prefix),
        *named.parse(document.doc, document.diag),
        *services.parse(document.doc, document.diag, default, prefix),
    ]


def _protection(layers: Sequence[Layer], key: str, *, warn: bool = True) -> bool:
    """Only the topmost layer may switch the protection off."""
    first, *others = layers
    for layer in others if warn else ():
        if getattr(layer.main.options, key) is False:
            layer.main.diag.warn((key,), f"`{key} = false` is ignored: only the managed policy may say it")
    return getattr(first.main.options, key) is not False


def _compile(
    layers: Sequence[Layer],
    drafts: list[Draft],
    default: str,
    protect: list[str],
    audit: str = "redacted",
    secret: Sequence[str] = (),
    counted: Mapping[str, object] | None = None,
) -> Compiled:
    documents = [document for layer in layers for document in layer.documents]
    problems = [problem for document in documents for problem in document.diag.problems]
    active = [draft for draft in drafts if draft.enabled]
    problems += unreachable(active)
    lines = [_dump(_rule(draft)) for draft in active]
    head = _head(layers, default, protect)
    head["audit"] = audit
    if any(layer.name and _said_default(layer) == default for layer in layers):
        head["default_layer"] = next(layer.name for layer in layers if layer.name)
    head |= counted or {}
    guards = {name for name in ("ledger", "privacy", "signals") if name in head}
    head["needs"] = sorted(guards.union(need for draft in active for need in _needs(draft)))
    head["index"] = make_index(active, lines)
    body = ",\n".join(lines) + ("\n" if lines else "")
    # The revision is of the policy alone: which places are protected changes with the projects of this machine.
    switches = [_protection(layers, key, warn=False) for key in ("protect", "protect_shell")]
    here: dict[str, object] = {"protect": switches, **{key: "" for key in HERE if key in head}}
    if isinstance(found := head.get("signals"), dict):
        here["signals"] = found["tables"]
    if "privacy_people" in head:
        here["privacy_people"] = ""  # where this machine has the extra
    digest = hashlib.sha256((_dump({**head, **here}) + body).encode()).hexdigest()[:16]
    places = {"secret": secret} if secret else {}
    text = f"{OPENING}{_dump({'revision': digest, **head, **places})}{MIDDLE}{body}]}}\n"
    sources = tuple(document.diag.file for document in documents)
    ordered_problems = sorted(dict.fromkeys(problems), key=lambda problem: (sources.index(problem.file), problem.line))
    return Compiled(text, digest, default, tuple(drafts), tuple(ordered_problems), sources, _metadata(layers))


def _counted(layers: Sequence[Layer]) -> dict[str, object]:
    """The limits and budgets of all layers: each that counts a call has its say. Two of one name are an error."""
    limit_rows: list[limits.Row] = []
    budget_rows: list[limits.Row] = []
    names: set[object] = set()
    for layer in layers:
        for document in layer.documents:
            if not isinstance(document.doc, dict) or document.is_json:
                continue
            prefix = layer.prefix if document is layer.main else f"{layer.prefix}{document.path.stem}:"
            for rows, found in zip(
                (limit_rows, budget_rows), limits.parse(document.doc, document.diag, prefix), strict=True
            ):
                for row in found:
                    if row["name"] in names:
                        message = f"a limit or budget of the name `{row['name']}` is there already"
                        document.diag.problems.append(PolicyProblem(str(row["file"]), int(str(row["line"])), message))
                    names.add(row["name"])
                rows += found
    return {"limits": limit_rows, "budgets": budget_rows} if limit_rows or budget_rows else {}


def _screened(layers: Sequence[Layer], *, narrows: bool = False) -> dict[str, object]:
    """The `[privacy]` of all files: each has its say about a finding, and the strictest holds. And the gate for all."""
    found = [
        privacy.parse(document.doc, document.diag, layer.prefix, narrows=narrows)
        for layer in layers
        for document in layer.documents
        if isinstance(document.doc, dict) and not document.is_json
    ]
    rows = [row for row in found if row is not None]
    if not rows:
        return {}
    found_by: dict[str, object] = {}
    if names_people(rows):
        from mcpgov.guards.people.analyzer import MODEL, engine_command

        found_by["privacy_people"] = engine_command(MODEL)
    return {"privacy": rows, "privacy_gate": gate_text(rows), **found_by}


def _signals(layers: Sequence[Layer], tools: str) -> dict[str, object]:
    """The `[signals]` of all layers: each has its say."""
    mains = [(layer.main, layer.prefix) for layer in layers if not layer.main.is_json]
    found = [signals.parse(main.doc, main.diag, prefix) for main, prefix in mains if isinstance(main.doc, dict)]
    tables = [table for table in found if table is not None]
    return {"signals": {"tables": tables, "tools": tools}} if tables else {}


def _metadata(layers: Sequence[Layer]) -> dict[str, object]:
    """The `[metadata]` of all files, which has no effect; for a key in several layers the upper layer's counts."""
    out: dict[str, object] = {}
    for layer in reversed(layers):
        for document in layer.documents:
            out.update(document.options.metadata)
    return out


def _head(layers: Sequence[Layer], default: str, protect: list[str]) -> dict[str, object]:
    """The options of all layers; for an option in several layers the upper layer's counts."""
    head: dict[str, object] = {"default": default, "deny_as": "result", "pin": "log", "hide_denied": True}
    names: dict[str, dict[str, object]] = {"aliases": {}, "hubs": {}, "server_deny_as": {}}
    methods: list[str] = []
    for layer in reversed(layers):
        for document in layer.documents:
            options = document.options
            for key in ("deny_as", "pin", "hide_denied"):
                if getattr(options, key) is not None:
                    head[key] = getattr(options, key)
            for key, table in names.items():
                table.update(getattr(options, key))
            methods += options.methods_allow
    return {**head, **names, "methods_allow": methods, "protect": protect}


def _needs(draft: Draft) -> list[str]:
    contains = draft.matchers.get("contains", [])
    assert isinstance(contains, list)
    regex = any(text.startswith("re:") for text in contains)
    wanted = {"cel": "when" in draft.matchers, "re": regex, "contains": bool(contains)}
    return [name for name, needed in wanted.items() if needed]


def _rule(draft: Draft) -> dict[str, object]:
    about: dict[str, object] = {"message": draft.message, "description": draft.description, "expires": draft.expires}
    about |= {"ask": list(draft.ask), "layer": draft.layer}
    return {
        "id": draft.id,
        "action": draft.action,
        **draft.matchers,
        **{key: value for key, value in about.items() if value},
        "file": draft.file,
        "line": draft.line,
    }


def _dump(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
