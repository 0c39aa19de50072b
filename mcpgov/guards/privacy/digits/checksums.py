"""Checksums and ranges of card numbers, IBANs and social security numbers. Pure."""

from __future__ import annotations

# The length of an IBAN of each country.
IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AO": 25, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BF": 28, "BG": 22, "BH": 22,
    "BI": 27, "BJ": 28, "BR": 29, "BY": 28, "CF": 27, "CG": 27, "CH": 21, "CI": 28, "CM": 27, "CR": 22, "CV": 25,
    "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "DZ": 26, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FK": 18, "FO": 18, "FR": 27, "GA": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GQ": 27, "GR": 27, "GT": 28,
    "GW": 25, "HN": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IR": 26, "IS": 26, "IT": 27, "JO": 30,
    "KM": 27, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MA": 28,
    "MC": 27, "MD": 24, "ME": 22, "MG": 27, "MK": 19, "ML": 28, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "MZ": 25,
    "NE": 28, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24,
    "RS": 22, "RU": 33, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SN": 28, "SO": 23,
    "ST": 25, "SV": 28, "TD": 27, "TG": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
    "YE": 30,
}  # fmt: skip
# What is behind the check digits: n digits, a letters, c both, and the countries that have it so.
_FORMS = """
10n11c2n FR MC
11n NO
12n BE
14n DK FI FO GL SD
14n15c RU
15n SI
16n AT BA EE LT MN XK
17n HR
18n CR DE ME RS VA
19n AE IL SO TL
1a10n12c IT SM
20c MD
20n CZ ES SE SK TN
21n AO CV LY MZ PT ST
22n DZ IR IS
23n BI CF CG CM DJ GA GQ KM MG MR TD
23n1a1c BR
24c GT
24n HU MA PL
25n EG
2a12n FK
2a16n GE
2c19n GW
2c22n BF BJ CI ML NE SN TG
2n18c SA
3n10c2n MK
3n13c KZ LU
3n16c OM
4a10n NL
4a13c LV
4a14c BH
4a14n GB IE
4a15c GI
4a15n IQ
4a16c PK RO
4a16n VG
4a19n3a MU
4a20c AZ
4a20n HN NI SV
4a20n3a SC
4a21c PS QA
4a22c KW
4a24c LC
4a4n18c JO YE
4a5n18c MT
4a6n8c BG
4c20n DO
4c4n16c BY
4n20c LB
5n12c CH LI
6n16c TR
6n19c UA
7n16c GR
8n12c AD
8n16c AL CY
"""
# Issuer ranges of card numbers: the first six digits from, to, and the lengths that were issued.
CARD_RANGES = (
    (340000, 349999, (15,)), (370000, 379999, (15,)),  # American Express
    (300000, 305999, (14,)), (309500, 309599, (14,)), (360000, 369999, (14, 19)), (380000, 399999, (14,)),  # Diners
    (352800, 358999, (16,)),  # JCB
    (222100, 272099, (16,)), (510000, 559999, (16,)),  # Mastercard
    (400000, 499999, (13, 16, 19)),  # Visa
    (500000, 509999, (16,)), (560000, 589999, (16,)), (630000, 639999, (16,)), (670000, 679999, (16,)),  # Maestro
    (601100, 601199, (16,)), (644000, 659999, (16,)),  # Discover
    (620000, 629999, (16, 17, 18, 19)),  # UnionPay
    (220000, 220499, (16,)), (606282, 606282, (16,)), (607000, 608999, (16,)), (810000, 829999, (16,)),
)  # fmt: skip
_PARTS = {"n": str.isdigit, "a": str.isalpha, "c": str.isalnum}
_DOUBLED = bytes.maketrans(b"0123456789", b"0246813579")
_ZERO = ord("0")
_RANGES: dict[str, list[tuple[int, int, tuple[int, ...]]]] = {}  # by the first two digits
for _row in CARD_RANGES:
    for _head in range(_row[0] // 10_000, _row[1] // 10_000 + 1):
        _RANGES.setdefault(str(_head), []).append(_row)
_VALUES = {ord("A") + place: str(10 + place) for place in range(26)}


def luhn(digits: str) -> bool:
    raw = digits.encode()
    return (sum(raw[-1::-2]) + sum(raw[-2::-2].translate(_DOUBLED)) - _ZERO * len(raw)) % 10 == 0


def is_card(digits: str) -> bool:
    """Right length and range, right check digit, and not the same digit over and over."""
    if not luhn(digits) or len(set(digits)) < 2:
        return False
    head = int(digits[:6])
    ranges = _RANGES.get(digits[:2], ())
    return any(first <= head <= last and len(digits) in lengths for first, last, lengths in ranges)


def is_iban(text: str) -> bool:
    """Without blanks: the country's length and form, and 1 modulo 97."""
    if IBAN_LENGTHS.get(text[:2]) != len(text) or text[2:4] in ("00", "01", "99"):  # no bank makes these
        return False
    return int((text[4:] + text[:4]).translate(_VALUES)) % 97 == 1 and _has_form(text[:2], text[4:])


def _has_form(country: str, text: str) -> bool:
    form = next(line for line in _FORMS.split("\n") if f" {country}" in line).partition(" ")[0]
    at = count = 0
    for sign in form:
        if sign.isdigit():
            count = count * 10 + int(sign)
        elif not _PARTS[sign](text[at : at + count]):
            return False
        else:
            at, count = at + count, 0
    return True


def is_ssn(digits: str) -> bool:
    """Nine digits in an area, group and serial that can be issued."""
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    if area in ("000", "666") or area[0] == "9" or group == "00" or serial == "0000":
        return False
    return digits not in ("123456789", "078051120", "219099999") and len(set(digits)) > 2
