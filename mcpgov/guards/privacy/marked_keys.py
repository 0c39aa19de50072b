"""Keys that a mark inside or behind them tells, not how they begin: issuer, what is before, mark, what follows.

Lengths and alphabets are written as in `key_shapes`; an empty part is none.
"""

from __future__ import annotations

from mcpgov.guards.privacy.shape import ALNUM, Part, is_random, parsed, parts_end

MARKS = """
Terraform A14 .atlasv1. E60:70
Azure_DevOps A52 JQQJ99 A26
Telegram N8:10 :AA W33
New_Relic H36 NRAL -
MaxMind A6_A29 _mmk -
Azure_AD A3:4 Q~ P31:34
Mailchimp H32 -us N1:2
"""
Span = tuple[int, int]


class MarkedKey:
    __slots__ = ("after", "before", "issuer", "longest", "mark")

    def __init__(self, issuer: str, before: str, mark: str, after: str) -> None:
        self.issuer = issuer
        self.mark = mark
        self.before: tuple[Part, ...] = parsed(before)
        self.after: tuple[Part, ...] = () if after == "-" else parsed(after)
        self.longest = sum(part[2] + len(part[3]) for part in self.before)

    def span(self, text: str, at: int) -> Span | None:
        """The key that begins at `at`, if its mark follows."""
        here = text.find(self.mark, at, at + self.longest + len(self.mark))
        if here < 0 or parts_end(self.before, text[at:here], 0) != here - at:
            return None
        end = parts_end(self.after, text, here + len(self.mark))
        if end < 0 or not is_random(text, at, end, True):
            return None
        return at, end


def table() -> list[MarkedKey]:
    return [MarkedKey(*line.split(" ")) for line in MARKS.strip().split("\n")]


def begins_word(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    return not before or before not in ALNUM + "_/+"
