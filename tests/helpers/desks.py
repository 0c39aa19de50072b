"""A home with a daemon, a policy that asks, the command line, and an app whose calls are governed."""

import json
import subprocess
from contextlib import contextmanager

from tests.front.conftest import command
from tests.helpers.daemons import Home
from tests.helpers.talks import Talk, server, wait_for
from tests.helpers.terminals import Terminal

POLICY = """\
# mine
default = "deny"

[[rule]]
name = "sure"
action = "prompt"
tool = "delete_*"

[[rule]]
name = "rest"
action = "allow"
tool = "*"
"""


class Desk(Home):
    """A home with a daemon, a policy that asks, and the command line."""

    def mcpgov(self, *words, status=0):
        done = subprocess.run(
            command(self.root, *words),
            env={**self.environ, "TERM": "xterm"},
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert done.returncode == status, (done.stdout, done.stderr)
        return done.stdout + done.stderr

    def json(self, *words, status=0):
        return json.loads(self.mcpgov(*words, "--json", status=status))

    @contextmanager
    def app(self, *session):
        line = [str(self.root / "bin" / "mcpgov-proxy"), "--server", "files", "--client", "cursor", "--"]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            [*line, *server("echo", "desk")],
            env=self.environ,
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,  # an app of its own: nothing else in this session is suspected to be its child
        ) as process:
            talk = Talk(process, "")
            assert "result" in talk.ask("initialize")
            try:
                yield talk
            finally:
                talk.end()

    @contextmanager
    def watching(self):
        """Somebody looks at the questions."""
        with Terminal(self.root, "approvals", "--watch", environ={**self.environ, "TERM": "xterm"}) as terminal:
            terminal.until("nothing is asked")
            yield terminal

    def waiting(self):
        """The number of the one open question."""
        return wait_for(lambda: self.json("approvals")["questions"])[0]["number"]
