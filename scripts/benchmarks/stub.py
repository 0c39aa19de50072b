"""A server that costs as little as possible: answers initialize, tools/list and tools/call (echo, blob, sink)."""

import json
import os
import sys

TOOLS = [
    {"name": name, "description": "d" * 80, "inputSchema": {"type": "object"}} for name in ("echo", "blob", "sink")
]
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "stub", "version": "1"},
}


def answer(message: dict) -> object:
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        return INITIALIZE
    if method == "tools/list":
        return {"tools": TOOLS}
    arguments = params.get("arguments") or {}
    tool = params.get("name")
    text = "x" * arguments["size"] if tool == "blob" else str(len(arguments.get("payload", "")))
    return {"content": [{"type": "text", "text": arguments["payload"] if tool == "echo" else text}], "isError": False}


def main() -> None:
    held: list[bytes] = []
    while data := os.read(0, 1 << 20):
        whole, newline, rest = data.rpartition(b"\n")
        if not newline:
            held.append(rest)
            continue
        whole, held = b"".join([*held, whole]), [rest]
        out = []
        for line in whole.split(b"\n"):
            message = json.loads(line)
            if "id" in message:
                body = {"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}
                out.append(json.dumps(body, separators=(",", ":")).encode() + b"\n")
        left = memoryview(b"".join(out))
        while left:
            left = left[os.write(1, left) :]


if __name__ == "__main__":
    sys.exit(main())
