"""The text of the login units: templates and their values. Pure: facts of the machine are arguments.

Law: every value is quoted, so that no character of a path has a meaning for systemd, XML or a shell.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from mcpgov.configs.clients import CLIENTS
from mcpgov.errors import McpgovError

SYSTEMD_FILE, LAUNCHD_FILE = "mcpgov.service", "dev.mcpgov.daemon.plist"
MARKS = ("# mcpgov ", "<!-- mcpgov ")  # by which a unit is known as ours
# Variables that locate files: the daemon must agree with the terminal that installed it.
PLACES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
# launchd gives a service little, and not always the home.
LAUNCHD_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
_PLAIN = re.compile(r"[\w@+=:,./-]+", re.ASCII)
_REFUSED = re.compile(r"[\x00-\x1f\x7f\"'\\$]")
_NO_XML = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")


def digest(root: Path) -> str:
    """Distinguishes the services of several trials."""
    return hashlib.blake2b(str(root).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def systemd_name(root: Path | None) -> str:
    return SYSTEMD_FILE if root is None else f"mcpgov-{digest(root)}.service"


def launchd_name(root: Path | None) -> str:
    """The label; the file is this and `.plist`."""
    label = LAUNCHD_FILE.removesuffix(".plist")
    return label if root is None else f"{label}.{digest(root)}"


def systemd_directories(home: str, environ: Mapping[str, str]) -> list[Path]:
    """Where a user's own units may be, the likelier directory first."""
    config = environ.get("XDG_CONFIG_HOME", "")
    moved = [config] if config.startswith("/") else []
    return [Path(place) / "systemd" / "user" for place in dict.fromkeys([*moved, f"{home}/.config"])]


def launchd_directory(home: str) -> Path:
    return Path(home) / "Library" / "LaunchAgents"


def kept(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that move config files of ours or of a client."""
    names = (*PLACES, *(client.variable[0] for client in CLIENTS if client.variable[0]))
    return {name: environ[name] for name in dict.fromkeys(names) if environ.get(name)}


def systemd_text(
    template: str, name: str, version: str, command: Sequence[str], environ: Mapping[str, str], root: Path | None
) -> str:
    lines = [f"Environment={systemd_word(f'{key}={value}')}" for key, value in kept(environ).items()]
    return _fill(
        template,
        {
            "version": version,
            "name": name,
            "trial": "" if root is None else f" (trial {digest(root)})",
            "environment": "\n".join(["# The places as the installing terminal saw them.", *lines] if lines else []),
            "command": systemd_command(command),
        },
    )


def systemd_command(command: Sequence[str]) -> str:
    """systemd refuses some characters in a program's path; then a shell starts it with exec."""
    if _REFUSED.search(command[0]):
        command = ["/bin/sh", "-c", 'exec "$0" "$@"', *command]
    return " ".join(systemd_word(word).replace("$", "$$") for word in command)


def systemd_word(word: str) -> str:
    """One word of a unit's line, quoted where it must be."""
    if _PLAIN.fullmatch(word):
        return word
    return '"' + "".join(_systemd_letter(letter) for letter in word) + '"'


def _systemd_letter(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    if letter == "%":
        return "%%"
    if letter.isprintable():
        return letter
    return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", "surrogateescape"))


def launchd_text(
    template: str, name: str, version: str, command: Sequence[str], environ: Mapping[str, str], output: Path
) -> str:
    given = {"HOME": environ.get("HOME", ""), "PATH": LAUNCHD_PATH, "LANG": environ.get("LANG", ""), **kept(environ)}
    pairs = [(key, value) for key, value in given.items() if value]
    return _fill(
        template,
        {
            "version": version,
            "name": name,
            "command": "\n".join(f"        <string>{_xml(word)}</string>" for word in command),
            "environment": "\n".join(
                f"        <key>{_xml(key)}</key>\n        <string>{_xml(value)}</string>" for key, value in pairs
            ),
            "output": _xml(str(output)),
        },
    )


def _xml(text: str) -> str:
    if _NO_XML.search(text):
        raise McpgovError(f"a property list cannot hold `{text}`", hint="use a path of plain letters")
    return escape(text)


def _fill(template: str, values: Mapping[str, str]) -> str:
    """Fill in one pass, so that no value is taken for a placeholder; an empty value removes its line."""
    empty = "|".join(name for name, value in values.items() if not value)
    text = re.sub(rf"(?m)^\{{\{{({empty})\}}\}}\n", "", template) if empty else template
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], text)


def unit_places(home: str, environ: Mapping[str, str], root: Path | None) -> list[str]:
    """Every file that decides what the login service starts: units, drop-ins, and the links that enable them."""
    files: list[str] = []
    for owner in dict.fromkeys((None, root)):
        unit = systemd_name(owner)
        names = (unit, f"{unit}.d", "service.d", f"default.target.wants/{unit}")
        files += [str(place / name) for place in systemd_directories(home, environ) for name in names]
        files.append(str(launchd_directory(home) / f"{launchd_name(owner)}.plist"))
    return list(dict.fromkeys(files))
