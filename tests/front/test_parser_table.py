from mcpgov.front.dispatch import load
from mcpgov.front.parser_table import COMMANDS, Command, Group


def every_command() -> list[Command]:
    out: list[Command] = []
    for item in COMMANDS.values():
        out += item.commands.values() if isinstance(item, Group) else [item]
        out += [item.alone] if isinstance(item, Group) and item.alone is not None else []
    return out


def test_every_row_names_a_module_that_offers_a_verb():
    for command in every_command():
        verb = load(command)
        assert callable(verb.run)


def test_every_help_is_one_short_line_without_a_final_period():
    for item in [*COMMANDS.values(), *every_command()]:
        assert item.help[0].islower()
        assert not item.help.endswith(".")
        assert len(item.help) <= 64


def test_no_module_stands_in_two_rows():
    modules = [command.module for command in every_command()]
    assert len(modules) == len(set(modules))
