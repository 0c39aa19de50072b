"""Names and addresses in messages: few questions, bounded waits, and no message passes unread.

The last test needs the extra, of the same version of Python: here, or where MCPGOV_PRESIDIO_PYTHON is.
"""

import json
import subprocess
import sys

import pytest

from mcpgov.guards.people.analyzer import PeopleAnalyzer, PeopleError
from mcpgov.guards.privacy.search.findings import Finding
from mcpgov.guards.screening.guard import PrivacyGuard
from mcpgov.guards.screening.names import NameFinder, name_finder
from mcpgov.policy.build import build, read_layer
from tests.guards.people.test_analyzer import READY
from tests.guards.people.test_engine import HAS_EXTRA, PYTHON, TRAIN
from tests.helpers.playbook import Forward, Reply, call, client, result, server
from tests.helpers.policies import write
from tests.helpers.private_samples import samples
from tests.helpers.screened import conversation

MAIL = samples()["mail"]
PEOPLE = '[privacy]\nparams = "deny"\nresults = "redact"\nkinds = ["person", "email"]\n'
# Finds every `Ada`, and writes down what it was asked.
ADA = READY + (
    "import json, sys\n"
    "for line in sys.stdin:\n"
    "    open(sys.argv[1], 'a').write(line)\n"
    "    text = json.loads(line); out = []; at = text.find('Ada')\n"
    "    while at >= 0: out.append(['person', at, at + 3]); at = text.find('Ada', at + 1)\n"
    "    print(json.dumps(out), flush=True)\n"
)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The names of the extra's packages can be found: enough for a policy, nothing that could be asked."""
    for name in ("presidio_analyzer", "en_core_web_sm"):
        (tmp_path / "there" / name).mkdir(parents=True)
        (tmp_path / "there" / name / "__init__.py").write_text("raise OSError")
    monkeypatch.syspath_prepend(str(tmp_path / "there"))


def command(code, *words):
    return [sys.executable, "-I", "-c", code, *words]


def told(text):
    return {"content": [{"type": "text", "text": text}]}


@pytest.fixture
def talking(tmp_path, installed):
    """A conversation under a policy whose analyzer is this program; its child ends with the test."""
    made = []

    def talk(code, policy=PEOPLE):
        one = conversation(tmp_path, policy)
        rules = one.session.policy.rules
        rules.head["privacy_people"] = command(code, str(tmp_path / "asked"))
        one.session.policy = type(one.session.policy)(rules)
        made.append(one)
        return one

    yield talk
    for one in made:
        one.session.policy = None


def test_many_texts_are_one_question_and_each_has_its_own_findings(tmp_path):
    asked = tmp_path / "asked"
    finder = name_finder(command(ADA, str(asked)), frozenset(["person"]))
    texts = ["Ada", "a", "12345", "Bob", "so Ada, Ada", "Ada"]
    ada = [Finding("person", 0, 3)]
    for _ in range(2):
        found = finder.find_all(texts)
        assert found == {0: ada, 4: [Finding("person", 3, 6), Finding("person", 8, 11)], 5: ada}
    assert [json.loads(line) for line in asked.read_text().splitlines()] == ["Ada\n\nBob\n\nso Ada, Ada"]
    assert finder.find_all([]) == {}
    finder._analyzer.close()


def test_a_finding_over_two_texts_belongs_to_both():
    code = READY + "input(); print('[[\"person\", 2, 9]]', flush=True); input()"
    analyzer = PeopleAnalyzer(command=command(code))
    finder = NameFinder(analyzer, frozenset(["person"]))
    assert finder.find_all(["abcd", "efgh"]) == {0: [Finding("person", 2, 4)], 1: [Finding("person", 0, 3)]}
    analyzer.close()


def test_a_message_waits_for_so_long_and_no_longer(tmp_path):
    analyzer = PeopleAnalyzer(command=command(ADA, str(tmp_path / "asked")))
    with pytest.raises(PeopleError, match="did not read a message within -1 s"):
        NameFinder(analyzer, frozenset(["person"]), seconds=-1).find_all(["Ada"])
    with pytest.raises(PeopleError, match="too long for one message"):
        analyzer.find("Ada", end=0)


def test_the_time_is_for_all_texts_of_a_message_and_begins_anew_with_the_next(tmp_path):
    finder = NameFinder(PeopleAnalyzer(command=command(ADA, str(tmp_path / "asked"))), frozenset(["person"]))
    finder._end = 0.0
    with pytest.raises(PeopleError, match="did not read a message"):
        finder.find_all(["Ada"])
    finder.begin()
    assert finder.find_all(["Ada"]) == {0: [Finding("person", 0, 3)]}
    finder._analyzer.close()


def test_without_a_command_nothing_passes():
    with pytest.raises(PeopleError, match="compile it again"):
        name_finder([], frozenset(["person"]))


