"""Amounts as whole micro-units, and the number that a path names inside arguments or a result. Pure."""

from __future__ import annotations

MICRO = 1_000_000
LARGEST = 10**15  # units: what is larger is no amount, and a sum of them still fits into 64 bits
FAR = 20  # digits behind the point that are looked at


def micro(text: str) -> int | None:
    """A decimal text in micro-units, rounded up; None: no amount (negative, not a number, too large)."""
    digits, _, exponent = text.strip().lower().partition("e")
    whole, _, fraction = digits.removeprefix("+").partition(".")
    shift = exponent.removeprefix("+").removeprefix("-") or "0"
    parts = (whole or "0", fraction or "0", shift)
    if not (whole or fraction) or not all(part.isascii() and part.isdigit() for part in parts) or len(shift) > 3:
        return None
    power = 6 - len(fraction) + (-int(shift) if exponent.startswith("-") else int(shift))
    number = int((whole + fraction)[: 40 + FAR] or "0")
    if len(whole + fraction) > 40 + FAR or power > 40:
        return None if number else 0
    amount = number * 10**power if power >= 0 else -(-number // 10**-power)
    return amount if amount <= LARGEST * MICRO else None


def shown(amount: int) -> str:
    """Micro-units for people: 12.5, 0.015, 10."""
    sign, amount = ("-", -amount) if amount < 0 else ("", amount)
    whole, rest = divmod(amount, MICRO)
    return f"{sign}{whole}" + (f".{rest:06}".rstrip("0") if rest else "")


def at_path(value: object, path: tuple[str, ...]) -> int | None:
    """The amount at a path of keys; None where there is none."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    return micro(value if isinstance(value, str) else repr(value))
