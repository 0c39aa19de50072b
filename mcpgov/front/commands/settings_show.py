"""`mcpgov settings show`: every setting, its value, where the value comes from, what it means.

Settings are written in settings.toml (see `mcpgov paths`) or given in the
environment as MCPGOV_<NAME>, which wins.

examples:
  mcpgov settings show
  MCPGOV_COLOR=never mcpgov settings show --json
"""

from __future__ import annotations

from argparse import Namespace

from mcpgov.front.context import Context
from mcpgov.front.output.text import home_short
from mcpgov.front.result import Block, Cell, Line, Result, Table
from mcpgov.ledger_address import masked_address


def run(args: Namespace, context: Context) -> Result:
    settings, sources = context.loaded_settings
    rows: list[list[str | Cell]] = []
    data = []
    for name, field in type(settings).model_fields.items():
        value = _plain(getattr(settings, name))
        if name == "ledger" and value is not None:  # it may hold a password
            value = masked_address(str(value))
        shown = _shown(value)
        source = sources[name]
        style = "faint" if source == "default" else "strong"
        rows.append([name, Cell(home_short(str(shown or "–")), style), Cell(source, style), str(field.description)])
        data.append({"name": name, "value": value, "source": source, "description": field.description})
    file = context.places.settings_file
    view: list[Block] = [
        Table(("setting", "value", "source", "meaning"), rows),
        Line(f"in {home_short(str(file))}{'' if file.exists() else ' (not there yet)'}, or as MCPGOV_<NAME>", "faint"),
    ]
    return Result("settings show", {"file": str(file), "settings": data}, view)


def _shown(value: object) -> object:
    if isinstance(value, dict):
        return ", ".join(f"{name} {item:g}" for name, item in value.items())
    return ", ".join(value) if isinstance(value, list) else str(value).lower() if value is False else value


def _plain(value: object) -> str | bool | list[str] | dict[str, float] | None:
    """A value as JSON has it; numbers and paths as texts, but for those of a table."""
    if isinstance(value, dict):
        return value
    if isinstance(value, tuple):
        return [str(item) for item in value]
    return value if value is None or isinstance(value, bool) else str(value)