def test_names_are_cut_and_denied_as_other_kinds_are(talking):
    talk = talking(ADA)
    talk >> client(call(1, path="a")) << Forward(call(1, path="a"))
    talk >> server(result(1, **told(f"Ada is {MAIL}"))) << Reply(result(1, **told("[person-1] is [email-1]")))
    assert talk.note["pii"]["found"] == {"person": 1, "email": 1}
    talk >> client(call(2, to="Ada"))
    assert "private data in the parameters: person" in talk.reply["result"]["content"][0]["text"]
    assert "Ada" not in json.dumps(talk.notes)


def test_a_long_text_and_json_inside_of_a_text_are_read_for_names(talking):
    talk = talking(ADA)
    long = "word " * 240_000
    talk >> client(call(1)) >> server(result(1, **told(f"{long}Ada {MAIL}")))
    assert talk.reply["result"]["content"][0]["text"] == f"{long}[person-1] [email-1]"
    talk >> client(call(2)) >> server(result(2, **told('{"who": "Ada"}')))
    assert talk.reply["result"]["content"][0]["text"] == '{"who": "[person-1]"}'


@pytest.mark.parametrize(
    ("code", "why"),
    [('print("\\"no-extra\\"")', "names and addresses need the extra `presidio`, which is not installed"),
     ('print("\\"no-model\\"")', "no language model `en_core_web_sm` is installed"),
     (READY + "input(); print(1)", "the analyzer of names gave no answer that can be read"), ("", "has ended")],
)  # fmt: skip
def test_what_cannot_be_asked_about_is_denied_and_says_why(talking, code, why):
    talk = talking(code)
    for ident in range(2):
        talk >> client(call(ident, to="Ada"))
        assert why in talk.reply["result"]["content"][0]["text"]
    assert "Ada" not in json.dumps(talk.notes)


def test_no_line_is_clean_and_the_child_starts_with_the_first_text_and_ends_with_the_guard(talking):
    talk = talking(ADA)
    guard = talk.session.policy.guards.lines
    assert isinstance(guard, PrivacyGuard)
    assert not guard.is_clean(b'{"a":1}', {})
    analyzer = guard._reader._people._analyzer
    assert analyzer._child is None
    talk >> client(call(1, path="Bob"))
    child = analyzer._child
    assert child.poll() is None
    talk.session.policy = None
    del guard, analyzer
    assert child.poll() is not None


def test_a_policy_without_such_kinds_asks_nobody_and_one_with_them_has_the_command(tmp_path, installed):
    for text, has in (
        ('[privacy]\nresults = "redact"\n', False),
        (PEOPLE, True),
        (PEOPLE.replace("redact", "off"), True),
    ):
        compiled = build([read_layer(write(tmp_path, text))])
        assert compiled.errors == ()
        assert ('"privacy_people"' in compiled.text) is has


@pytest.mark.skipif(not HAS_EXTRA, reason="the extra mcpgov[presidio] is not installed; see MCPGOV_PRESIDIO_PYTHON")
def test_the_real_engine_finds_names_in_a_conversation(tmp_path, monkeypatch):
    """From the policy's text to the answer that the client gets; the model is a package, as the real ones are."""
    ask = "import sys, sysconfig; print(sys.version_info[:2], sysconfig.get_paths()['purelib'])"
    version, place = subprocess.run(
        [PYTHON, "-I", "-c", ask], check=True, capture_output=True, text=True, timeout=30
    ).stdout.strip().rsplit(" ", 1)  # fmt: skip
    if version != str(sys.version_info[:2]):
        pytest.skip(f"the extra is there for Python {version}")
    model = tmp_path / "models" / "en_core_web_sm"
    about = tmp_path / "models" / "en_core_web_sm-1.0.dist-info"
    about.mkdir(parents=True)
    model.mkdir()
    (about / "METADATA").write_text("Name: en_core_web_sm\nVersion: 1.0\n")
    subprocess.run([PYTHON, "-I", "-W", "ignore", "-c", TRAIN, str(model / "data")], check=True, timeout=120)
    (model / "__init__.py").write_text(
        "from pathlib import Path\nfrom spacy.util import load_model_from_path\n"
        "def load(**more): return load_model_from_path(Path(__file__).parent / 'data', **more)\n"
    )
    monkeypatch.setattr(sys, "path", [*sys.path, place, str(tmp_path / "models")])
    talk = conversation(tmp_path, '[privacy]\nresults = "redact"\nkinds = ["person", "address"]\n')
    talk >> client(call(1)) << Forward(call(1))
    talk >> server(result(1, **told("Grace Hopper lives in Rome today .")))
    cut = json.dumps(talk.reply)
    assert "[person-" in cut
    assert "[address-" in cut
    assert " lives in " in cut
    assert not any(word in cut for word in ("Grace", "Hopper", "Rome"))
    talk.session.policy = None
