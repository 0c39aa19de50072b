"""The words of a shell text, as far as a text alone can tell them. Pure.

Law: linear in the text. What only a running shell knows is UNKNOWN, one mark inside a word. Quotes, `\\`, `$'…'`,
variables set in the same text, `${X…}`, `{a,b}`, `$(echo …)` are read; more than the caps allow is TooMuch.
"""

from __future__ import annotations

from mcpgov.core.protection.shell_expansion import (
    LONGEST_VALUE,
    UNKNOWN,
    combined,
    echoed,
    expand_braces,
    trimmed_value,
    unescaped,
)
from mcpgov.core.rules.spellings import NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 1 << 18
WORDS_AT_MOST = 4096
VALUES_AT_MOST = 4
DEEPEST = 4
BLANK, BREAK = " \t\r", ";|&()\n<>"
PLAIN_STOPS = BLANK + BREAK + "'\"\\$`"
ECHOES = ("echo", "printf")
BEFORE_ECHO = ("{", "builtin", "command", "env", "exec", "nice", "sudo", "then", "do", "else", "!")
# A program's name follows these.
PREFIX_PROGRAMS = ("sudo", "env", "exec", "nohup", "time", "nice", "command", "then", "do", "else", "if", "while", "!")
SPECIAL = "@*#?!-"
SOURCING = ("source", ".")


class TooMuch(Exception):
    """More text or more words than the caps allow."""


class Shell:
    """One text read as a shell would: every word it makes, the programs it starts, the directories it goes to."""

    __slots__ = ("_env", "_made", "_size", "commands", "programs", "vars", "words")

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._made = 0
        self._size = 0
        self.vars: dict[str, list[str]] = {}
        self.words: dict[str, None] = {}
        # The words of each simple command, in order.
        self.commands: list[list[str]] = [[]]
        # Words that are only started or read in as a script.
        self.programs: set[str] = set()

    def read(self, text: str, depth: int = 0) -> list[str]:
        """The words of the text in order, each also kept in `words`."""
        self._size += len(text)
        if self._size > LONGEST * DEEPEST or len(text) > LONGEST:
            raise TooMuch
        self.commands.append([])
        scan = _Scan(self, text, depth)
        words = scan.run()
        for word in words:
            if depth < DEEPEST and word != text and any(sign in word for sign in " \n;|&"):
                self.read(word, depth + 1)
        return words

    def add(self, word: str) -> None:
        self._made += len(word)
        if self._made > LONGEST * DEEPEST or len(self.words) > WORDS_AT_MOST:
            raise TooMuch
        self.words[word] = None

    def value(self, name: str) -> list[str]:
        """What a variable may hold: what the text sets, else what the environment has, else nothing or UNKNOWN."""
        if name in self.vars:
            return self.vars[name]
        known = self._env.get(name)
        return ["", UNKNOWN] if known is None else [known[:LONGEST_VALUE]]

    def assign(self, name: str, value: str) -> None:
        """`F=x`, `F+=x`. Several values may hold, as of a loop's variable."""
        old = self.vars.get(name.rstrip("+"), [])
        if name.endswith("+"):
            self.vars[name[:-1]] = [(before + value)[:LONGEST_VALUE] for before in old or [""]]
        else:
            self.vars[name] = [*old[: VALUES_AT_MOST - 1], value[:LONGEST_VALUE]]


