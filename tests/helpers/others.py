"""Another program at a config file, one step at a time: it does what it is told and says when it has begun."""

import subprocess
import sys

READ = """
import sys
print(flush=True)
sys.stdout.write(open(sys.argv[1]).read())
"""
WRITE = """
import sys
print(flush=True)
with open(sys.argv[1], "r+") as file:
    file.write(sys.argv[2]), file.truncate()
"""
OPEN = """
import sys
with open(sys.argv[1], "r+") as file:
    print(flush=True), input()
    file.write(sys.argv[2]), file.truncate(), file.flush()
    print(flush=True), input()
"""


class Other:
    """A child that has started its work when the constructor is back."""

    def __init__(self, code, *args):
        self.child = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, args)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        )  # fmt: skip
        self.heard()

    def heard(self):
        return self.child.stdout.readline()

    def go(self):
        self.child.stdin.write("\n")

    def rest(self):
        """What it says until its end."""
        return self.child.communicate(timeout=30)[0]
