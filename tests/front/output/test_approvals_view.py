import pytest

from mcpgov.front.output.approvals_view import (
    KEYS,
    ShownQuestion,
    full_view,
    key_for,
    keys_for,
    list_view,
    whole_in_list,
)
from mcpgov.front.output.grid import columns, plain
from tests.helpers.questions import question

SHORT = {"shown": {"repo": "acme/site"}, "paths": [], "hosts": [], "folders": []}


def texts(rows):
    return [plain(row) for row in rows]


def test_the_list_tells_time_number_and_what_is_wanted():
    items = [ShownQuestion(question(**SHORT), 22.4), ShownQuestion(question(number="77aa-9", **SHORT), 3.0, waiting=2)]
    rows = list_view(items, 1, 100)
    assert texts(rows)[:2] == [
        '    22 s  4f1d-1  github wants to run delete_repository (delete): repo = "acme/site"',
        '>    3 s  77aa-9  github wants to run delete_repository (delete): repo = "acme/site" (2 calls wait …',
    ]
    assert (rows[0][1][1], rows[1][1][1]) == ("faint", "warning")
    assert texts(list_view([], 0, 80)) == ["nothing is asked", "", "q leave"]


def test_in_full_nothing_is_cut_away():
    long = "/srv/" + "x" * 150
    made = question(paths=[{"at": "path", "text": long, "leads": [long]}], shown={"path": long})
    item = ShownQuestion(made, 5.0, waiting=3, suggests=True)
    lines = texts(full_view(item, 60))
    assert "".join("".join(lines).split()).count("x" * 150) == 3
    joined = " ".join(" ".join(lines).split())
    for told in ("rule: ask-deletes (/cfg/policy.toml:7), user policy", "5 s left (3 calls wait for it)",
                 "mcpgov approve 4f1d-1", "mcpgov approvals suggest"):  # fmt: skip
        assert told in joined
    assert "suggest" not in " ".join(texts(full_view(ShownQuestion(made, 25.0), 60)))


@pytest.mark.parametrize("room", [20, 40, 80, 200])
def test_no_line_is_wider_than_there_is_room_and_nothing_acts(room):
    made = question(target="東京\u202e" * 30, message="\x1b[2J" * 20, shown={"a\n": "\u200b" * 80})
    item = ShownQuestion(made, 25.0, suggests=True)
    for line in texts([*list_view([item], 0, room), *full_view(item, room)]):
        assert columns(line) <= room
        assert line.isprintable()


def test_only_keys_that_this_question_takes_are_offered():
    assert "".join(key.key for key in keys_for(question())) == "ynsftadw?jkq"
    assert "".join(key.key for key in keys_for(question(folders=[], args=None))) == "ynstw?jkq"
    assert "".join(key.key for key in keys_for(question(layer="managed", ask=["desk"]))) == "ynsft?jkq"
    assert "".join(key.key for key in keys_for(question(ask=["app"]))) == "?jkq"
    assert len({key.key for key in KEYS}) == len(KEYS)


def test_a_key_that_is_not_offered_means_nothing():
    assert key_for("y", question()).choice.yes
    assert key_for("n", question()).choice.yes is False
    for pressed in ("\r", "\x1b", "Y", "", "x"):
        assert key_for(pressed, question()) is None
    assert key_for("y", None) is None
    assert key_for("f", question(folders=[])) is None


def test_the_list_shows_a_question_whole_or_says_that_it_does_not():
    short = ShownQuestion(question(**SHORT), 20.0)
    assert (whole_in_list(short, 100), whole_in_list(short, 60)) == (True, False)
    straight = question(**{**SHORT, "paths": [{"at": "p", "text": "/a", "leads": ["/a"]}]})
    assert whole_in_list(ShownQuestion(straight, 20.0), 100)
    assert not whole_in_list(ShownQuestion(question(), 20.0), 1000), "a path leads elsewhere"


def test_in_full_the_keys_say_what_they_do_there():
    assert "? back to the list · j down · k up" in " ".join(texts(full_view(ShownQuestion(question(), 20.0), 300)))
