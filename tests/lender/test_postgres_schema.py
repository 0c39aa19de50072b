"""The statements as texts; what they do is shown on a real engine by test_contract."""

from mcpgov.lender import postgres_schema


def test_setting_up_twice_changes_nothing():
    made = [step.split("(")[0].split() for step in postgres_schema.SETUP[1:]]
    assert all("NOT EXISTS" in " ".join(words) or "OR REPLACE" in " ".join(words) for words in made)


def test_a_request_has_a_place_for_every_argument():
    assert postgres_schema.LEND.endswith("$16, $17)")
    assert postgres_schema.CHANGE.endswith("$7)")
    assert "mcpgov_change_1(text,text,text,text,bigint,boolean,bigint)" in postgres_schema.THERE
