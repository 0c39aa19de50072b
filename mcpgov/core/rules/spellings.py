"""Other spellings of one text: what some server, shell or file system might turn it into. Pure.

Law: a deny is matched against every spelling; to an allow, a text with other spellings is not certain.
"""

from __future__ import annotations

from mcpgov.core.world import World, no_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HEX = frozenset("0123456789abcdefABCDEF")
NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
# What a shell expands behind a `$`: names, braces, commands, arithmetic, its own parameters, quotes of a kind.
EXPRESSIONS = frozenset("{([?!#@*-'\"")
EXPANDED = NAME | EXPRESSIONS
EDGES = " \t\r\n\v\f\"'`"
# Characters that structure a path: normalisation must not change how many of them there are.
STRUCTURE = "/.\\%~$:"
MOST_SPELLINGS = 64
WEB = ("http", "https", "ws", "wss", "file")
LOCAL_HOSTS = ("", "localhost", "127.0.0.1", "[::1]", "file")
LONG = 1 << 16
LONGEST_NORMALISED = 4096
FEW_ESCAPES = 64
# Encodings of `.` and `/` that are forbidden in UTF-8 but that lenient decoders accept.
OVERLONG = ((b"\xc0\xae", b"."), (b"\xc0\xaf", b"/"), (b"\xe0\x80\xae", b"."), (b"\xe0\x80\xaf", b"/"))


_CONTROLS = dict.fromkeys((*range(32), 127))
# Every byte by its role in a percent escape: `%`, `u`, a hex digit (as `0`), or nothing.
_ESCAPE_SIGNS = bytearray(256)
for _code in b"0123456789abcdefABCDEF":
    _ESCAPE_SIGNS[_code] = ord("0")
for _code, _sign in zip(b"%uU", b"%uu", strict=True):
    _ESCAPE_SIGNS[_code] = _sign


NOWHERE = World(no_links)


def compatible(text: str, form: str = "NFKC") -> str:
    """Unicode normalisation. A long text only character by character into ASCII: ordering marks is not linear."""
    if text.isascii():
        return text
    import unicodedata

    if len(text) <= LONGEST_NORMALISED:
        return unicodedata.normalize(form, text)  # type: ignore[arg-type]
    plain = {ord(char): unicodedata.normalize("NFKC", char) for char in set(text) if not char.isascii()}
    return text.translate(
        {code: normalised for code, normalised in plain.items() if normalised.isascii() and len(normalised) <= 4}
    )


def fold(text: str) -> str:
    """One form for all texts that a lenient reader takes as equal."""
    if text.isascii():
        return text.lower()
    return compatible(compatible(text).casefold())


def has_escape(text: str) -> bool:
    """A percent escape: `%2e`, `%u002e`."""
    if len(text) > LONG and text.count("%") > FEW_ESCAPES:
        # One by one, so many escapes would take seconds.
        for at in range(0, len(text), LONG):
            signs = text[at : at + LONG + 5].encode("utf-8", "surrogatepass").translate(_ESCAPE_SIGNS)
            if b"%00" in signs or b"%u0000" in signs:
                return True
        return False
    at = text.find("%")
    while at >= 0:
        pair = text[at + 1 : at + 3]
        if len(pair) == 2 and pair[0] in HEX and pair[1] in HEX:
            return True
        if text[at + 1 : at + 2] in ("u", "U") and len(text) > at + 5 and HEX.issuperset(text[at + 2 : at + 6]):
            return True
        at = text.find("%", at + 1)
    return False


def has_variable(text: str) -> bool:
    """Holds a shell or Windows variable: `$HOME`, `${HOME}`, `%HOME%`; not a `$` that no shell expands."""
    if "$" in text and ("$$" in text or any(piece[:1] in EXPANDED for piece in text.split("$")[1:])):
        return True
    first = text.find("%")
    while first >= 0:
        second = text.find("%", first + 1)
        if second > first + 1 and NAME.issuperset(text[first + 1 : second]):
            return True
        first = second
    return False


def has_expression(text: str) -> bool:
    """Something besides `$NAME` that a shell expands: `${…}`, `$(…)`, `$$`."""
    return "$$" in text or any(piece[:1] in EXPRESSIONS for piece in text.split("$")[1:])


