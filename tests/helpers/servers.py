"""Small MCP servers with one habit each, run as a script: `python servers.py HABIT MARK [WORDS…]`.

MARK is a word that only one test uses, by which its processes are found and counted. Also `client`: a program that
starts a proxy and then waits, to be killed.
"""

import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def lines() -> "Iterator[bytes]":
    held: list[bytes] = []
    while data := os.read(0, 1 << 20):
        held.append(data)
        if b"\n" in data:
            *whole, rest = b"".join(held).split(b"\n")
            held = [rest]
            yield from whole


def say(text: bytes) -> None:
    view = memoryview(text + b"\n")
    while view:
        view = view[os.write(1, view) :]


def answer(line: bytes, result: str = "{}") -> None:
    import json

    message = json.loads(line)
    if "id" in message:
        say(b'{"jsonrpc":"2.0","id":%s,"result":%s}' % (json.dumps(message["id"]).encode(), result.encode()))


def wait_forever() -> None:
    while True:
        signal.pause()


def echo(status: str = "0") -> None:
    """Answers every request; ends with STATUS at the end of its input."""
    for line in lines():
        answer(line)
    sys.exit(int(status))


def shakes_hands(version: str) -> None:
    """Answers every request, the first with its protocol version."""
    for line in lines():
        answer(line, f'{{"protocolVersion":"{version}"}}' if b'"initialize"' in line else "{}")


def plays(file: str) -> None:
    """Answers each method with what FILE, a JSON object, has for it."""
    import json

    with open(file, encoding="ascii") as given:
        parts = json.load(given)
    for line in lines():
        answer(line, json.dumps(parts.get(json.loads(line)["method"], {})))


def record(file: str) -> None:
    """Answers, and keeps every line it was sent."""
    with open(file, "ab", buffering=0) as kept:
        for line in lines():
            kept.write(line + b"\n")
            answer(line)


def mirror() -> None:
    """Answers a call with the text of its line."""
    import json

    for line in lines():
        answer(line, json.dumps({"content": [{"type": "text", "text": line.decode()}]}))


def large(size: str) -> None:
    """Answers with a text of SIZE characters."""
    for line in lines():
        answer(line, '{"text":"' + "x" * int(size) + '"}' if b"tools/call" in line else "{}")


def tell(file: str, *words: str) -> None:
    """Writes down how it was started."""
    import json

    with open("/proc/self/environ", "rb") as given:
        environ = given.read().split(b"\0")
    found = {"argv": list(words), "cwd": os.getcwd(), "environ": sorted(entry.decode("latin-1") for entry in environ)}
    with open(file, "w", encoding="utf-8", errors="surrogateescape") as out:
        json.dump(found, out)
    echo()


def stubborn(pid_file: str = "") -> None:
    """Ignores the end of its input and every signal that can be ignored."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if pid_file:
        with open(pid_file, "w", encoding="ascii") as out:
            out.write(str(os.getpid()))
    for line in lines():
        answer(line)
    wait_forever()


def slow_to_end() -> None:
    """Ignores the end of its input, but not SIGTERM."""
    for line in lines():
        answer(line)
    wait_forever()


def signalled(file: str) -> None:
    """Writes down the first signal it gets, and ends with status 7."""

    def note(number: int, _frame: object) -> None:
        with open(file, "w", encoding="ascii") as out:
            out.write(str(number))
        os._exit(7)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, note)
    for line in lines():
        answer(line)
    wait_forever()


def flood(size: str) -> None:
    """Fills standard error first."""
    os.set_blocking(2, True)
    left = int(size)
    while left:
        left -= os.write(2, b"x" * min(left, 65536))
    echo()


def deaf() -> None:
    """Reads nothing, and speaks all the time."""
    while True:
        say(b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"still here"}}')
        time.sleep(0.02)


def half() -> None:
    """Dies in the middle of its answer to a call."""
    for line in lines():
        if b"tools/call" in line:
            os.write(2, b"something broke\n")
            os.write(1, b'{"jsonrpc":"2.0","id":')
            sys.exit(3)
        answer(line)


def killed() -> None:
    """Kills itself on a call."""
    for line in lines():
        if b"tools/call" in line:
            os.kill(os.getpid(), signal.SIGKILL)
        answer(line)


def late(seconds: str) -> None:
    """Answers calls only some time after the end of its input."""
    open_calls = []
    for line in lines():
        if b"tools/call" in line:
            open_calls.append(line)
        else:
            answer(line)
    time.sleep(float(seconds))
    for line in open_calls:
        answer(line)


def hang(pid_file: str, method: str = "tools/call") -> None:
    """Never answers METHOD; says its own number first."""
    with open(pid_file + ".part", "w", encoding="ascii") as out:
        out.write(str(os.getpid()))
    os.rename(pid_file + ".part", pid_file)
    for line in lines():
        if method.encode() not in line:
            answer(line)


def looks(directory: str) -> None:
    """Answers a call with what the journal says of its tool at that moment."""
    import json

    for line in lines():
        text = b""
        for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else [directory]:
            with open(os.path.join(directory, name), "rb") as file:
                text += file.read()
        message = json.loads(line)
        tool = (message.get("params") or {}).get("name")
        seen = [json.loads(record)["action"] for record in text.splitlines() if json.loads(record).get("tool") == tool]
        answer(line, json.dumps({"seen": seen}))


def mute() -> None:
    """Closes its output and lives on."""
    for line in lines():
        answer(line)
        if b"tools/call" in line:
            os.close(1)
            wait_forever()


def client(ready: str, method: str, *command: str) -> None:
    """Starts COMMAND, sends it initialize and METHOD, says so in the file READY, and waits."""
    import subprocess

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n')
        if method != "initialize":
            process.stdout.readline()
        if method == "tools/call":
            process.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}\n')
        with open(ready, "w", encoding="ascii") as out:
            out.write(str(process.pid))
        wait_forever()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[3:])
