"""Why something is as it is, for programs: one code each. Leaf, light.

Law: code compares codes; the sentence beside a code is for people and may change at any time.
"""

from __future__ import annotations

from typing import NamedTuple

from mcpgov import errors


class Reason(NamedTuple):
    """A code with its sentence; without a sentence there is no reason."""

    code: str = ""
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.text)


NONE = Reason()


# --- an entry of a config: why it is not governed, or what to know of one that is
NOT_WRAPPED = "not-wrapped"  # it could be governed and is not
EXCLUDED = "excluded"
IN_PROJECT = "in-project"  # in a project's own file, which nobody asked us to govern
OUTSIDE = "app-not-enabled"  # of an app that the settings do not name
WRAP_OFFERED = "app-not-enabled-wrap-offered"  # the same, and `mcpgov wrap` would govern it
MANAGED = "managed"
REMOTE, REMOTE_OAUTH, REMOTE_FIRST = "remote", "remote-oauth", "remote-before-command"
EXTENSION, LAYER, SANDBOX, OVERLAID = "extension", "layer", "sandbox", "overlaid"
UNSAYABLE = "no-command-line"
DENY_LIST, ALLOW_LIST, ACCESS = "client-deny-list", "client-allow-list", "client-access"
LISTS_UNREAD = "client-lists-unread"  # may end although the entry's own file never changes
LISTED = "listed-only"
DISABLED = "disabled"
BROKEN_ENTRY = "broken-entry"
OTHER_NAME = "wrapped-for-another"
NOTE = "note"
CONTESTED, LOST = "contested", "lost"

# --- a file
FILE_REFUSED = "file-refused"  # also of its entries, which wait for that alone
MOVED, UNREADABLE, AMBIGUOUS, LOCKED = "changed-meanwhile", "unreadable", "ambiguous", "locked"
UNINTENDED, SYSTEM, NOT_UNDERSTOOD, NO_SERVERS = "unintended-change", "system-error", "not-understood", "no-servers"

# --- a command that failed
FAILED = errors.McpgovError.reason_code
POLICY, SETTINGS = errors.PolicyError.reason_code, errors.SettingsError.reason_code
UNSAFE_FILE = errors.UnsafeFileError.reason_code
NO_POLICY, POLICY_UNREADABLE = "no-policy", "policy-unreadable"

# --- what a status finds wrong
DAEMON_STOPPED, NOT_INSTALLED, DAEMON_SILENT = "daemon-stopped", "not-installed", "daemon-not-answering"
DAEMON_VERSION, NO_SERVICE = "daemon-version", "no-login-service"
POLICY_GONE, POLICY_KEPT, POLICY_WARNINGS = "policy-gone", "policy-broken-last-good-kept", "policy-warnings"
LAUNCHER_MISSING, LAUNCHER_UNREADABLE, LAUNCHER_MODE = "launcher-missing", "launcher-unreadable", "launcher-mode"
LAUNCHER_INTERPRETER, LAUNCHER_PACKAGE = "launcher-interpreter", "launcher-package"
LAUNCHER_VERSION = "launcher-version"  # the one that keeps no server from starting
JOURNAL_FILE, JOURNAL_MODE, JOURNAL_SYSTEM, JOURNAL_FULL = (
    "journal-is-a-file", "journal-mode", "journal-system-error", "journal-no-space",
)  # fmt: skip
SETTINGS_DENY = "settings-broken-calls-denied"
CALLS_LOCKED, QUESTION = "locked-by-a-person", "question-open"
CONFIG_FILE, UNGOVERNED, HUNG, SERVICE_FAILED = "config-file", "runs-ungoverned", "proxy-hung", "service-failed"