def has_control(text: str) -> bool:
    """A control character or a lone surrogate."""
    if text.isascii():
        return not text.isprintable()
    return any(c < " " or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff" for c in text)


def strip_controls(text: str) -> str:
    if text.isascii():
        return text.translate(_CONTROLS)
    return "".join(c for c in text if not has_control(c))


def changes_structure(text: str) -> bool:
    """Compatibility normalisation would make new dots, slashes or escapes."""
    other = compatible(text)
    return other is not text and any(text.count(c) != other.count(c) for c in STRUCTURE)


def unquote(text: str) -> str:
    """Percent escapes decoded once; a bad one stays as it is."""
    raw, start = bytearray(), 0
    # A long text is decoded slice by slice to save memory; no slice ends inside an escape.
    while len(text) - start > LONG:
        end = start + LONG
        cut = text.rfind("%", end - 5, end)
        end = cut if cut >= 0 else end
        raw += _decoded(text[start:end])
        start = end
    raw += _decoded(text[start:])
    for bad, plain in OVERLONG:
        if bad in raw:
            raw = raw.replace(bad, plain)
    return raw.decode("utf-8", "replace")


def _decoded(text: str) -> bytes:
    pieces = text.split("%")
    out = [pieces[0].encode("utf-8", "surrogatepass")]
    for piece in pieces[1:]:
        if len(piece) >= 2 and piece[0] in HEX and piece[1] in HEX:
            out.append(bytes((int(piece[:2], 16),)) + piece[2:].encode("utf-8", "surrogatepass"))
        elif piece[:1] in ("u", "U") and len(piece) >= 5 and HEX.issuperset(piece[1:5]):
            out.append(chr(int(piece[1:5], 16)).encode("utf-8", "surrogatepass"))
            out.append(piece[5:].encode("utf-8", "surrogatepass"))
        else:
            out.append(b"%" + piece.encode("utf-8", "surrogatepass"))
    return b"".join(out)


def file_paths(text: str) -> tuple[str, ...]:
    """The path of a `file:` URI in any of its forms, still escaped: whole, and without query and fragment."""
    if text[:5].lower() != "file:":
        at = text.lower().find(":file:") if ":" in text else -1  # `view-source:file:///…`
        if at < 0 or "/" in text[:at]:
            return ()
        text = text[at + 1 :]
    rest = text[5:]
    if rest.startswith("//"):
        at = rest.find("/", 2)
        rest = rest[at:] if at >= 0 else "/"
    return rest, rest.partition("?")[0].partition("#")[0]


def local_path(text: str) -> tuple[str, ...]:
    """The path of a URI without a host, whatever its scheme (`resource:///p`, `vscode://file/p`), but no web page's."""
    scheme, sign, rest = text.partition("://")
    host, slash, path = rest.partition("/")
    if not sign or not slash or host.lower() not in LOCAL_HOSTS or scheme.strip().lower() in WEB:
        return ()
    return "/" + path, "/" + path.partition("?")[0].partition("#")[0]


def expand_home(text: str, world: World) -> str:
    """`~` and `~name` at the start."""
    name, slash, rest = text[1:].partition("/")
    if not name:
        return world.home + slash + rest if world.home else text
    home = world.home_of(name) if world.home_of is not None else None
    return home + slash + rest if home else text


def expand_variables(text: str, world: World, keep: bool = False) -> str:
    """`$NAME` and `${NAME}`; an unknown one is empty, as in a shell, or with `keep` stays."""
    pieces = text.split("$")
    out = [pieces[0]]
    for piece in pieces[1:]:
        if piece.startswith("{") and "}" in piece:
            name, _, rest = piece[1:].partition("}")
            out.append(world.env.get(name, "") + rest)
            continue
        end = 0
        while end < len(piece) and piece[end] in NAME:
            end += 1
        unchanged = not end or (keep and piece[:end] not in world.env)
        out.append("$" + piece if unchanged else world.env.get(piece[:end], "") + piece[end:])
    return "".join(out)


def _steps(text: str, world: World) -> list[str]:
    """Each single decoding that could apply to the text."""
    out = [text.strip(EDGES)]
    if "%" in text:
        out.append(unquote(text))
    if text.startswith("~"):
        out.append(expand_home(text, world))
        if text[1:2] in ("", "/") and world.env.get("HOME"):
            out.append(world.env["HOME"] + text[1:])  # the server may use HOME instead
    if "$" in text:
        out.append(expand_variables(text, world))
    if "\\" in text:
        out.append(text.replace("\\", "/"))
    out += file_paths(text)
    if "://" in text:
        out += local_path(text)
    if "://" in text and "/." in text:
        scheme, _, rest = text.partition("://")
        out.append(f"{scheme}:/{normal('/' + rest)}")
    if has_control(text):
        out.append(text.partition("\0")[0])
        out.append(strip_controls(text))
    if not text.isascii():
        out += [compatible(text, "NFC"), compatible(text)]
    return out


def spellings(text: str, world: World, spend: Callable[[int], None] | None = None) -> list[str] | None:
    """Every decoding of a text, the text itself first. None: too many to list, so a deny must assume a match.

    `spend` is called with the steps that each round takes, and may raise.
    """
    if len(text) > LONG:
        if spend is not None:
            spend((len(text) >> 4) + 4 * text.count("%") + 3 * text.count("/."))
        short = _squeezed(text.partition("\0")[0].strip(EDGES))
        if len(short) <= LONG:
            more = spellings(short, world, spend)
            return None if more is None else [text, *more]
        # One pass that decodes everything: a set of copies of a huge text would take too much memory.
        decoded = unquote(short) if has_escape(short) else short
        decoded = compatible(decoded.replace("\\", "/"))
        return [text] if decoded == text else [text, decoded]
    forms = [text]
    at = 0
    while at < len(forms):
        if spend is not None:
            spend(8 + (len(forms[at]) >> 2))
        for other in _steps(forms[at], world):
            if other not in forms:
                forms.append(other)
        at += 1
        if len(forms) > MOST_SPELLINGS or len(forms[-1]) > 2 * LONG:
            return None
    return forms


def _squeezed(text: str) -> str:
    """The path without doubled slashes and single dots, which every reader removes."""
    at = text.find("/")
    if at < 0 or ("//" not in text and "/." not in text and text[-1] != "/"):
        return text
    out = [text[:at]]
    while at >= 0:  # slice by slice, each from a slash to the next but many
        end = text.find("/", at + LONG)
        parts = (text[at:end] if end >= 0 else text[at:]).split("/")
        out.append("".join(["/" + part for part in parts if part not in ("", ".")]))
        at = end
    return "".join(out)


def normal(path: str) -> str:
    """An absolute path without `.`, `..` and doubled slashes, by its text alone."""
    if "/.." not in path and path[:1] == "/":
        return _squeezed(path) or "/"
    out: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if out:
                out.pop()
        elif part and part != ".":
            out.append(part)
    return "/" + "/".join(out)
