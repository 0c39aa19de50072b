"""Search text for `re:` patterns. Law: time is linear in the text; no pattern and no message stalls a proxy.

The engine is RE2; what it cannot do in linear time (back references, look-around) is refused when the policy
loads. Only this file imports it: patterns over bytes need its extension alone, an eighth of the whole package's cost.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    import re2

MAX_SOURCE = 4096
MAX_MEMORY = 8 << 20  # RE2's bound for one program and its caches; a pattern that needs more is refused
# RE2 keeps its states in this; with less it falls back, silently, to a tenth of its speed.
MAX_BYTES_MEMORY = 24 << 20
SURROGATES = dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)  # one for one: positions stay

EXTENSION = "re2._re2"


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
        return self.whole_spans(whole(text))

    def whole_spans(self, text: str) -> list[tuple[int, int]]:
        """The same of a text that `whole` has made: for many patterns over one text."""
        spans = (match.span() for match in self._compiled.finditer(text))
        return [(start, end) for start, end in spans if end > start]


def compile_table(text: str) -> RegexPattern:
    """A pattern made from a table of ours, which may be long."""
    return _compile(text, MAX_BYTES_MEMORY)


def compile_pattern(text: str) -> RegexPattern:
    if len(text) > MAX_SOURCE:
        raise PatternError(f"pattern is longer than {MAX_SOURCE} characters")
    if "\\C" in text.replace("\\\\", ""):
        raise PatternError("pattern matches single bytes: `\\C` is not supported")
    return _compile(text, MAX_MEMORY)


def _compile(text: str, memory: int) -> RegexPattern:
    extension()  # it is there once, whoever needs it first
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = memory
    try:
        return RegexPattern(text, re2.compile(text, options))
    except UnicodeEncodeError:
        raise PatternError("pattern holds a lone surrogate") from None
    except re2.error as error:
        raise PatternError(f"pattern `{text}`: {reason(text, error)}") from None


def whole(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.translate(SURROGATES)
    return text


def reason(text: str, error: Exception) -> str:
    message = b"".join(error.args).decode("utf-8", "replace")
    if "(?P=" in text or (message.startswith("invalid escape sequence: \\") and message[-1] in "123456789k"):
        return "back references are not supported"
    if message.startswith("invalid perl operator: (?") and message[-1] in "=!":
        return "look-around is not supported"
    return message


class BytePattern:
    """A compiled pattern over bytes, each a Latin-1 character; spans count bytes."""

    __slots__ = ("_anywhere", "_here", "_match")

    def __init__(self, source: bytes) -> None:
        engine = extension().RE2
        options = engine.Options()
        options.log_errors = False
        options.max_mem = MAX_BYTES_MEMORY
        options.encoding = engine.Options.Encoding.LATIN1
        options.never_capture = True
        compiled = engine(source, options)
        if not compiled.ok():
            raise PatternError(str(compiled.error()))
        self._match = compiled.Match
        self._anywhere, self._here = engine.Anchor.UNANCHORED, engine.Anchor.ANCHOR_START

    def search(self, data: bytes | bytearray, at: int) -> tuple[int, int]:
        """Where the first match at or behind `at` is; (-1, -1): nowhere."""
        return self._match(self._anywhere, data, at, len(data))[0]  # type: ignore[no-any-return]

    def search_until(self, data: bytes | bytearray, at: int, end: int) -> tuple[int, int]:
        """The same, of those that end at `end` or before."""
        return self._match(self._anywhere, data, at, min(end, len(data)))[0]  # type: ignore[no-any-return]

    def end(self, data: bytes | bytearray, at: int) -> int:
        """Where the match ends that begins at `at`; -1: none does."""
        return self._match(self._here, data, at, len(data))[0][1]  # type: ignore[no-any-return]


def extension() -> "ModuleType":
    """The library's extension, loaded past its package's `__init__`; what imports that later finds this one."""
    known = sys.modules.get(EXTENSION)
    if known is not None:
        return known
    machinery = sys.modules["_frozen_importlib_external"]
    # In a proxy the launcher has recorded the file; nothing is searched for there.
    recorded = next((finder for finder in sys.meta_path if hasattr(finder, "pins")), None)
    if recorded is not None:
        spec = recorded.find_spec(EXTENSION, None)
    else:
        package = machinery.PathFinder.find_spec("re2")
        found = package and machinery.PathFinder.find_spec("_re2", package.submodule_search_locations)
        spec = found and machinery.spec_from_file_location(EXTENSION, found.origin)
    if not spec or spec.loader is None:
        raise ImportError("google-re2 is not installed")
    module = spec.loader.create_module(spec)
    assert module is not None  # an extension makes its own
    spec.loader.exec_module(module)
    sys.modules[EXTENSION] = module
    return module


def compile_bytes(source: bytes) -> BytePattern:
    return BytePattern(source)
