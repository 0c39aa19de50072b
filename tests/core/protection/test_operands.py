"""The operands of simple commands, by what becomes of them."""

import pytest

from mcpgov.core.protection.operands import Operands, last_name
from mcpgov.core.protection.shell_words import Shell


def sorted_out(text):
    shell = Shell({})
    shell.read(text)
    return Operands(shell.commands, text)


def test_what_is_gone_to_is_apart_from_what_is_taken():
    found = sorted_out("cd /a && sudo rm -rf b; ls /c")
    assert (found.visited, found.affected, found.moved) == ({"/a", "/c"}, {"rm", "-rf", "b"}, {"-rf", "b"})


def test_a_step_behind_all_the_rest_counts_where_a_text_repeats_itself():
    assert sorted_out("rm a; cd /b").programs == {"rm"}
    assert sorted_out("for x in a; do rm $x; done; cd /b").programs >= {"rm", "cd"}


@pytest.mark.parametrize(
    ("text", "sources", "target", "hides_names"),
    [
        ("cp a b /c", ["a", "b"], "/c", False),
        ("cp -t /c a", ["a"], "/c", False),
        ("cp --target-directory=/c a", ["a"], "/c", False),
        ("cp -rT a /c", ["a"], "/c", True),
        ("cp --no-target-directory a /c", ["a"], "/c", True),
        ("cp -r a/. /c", ["a/."], "/c", True),
        ("cp a/* /c", ["a/*"], "/c", True),
        ("mv a", ["a"], "", False),
        ("docker cp x:/a /c", ["x:/a"], "/c", False),
    ],
)
def test_a_copy_has_sources_and_a_target(text, sources, target, hides_names):
    [copy] = sorted_out(text).copies
    assert (copy.sources, copy.target, copy.hides_names) == (sources, target, hides_names)


def test_only_what_moves_takes_its_sources_away():
    assert sorted_out("mv a b").moved == {"a"}
    assert sorted_out("cp a b").affected == set()
    assert sorted_out("ln -s a b").moved == {"-s", "a"}


def test_names_that_are_handed_over_are_told():
    assert sorted_out("ls | xargs rm").hides_names
    assert not sorted_out("ls | wc").hides_names
    assert sorted_out("A=1").programs == set()


def test_a_copy_arrives_under_its_last_name():
    words = ["/a/b/", "https://x/y?z=/q#f", "host:f", "host:/a/g"]
    assert [last_name(word) for word in words] == ["b", "y", "f", "g"]
