"""`mcpgov completion`: a completion script, made from the parser table.

examples:
  mcpgov completion bash >> ~/.bashrc
  mcpgov completion zsh > ~/.zfunc/_mcpgov
  mcpgov completion fish > ~/.config/fish/completions/mcpgov.fish
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.front.context import Context
from mcpgov.front.dispatch import parser_of
from mcpgov.front.result import Result
from mcpgov.front.table import COMMANDS, Command, Group

GLOBAL_OPTIONS = ("--root", "--json", "--quiet", "--no-color", "--version", "--help")
SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS)


def run(args: Namespace, context: Context) -> Result:
    writer = {"bash": bash, "zsh": zsh, "fish": fish}[args.shell]
    return Result("completion", raw=writer(words()))


def words() -> dict[str, list[tuple[str, str]]]:
    """What may follow each command: subcommands and options, each with its help."""
    out: dict[str, list[tuple[str, str]]] = {"": [(name, item.help) for name, item in COMMANDS.items()]}
    for name, item in COMMANDS.items():
        if isinstance(item, Group):
            out[name] = [(sub, command.help) for sub, command in item.commands.items()]
            for sub, command in item.commands.items():
                out[f"{name} {sub}"] = _options(command, f"{name} {sub}")
        else:
            out[name] = _options(item, name)
    return out


def _options(command: Command, name: str) -> list[tuple[str, str]]:
    parser, _ = parser_of(command, name)
    found: list[tuple[str, str]] = []
    for action in parser._actions:
        names = [option for option in action.option_strings if option.startswith("--")]
        found += [(option, str(action.help or "")) for option in names]
        if not action.option_strings and action.choices:
            found += [(str(choice), "") for choice in action.choices]
    return found


def bash(table: dict[str, list[tuple[str, str]]]) -> str:
    cases = "\n".join(
        f"    {_quote(path)}) found={_quote(' '.join(word for word, _ in found))} ;;" for path, found in table.items()
    )
    groups = "|".join(name for name, item in COMMANDS.items() if isinstance(item, Group))
    return f"""# bash completion for mcpgov
_mcpgov() {{
  local word path="" found="" current="${{COMP_WORDS[COMP_CWORD]}}" at=1
  while [ $at -lt $COMP_CWORD ]; do
    word="${{COMP_WORDS[$at]}}"
    case "$word" in
      --root) at=$((at + 1)) ;;
      -*) ;;
      *) case "$path" in
           "") path="$word" ;;
           {groups}) path="$path $word" ;;
         esac ;;
    esac
    at=$((at + 1))
  done
  case "$path" in
{cases}
  esac
  [ -n "$path" ] || found="$found {" ".join(GLOBAL_OPTIONS)}"
  COMPREPLY=($(compgen -W "$found" -- "$current"))
  if [ ${{#COMPREPLY[@]}} -eq 0 ]; then
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _mcpgov mcpgov
"""


def zsh(table: dict[str, list[tuple[str, str]]]) -> str:
    return "#compdef mcpgov\nautoload -U +X bashcompinit && bashcompinit\n" + bash(table)


def fish(table: dict[str, list[tuple[str, str]]]) -> str:
    lines = ["# fish completion for mcpgov"]
    for option in GLOBAL_OPTIONS:
        lines.append(f"complete -c mcpgov -n __fish_use_subcommand -l {option[2:]}")
    for path, found in table.items():
        *parents, last = path.split() or [""]
        seen = [f"__fish_seen_subcommand_from {name}" for name in (*parents, last) if name]
        if path in COMMANDS and isinstance(COMMANDS[path], Group):
            subs = " ".join(word for word, _ in found)
            seen.append(f"not __fish_seen_subcommand_from {subs}")
        when = "; and ".join(seen) or "__fish_use_subcommand"
        for word, about in found:
            flag = f"-l {word[2:]}" if word.startswith("--") else f"-f -a {_quote(word)}"
            lines.append(f"complete -c mcpgov -n {_quote(when)} {flag} -d {_quote(about)}")
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
