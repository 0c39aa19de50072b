"""What starts commands on a machine: terminals, shells, editors, services, and the marks of AI apps. Pure: tables.

Any program of the same user can imitate a name; so a known name decides only about a process that nothing else connects
with an AI app.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mcpgov.daemon.processes.process import Process

# Variables that apps set for the commands of their models. They only make the check stricter: unset proves nothing.
MARKS = (
    "AI_AGENT", "AGENT", "CLAUDECODE", "CLAUDE_CODE", "CLAUDE_CODE_ENTRYPOINT", "CURSOR_AGENT", "COPILOT_AGENT",
    "COPILOT_CLI", "CODEX_SANDBOX", "CODEX_THREAD_ID", "CODEX_CI", "GEMINI_CLI", "OPENCODE", "OPENCODE_CLIENT",
    "AUGMENT_AGENT", "ANTIGRAVITY_AGENT", "AMP_CURRENT_THREAD_ID", "GOOSE_TERMINAL", "QWEN_CODE", "CLINE_ACTIVE",
    "ROO_ACTIVE", "KIRO_AGENT", "WINDSURF_AGENT", "ZED_AGENT",
)  # fmt: skip
NO_MARK = ("", "0", "false")
# Apps with a terminal panel for people; every other app has none.
EDITORS = ("vscode", "cursor", "windsurf", "zed", "kiro")
# An editor's process that runs extensions, agents among them: its children are no terminal panel.
EXTENSION_HOST = "--type=extensionHost"
TERMINALS = (
    "alacritty", "blackbox", "contour", "cosmic-term", "deepin-terminal", "foot", "footclient", "ghostty",
    "gnome-console", "gnome-terminal", "guake", "hyper", "iterm2", "itermserver", "kgx", "kitty", "konsole", "login",
    "lxterminal",
    "mate-terminal", "mlterm", "mosh-server", "ptyxis", "ptyxis-agent", "qterminal", "rio", "roxterm", "rxvt", "sakura",
    "screen", "sshd", "st", "tabby", "terminal", "terminator", "termite", "terminology", "tilda", "tilix", "tmux",
    "urxvt", "urxvtd", "warp", "wezterm", "wezterm-gui", "wezterm-mux-server", "xfce4-terminal", "xterm", "yakuake",
    "zellij", "zutty",
)  # fmt: skip
# Terminals whose server leaves the program that started it: a person is only where a client of it is attached.
MULTIPLEXERS = ("tmux", "screen", "zellij")
# Options that name the server of a multiplexer, and the variable that names the directory of its sockets.
_SERVER_OPTIONS = ("-L", "-S", "-s", "-r", "-x", "--session", "attach", "--server")
_SOCKET_DIRS = ("TMUX_TMPDIR", "SCREENDIR", "ZELLIJ_SOCKET_DIR")
# Where the system's own programs are: all that counts for root, who may write everywhere.
SYSTEM_DIRS = ("/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/opt/", "/nix/store/", "/gnu/store/", "/snap/", "/app/")
SERVICES = ("anacron", "atd", "cron", "crond", "cronie", "fcron", "dcron", "inetd", "xinetd")
# Programs that run others: an orphan of this kind may have been started by anything.
RUNNERS = (
    "ash", "awk", "bash", "bun", "busybox", "chroot", "csh", "dash", "deno", "doas", "elvish", "env", "expect", "find",
    "fish", "flock", "gawk", "git", "ionice", "ksh", "lua", "make", "mawk", "mcpgov", "mksh", "nice", "node", "nodejs",
    "nohup", "npm", "npx", "nsenter", "nu", "parallel", "perl", "php", "pkexec", "pwsh", "pypy", "pypy3", "python",
    "ruby", "runuser", "script", "setpriv", "setsid", "sh", "socat", "stdbuf", "strace", "su", "sudo", "taskset",
    "tclsh", "tcsh", "time", "timeout", "unbuffer", "unshare", "uv", "uvx", "watch", "xargs", "xonsh", "yash", "zsh",
    "dtach",
    "abduco", "bwrap", "vi", "vim", "nvim", "emacs", "less", "man", "ssh-agent", "dbus-run-session", "xvfb-run",
)  # fmt: skip
INTERPRETERS = ("python", "perl", "ruby", "bash", "sh", "node")
MANAGERS = ("systemd", "launchd")
# Programs that never count as a terminal, a scheduler or a manager, whatever name they go by.
POSERS = frozenset(("ash", "bash", "dash", "fish", "ksh", "mksh", "node", "perl", "python", "ruby", "sh", "zsh", "env"))
# Units that a program can create for itself, and units of desktop apps: no service that a person has set up.
NO_SERVICE = ("run-", "app-", "snap.", "vte-spawn-", "tmux-spawn-", "user@", "init.")


def marks_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the apps' marks that are set."""
    return tuple(name for name in MARKS if environ.get(name, "").lower() not in NO_MARK)


