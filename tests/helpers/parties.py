"""A client that works and a server that keeps what it was asked to do, both to be killed. Run as a script:

    python parties.py client MARK READY LOAD COMMAND…     LOAD: idle, or calls (always some in flight)
    python parties.py server MARK DONE KIND               KIND: plain, or stubborn (with a child of its kind)

READY gets the number of the process that COMMAND became; DONE one line for each call that was carried out.
"""

import json
import os
import signal
import subprocess
import sys
import time

IN_FLIGHT = 3
WORK = 0.005  # seconds that a call takes


def wait_forever() -> None:
    while True:
        signal.pause()


def client(mark: str, ready: str, load: str, *command: str) -> None:
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None

    def send(message: dict[str, object]) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        process.stdin.flush()

    send({"id": 0, "method": "initialize", "params": {}})
    process.stdout.readline()
    send({"method": "notifications/initialized"})
    with open(f"{ready}.part", "w", encoding="ascii") as out:
        out.write(str(process.pid))
    os.rename(f"{ready}.part", ready)
    try:
        number = 0
        while load == "calls":
            number += 1
            send({"id": number, "method": "tools/call", "params": {"name": f"{mark}-{number}", "arguments": {}}})
            if number >= IN_FLIGHT and not process.stdout.readline():
                break
    except BrokenPipeError:
        pass
    wait_forever()


def server(_mark: str, done: str, kind: str) -> None:
    if kind == "stubborn":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if os.fork() == 0:
            wait_forever()
    out = os.open(done, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message.get("method") == "tools/call":
            os.write(out, message["params"]["name"].encode() + b"\n")
            time.sleep(WORK)
        if "id" in message:
            sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":%d,"result":{}}\n' % message["id"])
            sys.stdout.buffer.flush()
    if kind == "stubborn":
        wait_forever()


if __name__ == "__main__":
    {"client": client, "server": server}[sys.argv[1]](*sys.argv[2:])
