"""What the listener and a probe would have written, in the state of a root."""

from mcpgov.places import Places
from mcpgov.remote_servers import OPEN, ProbeResult, keep_port, keep_probe, load_servers

PORT = 20000


def listener_ran(root, port=PORT):
    keep_port(Places(root).remote_port, port)


def probed(root, url, found=OPEN):
    keep_probe(Places(root).remote_probes, url, ProbeResult(found, 1.0))


def registered(root):
    return list(load_servers(Places(root).remote_servers).values())