def names_of(process: Process) -> list[str]:
    """The names of a process in lower case: its program, the script it runs, and its own name."""
    words = [word.partition(": ")[0].rsplit("/", 1)[-1] for word in process.argv[:1]]
    if words and _plain(words[0]) in INTERPRETERS:
        words += [word.rsplit("/", 1)[-1] for word in process.argv[1:2] if not word.startswith("-")]
    return [_plain(word) for word in (*words, process.name) if word]


def _plain(word: str) -> str:
    """Without a login shell's dash, a title's rest (`tmux: server`, `sshd-session: u`), a version (`python3.12`)."""
    first = word.lstrip("-").partition(":")[0].partition(" ")[0].lower().removesuffix(".app")
    first = first.removesuffix("-session").removesuffix("-server") or first
    return first.rstrip("0123456789.") or first


def _known(process: Process, names: Iterable[str]) -> bool:
    wanted = {_plain(name) for name in names}
    return any(name in wanted for name in names_of(process))


def poses(process: Process, program: str) -> bool:
    """A shell or an interpreter, by its program's file, that goes by another name (`exec -a sshd sh`)."""
    if _plain(program) not in POSERS or not process.argv:
        return False
    first = _plain(process.argv[0].rsplit("/", 1)[-1])
    script = process.argv[1].rsplit("/", 1)[-1] if len(process.argv) > 1 else ""
    # Some terminals are scripts: then the first argument is the interpreter, and the second the terminal.
    return first not in INTERPRETERS or _plain(script) not in {_plain(name) for name in TERMINALS}


def is_terminal(process: Process) -> bool:
    """A terminal emulator, a multiplexer or a login: where a person's shell begins."""
    return _known(process, TERMINALS)


def multiplexer_of(process: Process) -> str:
    """`tmux`, `screen` or `zellij`; empty: it is none."""
    return next((name for name in names_of(process) if name in MULTIPLEXERS), "")


def server_key(process: Process, environ: Mapping[str, str]) -> tuple[str, str]:
    """Which server of a multiplexer it is, or is a client of: the name in its arguments, its sockets' directory."""
    argv = process.argv
    name = next((argv[at + 1] for at, word in enumerate(argv[:-1]) if at and word in _SERVER_OPTIONS), "")
    joined = next((word[2:] for word in argv[1:] if word[:2] in ("-L", "-S") and len(word) > 2), "")
    return (name or joined).rsplit("/", 1)[-1], next((environ[key] for key in _SOCKET_DIRS if environ.get(key)), "")


def is_service(process: Process) -> bool:
    """A job scheduler: a person has set up what it runs."""
    return _known(process, SERVICES)


def is_runner(process: Process) -> bool:
    return _known(process, RUNNERS) and not is_terminal(process)


def is_manager(process: Process) -> bool:
    """The process that adopts orphans."""
    return process.pid == 1 or _known(process, MANAGERS)


def is_own_service(unit: str) -> bool:
    """Is the control group that of a service which the manager started from a unit file?"""
    leaf = unit.rsplit("/", 1)[-1]
    return leaf.endswith(".service") and not leaf.startswith(NO_SERVICE)


def unit_of(cgroup: str) -> str:
    """The control group of a process up to its unit, from the text of /proc/N/cgroup; "" if there is none."""
    for line in cgroup.splitlines():
        number, _, rest = line.partition(":")
        controller, _, path = rest.partition(":")
        if number == "0" or controller == "name=systemd":
            parts = path.split("/")
            ends = [at for at, part in enumerate(parts) if part.endswith((".service", ".scope"))]
            if ends:
                return "/".join(parts[: ends[-1] + 1])
    return ""
