"""Dialect 3: service -> operation -> action, as `[services.*]` or as the `rules.json` of mcp-gov."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mcpgov.core.decision import REDACT, strictest
from mcpgov.core.operations.tool_names import OPERATIONS
from mcpgov.core.rules.call import OPERATED
from mcpgov.policy.draft import Diagnostics, Draft
from mcpgov.policy.source_lines import Place

KEYS = ("services",)
JSON_KEYS = ("defaultPolicy", "rules", "services", "version", "description")
# Keys about the file itself; not services, unless their value is an object.
ABOUT_KEYS = ("version", "description", "name")
RULE_KEYS = ("service", "operations", "permission", "reason")
ANY = "*"


def parse(doc: Mapping[str, object], diag: Diagnostics, default: str, prefix: str = "") -> list[Draft]:
    """Exact services before `*`, exact operations before `*`; `prefix` is put before generated names."""
    tables = diag.table(doc.get("services", {}), ("services",), "`services`")
    out: list[Draft] = []
    for name in sorted(tables, key=_width):
        place: Place = ("services", name)
        out += _service(name, diag.table(tables[name], place, f"`services.{name}`"), place, diag, default)
    return _prefixed(out, prefix)


def _prefixed(drafts: list[Draft], prefix: str) -> list[Draft]:
    return [replace(draft, id=prefix + draft.id) for draft in drafts]


def _width(name: str) -> int:
    """Exact services before patterns, patterns before `*`."""
    return 2 if name == ANY else 1 if "*" in name or "?" in name else 0


def _service(name: str, table: Mapping[str, object], place: Place, diag: Diagnostics, default: str) -> list[Draft]:
    verdicts: dict[str, str] = {}
    for operation, value in table.items():
        here = (*place, operation)
        known = diag.choice(operation, (*OPERATIONS, ANY), here, "operation")
        action = _action(value, here, diag)
        if known and action:
            verdicts[operation] = action
    out = [
        _draft(name, [operation], verdicts[operation], diag, (*place, operation))
        for operation in OPERATIONS
        if operation in verdicts
    ]
    if verdicts and "unknown" not in verdicts:
        out.append(_unknown(name, verdicts.values(), diag, place, default))
    if ANY in verdicts:
        out.append(_draft(name, [ANY], verdicts[ANY], diag, (*place, ANY)))
    return out


def _action(value: object, place: Place, diag: Diagnostics) -> str | None:
    action = diag.action(value, place)
    if action == REDACT:
        diag.error(place, "a service map cannot redact", "use `[[rule]]` with `contains`")
    return action


def _unknown(name: str, verdicts: Iterable[str], diag: Diagnostics, place: Place, default: str) -> Draft:
    """An unrecognised operation gets the strictest action of the service and the default."""
    action = strictest(default, *verdicts)
    about = "not recognised as read, write, delete, execute or admin"
    return _draft(name, ["unknown"], action, diag, place, description=about)


def _draft(
    service: str,
    operations: list[str],
    action: str,
    diag: Diagnostics,
    place: Place,
    message: str = "",
    description: str = "",
    ident: str = "",
) -> Draft:
    matchers: dict[str, object] = {"method": list(OPERATED)}
    if service != ANY:
        matchers["service"] = [service]
    if ANY not in operations:
        matchers["operation"] = operations
    return Draft(
        id=ident or f"services.{service}.{operations[0]}",
        action=action,
        file=diag.file,
        line=diag.line(place),
        matchers=matchers,
        message=message,
        description=description,
        dialect="services",
    )


def json_default(doc: object, diag: Diagnostics) -> str | None:
    """`defaultPolicy`, if the document says one."""
    if isinstance(doc, dict) and "defaultPolicy" in doc:
        return _action(doc["defaultPolicy"], ("defaultPolicy",), diag)
    diag.warn((), "no `defaultPolicy`: what no rule names is denied here (it was allowed in mcp-gov)")
    return None


def parse_json(doc: object, diag: Diagnostics, default: str, prefix: str = "") -> list[Draft]:
    return _prefixed(_shape(doc, diag, default), prefix)


def _shape(doc: object, diag: Diagnostics, default: str) -> list[Draft]:
    """The four shapes: rules with or without an envelope, services with or without one; the last also for servers."""
    if isinstance(doc, list):
        return _array(doc, (), diag, default)
    if not isinstance(doc, dict):
        diag.error((), "a rules.json holds a list of rules or an object of services")
        return []
    if isinstance(doc.get("rules"), list):
        diag.unknown_keys(doc, JSON_KEYS, (), "rules.json")
        if "services" in doc:
            diag.error(
                ("services",), "`rules` and `services` cannot stand side by side", "say all of it in one of them"
            )
        return _array(doc["rules"], ("rules",), diag, default)
    services = doc.get("services")
    if isinstance(services, dict) and any("operations" in item for item in services.values() if isinstance(item, dict)):
        diag.unknown_keys(doc, JSON_KEYS, (), "rules.json")
        return _enveloped(services, diag, default)
    plain = {name: table for name, table in doc.items() if name != "defaultPolicy"}
    plain = {name: table for name, table in plain.items() if name not in ABOUT_KEYS or isinstance(table, dict)}
    out = _instances(plain.pop("servers"), diag, default) if _holds_instances(plain.get("servers")) else []
    for name in sorted(plain, key=_width):
        out += _service(name, diag.table(plain[name], (name,), f"service `{name}`"), (name,), diag, default)
    return out


def _holds_instances(servers: object) -> bool:
    """`servers` is no service if it holds tables of services, by the name of the server they apply to."""
    tables = [table for table in servers.values() if isinstance(table, dict)] if isinstance(servers, dict) else []
    return any(isinstance(inner, dict) for table in tables for inner in table.values())


def _instances(servers: object, diag: Diagnostics, default: str) -> list[Draft]:
    """`{"servers": {"github-prod": {"github": {"write": "deny"}}}}`: rules of one entry, before those of services."""
    out: list[Draft] = []
    for server, value in diag.table(servers, ("servers",), "`servers`").items():
        place: Place = ("servers", server)
        tables = diag.table(value, place, f"server `{server}`")
        if len(tables) > 1:
            diag.warn(
                place, f"the services of `{server}` are told apart only by `[server.NAME] services` in policy.toml"
            )
        for service in sorted(tables, key=_width):
            here = (*place, service)
            for draft in _service(
                service, diag.table(tables[service], here, f"service `{service}`"), here, diag, default
            ):
                # The entry's name is its service, so a single service needs no matcher of its own.
                kept = {key: item for key, item in draft.matchers.items() if key != "service" or len(tables) > 1}
                ident = draft.id.replace("services.", f"servers.{server}.", 1)
                out.append(replace(draft, id=ident, matchers={"server": [server], **kept}))
    return out


def _enveloped(services: dict[str, object], diag: Diagnostics, default: str) -> list[Draft]:
    out: list[Draft] = []
    for name in sorted(services, key=_width):
        place: Place = ("services", name)
        table = diag.table(services[name], place, f"service `{name}`")
        diag.unknown_keys(table, ("operations", "description"), place, f"service `{name}`")
        inner = (*place, "operations")
        operations = diag.table(table.get("operations", {}), inner, "`operations`")
        out += _service(name, operations, inner, diag, default)
    return out


def _array(rules: list[object], place: Place, diag: Diagnostics, default: str) -> list[Draft]:
    """An ordered list: the first rule that names service and operation decides."""
    out: list[Draft] = []
    verdicts: dict[str, list[str]] = {}
    named: set[str] = set()
    for at, item in enumerate(rules):
        found = _array_rule(diag.table(item, (*place, at), "a rule"), at, (*place, at), diag)
        out += found
        for draft in found:
            service = _service_of(draft)
            verdicts.setdefault(service, []).append(draft.action)
            if "unknown" in _operations_of(draft):
                named.add(service)
    for service in verdicts:
        if service not in named:
            at = next(at for at, draft in enumerate(out) if _service_of(draft) == service)
            out.insert(at, _unknown(service, verdicts[service], diag, place, default))
    return out


def _service_of(draft: Draft) -> str:
    services = draft.matchers.get("service", [ANY])
    assert isinstance(services, list)
    return str(services[0])


def _operations_of(draft: Draft) -> list[str]:
    operations = draft.matchers.get("operation", [])
    assert isinstance(operations, list)
    return operations


def _operations(table: dict[str, object], place: Place, diag: Diagnostics) -> list[str]:
    if isinstance(table.get("operations"), list) and table["operations"]:
        return diag.patterns(table["operations"], (*place, "operations"), "`operations`")
    here = (*place, "operations")
    wrong = "needs `operations`" if "operations" not in table else "needs a list of `operations`"
    if table.get("operations") == []:
        wrong = "needs `operations`, and the list is empty"
    diag.error(here, f"a rule {wrong}", 'for all of them: `"operations": ["*"]`')
    return []


def _array_rule(table: dict[str, object], at: int, place: Place, diag: Diagnostics) -> list[Draft]:
    diag.unknown_keys(table, RULE_KEYS, place, "a rule")
    service = diag.text(table, "service", place)
    if not service:
        diag.error(place, "a rule needs a `service`")
    if "permission" not in table:
        diag.error(place, "a rule needs a `permission`", "allow or deny")
        return []
    action = _action(table["permission"], (*place, "permission"), diag)
    operations = _operations(table, place, diag)
    reason = diag.text(table, "reason", place)
    known = [
        operation
        for number, operation in enumerate(operations)
        if diag.choice(operation, (*OPERATIONS, ANY), (*place, "operations", number), "operation")
    ]
    if not (known and action and service):
        return []
    return [_draft(service, known, action, diag, place, message=reason, ident=f"rule-{at + 1}")]
