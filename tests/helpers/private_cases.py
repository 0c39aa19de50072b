"""Labelled texts with made-up values: `⟦kind:template⟧` marks a finding, `{A32}` 32 random letters and digits.

The files of cases hold templates only, so that no file of ours holds what a scanner would report.
"""

import json
import random
import re
from collections import Counter
from pathlib import Path

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.shape import ALPHABETS

CASES = Path(__file__).parents[1] / "cases"
# Where a key stands in texts that say nothing of it.
AROUND = ("{}", "use {} for the deploy", '{{"value": "{}"}}', "- {}\n- next", "see `{}`.", "x={}\n")
Label = tuple[str, int, int]


def filled(template: str, chance: random.Random) -> str:
    """The template with random characters; a sign that could end a word stands inside only."""

    def made(match: re.Match[str]) -> str:
        signs = [sign for sign in ALPHABETS[match[1]] if sign not in ".=/+%@"]
        inner = "".join(chance.choice(signs) for _ in range(int(match[2])))
        plain = [sign for sign in signs if sign.isalnum()]
        return chance.choice(plain) + inner[1:-1] + chance.choice(plain)

    return re.sub(r"\{([A-Z])(\d+)\}", made, template)


def labelled(template: str) -> tuple[str, list[Label]]:
    chance = random.Random(template)
    text, labels, at = "", [], 0
    for match in re.finditer(r"⟦(\w+):(.*?)⟧", template, re.DOTALL):
        text += filled(template[at : match.start()], chance)
        value = filled(match[2], chance)
        labels.append((match[1], len(text), len(text) + len(value)))
        text += value
        at = match.end()
    return text + filled(template[at:], chance), labels


def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (CASES / name).read_text("utf-8").splitlines()]


def keys_in_texts() -> list[tuple[str, list[Label]]]:
    """A key of each issuer, in each of the surroundings."""
    out = []
    for row in rows("privacy_issuers.jsonl"):
        for number, around in enumerate(AROUND):
            key = filled(row["key"], random.Random(f"{row['issuer']}{number}"))
            text = around.format(key)
            out.append((text, [("api_key", text.index(key), text.index(key) + len(key))]))
    return out


def found(detector: Detector, text: str) -> list[str]:
    """The values that a detector finds."""
    return [text[one.start : one.end] for one in detector.find(text)]


class Score:
    """Hits, misses and false alarms by kind; a secret that another kind of secret tells is a hit."""

    SECRETS = frozenset(("api_key", "jwt", "credential_url", "private_key"))

    def __init__(self) -> None:
        self.hits: Counter[str] = Counter()
        self.misses: Counter[str] = Counter()
        self.false: Counter[str] = Counter()
        self.told: list[str] = []

    def add(self, detector: Detector, text: str, labels: list[Label], either: list[list[int]] | None = None) -> None:
        found = detector.find(text)
        for kind, start, end in labels:
            same = self.SECRETS if kind in self.SECRETS else {kind}
            hit = any(one.kind in same and one.start < end and start < one.end for one in found)
            (self.hits if hit else self.misses)[kind] += 1
            if not hit:
                self.told.append(f"missed {kind} in {text[:90]!r}")
        known = [(start, end) for _, start, end in labels] + [(start, end) for start, end in either or []]
        for one in found:
            if not any(one.start < end and start < one.end for start, end in known):
                self.false[one.kind] += 1
                self.told.append(f"false {one.kind} in {text[:90]!r}")

    def recall(self, kind: str = "") -> float:
        return _share(self.hits, self.misses, kind)

    def precision(self, kind: str = "") -> float:
        return _share(self.hits, self.false, kind)


def _share(good: Counter[str], bad: Counter[str], kind: str) -> float:
    one, other = (good[kind], bad[kind]) if kind else (good.total(), bad.total())
    return one / (one + other) if one + other else 1.0
