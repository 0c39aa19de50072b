"""One message with its findings replaced and its placeholders made values again; every other character stays.

Laws: whatever is not replaced keeps its text (numbers, escapes, blanks, the order of keys). What cannot be replaced
without becoming another message denies it: a number, the method, name or URI that a message is for.
"""

from __future__ import annotations

from mcpgov.core.json.values import parse, quote
from mcpgov.core.messages.methods import CLIENT, SERVER
from mcpgov.guards.privacy.long_text import AHEAD, STEP, find_in
from mcpgov.guards.privacy.search.escapes import as_meant
from mcpgov.guards.privacy.search.findings import Finding, apart
from mcpgov.guards.screening.key_context import KeyContext
from mcpgov.guards.screening.leaves import ADDRESS, FIXED, KEY, NAME, NUMBER, TEXT, VALUE, whole_number
from mcpgov.guards.screening.near import leaves_near
from mcpgov.guards.screening.placeholders import LITERAL, tokens_in
from mcpgov.guards.screening.rows import LOG, OFF, REDACT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from mcpgov.guards.privacy.detector import Detector
    from mcpgov.guards.screening.leaves import Leaf, Roles
    from mcpgov.guards.screening.names import NameFinder
    from mcpgov.guards.screening.placeholders import Placeholders
    from mcpgov.guards.screening.rows import Treatment

    # Start and end in a text, as it goes out, as it is shown.
    Piece = tuple[int, int, str, str]
    Spot = tuple[str, int, int]

BATCH = 1 << 16  # characters of leaves that are searched together
LONG = STEP + AHEAD  # from which on a text is searched in windows
DEEPEST = 4  # JSON inside a string inside JSON …
_JSON = ("{", "[", '"')
EXPONENTS = ("E1", "E8", "E9", "E+", "e1", "e8", "e9", "e+")  # of a number that is long enough


class Findings:
    """What was found in one message."""

    __slots__ = ("cut", "denied", "found", "restored", "rules")

    def __init__(self) -> None:
        self.found: dict[str, int] = {}
        self.denied: list[tuple[str, str]] = []  # kinds, and by whose word
        self.rules: list[str] = []  # by whose word, the first one's first
        self.cut = 0
        self.restored = 0

    def add(self, other: Findings) -> None:
        for kind, count in other.found.items():
            self.found[kind] = self.found.get(kind, 0) + count
        self.denied += other.denied
        self.rules += other.rules
        self.cut += other.cut
        self.restored += other.restored


