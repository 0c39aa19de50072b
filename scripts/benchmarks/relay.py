"""The bare relay we are measured against: a poll loop that parses every line, with no rules and no record.

usage: relay.py command args …
"""

import json
import os
import select
import sys


def main() -> None:
    argv = sys.argv[1:]
    theirs_in, to_server = os.pipe()
    from_server, theirs_out = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, theirs_in, 0), (os.POSIX_SPAWN_DUP2, theirs_out, 1)]
    pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=actions)
    os.close(theirs_in)
    os.close(theirs_out)
    target, held = {0: to_server, from_server: 1}, {0: [], from_server: []}
    poll = select.poll()
    poll.register(0, select.POLLIN)
    poll.register(from_server, select.POLLIN)
    while True:
        for fd, _ in poll.poll():
            data = os.read(fd, 65536)
            if not data:
                if fd == from_server:
                    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
                poll.unregister(0)
                os.close(to_server)
                continue
            whole, newline, rest = data.rpartition(b"\n")
            if not newline:
                held[fd].append(rest)
                continue
            whole, held[fd] = b"".join([*held[fd], whole]), [rest]
            for line in whole.split(b"\n"):
                message = json.loads(line)
                if message.get("method") == "tools/call":
                    message["params"]["name"]
            left = memoryview(whole + b"\n")
            while left:
                left = left[os.write(target[fd], left) :]


main()
