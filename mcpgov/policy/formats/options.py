"""The top-level keys that are options, not rules: default, denial form, protection, names, tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpgov.policy.draft import Diagnostics
from mcpgov.policy.source_lines import Place

KEYS = (
    "default", "deny_as", "protect", "protect_shell", "include", "methods", "aliases", "server", "tools", "metadata",
)  # fmt: skip
DENY_AS = ("result", "error")
PINS = ("off", "log", "prompt", "deny")


@dataclass(slots=True)
class Options:
    """The options of a file; None for one that it does not set."""

    default: str | None = None
    deny_as: str | None = None
    protect: bool | None = None
    protect_shell: bool | None = None
    include: list[str] = field(default_factory=list)
    methods_allow: list[str] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    hubs: dict[str, list[str]] = field(default_factory=dict)
    server_deny_as: dict[str, str] = field(default_factory=dict)
    pin: str | None = None
    hide_denied: bool | None = None
    metadata: dict[str, object] = field(default_factory=dict)


def parse(doc: Mapping[str, object], diag: Diagnostics) -> Options:
    options = Options()
    if "default" in doc:
        options.default = diag.action(doc["default"], ("default",))
        if options.default == "redact":
            diag.error(("default",), "the default cannot be `redact`", "allow, deny, prompt or log")
    if "deny_as" in doc:
        options.deny_as = diag.choice(doc["deny_as"], DENY_AS, ("deny_as",), "`deny_as`")
    if "protect" in doc:
        options.protect = diag.flag(doc, "protect", (), True)
    if "protect_shell" in doc:
        options.protect_shell = diag.flag(doc, "protect_shell", (), True)
    if "include" in doc:
        options.include = diag.patterns(doc["include"], ("include",), "`include`")
    if "methods" in doc:
        methods = diag.table(doc["methods"], ("methods",), "`methods`")
        diag.unknown_keys(methods, ("allow",), ("methods",), "`methods`")
        if "allow" in methods:
            options.methods_allow = diag.patterns(methods["allow"], ("methods", "allow"), "`methods.allow`")
    _aliases(doc, options, diag)
    _servers(doc, options, diag)
    _tools(doc, options, diag)
    options.metadata = diag.table(doc.get("metadata", {}), ("metadata",), "`metadata`")
    return options


def _aliases(doc: Mapping[str, object], options: Options, diag: Diagnostics) -> None:
    table = diag.table(doc.get("aliases", {}), ("aliases",), "`aliases`")
    for name in table:
        service = diag.text(table, name, ("aliases",))
        if service:
            options.aliases[name] = service


def _servers(doc: Mapping[str, object], options: Options, diag: Diagnostics) -> None:
    for name, value in diag.table(doc.get("server", {}), ("server",), "`server`").items():
        place: Place = ("server", name)
        table = diag.table(value, place, f"`server.{name}`")
        diag.unknown_keys(table, ("deny_as", "services"), place, f"`server.{name}`")
        if "services" in table:
            services = diag.patterns(table["services"], (*place, "services"), "`services`")
            options.hubs[name] = sorted(services, key=len, reverse=True)
        if "deny_as" in table:
            found = diag.choice(table["deny_as"], DENY_AS, (*place, "deny_as"), "`deny_as`")
            if found:
                options.server_deny_as[name] = found


def _tools(doc: Mapping[str, object], options: Options, diag: Diagnostics) -> None:
    table = diag.table(doc.get("tools", {}), ("tools",), "`tools`")
    diag.unknown_keys(table, ("pin", "hide_denied"), ("tools",), "`tools`")
    if "pin" in table:
        options.pin = diag.choice(table["pin"], PINS, ("tools", "pin"), "`pin`")
    if "hide_denied" in table:
        options.hide_denied = diag.flag(table, "hide_denied", ("tools",), True)
