"""Keys that a mark inside or behind them tells, not how they begin: issuer, what is before, mark, what follows.

Lengths and alphabets are written as in `shape`; an empty part is none.
"""

from __future__ import annotations

from mcpgov.guards.privacy.plain_text import ends_escape
from mcpgov.guards.privacy.shape import ALNUM, Part, parsed, parts_end
from mcpgov.guards.privacy.values.randomness import is_random

MARKS = """
Terraform A14 .atlasv1. E60:70
Azure_DevOps A52 JQQJ99 A26
Azure_DevOps A76 AZDO A4
Firebase W20:24 :APA91b W120:200
Telegram N5:16 :A W33:34
New_Relic A6H30 NRAL -
MaxMind A6_A29 _mmk -
Azure_AD T3N1 Q~ T31:34
Azure_AD A3 Q~ T31:34
Mailchimp H32 -us N1:2
Mailgun H32 - H8-H8
TrueNAS N1:3 - A64
Facebook N13:18 | W25:40
Azure_Storage S76 +ASt S6'=='
Azure_Batch S76 +ABa S6'=='
Azure_ML S76 +AMC S6'=='
Azure_Cosmos S76 ACDb S6'=='
Azure_APIM S76 APIM S6'=='
Azure_Functions W44 AzFu W6'=='
Azure_Search A42 AzSe A6
Azure_Cache A33 AzCa A6=
Azure_Registry S42 +ACR A6
Azure_Event_Hubs S33 +AEh A6=
Azure_Service_Bus S33 +ASb A6=
Azure_Relay S33 +ARm A6=
Azure_IoT S33 AIoT A6=
"""
Span = tuple[int, int]
CONTEXT = 12  # signs on both sides of a mark that are looked at first
LONGEST_MARK = 8
_IN_URLS = ("://", "/bot")  # before a bot's token, in what is called with it


class MarkedKey:
    __slots__ = ("after", "before", "is_counted", "issuer", "longest", "mark", "signs")

    def __init__(self, issuer: str, before: str, mark: str, after: str) -> None:
        self.issuer = issuer
        self.mark = mark
        self.before: tuple[Part, ...] = parsed(before)
        self.after: tuple[Part, ...] = () if after == "-" else parsed(after)
        self.signs = "_" + "".join(part[0] for part in self.before)
        self.longest = sum(part[2] + len(part[3]) for part in self.before)
        # Behind a mere number the rest must be random by itself: `12:AssertionErrorInTheOtherModule`.
        self.is_counted = self.signs.strip("_").isdigit()

    def span(self, text: str, at: int) -> Span | None:
        """The key that begins at `at`, if its mark follows."""
        here = text.find(self.mark, at, at + self.longest + len(self.mark))
        if here < 0 or parts_end(self.before, text[at:here], 0) != here - at:
            return None
        end = parts_end(self.after, text, here + len(self.mark))
        if end < 0 or not is_random(text, here + len(self.mark) if self.is_counted else at, end, True):
            return None
        return at, end


def table() -> list[MarkedKey]:
    return [MarkedKey(*line.split(" ")) for line in MARKS.strip().split("\n")]


def places() -> str:
    """A pattern for where a mark may be of a key: with a few of the signs that must be around it."""
    return "|".join(_signs(one.before[-1]) + _quoted(one.mark) + "".join(map(_signs, one.after[:1])) for one in table())


def _signs(part: Part) -> str:
    alphabet, least, _, literal = part
    return _quoted(literal) if literal else f"[{_quoted(alphabet)}]{{{min(least, CONTEXT)}}}"


def _quoted(text: str) -> str:
    return "".join(sign if sign.isalnum() else "\\" + sign for sign in text)


def begins_word(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    if not before or before not in ALNUM + "_/+" or ends_escape(text, at):
        return True
    return text.endswith(_IN_URLS, max(0, at - 4), at)
