"""A server whose app signs in itself, known to the listener; its wrapped URL. usage: passthrough_entry.py ROOT URL

As `wrap --oauth-passthrough` leaves it, without that command's probe: the suite would count its requests as the app's.
"""

import sys
from pathlib import Path

from mcpgov.places import Places
from mcpgov.remote_servers import PASSTHROUGH, RemoteServer, keep_server, load_port, new_id, wrapped_url


def made(root: str, url: str) -> str:
    places = Places(Path(root))
    server = RemoteServer(new_id(), "conformance", "claude-code", "", url, login=PASSTHROUGH)
    keep_server(places.remote_servers, server)
    return wrapped_url(load_port(places.remote_port), server)


if __name__ == "__main__":
    print(made(*sys.argv[1:]))
