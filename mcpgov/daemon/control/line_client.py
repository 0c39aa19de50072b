"""Asking the daemon over its local socket: a request line, a reply line. Typed requests are in control_client.py, the
daemon's side is in listener.py.

Laws: light to import, for commands that answer at once; the other end is believed only if it is of our own user. No
line is longer than LONGEST_LINE, in either direction.
"""

from __future__ import annotations

import _socket
import os
import time

from mcpgov.errors import McpgovError, reason_of
from mcpgov.peer_credentials import peer_credentials

PROTOCOL = 1
LONGEST_LINE = 4 * 1024 * 1024
PATIENCE = 5.0
_PAUSE = 0.01
# Why a request was declined, for code to read; the sentence beside it is for people.
VERSION, UNKNOWN, WRONG, REFUSED = "other-version", "unknown-request", "wrong-request", "refused"
FAILED, TOO_LONG, TIMEOUT, BUSY = "failed", "too-long", "timeout", "busy"
RESTART = "mcpgov daemon restart"


class ControlError(McpgovError):
    """The daemon declined, or what answers is no daemon of ours. `code`: why, one of the words above, or empty."""

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


class NoSocket(ControlError):
    """Nothing is there: the daemon does not run."""


class RequestRefused(ControlError):
    """A socket is there and nobody listens: the daemon ended without cleaning up."""


class NoAnswer(ControlError):
    """Somebody listens and does not answer in time."""


class OtherVersion(ControlError):
    """This mcpgov and the daemon do not speak the same protocol, or not all of it."""


def request(path: str | os.PathLike[str], op: str, *, timeout: float = PATIENCE, **fields: object) -> dict[str, object]:
    """The daemon's reply without its envelope. Raises ControlError or one of its kinds."""
    return opened(exchange(os.fspath(path), request_line(op, fields), timeout))


def request_line(op: str, fields: dict[str, object]) -> bytes:
    import json

    line = json.dumps({"v": PROTOCOL, "op": op, **fields}).encode("ascii") + b"\n"
    if len(line) > LONGEST_LINE:
        raise ControlError(f"the request is longer than {LONGEST_LINE} bytes", code=TOO_LONG)
    return line


def opened(line: bytes) -> dict[str, object]:
    """The fields of a reply line. Raises ControlError where it is a refusal, or no reply."""
    import json

    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict) or "ok" not in reply:
        raise ControlError("the daemon's answer cannot be read", hint=RESTART)
    version, code, ok = reply.pop("v", PROTOCOL), str(reply.get("code") or ""), reply.pop("ok")
    if version != PROTOCOL:
        raise OtherVersion(f"the daemon speaks protocol {version}, this mcpgov {PROTOCOL}", hint=RESTART, code=VERSION)
    if ok is not True:
        kind = OtherVersion if code in (VERSION, UNKNOWN, WRONG) else ControlError
        raise kind(str(reply.get("error") or "the daemon declined"), hint=str(reply.get("hint") or ""), code=code)
    return reply


def exchange(path: str, line: bytes, timeout: float = PATIENCE) -> bytes:
    """The reply line to a request line, without its end."""
    deadline = time.monotonic() + timeout
    sock = connected(path, line, deadline)
    try:
        return read_line(sock, bytearray(), deadline)
    except TimeoutError:
        raise silent() from None
    except OSError as error:
        raise _gone(error) from None
    finally:
        sock.close()


def connected(path: str, line: bytes, deadline: float) -> _socket.socket:
    """A connection to the daemon on which the request was sent."""
    sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        _connect(sock, path, deadline)
        if peer_credentials(sock)[1] != os.geteuid():
            raise ControlError(f"`{path}` belongs to another user")
        sock.settimeout(_left(deadline))
        _say(sock, line)
    except TimeoutError:
        sock.close()
        raise silent() from None
    except OSError as error:
        sock.close()
        raise _gone(error) from None
    except BaseException:
        sock.close()
        raise
    return sock


def silent() -> NoAnswer:
    return NoAnswer("the daemon does not answer", hint=RESTART)


def _gone(error: OSError) -> RequestRefused:
    return RequestRefused(f"the daemon has gone: {reason_of(error)}", hint="mcpgov daemon start")


def _connect(sock: _socket.socket, path: str, deadline: float) -> None:
    while True:
        sock.settimeout(_left(deadline))
        try:
            sock.connect(path)
            return
        except BlockingIOError:  # its queue is full: it is alive, and busy
            time.sleep(_PAUSE)
        except (FileNotFoundError, NotADirectoryError):
            raise NoSocket("the daemon is not running", hint="mcpgov daemon start") from None
        except ConnectionRefusedError:
            raise RequestRefused("the daemon is not running any more", hint="mcpgov daemon start") from None
        except TimeoutError:
            raise
        except OSError as error:
            raise ControlError(f"cannot reach `{path}`: {reason_of(error)}") from None


def _say(sock: _socket.socket, line: bytes) -> None:
    try:
        sock.sendall(line)
    except BrokenPipeError:
        return  # it declined before it had heard all; why stands in its reply


def read_line(sock: _socket.socket, held: bytearray, deadline: float) -> bytes:
    """The next line without its end; what came after it stays in `held`."""
    looked = 0
    while (end := held.find(b"\n", looked)) < 0:
        if len(held) > LONGEST_LINE:
            raise ControlError(f"the daemon's answer is longer than {LONGEST_LINE} bytes", code=TOO_LONG)
        looked = len(held)
        sock.settimeout(_left(deadline))
        piece = sock.recv(65536)
        if not piece:
            raise RequestRefused("the daemon ended without an answer", hint="mcpgov daemon logs")
        held += piece
    line = bytes(held[:end])
    del held[: end + 1]
    return line


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
