"""Search text for `re:` patterns. Law: time is linear in the text; no pattern and no message stalls a proxy.

The engine is RE2; what it cannot do in linear time (back references, look-around) is refused when the policy
loads. Only this file imports it.
"""

import re2

MAX_SOURCE = 4096
MAX_MEMORY = 8 << 20  # RE2's bound for one program and its caches; a pattern that needs more is refused
# RE2 keeps its states in this; with less it falls back, silently, to a tenth of its speed.
MAX_BYTES_MEMORY = 24 << 20
SURROGATES = dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)  # one for one: positions stay

_ANYWHERE = re2._re2.RE2.Anchor.UNANCHORED


class PatternError(ValueError):
    """The pattern is wrong or needs an engine that can explode."""


class RegexPattern:
    """A compiled pattern; spans count code points."""

    __slots__ = ("_compiled", "source")

    def __init__(self, source: str, compiled: "re2._Regexp[str]") -> None:
        self.source = source
        self._compiled = compiled

    def search(self, text: str) -> bool:
        return self._compiled.search(whole(text)) is not None

    def spans(self, text: str) -> list[tuple[int, int]]:
        spans = (match.span() for match in self._compiled.finditer(whole(text)))
        return [(start, end) for start, end in spans if end > start]


def compile_pattern(text: str) -> RegexPattern:
    if len(text) > MAX_SOURCE:
        raise PatternError(f"pattern is longer than {MAX_SOURCE} characters")
    if "\\C" in text.replace("\\\\", ""):
        raise PatternError("pattern matches single bytes: `\\C` is not supported")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    try:
        return RegexPattern(text, re2.compile(text, options))
    except UnicodeEncodeError:
        raise PatternError("pattern holds a lone surrogate") from None
    except re2.error as error:
        raise PatternError(f"pattern `{text}`: {reason(text, error)}") from None


def whole(text: str) -> str:
    return text if text.isascii() else text.translate(SURROGATES)


def reason(text: str, error: Exception) -> str:
    message = b"".join(error.args).decode("utf-8", "replace")
    if "(?P=" in text or (message.startswith("invalid escape sequence: \\") and message[-1] in "123456789k"):
        return "back references are not supported"
    if message.startswith("invalid perl operator: (?") and message[-1] in "=!":
        return "look-around is not supported"
    return message


class BytePattern:
    """A compiled pattern over bytes, each a Latin-1 character; spans count bytes."""

    __slots__ = ("_match",)

    def __init__(self, source: bytes) -> None:
        options = re2.Options()
        options.log_errors = False
        options.max_mem = MAX_BYTES_MEMORY
        options.encoding = re2.Options.Encoding.LATIN1
        options.never_capture = True
        compiled = re2._re2.RE2(source, options)
        if not compiled.ok():
            raise PatternError(str(compiled.error()))
        self._match = compiled.Match

    def search(self, data: bytes | bytearray, at: int) -> tuple[int, int]:
        """Where the first match at or behind `at` is; (-1, -1): nowhere."""
        span: tuple[int, int] = self._match(_ANYWHERE, data, at, len(data))[0]
        return span


def compile_bytes(source: bytes) -> BytePattern:
    return BytePattern(source)
