import random

from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.patterns import compile_bytes
from mcpgov.guards.privacy import gate
from mcpgov.guards.privacy.detector import KINDS
from mcpgov.guards.privacy.gate import FEWEST_OPEN, PARTS, GatePlaces, line_pattern, pattern
from mcpgov.guards.privacy.shape import table
from tests.helpers.private_heads import quoted
from tests.helpers.private_samples import key_of, samples


def test_signs_of_patterns_are_taken_as_they_are_and_slashes_may_be_escaped():
    assert quoted("a.b$") == "a\\.b\\$"
    for text in (b"https://x.io/", b"https:\\/\\/x.io\\/"):
        assert compile_bytes(quoted("https://x.io/").encode()).search(text, 0) == (0, len(text))


def test_every_kind_has_its_part_and_every_shape_its_beginning():
    assert {*PARTS, "api_key"} == set(KINDS)
    places = compile_bytes(pattern(frozenset(("api_key",))).encode("latin-1"))
    assert [shape.prefix for shape in table() if places.search(key_of(shape).encode(), 0)[0] != 0] == []


def test_without_kinds_there_is_no_pattern():
    assert pattern(frozenset()) == ""


def test_a_line_s_pattern_opens_long_counts_and_little_else():
    kinds = frozenset(("email", "ssn", "phone", "iban", "private_key"))
    parts, opened = pattern(kinds).split("{"), line_pattern(kinds).split("{")
    assert len(parts) == len(opened)
    changed = {
        (one.partition("}")[0], two.partition("}")[0]) for one, two in zip(parts, opened, strict=True) if one != two
    }
    assert all(int(most) - int(least) >= FEWEST_OPEN for least, _, most in (old.partition(",") for old, _ in changed))
    assert {new for _, new in changed} == {f"{old.partition(',')[0]}," for old, _ in changed}
    assert [one.partition("}")[2] for one in parts] == [two.partition("}")[2] for two in opened]


def test_a_line_s_pattern_matches_in_every_key_and_no_ordinary_words():
    places = compile_bytes(line_pattern(frozenset(("api_key",))).encode("latin-1"))
    assert [shape.prefix for shape in table() if places.search(key_of(shape).encode(), 0)[0] < 0] == []
    for words in (b"test_something_long_here", b"Node.result_of.values", b"api-documentation", b"key_of_the_object"):
        assert places.search(words, 0)[0] < 0, words


WORDS = [
    "ssn",
    "social",
    "security",
    "iban",
    "phone",
    "call",
    "me",
    "tel.",
    "tél.",
    "BEGIN",
    "PRIVATE",
    "KEY",
    "PuTTY-User-Key-File-",
    "key",
    "token",
    "secret",
    "pat",
    "api",
    "auth",
    "login",
    "credential",
    "password",
    "passwd",
    "pwd",
    "_pw",
    "Bearer",
    "--token",
    "-p",
    "-U",
    "/p:",
    "/user:",
    "echo",
    "chpasswd",
    "htpasswd",
    "-b",
    "sqlplus",
    "send",
    'auth=("',
    'new("',
    ":5432:",
    "value",
    "default",
    "requirepass",
    "identified",
    "by",
    "sshpass",
    "user:",
    "MAAAAAAAAAAAAAAAAAAAAAAA",
    "NAAAAAA",
]
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
