"""Made-up private values, put together when a test runs: no file of ours holds what a scanner would report."""

import random

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.shape import KeyShape, table

DETECTOR = Detector(["api_key"])


def assert_found(row: str) -> None:
    """A key that a row of a table describes is one finding, alone and in a text; the row is complete."""
    issuer, prefix, body, year = row.split(" ")
    assert issuer
    assert 2009 < int(year) < 2027
    key = key_of(KeyShape(issuer, prefix, body, year))
    for text in (key, f"use {key} now", f'"{key}",'):
        found = DETECTOR.find(text)
        assert [text[one.start : one.end] for one in found] == [key]


def key_of(shape: KeyShape, seed: int = 0) -> str:
    """A key of this shape, random but the same for the same seed."""
    chance = random.Random(f"{shape.prefix}{shape.year}{seed}")
    out = shape.prefix
    for alphabet, least, most, literal in shape.parts:
        signs = alphabet.translate({ord(sign): None for sign in "_-.=/+%@"}) or alphabet
        out += literal or "".join(
            chance.choice(signs) for _ in range(min(most, max(least, 12)) if least < 12 else least)
        )
    return out


def samples(seed: int = 0) -> dict[str, str]:
    """Values by the word that a case names them with."""
    chance = random.Random(seed)
    github = next(shape for shape in table() if shape.prefix == "ghp_")
    word = "".join(chance.choice("bcdfghjkmnpqrstvwxz23456789BCDFGHJKMNPQRTVWXYZ") for _ in range(40))
    return {
        "github": key_of(github, seed),
        "card": "4" + "1" * 15,
        "mail": "ada.lovelace@corp.io",
        "iban": "DE89" + "370400440532013000",
        "ssn": "-".join(("536", "22", "8726")),
        "phone": "+1 415 555 0132",
        "jwt": ".".join(("eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", word)),
        "random": word,
        "pem": "\n".join(("-----BEGIN " + "PRIVATE KEY-----", word * 3, "-----END " + "PRIVATE KEY-----")),
    }
