"""`mcpgov serve`: our own MCP server, which agents and other servers ask before they act.

Without options it speaks over standard input and output: name it in an app's
config, as `claude mcp add gov -- mcpgov serve` does. Over HTTP callers show a
token; its file is printed when the server starts.

examples:
  mcpgov serve
  mcpgov serve --http --port 3201
  mcpgov serve --http --print-token
  mcpgov serve --install
"""

from __future__ import annotations

import os
import sys
import time
from argparse import ArgumentParser, Namespace
from ipaddress import ip_address
from pathlib import Path

from mcpgov.atomic_file import read_json, write_json
from mcpgov.daemon.control.line_client import ControlError, request
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.context import Context
from mcpgov.front.install.launcher import home_of
from mcpgov.front.result import Line, Result
from mcpgov.front.service import installed_service
from mcpgov.self_command import VARIABLES
from mcpgov.serve_tokens import ServeTokens

PORT = 3201
LARGEST_PORT = 65535
INSTEAD = "mcpgov serve --install --port N, or mcpgov serve --uninstall"
HTTP_ONLY = ("port", "host", "tls_cert", "tls_key")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--http", action="store_true", help="over HTTP instead of standard input and output")
    parser.add_argument("--port", type=int, metavar="N", help=f"port for HTTP (default: {PORT})")
    parser.add_argument("--host", default="", metavar="ADDRESS", help="listen beyond this machine; needs TLS")
    parser.add_argument("--tls-cert", default="", metavar="FILE", help="certificate chain (PEM)")
    parser.add_argument("--tls-key", default="", metavar="FILE", help="its private key (PEM)")
    parser.add_argument("--print-token", action="store_true", help="print the first token, which its file holds")
    parser.add_argument("--install", action="store_true", help="have the daemon keep the HTTP form running")
    parser.add_argument("--uninstall", action="store_true", help="let the daemon end it again")
    parser.add_argument("--installed", action="store_true", help="be that service: what the daemon runs")


def run(args: Namespace, context: Context) -> Result:
    named = [word for word in HTTP_ONLY if getattr(args, word) is not None and getattr(args, word) != ""]
    if named and not (args.http or args.install or args.installed):
        raise UsageError(f"`--{named[0].replace('_', '-')}` is for `--http`")
    if args.install and args.uninstall:
        raise UsageError("`--install` and `--uninstall` exclude each other")
    if args.print_token and not (args.http or args.install):
        raise UsageError("`--print-token` is for `--http` and `--install`")
    args.port = PORT if args.port is None else args.port
    if args.install or args.uninstall or args.print_token:
        # Here, not in the parser table: apps wait while this command starts, and the check takes its time.
        from mcpgov.front import caller_check

        caller_check.check("serve", caller_check.ALWAYS, args, context)
    if args.install or args.uninstall:
        return _install(args, context)
    places = context.places
    # What starts us decides nothing but the root: neither which policy holds nor what of it is told.
    for name in [name for name in os.environ if name.startswith(VARIABLES)]:
        del os.environ[name]
    where = home_of(places, context.settings)
    from mcpgov.serve import main as serve
    from mcpgov.serve.current_reveal import CurrentReveal
    from mcpgov.settings import load

    reveal = CurrentReveal(places.settings_file, lambda: load(places)[0].serve_reveal)

    if not args.http:
        serve.run_stdio(where, reveal)
        return Result("serve", raw="")
    installed = context.places.serve_install if args.installed else None
    given = read_json(context.places.serve_install) if args.installed else vars(args)
    options = serve.HttpOptions(*_checked(given), installed)
    tokens = ServeTokens(context.places.serve)
    tokens.ensure(time.time())
    serve.run_http(where, reveal, options, tokens, lambda url: _ready(url, args, tokens))
    return Result("serve", raw="")


def _ready(url: str, args: Namespace, tokens: ServeTokens) -> None:
    """The token itself only where it was asked for: apps store what servers write to standard error."""
    sys.stderr.write(f"mcpgov: serving {url}; {_where(tokens)}\n")
    if args.print_token and (text := tokens.first_text()):
        sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
    sys.stderr.flush()


def _where(tokens: ServeTokens) -> str:
    """Where the first token is; it may have been revoked."""
    if tokens.writable_by_others:
        return f"no token is valid: others may write `{tokens.file}`; `chmod 600` it, and add or revoke tokens anew"
    if tokens.first_text():
        return f"token in `{tokens.first}`"
    count = len(tokens.all())
    held = f"{count} other token{'s' * (count != 1)}" if count else "no token: nobody can call"
    return f"{held}; the first one was revoked, another is made by: mcpgov serve token add NAME"


def _checked(given: dict[str, object]) -> tuple[int, str, str, str]:
    """Port, host, certificate and key. Raises UsageError."""
    port, host, cert, key = (given.get(name) for name in ("port", "host", "tls_cert", "tls_key"))
    if not isinstance(port, int) or not 0 <= port <= LARGEST_PORT:
        raise UsageError(f"a port goes from 0 to {LARGEST_PORT}")
    texts = [str(value or "") for value in (host, cert, key)]
    address, cert, key = texts[0], *(str(Path(text).expanduser().absolute()) if text else "" for text in texts[1:])
    if bool(cert) != bool(key):
        raise UsageError("`--tls-cert` and `--tls-key` go together")
    if address and not cert and not _is_loopback(address):
        raise UsageError("`--host` needs `--tls-cert` and `--tls-key`: a token does not go over the network in clear")
    for file in filter(None, (cert, key)):
        if not os.access(file, os.R_OK):
            raise McpgovError(f"cannot read `{file}`")
    return port, address, cert, key


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _install(args: Namespace, context: Context) -> Result:
    file = context.places.serve_install
    tokens = ServeTokens(context.places.serve)
    kept = installed_service.look(context.places.socket)
    if args.uninstall:
        file.unlink(missing_ok=True)
        told = "the daemon does not run the HTTP server any more"
    else:
        port, host, cert, key = _checked(vars(args))
        tokens.ensure(time.time())
        write_json(file, {"port": port, "host": host, "tls_cert": cert, "tls_key": key}, sync=True)
        told = f"the daemon keeps it running on port {port}; {_where(tokens)}"
    notes = []
    try:
        request(context.places.socket, "reload")  # by hand: apps wait while this command starts
    except ControlError as error:
        notes = [f"{error}; it is done when the daemon starts: mcpgov daemon start"]
    else:
        if not args.uninstall and (why := installed_service.why_not_running(context.places.socket, kept)):
            raise McpgovError(f"it does not run: {why}; the daemon tries again and again", hint=INSTEAD)
    view = [Line(told, "good")]
    if args.print_token and not args.uninstall:
        view += [Line(text)] if (text := tokens.first_text()) else []
    data: dict[str, object] = {"installed": not args.uninstall, "port": args.port, "token_file": str(tokens.first)}
    return Result("serve", data, view, notes=notes)