class _Scan:
    """One pass over one text."""

    __slots__ = ("_at", "_depth", "_loop", "_open", "_out", "_parts", "_previous", "_shell", "_start", "_text")

    def __init__(self, shell: Shell, text: str, depth: int) -> None:
        self._shell, self._text, self._depth = shell, text, depth
        self._at = 0
        self._parts: list[list[str]] = []  # the word so far: pieces, each with its possible values
        self._open = False
        self._start = True  # a program's name may stand here
        self._previous = ["", ""]
        self._loop = ""  # the variable of a `for … in`
        self._out: list[str] = []

    def run(self) -> list[str]:
        text, end = self._text, len(self._text)
        while self._at < end:
            char = text[self._at]
            self._at += 1
            if char in BLANK:
                self._close()
            elif char in BREAK:
                self._close()
                self._start = char not in "<>"
                if self._start:
                    self._shell.commands.append([])
                self._loop = ""
            elif not self._quoted(char):
                self._put_until(PLAIN_STOPS)
        self._close()
        return self._out

    def _quoted(self, char: str) -> bool:
        """Reads what begins with a quote, a back slash, a `$` or a back tick; False: the character is none of these."""
        if char == "'":
            self._put(self._until("'"))
        elif char == '"':
            self._put("")
            self._double()
        elif char == "\\":
            following = self._text[self._at : self._at + 1]
            self._at += 1
            self._put("" if following == "\n" else following)
        elif char == "$":
            self._dollar(True)
        elif char == "`":
            self._substitute(self._until("`"))
        else:
            return False
        return True

    def _put(self, *values: str) -> None:
        self._open = True
        self._parts.append(list(values))

    def _put_until(self, stops: str) -> None:
        """Put the characters up to one of `stops`, from the one just read."""
        text, at = self._text, self._at
        while at < len(text) and text[at] not in stops:
            at += 1
        self._put(text[self._at - 1 : at])
        self._at = at

    def _until(self, mark: str) -> str:
        end = self._text.find(mark, self._at)
        end = len(self._text) if end < 0 else end
        inner = self._text[self._at : end]
        self._at = end + 1
        return inner

    def _double(self) -> None:
        text, end = self._text, len(self._text)
        while self._at < end:
            char = text[self._at]
            self._at += 1
            if char == '"':
                return
            if char == "\\":
                following = text[self._at : self._at + 1]
                self._put(following if following in '"\\$`' else "" if following == "\n" else char + following)
                self._at += 1
            elif char == "$":
                self._dollar(False)
            elif char == "`":
                self._substitute(self._until("`"))
            else:
                self._put_until('"\\$`')

    def _dollar(self, bare: bool) -> None:
        text = self._text
        following = text[self._at : self._at + 1]
        if following == "'" and bare:
            self._at += 1
            self._ansi()
        elif following == '"' and bare:
            pass  # a translated text: read as the quoted one that follows
        elif following == "{":
            self._at += 1
            self._put(*expand_parameter(self._balanced("{", "}"), self._shell))
        elif following == "(":
            self._at += 1
            self._substitute(self._balanced("(", ")"))
        else:
            end = self._at
            while end < len(text) and text[end] in NAME:
                end += 1
            name = text[self._at : end]
            if not name and following and following in SPECIAL:
                end += 1
                self._put("", UNKNOWN)
            else:
                self._put(*(self._shell.value(name) if name else ("$",)))
            self._at = end

    def _ansi(self) -> None:
        start = self._at
        while self._at < len(self._text) and self._text[self._at] != "'":
            self._at += 2 if self._text[self._at] == "\\" else 1
        self._put(unescaped(self._text[start : self._at]))
        self._at += 1

    def _balanced(self, opening: str, closing: str) -> str:
        """What stands between brackets, inner ones included; quotes inside are not looked at."""
        start, open_ = self._at, 1
        while self._at < len(self._text) and open_:
            char = self._text[self._at]
            open_ += (char == opening) - (char == closing)
            self._at += 1
        return self._text[start : self._at - (not open_)]

    def _substitute(self, inner: str) -> None:
        """`$(…)`: its words count as commands, and the output of `echo` is known."""
        if self._depth >= DEEPEST:
            raise TooMuch
        # The inner commands are kept apart; the outer command continues behind them.
        outer, self._shell.commands[-1] = self._shell.commands[-1], []
        words = self._shell.read(inner, self._depth + 1)
        last = _program_and_words(self._shell.commands[-1])
        self._shell.commands.append(outer)
        if words[:1] and words[0] in ECHOES:
            formats = words[1].replace("%s", "") if len(words) > 1 and words[0] == "printf" else ""
            exact = "%" not in formats and not any(sign in inner for sign in "|;&<")
            self._put(echoed(words), *(() if exact else (UNKNOWN,)))
        elif last[:1] and last[0] in ECHOES:
            self._put(echoed(last), UNKNOWN)  # other commands stand before it
        elif self._open:
            self._put("", UNKNOWN)  # inside a word its output may be empty
        else:
            self._put(UNKNOWN)

    def _close(self) -> None:
        """The word is at its end."""
        if not self._open:
            return
        forms = combined(self._parts)
        self._parts, self._open = [], False
        for form in forms:
            for word in expand_braces(form) if "{" in form else [form]:
                self._word(word)
        if self._start:
            self._start = forms[0] in PREFIX_PROGRAMS or "=" in forms[0]

    def _word(self, word: str) -> None:
        self._out.append(word)
        self._shell.add(word)
        self._shell.commands[-1].append(word)
        if self._start or self._previous[1] in SOURCING:
            self._shell.programs.add(word)
        name, equals, value = word.partition("=")
        if equals and name and NAME.issuperset(name.rstrip("+")) and not name[0].isdigit():
            self._shell.assign(name, value)
        if self._loop:
            self._shell.assign(self._loop, word)
        elif word == "in" and self._previous[0] == "for":
            self._loop = self._previous[1]
        self._previous = [self._previous[1], word]


def _program_and_words(command: list[str]) -> list[str]:
    """A simple command from its program's name on, without its directory: `exec /bin/echo x` as `echo x`."""
    at = 0
    while at < len(command) and (command[at] in BEFORE_ECHO or "=" in command[at]):
        at += 1
    return [command[at].rsplit("/", 1)[-1], *command[at + 1 :]] if at < len(command) else []


def expand_parameter(inner: str, shell: Shell) -> list[str]:
    """`${X}`, `${X:-word}` and the other operators: values where they can be told, else UNKNOWN."""
    end = 0
    while end < len(inner) and inner[end] in NAME:
        end += 1
    name, rest = inner[:end], inner[end:]
    if not name:
        return [UNKNOWN]
    values = shell.value(name)
    if not rest:
        return values
    operator, word = (rest[:2], rest[2:]) if rest[:2] in (":-", ":=", ":+", ":?") else (rest[:1], rest[1:])
    if operator.lstrip(":") in ("-", "=", "+", "?"):
        filled = Shell({**shell._env, **{key: value[-1] for key, value in shell.vars.items()}})
        return [*values, *(filled.read(word, DEEPEST) or [""])][: VALUES_AT_MOST * 2]
    # `%`, `#`, `/`, `^`, `,`, `:1:2`: a part of the value, or the value when nothing is cut.
    return [*dict.fromkeys([*values, *(trimmed_value(value, operator, word) for value in values)]), UNKNOWN]
