"""Running code without root's powers: permissions mean nothing to root."""

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534
PREFIX = f"""
import _strptime, os, sys  # what is loaded late is loaded now: an interpreter may lie where only root may read
from pathlib import Path
from mcpgov.configs.files import backups, atomic_swap as exchange, config_file as seen, store
from mcpgov.errors import McpgovError
if os.geteuid() == 0:
    os.setgroups([]), os.setresgid({NOBODY}, {NOBODY}, {NOBODY}), os.setresuid({NOBODY}, {NOBODY}, {NOBODY})
home = Path(sys.argv[1])
"""


@contextmanager
def home_of_nobody():
    """A home that a user without powers can reach; pytest's own directories are closed to others."""
    place = Path(tempfile.mkdtemp()).resolve()
    try:
        if os.geteuid() == 0:
            os.chown(place, NOBODY, NOBODY)
        yield place
    finally:
        for folder in [place, *place.rglob("*")]:
            if folder.is_dir() and not folder.is_symlink():
                folder.chmod(0o700)
        shutil.rmtree(place)


def as_nobody(home, code):
    """What the code prints; an McpgovError is printed as `Class: message`."""
    body = "\n".join(f"    {line}" for line in code.strip().splitlines())
    text = f"{PREFIX}\ntry:\n{body}\nexcept McpgovError as error:\n    print(f'{{type(error).__name__}}: {{error}}')\n"
    done = subprocess.run([sys.executable, "-c", text, str(home)], capture_output=True, text=True, timeout=30)
    assert done.stderr == ""
    return done.stdout.replace(str(home), "~").strip()
