"""A server whose calls may go on as tasks. Run as a script it speaks over stdio; `TaskServer.answer` is all there is.

A call with `task` gets a handle (2025-11-25), and so does one of the stateless revision, unasked. What comes of a task
its arguments say: `cost`, `status` (completed, or what `tasks/get` is told instead), `text`.
"""

import json
import sys

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


class TaskServer:
    def __init__(self):
        self.made = []  # the arguments of the calls that went on as tasks

    def answer(self, message):
        """The answer to a request; None to a notification."""
        if "id" not in message:
            return None
        params = message.get("params") or {}
        found = getattr(self, message["method"].replace("/", "_"), lambda _: {})(params)
        return {"jsonrpc": "2.0", "id": message["id"], **(found if "error" in found else {"result": found})}

    def initialize(self, params):
        return {"protocolVersion": params.get("protocolVersion", "2025-11-25"), "capabilities": {}, "serverInfo": {}}

    def tools_call(self, params):
        stateless = VERSION_KEY in (params.get("_meta") or {})
        if not stateless and "task" not in params:
            return self._result(params["arguments"])
        self.made.append(params["arguments"])
        handle = {"taskId": f"task-{len(self.made)}", "status": "working"}
        return {**handle, "resultType": "task", "ttlMs": 60000} if stateless else {"task": {**handle, "ttl": 60000}}

    def tasks_get(self, params):
        args = self._args(params)
        told = {"taskId": params["taskId"], "status": args.get("status", "completed")}
        done = VERSION_KEY in (params.get("_meta") or {}) and told["status"] == "completed"
        return {**told, "result": self._result(args)} if done else told

    def tasks_result(self, params):
        args = self._args(params)
        if args.get("status", "completed") != "completed":
            return {"error": {"code": -32602, "message": "the task has not completed"}}
        return self._result(args)

    def tasks_cancel(self, params):
        self._args(params)["status"] = "cancelled"
        return {"taskId": params["taskId"], "status": "cancelled"}

    def _args(self, params):
        at = int(params["taskId"].removeprefix("task-")) - 1
        return self.made[at] if at < len(self.made) else {"cost": 0.5}  # of a process that was before

    def _result(self, args):
        content = [{"type": "text", "text": args.get("text", "done")}]
        return {"content": content, "usage": {"total_cost": args.get("cost", 0)}}


if __name__ == "__main__":
    server = TaskServer()
    for line in sys.stdin:
        answer = server.answer(json.loads(line))
        if answer is not None:
            print(json.dumps(answer), flush=True)
