"""Tasks: what makes one, and what says that it has ended."""

import pytest

from mcpgov.core.messages import tasks
from mcpgov.core.messages.tasks import OpenTasks, task_made
from mcpgov.core.rules.call import Call
from mcpgov.core.session.guard import Guard, Guards
from mcpgov.core.session.open_requests import OpenRequest
from tests.helpers.playbook import META

WORKING = {"taskId": "t", "status": "working"}


class Heard(Guard):
    """`told`: the answers and ends that it has heard of."""

    def __init__(self):
        self.told = []

    def answered(self, call, answer, *, is_error):
        self.told.append((call.tool, answer, is_error))

    def settle(self, call, outcome):
        self.told.append((call.tool, outcome))


@pytest.fixture
def heard():
    return Heard()


def called(heard=None, tool="read", meta=None, **params):
    call = Call("tools/call", {"name": tool, **params, **({"_meta": meta} if meta else {})})
    call.tool = tool
    return OpenRequest("tools/call", tool, "s-1", 0, meta is not None, call, Guards([heard]) if heard else None)


def made(heard, *ids):
    """Tasks of the server that go on, each made by the tool of its name."""
    found = OpenTasks()
    for task in ids:
        request = called(heard, tool=task, task={})
        assert found.adopt("server", request, {"result": {"task": {"taskId": task, "status": "working"}}})
        assert request.task == task
    return found


def about(method, task="t"):
    return OpenRequest(method, None, "s-9", 0, False, Call(method, {"taskId": task}))


@pytest.mark.parametrize(
    ("request_", "result"),
    [
        (called(task={}), {"task": WORKING}),
        (called(task={"ttl": 60}, meta=META), {"task": WORKING}),
        (called(meta=META), {**WORKING, "resultType": "task"}),
    ],
)
def test_a_handle_is_what_was_asked_for_or_what_the_server_says_it_made(request_, result):
    assert task_made(request_, {"result": result}) == "t"


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (called(), {"result": {"task": WORKING}}),  # nobody asked for a task
        (called(), {"result": {**WORKING, "resultType": "task"}}),  # of another revision
        (called(meta=META), {"result": WORKING}),
        (called(task={}), {"result": {**WORKING, "content": []}}),
        (called(task="yes"), {"result": {"task": WORKING}}),
        (called(task={}), {"result": {"task": {"taskId": 3}}}),
        (called(task={}), {"result": {"task": "t"}}),
        (called(task={}), {"result": None}),
        (called(task={}), {"error": {"task": WORKING}}),
        (OpenRequest("tools/call", "read", "s-1", 0), {"result": {"task": WORKING}}),
    ],
)
def test_whatever_else_names_a_task_is_a_result(request_, answer):
    assert task_made(request_, answer) is None
    assert not OpenTasks().adopt("server", request_, answer)


def test_the_result_is_the_answer_and_ends_the_task_once(heard):
    found = made(heard, "t")
    for cost in (1, 2):
        found.answered("server", about("tasks/result"), {"result": {"cost": cost, "isError": True}})
    assert heard.told == [("t", {"cost": 1, "isError": True}, True), ("t", "answered")]
    assert len(found) == 0


def test_a_result_that_is_an_error_or_of_another_task_ends_nothing(heard):
    found = made(heard, "t")
    found.answered("server", about("tasks/result"), {"error": {"code": -32602, "message": "not completed yet"}})
    found.answered("server", about("tasks/result", "u"), {"result": {}})
    found.answered("server", about("tasks/result", 3), {"result": {}})
    found.answered("client", about("tasks/result"), {"result": {}})
    assert (heard.told, len(found)) == ([], 1)


