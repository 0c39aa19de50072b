"""Tasks: calls that are answered at once with a handle, and whose true answer comes later. Pure; loaded with the first.

Laws: guards hear of the end of such a call once, when its task has ended: its result came, or its status says that it
failed or was cancelled. An error of `tasks/result` says no such thing, for some servers answer so while the task goes
on. What nobody hears of any more ends with the conversation, and with more than MOST_TASKS the oldest.
"""

from __future__ import annotations

from mcpgov.core.messages.methods import NOTIFICATIONS
from mcpgov.core.session.call_records import is_error
from mcpgov.core.session.open_requests import ANSWERED, CANCELLED, FORGOTTEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.guard import Guards
    from mcpgov.core.session.open_requests import OpenRequest

    Key = tuple[str, str]

MOST_TASKS = 4096
NEWS = f"{NOTIFICATIONS}tasks"  # notifications/tasks/status, and notifications/tasks of 2026-07-28
COMPLETED, FAILED, STOPPED = "completed", "failed", "cancelled"


def task_made(request: OpenRequest, message: dict[str, object]) -> str | None:
    """The id of the task that an answer hands out instead of a result: where the request asked for one, or the server
    says that it made one (2026-07-28). Whatever else names a task is a result."""
    result, call = message.get("result"), request.call
    if not isinstance(result, dict) or call is None:
        return None
    if request.modern and result.get("resultType") == "task":
        made: object = result
    else:
        made = result.get("task") if isinstance(call.params.get("task"), dict) else None
    task = made.get("taskId") if isinstance(made, dict) else None
    return task if isinstance(task, str) else None


class OpenTasks:
    """The calls whose tasks go on, and their guards, by the side that works on them and the task's id."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: dict[Key, tuple[Call, Guards]] = {}

    def __len__(self) -> int:
        return len(self._open)

    def adopt(self, sender: str, request: OpenRequest, message: dict[str, object]) -> bool:
        """Does a request go on as a task? Then its guards do not hear of its end when it is closed.

        A second call whose task has the id of one that goes on ends with its answer.
        """
        task = task_made(request, message)
        if task is None or (sender, task) in self._open or request.call is None or request.guards is None:
            return False
        while len(self._open) >= MOST_TASKS:
            self._end(next(iter(self._open)), FORGOTTEN)
        self._open[sender, task] = request.call, request.guards
        request.task = task
        self._hear(sender, task, message["result"])
        return True

    def answered(self, sender: str, request: OpenRequest, message: dict[str, object]) -> None:
        """The answer to a request about tasks."""
        result, task = message.get("result"), request.task
        if request.method == "tasks/result":
            if isinstance(task, str) and "result" in message:
                self._result(sender, task, result)
        elif isinstance(task, str):
            self._hear(sender, task, result)
        elif isinstance(result, dict) and isinstance(result.get("tasks"), list):
            for each in result["tasks"]:
                self._told(sender, each)

    def news(self, sender: str, method: str | None, params: object) -> None:
        """A notification."""
        if method is not None and method.startswith(NEWS) and isinstance(params, dict):
            for holder in (params, params.get("task")):
                self._told(sender, holder)

    def end_all(self) -> None:
        """The conversation is over."""
        for key in list(self._open):
            self._end(key, FORGOTTEN)

    def _told(self, sender: str, about: object) -> None:
        task = about.get("taskId") if isinstance(about, dict) else None
        if isinstance(task, str):
            self._hear(sender, task, about)

    def _hear(self, sender: str, task: str, body: object) -> None:
        """What is said of one task: as it stands, or inside of a `task`."""
        key = sender, task
        about = body.get("task", body) if isinstance(body, dict) else None
        if key not in self._open or not isinstance(about, dict):
            return
        call, guards = self._open[key]
        status = about.get("status")
        if status == COMPLETED:
            if isinstance(about.get("result"), dict):
                self._result(sender, task, about["result"])
            else:  # its result may still be fetched, and say what it costs
                guards.answered(call, None, is_error=False)
        elif status == FAILED:
            guards.answered(call, about.get("error"), is_error=True)
            self._end(key, ANSWERED)
        elif status == STOPPED:
            self._end(key, CANCELLED)

    def _result(self, sender: str, task: str, result: object) -> None:
        """The true answer to the call."""
        if (sender, task) in self._open:
            call, guards = self._open[sender, task]
            guards.answered(call, result, is_error=is_error({"result": result}))
            self._end((sender, task), ANSWERED)

    def _end(self, key: Key, reason: str) -> None:
        call, guards = self._open.pop(key)
        guards.settle(call, reason)
