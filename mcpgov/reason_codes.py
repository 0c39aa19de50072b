"""Reason codes: one code per reason, for programs. Leaf, light.

Law: code compares codes; the sentence next to a code is for people and may change at any time.
"""

from __future__ import annotations

from typing import NamedTuple

from mcpgov import errors


class Reason(NamedTuple):
    """A code and its sentence; false if the sentence is empty."""

    code: str = ""
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.text)


NONE = Reason()


# --- a config entry: why it is not governed, or a note on one that is
NOT_WRAPPED = "not-wrapped"  # it could be governed and is not
EXCLUDED = "excluded"
OWN_SERVER = "own-server"  # `mcpgov serve`
IN_PROJECT = "in-project"  # in a project's own file, while the setting `project_files` is off
OUTSIDE = "app-not-enabled"  # of an app that is not in the setting `clients`
WRAP_OFFERED = "app-not-enabled-wrap-offered"  # the same, and `mcpgov wrap` would govern it
MANAGED = "managed"
# A server with a URL, while it is not governed.
REMOTE_IN_PROJECT, REMOTE_NO_LISTENER = "remote-in-project", "remote-listener-not-up"
REMOTE_VARIABLE, REMOTE_SEVERAL = "remote-variable", "remote-several-urls"
REMOTE_WEBSOCKET, REMOTE_NOT_HTTP = "remote-websocket", "remote-not-http"
REMOTE_UNPROBED, REMOTE_UNREACHED = "remote-unprobed", "remote-unreached"
REMOTE_NEEDS_LOGIN, REMOTE_NEEDS_CREDENTIAL = "remote-needs-login", "remote-needs-credential"
REMOTE_NATIVE = frozenset({
    REMOTE_IN_PROJECT, REMOTE_NO_LISTENER, REMOTE_VARIABLE, REMOTE_SEVERAL, REMOTE_WEBSOCKET, REMOTE_NOT_HTTP,
    REMOTE_UNPROBED, REMOTE_UNREACHED, REMOTE_NEEDS_LOGIN, REMOTE_NEEDS_CREDENTIAL,
})  # fmt: skip
REMOTE_LOST = "remote-lost"  # wrapped, and what its URL was is no longer known
REMOTE_OLD_PORT = "remote-old-port"  # wrapped, for a port that the listener has left
EXTENSION, LAYER, SANDBOX, OVERLAID = "extension", "layer", "sandbox", "overlaid"
UNSAYABLE = "no-command-line"
DENY_LIST, ALLOW_LIST, ACCESS = "client-deny-list", "client-allow-list", "client-access"
LISTS_UNREAD = "client-lists-unread"  # may end without a change of the entry's own file
LISTED = "listed-only"
DISABLED = "disabled"
BROKEN_ENTRY = "broken-entry"
OTHER_NAME = "wrapped-for-another"
NOTE = "note"
CONTESTED, LOST = "contested", "lost"

# --- a file
FILE_REFUSED = "file-refused"  # also of its entries, if nothing else keeps them ungoverned
MOVED, UNREADABLE, AMBIGUOUS, LOCKED = "changed-meanwhile", "unreadable", "ambiguous", "locked"
UNINTENDED, SYSTEM, NOT_UNDERSTOOD, NO_SERVERS = "unintended-change", "system-error", "not-understood", "no-servers"

# --- a command that failed
POLICY, SETTINGS = errors.PolicyError.reason_code, errors.SettingsError.reason_code
UNSAFE_FILE = errors.UnsafeFileError.reason_code
NO_POLICY, POLICY_UNREADABLE = "no-policy", "policy-unreadable"

# --- problems in a status
DAEMON_STOPPED, NOT_INSTALLED, DAEMON_SILENT = "daemon-stopped", "not-installed", "daemon-not-answering"
DAEMON_VERSION, NO_SERVICE = "daemon-version", "no-login-service"
POLICY_GONE, POLICY_KEPT, POLICY_WARNINGS = "policy-gone", "policy-broken-last-good-kept", "policy-warnings"
LAUNCHER_MISSING, LAUNCHER_UNREADABLE, LAUNCHER_MODE = "launcher-missing", "launcher-unreadable", "launcher-mode"
LAUNCHER_INTERPRETER, LAUNCHER_PACKAGE = "launcher-interpreter", "launcher-package"
LAUNCHER_VERSION = "launcher-version"  # servers still start with this one
JOURNAL_FILE, JOURNAL_MODE, JOURNAL_SYSTEM, JOURNAL_FULL = (
    "journal-is-a-file", "journal-mode", "journal-system-error", "journal-no-space",
)  # fmt: skip
LEDGER_AWAY, LEDGER_NEWER, LEDGER_REBUILT = "ledger-away", "ledger-newer", "ledger-rebuilt"
BUDGET_SPENT, BUDGET_LOW = "budget-spent", "budget-nearly-spent"
SETTINGS_DENY = "settings-broken-calls-denied"
BUDGET_STORE_AWAY = "budget-store-not-reached"
CALLS_LOCKED, QUESTION = "locked-by-a-person", "question-open"
REMOTE_DOWN, REMOTE_SILENT = "remote-service-down", "remote-service-not-answering"
REMOTE_PORT, REMOTE_LOGIN = "remote-port-changed", "remote-login-needed"
CONFIG_FILE, UNGOVERNED, HUNG, SERVICE_FAILED = "config-file", "runs-ungoverned", "proxy-hung", "service-failed"
