"""The parser table: every command, the module that does it, one line of help. Adding a command is a row here."""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """`weakens`: when it may not be run by what an AI app has started; the conditions are in caller_check."""

    module: str
    help: str
    weakens: str = ""


class Group(NamedTuple):
    """`alone`: what the group's name does without a command behind it."""

    help: str
    commands: dict[str, Command]
    alone: Command | None = None


_AT = "mcpgov.front.commands."

COMMANDS: dict[str, Command | Group] = {
    "install": Command(_AT + "install", "govern every server of your AI apps from now on", "moves"),
    "uninstall": Command(_AT + "uninstall", "take everything back, byte for byte", "unwraps"),
    "status": Command(_AT + "status", "how things stand, at a glance, and what to do next"),
    "doctor": Command(_AT + "doctor", "check everything that has to be right"),
    "daemon": Group(
        "keeps servers wrapped in the background: start, stop, logs",
        {
            "start": Command(_AT + "daemon_start", "start it, unless it runs"),
            "stop": Command(_AT + "daemon_stop", "stop it; governed servers stay governed", "always"),
            "restart": Command(_AT + "daemon_restart", "stop it if it runs, and start it", "always"),
            "logs": Command(_AT + "daemon_logs", "what it has done and met; with -f as it happens"),
            "run": Command(_AT + "daemon_run", "be the daemon: what the login service runs"),
        },
    ),
    "policy": Group(
        "the rules: write, check, try and explain them",
        {
            "show": Command(_AT + "policy_show", "the compiled rules in order, with file and line"),
            "check": Command(_AT + "policy_check", "errors and warnings, with file and line"),
            "test": Command(_AT + "policy_test", "decide fixtures and compare with what they expect"),
            "explain": Command(_AT + "policy_explain", "one decision, and why every earlier rule did not match"),
            "edit": Command(_AT + "policy_edit", "replace its text, if it is right and nobody changed it", "replaces"),
            "init": Command(_AT + "policy_init", "write a commented starter policy", "writes policy"),
            "compile": Command(_AT + "policy_compile", "write the compiled form that proxies load"),
            "import": Command(
                _AT + "policy_import", "convert another tool's policy and say what is lost", "writes policy"
            ),
        },
    ),
    "audit": Group(
        "the record of every call: look, follow, count, check, export",
        {
            "show": Command(_AT + "audit_show", "records, filtered, newest last"),
            "tail": Command(_AT + "audit_tail", "the last records, and with -f the next ones as they come"),
            "stats": Command(_AT + "audit_stats", "counts and times by action, server and tool"),
            "verify": Command(_AT + "audit_verify", "find records that were changed, removed or moved"),
            "export": Command(_AT + "audit_export", "records as JSON lines or CSV"),
        },
    ),
    "servers": Command(_AT + "servers", "every server of every client: governed, or not and why"),
    "wrap": Command(_AT + "wrap", "put mcpgov in front of servers that clients start directly", "moves"),
    "unwrap": Command(_AT + "unwrap", "let clients start servers directly again", "unwraps"),
    "sync": Command(_AT + "sync", "wrap whatever is not wrapped yet, once and by hand", "moves"),
    "login": Command(_AT + "login", "sign in at a remote server, so that it can be governed", "always"),
    "logout": Command(_AT + "logout", "sign out there: token revoked, deleted, server unwrapped", "always"),
    "add": Command(_AT + "add", "add a server to a client and wrap it in one step", "moves"),
    "run": Command(_AT + "run", "wrap what is bare, then become the client", "moves"),
    "history": Command(_AT + "history", "every server entry ever seen, and what happened to it"),
    "restore": Command(_AT + "restore", "put a server's entry back that a client has lost", "moves"),
    "why": Command(_AT + "why", "one decision again: its record, its rule, and what holds now"),
    "allow": Command(_AT + "allow", "write a rule that lets a server's tool pass, in its right place", "always"),
    "ask": Command(_AT + "ask", "write a rule that has you asked about a tool, in its right place", "always"),
    "deny": Command(_AT + "deny", "say no to a question, or write a rule that denies a tool"),
    "approvals": Group(
        "questions that wait for you; with --watch live; suggested rules",
        {"suggest": Command(_AT + "approvals_suggest", "rules for what you allow again and again", "adds rules")},
        Command(_AT + "approvals", "questions that wait for you; with --watch live, by single keys"),
    ),
    "approve": Command(_AT + "approve", "say yes to a question: once, for a while, or always", "always"),
    "grants": Group(
        "what you have allowed and still holds; take it back",
        {"revoke": Command(_AT + "grants_revoke", "end one grant, or all of them")},
        Command(_AT + "grants", "what you have allowed and still holds", "always"),
    ),
    "budget": Group(
        "what is spent and left of budgets; raise or reset one",
        {
            "raise": Command(_AT + "budget_raise", "allow more in the period of now", "always"),
            "reset": Command(_AT + "budget_reset", "count the period of now from the beginning", "always"),
            "maintain": Command(_AT + "budget_maintain", "maintain the ledger: orphaned holds, a damaged file"),
        },
        Command(_AT + "budget", "what is spent and left of every budget, and the limits"),
    ),
    "open": Command(_AT + "open", "the local page: see everything live, answer, explain, decide", "always"),
    "page": Group(
        "the local page: the process that serves it",
        {"run": Command(_AT + "page_run", "be the process that serves the local page")},
    ),
    "lock": Command(_AT + "lock", "deny every call of every server from now on, until `unlock`"),
    "unlock": Command(_AT + "unlock", "let the policy decide again", "always"),
    "tools": Command(_AT + "tools", "tools seen, their class, verdict and pin; accept changed ones", "accepts"),
    "proxy": Command(_AT + "proxy", "govern one server by hand: a command, or a URL"),
    "remote": Group(
        "remote servers: the process that serves them, and a probe",
        {
            "run": Command(_AT + "remote_run", "be the process that serves all remote servers"),
            "probe": Command(_AT + "remote_probe", "what the server at a URL wants before it serves"),
        },
    ),
    "lender": Group(
        "budgets shared with other machines: the process that lends",
        {"run": Command(_AT + "lender_run", "be the process that lends of the shared budgets")},
    ),
    "serve": Group(
        "our own MCP server, which agents and servers ask before they act",
        {"token": Command(_AT + "serve_token", "tokens for HTTP: add, list, revoke NAME", "adds tokens")},
        Command(_AT + "serve", "our own MCP server: stdio, or with --http for holders of a token"),
    ),
    "launcher": Command(_AT + "launcher", "write the launcher that clients start, and say where it is", "moves"),
    "classify": Command(_AT + "classify", "read tools from standard input, say which operation each is"),
    "scan": Command(_AT + "scan", "find private data in texts: keys, cards, addresses, phones"),
    "paths": Command(_AT + "paths", "every place mcpgov uses"),
    "settings": Group(
        "what can be set, and where each value comes from",
        {"show": Command(_AT + "settings_show", "every setting with value, source and meaning")},
    ),
    "completion": Command(_AT + "completion", "completion script for bash, zsh or fish"),
}
