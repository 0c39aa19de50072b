"""Hosts of URLs: the names and addresses that one spelling may stand for. Pure.

Law: only the spelling is read; no name is resolved to an address.
"""

from __future__ import annotations

from mcpgov.core.rules.globs import WILD
from mcpgov.core.rules.spellings import HEX, fold
from mcpgov.core.rules.value_patterns import fold_pattern

OCTAL, DECIMAL = frozenset("01234567"), frozenset("0123456789")
LONGEST_NUMBER = 40  # digits without leading zeros; no reader takes more of them for an address
LONGEST_LABEL = 63
MARKS = frozenset(map(chr, (*range(0xFE00, 0xFE10), 0x34F, 0x115F, 0x1160, 0x3164)))  # drawn as nothing
# RFC 3492
BASE, TMIN, TMAX, SKEW, DAMP, BIAS, FIRST = 36, 1, 26, 38, 700, 72, 128


def host_readings(host: str) -> tuple[str, ...]:
    """A host folded, without the root's dot, decoded, and as the address it spells, each in one canonical form."""
    if host.startswith("["):
        groups = _groups(host[1:].partition("]")[0])
        return (fold(host), *_addresses6(groups)) if groups is not None else (fold(host),)
    low = fold(host).replace("\u3002", ".")
    if not low.isprintable() or not low.isascii():
        low = "".join(char for char in low if char.isprintable() and char not in MARKS)
    low = low.strip().rstrip(".")
    out = dict.fromkeys((low, *_addresses4(low.partition(" ")[0])))
    if "xn--" in low:
        out[".".join(_unicode(label) for label in low.split("."))] = None
    return tuple(out)


def host_of_pattern(host: str) -> tuple[str, ...]:
    """The same for a pattern; one with wildcards is only folded."""
    if not any(char in host for char in WILD):
        return host_readings(host)
    return (fold_pattern(host).rstrip("."),)


# --- addresses


def _addresses4(text: str) -> list[str]:
    """Dotted quads a numeric host may mean: octal, hexadecimal, short, or all decimal."""
    if text[:1] not in DECIMAL:
        return []
    parts = text.split(".")
    if len(parts) > 4:
        return []
    readings = ([_number(part) for part in parts], [_decimal(part) for part in parts])
    return [
        _dotted(octets) for numbers in readings if len(octets := [n for n in numbers if n is not None]) == len(parts)
    ]


def _number(part: str) -> int | None:
    """As inet_aton() reads it."""
    if part[:2] == "0x":
        digits = part[2:].lstrip("0")
        return int(digits or "0", 16) if HEX.issuperset(digits) and len(digits) <= LONGEST_NUMBER else None
    if part[:1] == "0" and OCTAL.issuperset(part):
        digits = part.lstrip("0")
        return int(digits or "0", 8) if len(digits) <= LONGEST_NUMBER else None
    return _decimal(part)


def _decimal(part: str) -> int | None:
    digits = part.lstrip("0")
    if not part or not DECIMAL.issuperset(digits) or len(digits) > LONGEST_NUMBER:
        return None
    return int(digits or "0")


def _dotted(numbers: list[int]) -> str:
    """The last number fills the remaining bytes; one that is too large is cut to size, as lenient readers do."""
    *first, last = numbers
    rest = 4 - len(first)
    octets = [number & 0xFF for number in first] + list((last & ((1 << 8 * rest) - 1)).to_bytes(rest, "big"))
    return ".".join(map(str, octets))


def _groups(text: str) -> list[int] | None:
    """The eight numbers of an IPv6 address, without its zone."""
    text = text.partition("%")[0]
    if text.count("::") > 1:
        return None
    head, gap, tail = text.partition("::")
    before, after = _fields(head), _fields(tail)
    if before is None or after is None:
        return None
    missing = 8 - len(before) - len(after)
    if missing < 0 or bool(gap) != (missing > 0):
        return None
    return before + [0] * missing + after


def _fields(text: str) -> list[int] | None:
    out: list[int] = []
    for field in text.split(":") if text else ():
        if "." in field:
            quad = field.split(".")
            if len(quad) != 4 or not all(part and DECIMAL.issuperset(part) and len(part) <= 4 for part in quad):
                return None
            a, b, c, d = (int(part) & 0xFF for part in quad)
            out += [a << 8 | b, c << 8 | d]
        elif 0 < len(field) <= 4 and HEX.issuperset(field):
            out.append(int(field, 16))
        else:
            return None
    return out


def _addresses6(groups: list[int]) -> list[str]:
    """The address in full, and the IPv4 address inside it: mapped, compatible, translated, NAT64, 6to4."""
    out = ["[" + ":".join(f"{group:x}" for group in groups) + "]"]
    mapped = groups[:4] == [0, 0, 0, 0] and groups[4:6] in ([0, 0xFFFF], [0xFFFF, 0], [0, 0]) and any(groups[4:7])
    at_end = mapped or groups[:6] == [0x64, 0xFF9B, 0, 0, 0, 0]
    if at_end or groups[0] == 0x2002:
        inner = groups[6:] if at_end else groups[1:3]
        out.append(_dotted([inner[0] >> 8, inner[0], inner[1] >> 8, inner[1]]))
    return out


# --- names in other scripts


def _unicode(label: str) -> str:
    """`xn--bcher-kva` as `bücher`, folded; any other label unchanged."""
    if not label.startswith("xn--") or len(label) > LONGEST_LABEL:
        return label
    decoded = _punycode(label[4:])
    return label if decoded is None else fold(decoded)


def _punycode(text: str) -> str | None:
    plain, _, coded = text.rpartition("-")
    out, at, code, bias, place = list(plain), 0, FIRST, BIAS, 0
    while place < len(coded):
        start, weight, step = at, 1, BASE
        while True:
            if place == len(coded):
                return None
            char = coded[place]
            digit = ord(char) - ord("a") if char.isalpha() else ord(char) - ord("0") + 26
            place += 1
            at += digit * weight
            threshold = min(max(step - bias, TMIN), TMAX)
            if digit < threshold:
                break
            weight *= BASE - threshold
            step += BASE
        size = len(out) + 1
        bias = _adapted(at - start, size, start == 0)
        code += at // size
        at %= size
        if code > 0x10FFFF:
            return None
        out.insert(at, chr(code))
        at += 1
    return "".join(out)


def _adapted(delta: int, size: int, first: bool) -> int:
    delta = delta // DAMP if first else delta // 2
    delta += delta // size
    steps = 0
    while delta > ((BASE - TMIN) * TMAX) // 2:
        delta //= BASE - TMIN
        steps += BASE
    return steps + (BASE * delta) // (delta + SKEW)
