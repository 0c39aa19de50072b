"""The guard of limits and budgets in a conversation."""

import pytest

from mcpgov.core.approvals.held_requests import Resolution
from mcpgov.core.session.session import Policy
from mcpgov.guards.ledger.store import Ledger
from mcpgov.policy.build import build, read_layer
from tests.helpers.playbook import YES, Ask, Forward, Playbook, Reply, call, client, error, result, server
from tests.helpers.policies import Policy as CompiledPolicy
from tests.helpers.policies import write

BUDGET = """
[[budget]]
name = "money"
limit = 2
per = "total"
"""


class Conversation:
    """A session under a policy text, with its ledger in `folder`."""

    def __init__(self, folder, text, asks=False):
        self.path = str(folder / "state" / "ledger.sqlite")
        compiled = build([read_layer(write(folder, text))], ledger=self.path)
        assert compiled.errors == ()
        self.talk = Playbook(none=True, asks=asks)
        self.talk.session.policy = Policy(CompiledPolicy(compiled).rules)

    def standing(self):
        ledger = Ledger(self.path)
        found = {each.key: (each.spent, each.held) for each in ledger.standing()}
        ledger.close()
        return found

    def notes(self, action):
        return [note for note in self.talk.notes if note["action"] == action]


@pytest.fixture
def converse(tmp_path):
    return lambda text, **more: Conversation(tmp_path, f'default = "allow"\n{text}', **more)


def decision(talk):
    return talk.reply["result"]["_meta"]["mcpgov/decision"]


def test_calls_pass_until_the_budget_is_spent_and_each_charge_is_on_record(converse):
    one = converse(BUDGET)
    for ident in (1, 2):
        one.talk >> client(call(ident)) << Forward(call(ident))
        one.talk >> server(result(ident)) << Reply(result(ident))
    one.talk >> client(call(3))
    found = decision(one.talk)
    assert (found["code"], found["kind"], found["spent"], found["limit"]) == (-32001, "budget", 2.0, 2.0)
    assert one.standing() == {"money": (2_000_000, 0)}
    assert [note["charges"] for note in one.notes("charged")] == [[["money", "total", 1_000_000]]] * 2
    assert len(one.notes("warned")) == 1


def test_a_rate_denies_with_its_code_and_says_when_to_try_again(converse):
    one = converse('[[limit]]\nname = "slow"\nrate = "1/hour"\n')
    one.talk >> client(call(1)) << Forward(call(1))
    one.talk >> client(call(2))
    found = decision(one.talk)
    assert (found["code"], found["kind"], found["limit"]) == (-32004, "rate_limit", "slow")
    assert 3500 < found["retry_after"] <= 3600


def test_a_method_that_is_no_tool_gets_the_error(converse):
    one = converse('[[limit]]\nmethod = "prompts/get"\nrate = "1/hour"\n')
    for ident in (1, 2):
        one.talk >> client(b'{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{"name":"p"}}' % ident)
    assert one.talk.reply["error"]["code"] == -32004
    assert one.talk.reply["error"]["message"].startswith("Rate limit exceeded: ")


def test_a_call_that_a_person_is_asked_about_claims_when_it_is_sent(converse):
    one = converse(f'{BUDGET}\n[[rule]]\naction = "prompt"\ntool = "read"\n', asks=True)
    one.talk >> client(call(1)) << Ask("s-1")
    assert one.standing() == {}
    one.talk.resume("s-1", YES) << Forward(call(1))
    assert one.standing() == {"money": (0, 1_000_000)}
    one.talk >> client(call(2)) << Ask("s-2")
    one.talk.resume("s-2", Resolution("refused", "no"))
    assert one.standing() == {"money": (0, 1_000_000)}


def test_nobody_is_asked_about_a_call_that_could_not_pass(converse):
    one = converse(f'{BUDGET}\n[[rule]]\naction = "prompt"\ntool = "write"\n', asks=True)
    for ident in (1, 2):
        one.talk >> client(call(ident))
    one.talk >> client(call(3, "write"))
    assert decision(one.talk)["kind"] == "budget"


def test_what_was_not_sent_costs_nothing(converse):
    one = converse(BUDGET)
    one.talk >> client(call(1))
    one.talk.session.unrecorded("client", 1)
    assert one.standing() == {"money": (0, 0)}
    assert one.notes("charged") == []


