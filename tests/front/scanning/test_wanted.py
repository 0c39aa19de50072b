"""What a scan looks for: the options, a policy, or everything."""

import json

import pytest

from mcpgov.front.scanning.wanted import Wanted
from tests.helpers.private_samples import samples

MADE = samples()
TEXT = f"ada@other.io bob@corp.io {MADE['card']} EMP-1234"
POLICY = """
default = "deny"
[privacy]
results = "redact"
kinds = ["email"]
allow = ["*@corp.io"]
[privacy.patterns]
staff = "re:EMP-[0-9]{4}"
"""


def test_what_is_looked_for_can_be_told_from_outside():
    detector = Wanted(["email"], allow=["*@corp.io"], patterns={"staff": "re:EMP-[0-9]{4}"}).detector()
    assert [one.kind for one in detector.find(f"{MADE['mail']} ada@other.io EMP-1234")] == ["email", "staff"]


def kinds(run, *words):
    done = run("scan", "--json", *words, stdin=TEXT.encode())
    assert done.status == 0
    return [row["kind"] for row in json.loads(done.out)]


def test_without_a_policy_or_without_its_word_every_kind_is_looked_for(run, policy):
    every = ["email", "email", "credit_card"]
    assert kinds(run) == every
    policy('default = "deny"')
    assert kinds(run) == every


def test_the_policy_in_use_or_another_says_what_is_looked_for_unless_an_option_does(run, policy, tmp_path):
    policy(POLICY)
    assert kinds(run) == ["email", "staff"]
    assert kinds(run, "--kind", "credit_card,email") == ["email", "email", "credit_card"]
    other = tmp_path / "other.toml"
    other.write_text('[privacy]\nparams = "log"\nkinds = ["credit_card"]\n')
    assert kinds(run, "--policy", str(other)) == ["credit_card"]
    assert kinds(run, "--policy", str(other), "--kind", "email") == ["email", "email"]


@pytest.mark.parametrize("words", [["--kind", "person"], ["--policy", "FILE"]])
def test_a_policy_that_is_wrong_or_names_without_the_extra_are_errors(run, tmp_path, words, monkeypatch):
    from mcpgov.guards.people import analyzer

    monkeypatch.setattr(analyzer, "EXTRA", "no_such_package_anywhere")
    monkeypatch.setattr(analyzer, "MODEL", "no_such_model")
    file = tmp_path / "p.toml"
    file.write_text('[privacy]\nresults = "deny"\nkinds = ["person"]\n')
    done = run("scan", *(str(file) if word == "FILE" else word for word in words), stdin=b"Ada")
    assert done.status != 0
    assert "pip install" in done.err or "spacy download" in done.err
