"""`mcpgov completion`: a completion script, made from the parser table.

examples:
  mcpgov completion bash >> ~/.bashrc
  mcpgov completion zsh > ~/.zfunc/_mcpgov
  mcpgov completion fish > ~/.config/fish/completions/mcpgov.fish
"""

from __future__ import annotations

from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from typing import NamedTuple

from mcpgov.front.context import Context
from mcpgov.front.dispatch import parser_of
from mcpgov.front.parser_table import COMMANDS, Command, Group
from mcpgov.front.result import Result

SHELLS = ("bash", "zsh", "fish")
FILES = ("FILE", "DIR")


class Word(NamedTuple):
    """Something that may be typed; an option may want one of `choices`, a file, or some other value."""

    text: str
    help: str
    choices: tuple[str, ...] = ()
    file: bool = False
    value: bool = False


GLOBAL = (
    Word("--root", "keep everything below DIR", file=True, value=True),
    Word("--json", "machine-readable output"),
    Word("--quiet", "print nothing but errors"),
    Word("--no-color", "no colours"),
    Word("--version", "print the version"),
    Word("--help", "show the help"),
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")


def run(args: Namespace, context: Context) -> Result:
    writer = {"bash": bash, "zsh": zsh, "fish": fish}[args.shell]
    return Result("completion", raw=writer(words()))


def words() -> dict[str, list[Word]]:
    """What may follow each command: subcommands, then options."""
    out: dict[str, list[Word]] = {"": [*(Word(name, item.help) for name, item in COMMANDS.items()), *GLOBAL]}
    for name, item in COMMANDS.items():
        if isinstance(item, Group):
            own = _options(item.alone, name) if item.alone is not None else [Word(*GLOBAL[-1][:2])]
            out[name] = [*(Word(sub, command.help) for sub, command in item.commands.items()), *own]
            for sub, command in item.commands.items():
                out[f"{name} {sub}"] = _options(command, f"{name} {sub}")
        else:
            out[name] = _options(item, name)
    return out


def _options(command: Command, name: str) -> list[Word]:
    parser, _ = parser_of(command, name)
    return [word for action in parser._actions for word in _words(action)]


def _words(action: Action) -> list[Word]:
    if action.help == SUPPRESS:
        return []
    choices = tuple(map(str, action.choices or ()))
    if not action.option_strings:
        return [Word(choice, "") for choice in choices]
    file, value = action.metavar in FILES, action.nargs != 0
    names = [option for option in action.option_strings if option.startswith("--")]
    return [Word(option, str(action.help), choices, file, value) for option in names]


def _valued(table: dict[str, list[Word]]) -> dict[str, Word]:
    """The options that want a value; an option means the same in every command."""
    return {word.text: word for words_of_command in table.values() for word in words_of_command if word.value}


def _values(table: dict[str, list[Word]], choose: str, files: str) -> str:
    """The cases of a shell's `case "$previous"`: files, choices, or nothing to offer."""
    lines = []
    for option, word in sorted(_valued(table).items()):
        does = files if word.file else choose.format(" ".join(word.choices))
        lines.append(f"    {option}) {does} ;;")
    return "\n".join(lines)


def _groups() -> str:
    return "|".join(name for name, item in COMMANDS.items() if isinstance(item, Group))


def bash(table: dict[str, list[Word]]) -> str:
    cases = "\n".join(
        f"    {_quote(path)}) found={_quote(' '.join(w.text for w in ws))} ;;" for path, ws in table.items()
    )
    return f"""# bash completion for mcpgov
_mcpgov() {{
  local word chosen="" found="" at=1
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  COMPREPLY=()
  while [ "$at" -lt "$COMP_CWORD" ]; do
    word="${{COMP_WORDS[at]}}"
    case "$word" in
      --root)
        at=$((at + 1))
        if [ "${{COMP_WORDS[at]}}" = "=" ]; then at=$((at + 1)); fi ;;
      -*) ;;
      *) case "$chosen" in
           "") chosen="$word" ;;
           {_groups()}) chosen="$chosen $word" ;;
         esac ;;
    esac
    at=$((at + 1))
  done
  case "$chosen" in
{cases}
  esac
  # Nothing to offer: `complete -o default` offers file names.
  case "$previous" in
{_values(table, "found='{}'", "return")}
  esac
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}}
complete -o default -F _mcpgov mcpgov
"""


def zsh(table: dict[str, list[Word]]) -> str:
    cases = "\n".join(
        f"    {_quote(path)}) found=({' '.join(_quote(f'{w.text}:{w.help}') for w in ws)}) ;;"
        for path, ws in table.items()
    )
    return f"""#compdef mcpgov
# zsh completion for mcpgov
_mcpgov() {{
  local word chosen="" previous="${{words[CURRENT-1]}}"
  local -i at=2
  local -a found
  while (( at < CURRENT )); do
    word="${{words[at]}}"
    case "$word" in
      --root) (( at += 1 )) ;;
      -*) ;;
      *) case "$chosen" in
           "") chosen="$word" ;;
           {_groups()}) chosen="$chosen $word" ;;
         esac ;;
    esac
    (( at += 1 ))
  done
  case "$chosen" in
{cases}
  esac
  case "$previous" in
{_values(table, "found=({})", "_files; return")}
  esac
  _describe -t commands mcpgov found || _files
}}
compdef _mcpgov mcpgov
if [ "$funcstack[1]" = "_mcpgov" ]; then _mcpgov "$@"; fi
"""


def fish(table: dict[str, list[Word]]) -> str:
    lines = ["# fish completion for mcpgov"]
    for path, options in table.items():
        seen = [f"__fish_seen_subcommand_from {name}" for name in path.split()]
        if isinstance(COMMANDS.get(path), Group):
            subs = " ".join(word.text for word in options if not word.text.startswith("-"))
            seen.append(f"not __fish_seen_subcommand_from {subs}")
        when = "; and ".join(seen) or "__fish_use_subcommand"
        lines += [f"complete -c mcpgov -n {_quote(when)} {_fish(word)} -d {_quote(word.help)}" for word in options]
    return "\n".join(lines) + "\n"


def _fish(word: Word) -> str:
    if not word.text.startswith("--"):
        return f"-f -a {_quote(word.text)}"
    takes = "" if not word.value else " -r -F" if word.file else f" -x -a {_quote(' '.join(word.choices))}"
    return f"-l {word.text[2:]}{takes}"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
