import pytest

from mcpgov.front.output.text import count, home_in, home_short, some


@pytest.fixture(autouse=True)
def at_home(monkeypatch):
    monkeypatch.setenv("HOME", "/home/u")


def test_paths_below_the_home_are_short_and_others_stay():
    assert [home_short(path) for path in ("/home/u/x", "/home/u", "/home/user/x", "/x")] == [
        "~/x",
        "/home/u",
        "/home/user/x",
        "/x",
    ]
    assert home_in("`/home/u/x` and `/home/user/x`") == "`~/x` and `/home/user/x`"
    assert home_in("/home/u/p.toml:3: see /home/u/q") == "~/p.toml:3: see ~/q"


@pytest.mark.parametrize("home", ["", "/"])
def test_a_home_that_is_none_shortens_nothing(home, monkeypatch):
    monkeypatch.setenv("HOME", home)
    assert (home_short("/x/y"), home_in("`/x/y`")) == ("/x/y", "`/x/y`")


def test_a_number_goes_with_its_thing():
    assert [count(number, "rule") for number in (0, 1, 2, 12345)] == ["0 rules", "1 rule", "2 rules", "12,345 rules"]


def test_a_few_names_are_all_told_and_many_are_counted():
    names = [f"s{at}" for at in range(100)]
    assert some(names[:8]) == "s0, s1, s2, s3, s4, s5, s6, s7"
    assert some(names) == "s0, s1, s2, s3, s4 and 95 more"
