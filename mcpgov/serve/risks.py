"""How risky a planned action is, and what to do instead: tables. Pure.

Law: a concern is a row: what shows it, how grave it is for each kind of action, and advice that fits. Nothing here
decides whether an action is allowed.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from itertools import pairwise
from typing import NamedTuple

from mcpgov.core.messages.elicitation import host_of
from mcpgov.core.operations.words import word_set
from mcpgov.core.rules.hosts import host_readings
from mcpgov.core.rules.spellings import file_paths, unquote
from mcpgov.serve.tools import FILE_DELETE, FILE_READ, FILE_WRITE, NETWORK, OTHER, RESOURCE, RISK_LEVELS, SHELL

LOW, MEDIUM, HIGH, CRITICAL = range(4)
BASE = {FILE_READ: LOW, RESOURCE: LOW, OTHER: MEDIUM, FILE_WRITE: MEDIUM, NETWORK: MEDIUM, FILE_DELETE: HIGH,
        SHELL: HIGH}  # fmt: skip
LONGEST = 8192  # characters of a target that are looked at


class Concern(NamedTuple):
    """`reading`, `changing`: how grave it is; `advice`: what to do instead."""

    reading: int
    changing: int
    advice: str


SSH = Concern(HIGH, CRITICAL, "Use environment variables or a secrets manager instead of reading SSH keys directly")
CLOUD = Concern(HIGH, CRITICAL, "Let the provider's own tool sign in, and ask it for short-lived credentials")
ENV = Concern(HIGH, CRITICAL, "Ask for the one value you need as an environment variable instead of the whole file")
KEYS = Concern(HIGH, CRITICAL, "Leave keys and credentials where they are: let the program that owns them use them")
SYSTEM = Concern(MEDIUM, CRITICAL, "Work on a copy inside the project directory instead of the system's own files")
OURS = Concern(CRITICAL, CRITICAL, "Only a person changes what mcpgov protects: ask the user to do it with mcpgov")
METADATA = Concern(CRITICAL, CRITICAL, "Do not ask the machine's metadata service: its answers are credentials")
INSIDE = Concern(HIGH, HIGH, "Reach services of this machine or network through a server that is governed for them")
DESTROYS = Concern(CRITICAL, CRITICAL, "Name the single files to remove, or move them aside, so that it can be undone")
SENDS = Concern(HIGH, HIGH, "Show the user what would leave this machine and where it goes, and let them send it")
RIGHTS = Concern(CRITICAL, CRITICAL, "Do it without other rights than you have, or ask the user to run it")


class PlaceRow(NamedTuple):
    """What tells a path, in lower case: a folder on its way, its last name, how that begins or ends, what is above."""

    concern: Concern
    folders: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    begins: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()

    def fits(self, path: str, parts: list[str]) -> bool:
        name = parts[-1]
        return (
            name in self.names
            or not self.folders.isdisjoint(parts)
            or name.startswith(self.begins)
            or name.endswith(self.ends)
            or path.startswith(self.below)
            or any(text in path for text in self.inside)
        )


# The first row that fits counts.
PLACES = (
    PlaceRow(SSH, frozenset((".ssh",)), begins=("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa")),
    PlaceRow(CLOUD, word_set(".aws .azure .kube .oci .terraform.d"), inside=("/.config/gcloud/",)),
    PlaceRow(ENV, names=frozenset((".env",)), begins=(".env.",)),
    PlaceRow(
        KEYS, word_set(".gnupg .password-store keyrings keychains"), word_set(".netrc .npmrc .pypirc .git-credentials"),
        ("credential", "secret"), (".pem", ".key", ".p12", ".pfx", ".jks", ".kdbx", "credentials", "secrets"),
        ("/etc/shadow", "/etc/gshadow", "/etc/ssl/private/"), ("/.config/gh/", "/.docker/config.json"),
    ),
    PlaceRow(
        SYSTEM, below=("/etc/", "/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/boot/", "/dev/", "/proc/", "/sys/",
                       "/var/", "/opt/", "/system/", "/library/", "/private/etc/", "/private/var/db/"),
    ),
)  # fmt: skip
# Words of a command, and pairs of words that follow each other.
COMMANDS: tuple[tuple[Concern, frozenset[str], tuple[str, ...]], ...] = (
    (RIGHTS, word_set("sudo su doas pkexec chown chmod setfacl systemctl launchctl crontab visudo useradd passwd"), ()),
    (DESTROYS, word_set("rm rmdir unlink shred dd mkfs fdisk wipefs truncate drop dropdb killall pkill reboot"),
     ("git reset", "git clean", "git checkout", "docker rm", "docker prune", "kubectl delete", "terraform destroy")),
    (SENDS, word_set("curl wget scp sftp rsync ssh nc ncat netcat telnet ftp mail mailx sendmail aws gcloud az gh"),
     ("git push", "npm publish", "cargo publish", "docker push", "gem push", "twine upload")),
)  # fmt: skip
_METADATA_NAMES = frozenset(("metadata.google.internal", "metadata"))
_METADATA = frozenset(map(ip_address, ("169.254.169.254", "169.254.170.2", "100.100.100.200", "fd00:ec2::254")))
_INSIDE_NAMES = frozenset(("localhost", "host.docker.internal", "ip6-localhost"))
_INSIDE = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "::/128",
            "::1/128",
            "fc00::/7",
            "fe80::/10",
        ),
    )
)
WHOLE = "Name the whole path: where a relative one starts is not known here"
ASK = "Call requestPermission for this exact resource: the user is asked"
USUAL_ADVICE = {
    FILE_READ: "Ask the user for the part of the file that you need",
    FILE_WRITE: "Write to a new file in the project directory and let the user move it",
    FILE_DELETE: "Move the file aside instead of deleting it, or let the user delete it",
    SHELL: "Use a tool that does this one thing instead of a shell command",
    NETWORK: "Use a server that is governed for this address, or let the user fetch it",
    RESOURCE: "Ask the user to attach the resource to the conversation",
    OTHER: "Say what it does with one of the other action types, so that the policy can tell",
}


def concerns(action: str, targets: Iterable[str], protected: bool) -> list[Concern]:
    """What there is to fear, the gravest first. `targets`: the target, and what it really is."""
    found: dict[Concern, None] = {OURS: None} if protected else {}
    for target in targets:
        text = target[:LONGEST].lower()
        if action == SHELL:
            found |= dict.fromkeys(_command_concerns(text))
        elif path := path_of_file_uri(text):
            found |= dict.fromkeys(_path_concerns(path))
        elif "://" in text or action == NETWORK:
            found |= dict.fromkeys(_host_concerns(host_of(text if "://" in text else f"https://{text}")))
        else:
            found |= dict.fromkeys(_path_concerns(text))
    return sorted(found, key=lambda concern: -_level(action, concern))


def path_of_file_uri(text: str) -> str:
    """The path that a `file:` URI names, in any of its forms; "" for any other text."""
    return unquote(file_paths(text)[1]) if text[:5].lower() == "file:" else ""


def _path_concerns(path: str) -> list[Concern]:
    parts = path.rstrip("/").split("/")
    return [row.concern for row in PLACES if row.fits(path, parts)][:1]


def _host_concerns(host: str) -> list[Concern]:
    """By each name and address that the spelling may stand for."""
    name, _, port = host.rpartition(":")
    bare = name if name and port.isdigit() and not host.endswith("]") else host
    read = host_readings(bare)
    addresses = [address for text in read for address in _addresses(text.strip("[]"))]
    if any(address in _METADATA for address in addresses) or not _METADATA_NAMES.isdisjoint(read):
        return [METADATA]
    inside = any(address in network for address in addresses for network in _INSIDE)
    named = any(name in _INSIDE_NAMES or name.endswith(".localhost") for name in read)
    return [INSIDE] if inside or named else []


def _addresses(text: str) -> list[IPv4Address | IPv6Address]:
    """The address, and the one of version 4 that is in it."""
    try:
        found = ip_address(text)
    except ValueError:
        return []
    inner = found.ipv4_mapped or found.sixtofour if isinstance(found, IPv6Address) else None
    return [found, inner] if inner is not None else [found]


def _command_concerns(command: str) -> list[Concern]:
    spaced = "".join(char if char.isalnum() or char in "-_./~:" else " " for char in command).split()
    names = [word.rsplit("/", 1)[-1] for word in spaced]
    pairs = [f"{first} {second}" for first, second in pairwise(names)]
    found = [
        concern
        for concern, single, double in COMMANDS
        if not single.isdisjoint(names) or any(pair in pairs for pair in double)
    ]
    found += [concern for word in spaced if "/" in word for concern in _path_concerns(word.replace("~", "", 1))]
    return found


def _level(action: str, concern: Concern) -> int:
    return concern.reading if action in (FILE_READ, RESOURCE) else concern.changing


def risk_level(action: str, found: Iterable[Concern], allowed: bool) -> str:
    """Low, Medium, High or Critical; what the policy does not let pass is no small matter."""
    levels = [BASE[action], *(_level(action, concern) for concern in found), LOW if allowed else MEDIUM]
    return RISK_LEVELS[max(levels)]


def suggestions(action: str, found: Iterable[Concern], asks: bool) -> list[str]:
    """For an action that may not be done now. `asks`: a person could allow it."""
    advice = [concern.advice for concern in found] or [USUAL_ADVICE[action]]
    return [*([ASK] if asks else []), *dict.fromkeys(advice)]
