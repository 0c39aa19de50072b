"""Asking the daemon: one request line, one reply line, on a local socket. The daemon's side is in listener.py.

Laws: light to import, for commands that answer at once; the other end is believed only if it is of our own user.
"""

from __future__ import annotations

import _socket
import os
import sys
import time

from mcpgov.errors import McpgovError

PROTOCOL = 1
LONGEST_REQUEST = 64 * 1024
LONGEST_REPLY = 16 * 1024 * 1024
PATIENCE = 5.0
_PAUSE = 0.01
# macOS: level and options that Python does not name; the credentials hold version, uid, groups.
_SOL_LOCAL, _LOCAL_PEERCRED, _LOCAL_PEERPID, _XUCRED = 0, 1, 2, 76


class ControlError(McpgovError):
    """The daemon declined, or what answers is no daemon of ours."""


class NoSocket(ControlError):
    """Nothing is there: the daemon does not run."""


class RequestRefused(ControlError):
    """A socket is there and nobody listens: the daemon ended without cleaning up."""


class NoAnswer(ControlError):
    """Somebody listens and does not answer in time."""


def peer(sock: _socket.socket) -> tuple[int, int]:
    """(pid, uid) of the other end, as the kernel knows them. The pid is 0 where it cannot be told."""
    order = sys.byteorder
    if sys.platform == "darwin":
        raw = sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED)
        return sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID), int.from_bytes(raw[4:8], order)
    raw = sock.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    return int.from_bytes(raw[:4], order, signed=True), int.from_bytes(raw[4:8], order)


def request(path: str | os.PathLike[str], op: str, *, timeout: float = PATIENCE, **fields: object) -> dict[str, object]:
    """The daemon's reply without its envelope. Raises ControlError or one of its kinds."""
    import json

    line = json.dumps({"v": PROTOCOL, "op": op, **fields}).encode("ascii") + b"\n"
    raw = exchange(os.fspath(path), line, timeout)
    try:
        reply = json.loads(raw)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict) or "ok" not in reply:
        raise ControlError("the daemon's answer cannot be read", hint="mcpgov daemon restart")
    if reply.pop("ok") is not True:
        raise ControlError(str(reply.get("error") or "the daemon declined"), hint=str(reply.get("hint") or ""))
    reply.pop("v", None)
    return reply


def exchange(path: str, line: bytes, timeout: float = PATIENCE) -> bytes:
    """The reply line to a request line, without its end."""
    deadline = time.monotonic() + timeout
    sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        _connect(sock, path, deadline)
        if peer(sock)[1] != os.geteuid():
            raise ControlError(f"`{path}` belongs to another user")
        sock.settimeout(_left(deadline))
        _say(sock, line)
        return _read_line(sock, deadline)
    except TimeoutError:
        raise NoAnswer("the daemon does not answer", hint="mcpgov daemon restart") from None
    except OSError as error:
        raise RequestRefused(f"the daemon has gone: {_words(error)}", hint="mcpgov daemon start") from None
    finally:
        sock.close()


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
            raise ControlError(f"cannot reach `{path}`: {_words(error)}") from None


def _say(sock: _socket.socket, line: bytes) -> None:
    try:
        sock.sendall(line)
    except BrokenPipeError:
        return  # it declined before it had heard all; why stands in its reply


def _read_line(sock: _socket.socket, deadline: float) -> bytes:
    raw = bytearray()
    while True:
        sock.settimeout(_left(deadline))
        piece = sock.recv(65536)
        if not piece:
            raise RequestRefused("the daemon ended without an answer", hint="mcpgov daemon logs")
        raw += piece
        end = raw.find(b"\n", len(raw) - len(piece))
        if end >= 0:
            return bytes(raw[:end])
        if len(raw) > LONGEST_REPLY:
            raise ControlError("the daemon's answer is too long")


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
