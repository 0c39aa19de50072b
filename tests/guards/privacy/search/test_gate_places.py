"""Where the gate matches in a text: by the beginnings of its parts as by the whole of them."""

import random

from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.patterns import compile_bytes
from mcpgov.guards.privacy import gate
from mcpgov.guards.privacy.detector import KINDS
from mcpgov.guards.privacy.gate import PARTS, pattern
from mcpgov.guards.privacy.search.gate_places import GatePlaces
from tests.helpers.private_samples import samples

WORDS = [
    "ssn", "social", "security", "iban", "phone", "call", "me", "tel.", "tél.", "BEGIN", "PRIVATE", "KEY",
    "PuTTY-User-Key-File-", "key", "token", "secret", "pat", "api", "auth", "login", "credential", "password",
    "passwd", "pwd", "_pw", "Bearer", "--token", "-p", "-U", "/p:", "/user:", "echo", "chpasswd", "htpasswd", "-b",
    "sqlplus", "send", 'auth=("', 'new("', ":5432:", "value", "default", "requirepass", "identified", "by",
    "sshpass", "user:", "MAAAAAAAAAAAAAAAAAAAAAAA", "NAAAAAA",
]  # fmt: skip
SIGNS = [*" \"'\\/:=,(+%?_-.@1a9Z|<>&\n", " / ", " = ", "--", "\\n", "%41", "a1", "123456789", "4111 1111"]


def all_places(places, data: bytes) -> list[tuple[int, int]]:
    out, at = [], 0
    while (found := places.search(data, at))[0] >= 0:
        out.append(found)
        at = found[0] + 1
    return out


PARTS_OF_ALL = [
    *(part for parts in PARTS.values() for part in parts),
    *(before + gate._VALUE for before in gate._BEFORE_VALUES),
    *gate._MARKED,
    *gate._COLUMNS,
    gate._NEAR,
    gate._CONNECTION,
    gate._SIGNED_PASSWORD,
    gate._PAIR,
]
WHOLE, PLACES = compile_bytes(pattern(frozenset(KINDS)).encode("latin-1")), GatePlaces(frozenset(KINDS))


@given(st.sampled_from(PARTS_OF_ALL).flatmap(lambda part: st.from_regex(part, fullmatch=True)), st.sampled_from(SIGNS))
def test_whatever_a_part_matches_has_the_same_places_by_its_beginning(text, sign):
    data = (sign + text + sign).encode("ascii", "replace")
    assert all_places(PLACES, data) == all_places(WHOLE, data), data


def test_places_that_are_searched_for_by_their_beginnings_are_those_of_the_whole_pattern():
    chance = random.Random(3)
    values = list(samples().values())
    for kinds in (frozenset(KINDS), *(frozenset((kind,)) for kind in KINDS)):
        whole, places = compile_bytes(pattern(kinds).encode("latin-1")), GatePlaces(kinds)
        for _ in range(400):
            some = (
                chance.choice((chance.choice(WORDS), chance.choice(SIGNS), chance.choice(values))) for _ in range(9)
            )
            data = "".join(some).encode("ascii", "replace")
            assert all_places(places, data) == all_places(whole, data), data