class Rewriter:
    """`restore`: placeholders of the client become values. `softened`: nothing is denied, a number becomes 0."""

    def __init__(
        self,
        detector: Detector,
        treatment: Treatment,
        placeholders: Placeholders,
        sender: str,
        *,
        restore: bool,
        softened: bool = False,
        people: NameFinder | None = None,
    ) -> None:
        self._detector = detector
        self._treatment = treatment
        self._placeholders = placeholders
        self._sender = sender
        self._restore = restore and sender == CLIENT
        self._softened = softened
        self._people = people
        self._keys = KeyContext(detector)
        self.findings = Findings()

    def run(self, text: str, roles: Roles | None, depth: int = 0) -> tuple[str, str]:
        """The message as it goes out, and as it is shown."""
        out: list[str] = []
        shown: list[str] = []
        batch: list[Leaf] = []
        done = room = 0
        is_gated = not self._detector.patterns and self._people is None
        places = self._detector.places if is_gated else None
        found_near, is_near = leaves_near(text, roles, places, every=bool(self._detector.patterns))
        for leaf in found_near:
            if leaf[4] == FIXED:
                continue
            batch.append(leaf)
            room += len(leaf[2])
            if room > BATCH:
                done, room = self._batch(text, batch, done, out, shown, depth, is_near=is_near), 0
                batch = []
        done = self._batch(text, batch, done, out, shown, depth, is_near=is_near)
        if not out:
            return text, text
        same = all(one is two for one, two in zip(out, shown, strict=True))
        out.append(text[done:])
        passes = "".join(out)
        out.clear()
        return passes, passes if same else "".join((*shown, text[done:]))

    def _batch(
        self, text: str, batch: list[Leaf], done: int, out: list[str], shown: list[str], depth: int, *, is_near: bool
    ) -> int:
        """Add the text up to the last leaf that changes, as it goes out and as it is shown; where that ends. `is_near`:
        the leaves are those at places of the gate."""
        texts, names = [leaf[2] for leaf in batch], [leaf[3] for leaf in batch]
        short = [each if len(each) <= LONG else "" for each in texts]
        found = self._detector.find_all(short, names, each=is_near)
        if self._detector.patterns:
            self._add_whole(batch, found)
        for at, more in (self._people.find_all(texts) if self._people is not None else {}).items():
            found[at] = apart([*found.get(at, ()), *more])
        pieces: list[str] = []
        pieces_shown: list[str] = []
        for at in self._worth_a_look(texts, names, found):
            start, end, value, name, role = batch[at]
            spots: list[Spot] = [(one.kind, one.start, one.end) for one in found.get(at, ())]
            if len(value) > LONG:
                spots = self._in_long(value, spots)
            if not spots and name:
                spots = [one.key() for one in self._keys.find(name, value)]
            one, two = self._number(value, spots) if role == NUMBER else self._text(value, spots, role, depth)
            if one != value or two != value:
                written = text[start:end] if one is value else one if role == NUMBER else quote(one)
                pieces += (text[done:start], written)
                pieces_shown += (pieces[-2], written if one is two else two if role == NUMBER else quote(two))
                done = end
        if pieces:
            same = all(one is two for one, two in zip(pieces, pieces_shown, strict=True))
            out.append("".join(pieces))
            shown.append(out[-1] if same else "".join(pieces_shown))
        return done

    def _add_whole(self, batch: list[Leaf], found: dict[int, list[Finding]]) -> None:
        """What is found only in the digits of a number that is whole but not written so."""
        for at, (_, _, value, name, role) in enumerate(batch):
            if role == NUMBER and at not in found and (digits := whole_number(value.lstrip("-"), 1)):
                spots = self._detector.find(digits, name) or self._keys.find(name, digits)
                if spots:
                    found[at] = spots

    def _in_long(self, value: str, people: list[Spot]) -> list[Spot]:
        """`people`: what is known of it already."""
        own: list[Spot] = [place[:3] for place in find_in(self._detector, (value,))]
        if not people:
            return own
        found = apart([Finding(*spot) for spot in (*own, *people)])
        return [one.key() for one in found]

    def _worth_a_look(self, texts: list[str], names: list[str], found: Container[int]) -> list[int]:
        """Those with findings, with what may be a placeholder, an escape or a number with an exponent, those that their
        keys may explain, and long ones; most texts of a message are none of these."""
        explaining = {name for name in set(names) if name and self._keys.explains(name)}
        return [
            at
            for at, text in enumerate(texts)
            if at in found
            or "[" in text
            or "\\u00" in text
            or names[at] in explaining
            or len(text) > LONG
            or (text[:1] == "{" and any(sign in text for sign in EXPONENTS))
        ]

    def _number(self, value: str, spots: list[Spot]) -> tuple[str, str]:
        for kind, _, _ in spots[:1]:
            mode, rule = self._treatment.of(kind, value)
            if mode == OFF:
                break
            self._count(kind, rule)
            token = quote(self._placeholders.token(kind, value))
            if mode == LOG:
                return value, token
            if mode == REDACT and self._softened:
                return "0", token
            self.findings.denied.append((kind, rule))
            return value, token
        return value, value

    def _text(self, value: str, spots: list[Spot], role: str, depth: int) -> tuple[str, str]:
        if depth < DEEPEST and value.lstrip()[:1] in _JSON and (made := self._inside(value, role, depth)) is not None:
            return made
        pieces = self._tokens(value, role) if "[" in value else []
        if not pieces and len(spots) == 1:  # the usual text: there may be thousands in a message
            return self._one(value, spots[0], role)
        taken = [(start, end) for start, end, _, _ in pieces]
        for kind, start, end in spots:
            if all(end <= first or last <= start for first, last in taken):
                piece = self._finding(kind, start, end, value[start:end], role)
                pieces += [] if piece is None else [piece]
        pieces.sort()
        stays = all(new == value[start:end] for start, end, new, _ in pieces)
        passes = value if stays else _spliced(value, [piece[:3] for piece in pieces])
        if all(new == shown for _, _, new, shown in pieces):
            return passes, passes
        return passes, _spliced(value, [(start, end, shown) for start, end, _, shown in pieces])

    def _one(self, value: str, spot: Spot, role: str) -> tuple[str, str]:
        """A text with one finding."""
        kind, start, end = spot
        found = value[start:end]
        piece = self._finding(kind, start, end, found, role)
        if piece is None:
            return value, value
        before, behind, new, shown = value[:start], value[end:], piece[2], piece[3]
        passes = value if new == found else f"{before}{new}{behind}"
        return passes, passes if new == shown else f"{before}{shown}{behind}"

    def _tokens(self, value: str, role: str) -> list[Piece]:
        """What looks like a placeholder: what was ours becomes its value, or stays; nothing else may become ours."""
        pieces: list[Piece] = []
        known = self._placeholders
        for start, end in tokens_in(value):
            token = value[start:end]
            restored = known.value_of(token) if self._restore and role in (VALUE, ADDRESS, KEY) else None
            if restored is not None:
                self.findings.restored += 1
                pieces.append((start, end, restored, token))
            elif self._sender == SERVER and role == VALUE and known.is_forged(token):
                escaped = known.token(LITERAL, token, SERVER)
                self.findings.cut += 1
                pieces.append((start, end, escaped, escaped))
            elif known.is_ours(token):
                pieces.append((start, end, token, token))
            else:
                known.reserve(token)
        return pieces

    def _finding(self, kind: str, start: int, end: int, value: str, role: str) -> Piece | None:
        meant = as_meant(value)
        mode, rule = self._treatment.of(kind, meant)
        if mode == OFF:
            return None
        self._count(kind, rule)
        if role == TEXT:
            return (start, end, value if mode == LOG else f"[{kind}]", f"[{kind}]")
        cuts = mode == REDACT and role not in (ADDRESS, NAME)
        token = self._placeholders.token(
            kind, meant, self._sender if cuts else "", told=cuts and self._sender == CLIENT
        )
        if cuts:
            self.findings.cut += 1
            return start, end, token, token
        if mode != LOG:
            self.findings.denied.append((kind, rule))
        return start, end, value, token

    def _count(self, kind: str, rule: str) -> None:
        self.findings.found[kind] = self.findings.found.get(kind, 0) + 1
        self.findings.rules.append(rule)

    # --- JSON inside of a text

    def _inside(self, value: str, role: str, depth: int) -> tuple[str, str] | None:
        """A text that is itself JSON, rewritten as such: what is put in must be escaped there once more."""
        if role in (KEY, ADDRESS, NAME, TEXT):
            return None
        try:
            if not isinstance(parse(value), (dict, list, str)):
                return None
        except (ValueError, RecursionError):
            return None
        inner = Rewriter(
            self._detector, self._treatment, self._placeholders, self._sender,
            restore=self._restore, softened=self._softened, people=self._people,
        )  # fmt: skip
        passes, shown = inner.run(value, None, depth + 1)
        if self._is_left(shown):
            return None  # something shows only in the text as a whole
        self.findings.add(inner.findings)
        return passes, shown

    def _is_left(self, shown: str) -> bool:
        tokens = list(tokens_in(shown))
        return any(
            self._treatment.of(one.kind, shown[one.start : one.end])[0] != OFF
            and all(one.end <= start or end <= one.start for start, end in tokens)
            for one in self._detector.find(shown)
        )


def _spliced(text: str, pieces: list[tuple[int, int, str]]) -> str:
    out: list[str] = []
    done = 0
    for start, end, new in pieces:
        out += (text[done:start], new)
        done = end
    return "".join((*out, text[done:]))
