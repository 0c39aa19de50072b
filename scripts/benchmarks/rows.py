"""Rows of a table: what was measured, its value, its target, whether that is met. And the page the tables are on."""

from dataclasses import dataclass
from pathlib import Path

HEAD = "# Benchmarks\n\nWritten by `./scripts/bench`: ratios inside one run; absolute times mean little.\n"


@dataclass(frozen=True)
class Row:
    name: str
    value: str
    target: str = ""
    met: bool = True

    @classmethod
    def most(cls, name: str, value: float, most: float, unit: str, digits: int = 2) -> "Row":
        return cls(name, f"{value:.{digits}f} {unit}", f"<= {most:g} {unit}", value <= most)


def table(rows: list[Row]) -> tuple[str, bool]:
    """The text, and whether all targets are met."""
    head = Row("measure", "value", "target")
    name, value, target = (max(len(getattr(row, key)) for row in (head, *rows)) for key in ("name", "value", "target"))
    lines = [f"{head.name:<{name}}  {head.value:>{value}}  {head.target:<{target}}  met"]
    lines.append("-" * len(lines[0]))
    for row in rows:
        word = ("yes" if row.met else "MISSED") if row.target else ""
        lines.append(f"{row.name:<{name}}  {row.value:>{value}}  {row.target:<{target}}  {word}".rstrip())
    return "\n".join(lines), all(row.met for row in rows)


def write(page: Path, found: dict[str, str], order: list[str], notes: str) -> None:
    """Put the tables that were made now on the page; those of earlier runs stay."""
    known = sections(page.read_text("utf-8") if page.exists() else "")
    known.update({title: f"```\n{text}\n```" for title, text in found.items()})
    parts = [f"## {title}\n\n{known[title]}\n" for title in order if title in known]
    page.write_text("\n".join([HEAD, *parts, notes]), "utf-8")


def sections(text: str) -> dict[str, str]:
    parts = [part.partition("\n") for part in f"\n{text}".split("\n## ")[1:]]
    return {title: body.strip() for title, _, body in parts}
