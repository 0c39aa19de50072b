"""Which conversation a request belongs to: sessions, eras, streams; how they end."""

from mcpgov.guards.ledger.disk.accounts import ENDED
from mcpgov.guards.ledger.store import Ledger
from mcpgov.remote.sessions import conversations as module
from mcpgov.remote.sessions.conversations import MODERN, PLAIN, begins
from tests.helpers import upstreams
from tests.helpers.remote_rooms import records, request, room, run
from tests.helpers.talks import ALLOW_ALL
from tests.helpers.upstreams import Upstream


def test_sessions_and_eras_are_conversations_of_their_own(tmp_path):
    async def scenario():
        async with room(tmp_path) as there:
            known, one, two = there.service.parts.conversations, there.add("http://h/a"), there.add("http://h/b")
            first = known.of_session(one, "s")
            assert known.of_session(one, "s") is first
            assert known.of_session(two, "s") is not first
            assert known.stateless(one, MODERN) is known.stateless(one, MODERN)
            assert known.stateless(one, MODERN) is not known.stateless(one, PLAIN)
            assert (first.lasting, first.adopted, known.stateless(one, MODERN).lasting) == (True, True, False)
            assert (len(known), len(list(known.of(one)))) == (4, 3)
            known.forget_server(one.id)
            assert (len(known), first.closed) == (1, True)

    run(scenario())


def test_the_answer_to_initialize_says_which_session_it_is(tmp_path):
    async def scenario():
        async with Upstream(upstreams.mcp(session="abc")) as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            await there.initialize(server)
            [one] = there.service.parts.conversations.all()
            assert (one.lasting, one.adopted) == (True, False)
            await there.call(server, "echo", 1, mcp_session_id="abc")
            assert len({each["session"] for each in records(tmp_path)}) == 1

    run(scenario())


def test_a_server_without_sessions_goes_on_in_the_conversation_of_its_latest_initialize(tmp_path):
    async def scenario():
        async with Upstream() as upstream, room(tmp_path) as there:
            server = there.add(upstream)
            await there.call(server, "echo", 1)
            [before] = there.service.parts.conversations.all()
            await there.initialize(server)
            [now] = there.service.parts.conversations.all()
            assert (now is not before, before.closed, now.lasting) == (True, True, False)
            await there.call(server, "echo", 2)
            assert now.session.judged == 2

    run(scenario())


def test_an_initialize_that_fails_leaves_no_conversation_behind(tmp_path):
    async def scenario():
        async with room(tmp_path) as there:
            server = there.add("http://127.0.0.1:9/mcp")
            await there.post(server, request(0, "initialize", {"protocolVersion": "2025-11-25"}))
            assert len(there.service.parts.conversations) == 0
            assert not there.service.shared.live.watches

    run(scenario())


def test_idle_conversations_end_and_their_number_is_capped(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST", 3)

    async def scenario():
        async with room(tmp_path) as there:
            known, server = there.service.parts.conversations, there.add("http://h/a")
            made = [known.of_session(server, str(number)) for number in range(3)]
            lane, _ = made[0].enter()
            made[1].used -= 10
            known.of_session(server, "3")
            assert ([each.closed for each in made], len(known)) == ([False, True, False], 3)
            for each in known.all():
                each.used -= module.IDLE + 1
            made[0].used -= module.IDLE + 1
            known.of_session(server, "4")
            assert {each for each in known.all() if each is made[0]} == {made[0]}
            known.end_session(server, "0")
            assert not made[0].closed  # something is under way in it
            made[0].leave(lane)
            assert made[0].closed
            rows = there.service.parts.report(0)["remote"]
            assert rows[0]["calls"] == 0

    run(scenario())


def test_what_begins_a_conversation():
    assert begins(b'{"method":"initialize"}')
    assert not begins(b'{"method":"ping"}')


def test_the_end_of_a_conversation_ends_its_budgets_while_the_process_goes_on(tmp_path):
    text = f'[[budget]]\nname = "m"\nlimit = 9\nper = "session"\n{ALLOW_ALL}'

    async def scenario():
        async with Upstream(upstreams.mcp(session="abc")) as upstream, room(tmp_path, policy=text) as there:
            server = there.add(upstream)
            await there.initialize(server)
            await there.call(server, "echo", 1, mcp_session_id="abc")
            ledger = Ledger(str(there.places.ledger))
            assert [bool(each.pid) for each in ledger.sessions()] == [True]
            there.service.parts.conversations.end_session(server, "abc")
            assert [each.start for each in ledger.sessions()] == [ENDED]
            ledger.close()

    run(scenario())
