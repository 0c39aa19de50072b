"""Amounts as whole micro-units, and the number that a path names inside arguments or a result. Pure."""

from __future__ import annotations

MICRO = 1_000_000
LARGEST = 10**12 * MICRO  # of one amount
COUNTED = 2 * LARGEST  # of a sum: what goes beyond counts no more, and fits into 64 bits with what is held besides
BEYOND = LARGEST + 1
SIZE = len(str(LARGEST))
LONG = 15  # digits of an exponent that no text of digits is long enough to make up for
ENDLESS = ("inf", "infinity")  # what is left of a number that no machine can hold


def micro(text: str) -> int | None:
    """A decimal text in micro-units, rounded up; None: no amount (negative, not a number, too large)."""
    found = _read(text)
    return None if found == BEYOND else found


def _read(text: str) -> int | None:
    """BEYOND where it is too large."""
    text = text.strip().lower().removeprefix("+")
    if text in ENDLESS:
        return BEYOND
    digits, _, exponent = text.partition("e")
    whole, _, fraction = digits.partition(".")
    shift = exponent.removeprefix("+").removeprefix("-") or "0"
    parts = (whole or "0", fraction or "0", shift)
    if not (whole or fraction) or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    # INVARIANT: zeros in front change nothing, however many: a price is not free because it is long.
    digits, shift = (whole + fraction).lstrip("0"), shift.lstrip("0") or "0"
    power = int(shift) if len(shift) < LONG else 10**LONG
    size = len(digits) + 6 - len(fraction) + (-power if exponent.startswith("-") else power)
    if not digits or size > SIZE:
        return BEYOND if digits else 0
    size = max(size, 0)
    amount = int(digits[:size].ljust(size, "0") or "0") + (1 if digits[size:].strip("0") else 0)
    return min(amount, BEYOND)


def shown(amount: int) -> str:
    """Micro-units for people: 12.5, 0.015, 10."""
    sign, amount = ("-", -amount) if amount < 0 else ("", amount)
    whole, rest = divmod(amount, MICRO)
    return f"{sign}{whole}" + (f".{rest:06}".rstrip("0") if rest else "")


def at_path(value: object, path: tuple[str, ...]) -> int | None:
    """The amount at a path of keys; None where there is none. What is too large is more than any limit."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, int):  # of any length, which has no text
        return None if value < 0 else min(value * MICRO, BEYOND)
    return _read(value if isinstance(value, str) else repr(value))