def test_what_was_sent_and_not_answered_is_charged(converse):
    one = converse(BUDGET)
    one.talk >> client(call(1))
    one.talk.take(one.talk.session.server_gone("gone"))
    assert one.standing() == {"money": (1_000_000, 0)}


def test_where_only_success_is_charged_failures_are_free(converse):
    one = converse(f'{BUDGET}charge = "success"\n')
    one.talk >> client(call(1)) >> server(error(1, -32000, "no"))
    one.talk >> client(call(2)) >> server(result(2, isError=True))
    one.talk >> client(call(3))
    one.talk.take(one.talk.session.server_gone("gone"))
    assert one.standing() == {"money": (0, 0)}
    one.talk >> client(call(4)) >> server(result(4))
    assert one.standing() == {"money": (1_000_000, 0)}


def test_the_cost_comes_from_the_result(converse):
    one = converse('[[budget]]\nname = "m"\nlimit = 1\nper = "total"\ncost_from = "result.usage.cost"\n')
    one.talk >> client(call(1)) >> server(result(1, usage={"cost": 0.75}))
    one.talk >> client(call(2)) >> server(result(2, usage={"cost": 0.75}))
    assert one.standing() == {"m": (1_500_000, 0)}
    one.talk >> client(call(3))
    assert decision(one.talk)["kind"] == "budget"


def test_without_the_ledger_the_limit_itself_says_what_holds(converse, tmp_path):
    (tmp_path / "state" / "ledger.sqlite").mkdir(parents=True, mode=0o700)
    strict = converse('[[limit]]\nname = "l"\nrate = "9/s"\n')
    strict.talk >> client(call(1))
    assert (decision(strict.talk)["kind"], decision(strict.talk)["unavailable"]) == ("rate_limit", True)
    loose = converse('[[limit]]\nname = "l"\nrate = "9/s"\nwhen_down = "allow"\n')
    loose.talk >> client(call(1)) << Forward(call(1))
    assert [note["limits"] for note in loose.notes("unchecked")] == [["l"]]
    loose.talk >> client(call(2)) << Forward(call(2))


def test_a_ledger_that_comes_back_is_used(converse, tmp_path):
    (tmp_path / "state" / "ledger.sqlite").mkdir(parents=True, mode=0o700)
    one = converse(BUDGET)
    one.talk >> client(call(1))
    assert decision(one.talk)["unavailable"] is True
    (tmp_path / "state" / "ledger.sqlite").rmdir()
    one.talk >> client(call(2)) << Forward(call(2))


def test_an_end_that_cannot_be_settled_is_on_record_and_stays_held(converse, tmp_path):
    one = converse(BUDGET)
    one.talk >> client(call(1))
    for path in (tmp_path / "state").glob("ledger.sqlite*"):
        path.unlink()
    (tmp_path / "state" / "ledger.sqlite").mkdir()
    one.talk >> server(result(1)) << Reply(result(1))
    assert len(one.notes("unsettled")) == 1


def test_a_session_has_a_budget_of_its_own(converse):
    one = converse('[[budget]]\nname = "m"\nlimit = 1\nper = "session"\n')
    one.talk >> client(call(1))
    ledger = Ledger(one.path)
    assert [each.period for each in ledger.standing()] == ["session s"]
    ledger.close()


def test_a_policy_that_names_no_ledger_denies(tmp_path):
    compiled = build([read_layer(write(tmp_path, f'default = "allow"\n{BUDGET}'))])
    talk = Playbook(none=True)
    talk.session.policy = Policy(CompiledPolicy(compiled).rules)
    talk >> client(call(1))
    assert "cannot be loaded" in talk.reply["result"]["content"][0]["text"]


def test_an_answer_that_a_person_keeps_back_is_charged_all_the_same(converse):
    asks = '[[rule]]\naction = "prompt"\ntool = "read"\ncontains = "secret"\n'
    one = converse(f"{BUDGET}\n{asks}", asks=True)
    one.talk >> client(call(1)) << Forward(call(1))
    one.talk >> server(result(1, text="secret"))
    one.talk.resume(one.talk.effects[0][1], Resolution("refused", "no"))
    assert one.standing() == {"money": (1_000_000, 0)}
    one.talk >> client(call(2)) << Forward(call(2))
    one.talk >> server(result(2, text="secret"))
    one.talk.resume(one.talk.effects[0][1], YES) << Reply(result(2, text="secret"))
    assert one.standing() == {"money": (2_000_000, 0)}
    assert one.notes("charged")[-1]["decision"] == "s-3"
