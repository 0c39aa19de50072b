"""Asks the child process that finds names and addresses; starts it when first needed, ends it with its owner.

Law: no answer in time, a dead child or a missing part is an error, never "nothing found": who asked decides, and the
guard denies.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time

from mcpgov.errors import McpgovError, reason_of
from mcpgov.guards.people import PEOPLE
from mcpgov.guards.people.engine import NO_EXTRA, NO_MODEL
from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.search.findings import Finding, apart
from mcpgov.self_command import child_environment, isolated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import NoReturn

MODEL = "en_core_web_sm"
PIECE = 10_000  # code points that are asked about at once
START_SECONDS, ANSWER_SECONDS = 60.0, 10.0
MESSAGE_SECONDS = 30.0  # for all texts of one message
HOLD_OFF_SECONDS = 10.0  # from one start that failed to the next one
INSTALL = "pip install 'mcpgov[presidio]'"
HINTS = {
    NO_EXTRA: ("names and addresses need the extra `presidio`, which is not installed", INSTALL),
    NO_MODEL: ("no language model `{model}` is installed", "python -m spacy download {model}"),
}
EXTRA = "presidio_analyzer"


class PeopleError(McpgovError):
    """Names and addresses were asked for and cannot be looked for."""


def engine_command(model: str) -> list[str]:
    paths = [path for path in sys.path if path]
    code = f"import sys; sys.path[:] = {paths!a}; from mcpgov.guards.people.engine import main; main(sys.argv[1])"
    return [*isolated(sys.executable, code), model]


def missing(model: str = MODEL) -> tuple[str, str] | None:
    """What is not installed here, and what to type; None: all is there. Nothing is started."""
    from importlib.machinery import PathFinder

    for state, name in ((NO_EXTRA, EXTRA), (NO_MODEL, model)):
        if PathFinder.find_spec(name) is None:
            message, hint = HINTS[state]
            return message.format(model=model), hint.format(model=model)
    return None


class PeopleAnalyzer:
    """One child, one question at a time."""

    def __init__(
        self,
        model: str = MODEL,
        command: Sequence[str] = (),
        start: float = START_SECONDS,
        wait: float = ANSWER_SECONDS,
    ) -> None:
        self._model = model
        self._command = list(command) or engine_command(model)
        self._limits = start, wait
        self._child: subprocess.Popen[bytes] | None = None
        self._rest = b""
        self._failed: tuple[float, PeopleError] | None = None

    def check(self) -> None:
        """Start it, so that what is missing is told now."""
        if self._child is not None:
            return
        if self._failed is not None and time.monotonic() < self._failed[0]:
            raise self._failed[1]
        try:
            self._start()
        except PeopleError as error:
            self._failed = time.monotonic() + HOLD_OFF_SECONDS, error
            raise
        except OSError as error:
            raise PeopleError(f"the analyzer of names cannot be started: {reason_of(error)}", hint=INSTALL) from None

    def _start(self) -> None:
        self._child = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=child_environment(), bufsize=0, start_new_session=True,
        )  # fmt: skip
        assert self._child.stdin is not None
        os.set_blocking(self._child.stdin.fileno(), False)
        state = self._answer(self._limits[0])
        if state != "ready":
            self.close()
            message, hint = HINTS.get(str(state), (f"the analyzer of names did not start: {state}", INSTALL))
            raise PeopleError(message.format(model=self._model), hint=hint.format(model=self._model))

    def find(self, text: str, kinds: Iterable[str] = PEOPLE, end: float | None = None) -> list[Finding]:
        """`end`: by the monotonic clock, the time from which on nothing more is asked."""
        self.check()
        wanted = frozenset(kinds)
        out: list[Finding] = []
        for start, piece in pieces(text):
            if end is not None and time.monotonic() > end:
                self._fail("needs too long for one message")
            self._ask(piece)
            found = self._answer(self._limits[1])
            if not isinstance(found, list):
                self._fail("gave no answer that can be read")
            out += [Finding(kind, start + at, start + end) for kind, at, end in found if kind in wanted]
        return out

    def _ask(self, text: str) -> None:
        assert self._child is not None
        assert self._child.stdin is not None
        pipe = self._child.stdin.fileno()
        end = time.monotonic() + self._limits[1]
        data = json.dumps(text).encode("ascii") + b"\n"
        while data:
            left = end - time.monotonic()
            if left <= 0 or not select.select([], [pipe], [], left)[1]:
                self._fail(f"did not read within {self._limits[1]:g} s")
            try:
                data = data[os.write(pipe, data) :]
            except BrokenPipeError:
                self._fail("has ended")

    def _fail(self, what: str) -> NoReturn:
        self.close()
        raise PeopleError(f"the analyzer of names {what}")

    def _answer(self, seconds: float) -> object:
        assert self._child is not None
        assert self._child.stdout is not None
        end = time.monotonic() + seconds
        pipe = self._child.stdout.fileno()
        while b"\n" not in self._rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                self._fail(f"did not answer within {seconds:g} s")
            data = os.read(pipe, 1 << 16)
            if not data:
                self._fail("has ended")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def __del__(self) -> None:
        """A guard that another policy replaces takes its child with it."""
        self.close()

    def close(self) -> None:
        child, self._child, self._rest = self._child, None, b""
        if child is not None:
            child.kill()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    pipe.close()
            child.wait()


class PeopleDetector:
    """A detector that knows names and addresses, too: the same questions, answered by both."""

    def __init__(self, detector: Detector, analyzer: PeopleAnalyzer, kinds: Iterable[str] = PEOPLE) -> None:
        self._detector = detector
        self._analyzer = analyzer
        self._people = tuple(kinds)

    def find(self, text: str, name: str = "") -> list[Finding]:
        return apart(self._detector.find(text, name) + self._analyzer.find(text, self._people))

    def issuer_of(self, key: str) -> str:
        return self._detector.issuer_of(key)


def pieces(text: str) -> list[tuple[int, str]]:
    """Pieces of a long text with where each begins, cut behind a line, a sentence or a word where there is one."""
    out = []
    at = 0
    while at < len(text):
        end = min(len(text), at + PIECE)
        if end < len(text):
            cuts = [text.rfind(mark, at + PIECE // 2, end) + len(mark) for mark in ("\n", ". ", " ")]
            end = next((cut for cut in cuts if cut > at + PIECE // 2), end)
        out.append((at, text[at:end]))
        at = end
    return out
