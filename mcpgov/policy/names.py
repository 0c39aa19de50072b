"""Names of rules, and aliases of servers. Law: a lower layer cannot rename a server out of a managed rule's reach."""

from __future__ import annotations

from collections.abc import Sequence

from mcpgov.core.decision import ALLOW, LOG
from mcpgov.core.rules.globs import Glob
from mcpgov.policy.draft import Draft, PolicyProblem
from mcpgov.policy.files import Document
from mcpgov.policy.formats.options import Options

RESERVED = "mcpgov:"


def same_names(drafts: Sequence[Draft]) -> list[PolicyProblem]:
    """A name is used for one rule of its layer only: records and fixtures refer to it."""
    out: list[PolicyProblem] = []
    by_name: dict[str, Draft] = {}
    for draft in drafts:
        first = by_name.setdefault(draft.id, draft)
        if first is not draft:
            hint = f"first used at {first.file}:{first.line}"
            out.append(PolicyProblem(draft.file, draft.line, f"duplicate rule name `{draft.id}`", hint))
        if draft.id.startswith(RESERVED):
            out.append(PolicyProblem(draft.file, draft.line, f"`{draft.id}`: names with `{RESERVED}` are built in"))
    return out


def check_renames(managed: Sequence[Options], drafts: Sequence[Draft], documents: Sequence[Document]) -> None:
    """`drafts`: the rules of the upper layers; aliases and hubs of the managed layer itself are not checked."""
    settled = {("aliases", name) for options in managed for name in options.aliases}
    settled |= {("server", name) for options in managed for name in options.hubs}
    for document in documents:
        given = {("aliases", name): [service] for name, service in document.options.aliases.items()}
        given |= {("server", name): services for name, services in document.options.hubs.items()}
        for place, services in given.items():
            draft = next((draft for draft in drafts if _evades(draft, place[1], services)), None)
            if draft is not None and place not in settled:
                document.diag.error(
                    place,
                    f"`{place[1]}` cannot be renamed: the managed rule `{draft.id}` depends on it",
                    "only the managed policy may say it",
                )


def _evades(draft: Draft, name: str, services: Sequence[str]) -> bool:
    """Does the new name leave a rule that stops calls, or enter one that allows them?"""
    if "service" in str(draft.matchers.get("when", "")):
        return True  # the expression may mean any service
    globs = draft.matchers.get("service", [])
    assert isinstance(globs, list)
    names = services if draft.action in (ALLOW, LOG) else [name]
    return any(Glob(glob).matches(each) for glob in globs for each in names)
