"""Rows of a table: what was measured, its value, its target, whether that is met."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    name: str
    value: str
    target: str = ""
    met: bool = True

    @classmethod
    def most(cls, name: str, value: float, most: float, unit: str, digits: int = 2) -> "Row":
        met = value <= most
        return cls(name, f"{value:.{digits}f} {unit}".rstrip(), f"<= {most:g} {unit}".rstrip(), met)


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
