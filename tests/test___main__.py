import subprocess
import sys

from mcpgov import __version__


def test_the_package_runs_as_the_command_line():
    done = subprocess.run([sys.executable, "-m", "mcpgov", "--version"], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"mcpgov {__version__}\n", "")


def test_importing_it_does_nothing():
    done = subprocess.run([sys.executable, "-c", "import mcpgov.__main__"], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
