"""Checksums and ranges of card numbers, IBANs and social security numbers. Pure."""

from __future__ import annotations

# The length of an IBAN of each country.
IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HN": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IR": 26, "IS": 26, "IT": 27, "JO": 30, "KW": 30,
    "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22,
    "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28,
    "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19,
    "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24,
    "XK": 20, "YE": 30,
}  # fmt: skip
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
_DOUBLED = str.maketrans("0123456789", "0246813579")
_VALUES = {ord("A") + place: str(10 + place) for place in range(26)}


def luhn(digits: str) -> bool:
    single, doubled = digits[-1::-2], digits[-2::-2].translate(_DOUBLED)
    return (sum(map(int, single)) + sum(map(int, doubled))) % 10 == 0


def is_card(digits: str) -> bool:
    """Right length and range, right check digit, and not the same digit over and over."""
    if not luhn(digits) or len(set(digits)) < 2:
        return False
    head = int(digits[:6])
    return any(first <= head <= last and len(digits) in lengths for first, last, lengths in CARD_RANGES)


def is_iban(text: str) -> bool:
    """Without blanks: the country's length, and 1 modulo 97."""
    if IBAN_LENGTHS.get(text[:2]) != len(text) or text[2:4] in ("00", "01", "99"):  # no bank makes these
        return False
    return int((text[4:] + text[:4]).translate(_VALUES)) % 97 == 1


def is_ssn(digits: str) -> bool:
    """Nine digits in an area, group and serial that can be issued."""
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    if area in ("000", "666") or area[0] == "9" or group == "00" or serial == "0000":
        return False
    return digits not in ("123456789", "078051120", "219099999") and len(set(digits)) > 2