@pytest.mark.parametrize("method", ["tasks/get", "tasks/cancel"])
@pytest.mark.parametrize(
    ("told", "ends"),
    [
        ({"status": "failed"}, [("t", None, True), ("t", "answered")]),
        ({"status": "failed", "error": {"code": 1}}, [("t", {"code": 1}, True), ("t", "answered")]),
        ({"status": "cancelled"}, [("t", "cancelled")]),
        ({"status": "completed", "result": {"cost": 1}}, [("t", {"cost": 1}, False), ("t", "answered")]),
        ({"task": {"status": "cancelled"}}, [("t", "cancelled")]),
    ],
)
def test_a_status_ends_the_task_that_was_asked_about(heard, method, told, ends):
    found = made(heard, "t")
    found.answered("server", about(method), {"result": told})
    assert (heard.told, len(found)) == (ends, 0)


@pytest.mark.parametrize(
    "result", [{}, None, WORKING, {"status": "unknown"}, {"status": "input_required"}, {"task": 3}, {"status": 3}]
)
def test_any_other_status_leaves_it_open(heard, result):
    found = made(heard, "t")
    found.answered("server", about("tasks/get"), {"result": result})
    found.answered("server", about("tasks/cancel"), {"error": {"code": 1}})
    assert (heard.told, len(found)) == ([], 1)


def test_a_task_that_has_ended_well_goes_on_until_its_result_is_fetched(heard):
    found = made(heard, "t", "u")
    for task in ("t", "u"):
        found.answered("server", about("tasks/get", task), {"result": {"status": "completed"}})
    found.answered("server", about("tasks/result"), {"result": {"cost": 1}})
    found.end_all()
    assert heard.told == [
        ("t", None, False), ("u", None, False), ("t", {"cost": 1}, False), ("t", "answered"), ("u", "forgotten"),
    ]  # fmt: skip


def test_a_list_tells_of_many(heard):
    found = made(heard, "t", "u", "v")
    listed = [{"taskId": "t", "status": "failed"}, "u", {"taskId": "u", "status": "working"}, {"taskId": "x"}]
    asked = OpenRequest("tasks/list", None, "s-9", 0, False, Call("tasks/list", {}))
    for result in ({"tasks": listed}, {"tasks": 3}, None):
        found.answered("server", asked, {"result": result})
    assert (heard.told, len(found)) == ([("t", None, True), ("t", "answered")], 2)


@pytest.mark.parametrize("method", ["notifications/tasks/status", "notifications/tasks"])
def test_notifications_tell_too(heard, method):
    found = made(heard, "t", "u")
    found.news("server", method, {"taskId": "t", "status": "cancelled"})
    found.news("server", method, {"task": {"taskId": "u", "status": "completed", "result": {"cost": 1}}})
    assert heard.told == [("t", "cancelled"), ("u", {"cost": 1}, False), ("u", "answered")]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("notifications/progress", {"taskId": "t", "status": "failed"}),
        ("notifications/tasks/status", {"taskId": 3, "status": "failed"}),
        ("notifications/tasks/status", ["t"]),
        (None, {"taskId": "t", "status": "failed"}),
    ],
)
def test_other_notifications_do_not(heard, method, params):
    found = made(heard, "t")
    found.news("server", method, params)
    assert (heard.told, len(found)) == ([], 1)


def test_a_handle_may_say_that_it_has_failed_already(heard):
    found = OpenTasks()
    request = called(heard, task={})
    assert found.adopt("server", request, {"result": {"task": {"taskId": "t", "status": "failed"}}})
    assert (heard.told, len(found)) == ([("read", None, True), ("read", "answered")], 0)


def test_a_second_call_of_the_same_id_ends_with_its_answer(heard):
    found = made(heard, "t")
    assert not found.adopt("server", called(heard, task={}), {"result": {"task": WORKING}})
    assert found.adopt("client", called(heard, task={}), {"result": {"task": WORKING}})  # the app's are others
    assert not OpenTasks().adopt("server", called(task={}), {"result": {"task": WORKING}})  # no guard waits for it


def test_of_too_many_the_oldest_are_given_up(heard, monkeypatch):
    monkeypatch.setattr(tasks, "MOST_TASKS", 2)
    assert len(made(heard, "t", "u", "v")) == 2
    assert heard.told == [("t", "forgotten")]
