"""A server whose tools are those of a file, read for every list: page_server.py TOOLS.json"""

import json
import sys
from pathlib import Path

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {"listChanged": True}},
    "serverInfo": {"name": "page-server", "version": "1"},
}


def answer(method: str) -> object:
    if method == "initialize":
        return INITIALIZE
    if method == "tools/list":
        return {"tools": json.loads(Path(sys.argv[1]).read_text("utf-8"))}
    return {"content": [{"type": "text", "text": "done"}], "isError": False}


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            said = {"jsonrpc": "2.0", "id": message["id"], "result": answer(message["method"])}
            print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
