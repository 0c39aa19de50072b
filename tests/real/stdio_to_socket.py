"""A server on stdio that starts at once: its bytes go to a conversation of a server that runs already.

usage: stdio_to_socket.py SOCKET. Starting the SDK takes a second of CPU, and a gateway starts a server per session.
"""

import os
import select
import socket
import sys


def main() -> None:
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(sys.argv[1])
    poll = select.poll()
    poll.register(0, select.POLLIN)
    poll.register(peer, select.POLLIN)
    while True:
        for fd, _ in poll.poll():
            data = os.read(fd, 65536)
            if fd == 0 and data:
                peer.sendall(data)
            elif fd == 0:
                poll.unregister(0)
                peer.shutdown(socket.SHUT_WR)
            elif not data:
                return
            while fd != 0 and data:
                data = data[os.write(1, data) :]


main()
