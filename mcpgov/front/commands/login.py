"""`mcpgov login`: sign in at a remote server, so that it can be governed.

Opens your browser at the server's own login page, waits up to 5 minutes for
you to come back, and keeps the token in the system's keyring (without one: in
a file that only you can read, which is said then). From then on mcpgov signs
in for the app, and the app never sees the token. NAME is the server's name in
an app's config, or its URL.

Without --scope the rights are those that the server asks for, and those that
it missed since the last login. A server where programs cannot register
themselves needs a client that you registered there: --client-id, and its
secret in a variable of your choice.

examples:
  mcpgov login linear
  mcpgov login linear --no-browser
  mcpgov login https://mcp.example.com/mcp --scope read
  mcpgov login crm --client-id 1a2b --client-secret-env CRM_SECRET
"""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from argparse import SUPPRESS, ArgumentParser, Namespace
from functools import partial

from mcpgov import remote_servers
from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.config_pass import FAILED, FileResult
from mcpgov.configs.plan import GOVERNED, WRAP
from mcpgov.errors import UsageError
from mcpgov.front.commands import login_token
from mcpgov.front.context import Context
from mcpgov.front.login.remote_entries import Target, find, own_source
from mcpgov.front.output import config_view
from mcpgov.front.output.text import home_short
from mcpgov.front.result import Block, Line, Result, visible
from mcpgov.login.logins import Logins
from mcpgov.login.oauth_rules import host_of, scopes_in
from mcpgov.login.sign_in import SignedIn, SignIn, sign_in
from mcpgov.login.token_store import KEYRING
from mcpgov.remote_servers import NO_LOGIN, OUR_LOGIN


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the server's name in a client's config, or its URL")
    parser.add_argument("--client", metavar="C", choices=[*BY_NAME], default="", help="the server of this client")
    parser.add_argument("--no-browser", action="store_true", help="print the URL to visit, open nothing")
    parser.add_argument("--scope", metavar="S", action="append", default=[], help="ask for these rights only")
    parser.add_argument("--client-id", metavar="ID", default="",
                        help="a client that you registered there, or the URL of its metadata document")  # fmt: skip
    parser.add_argument("--client-secret-env", metavar="VAR", default="", help="the variable that has its secret")
    parser.add_argument("--callback-port", metavar="PORT", type=int, default=0,
                        help="come back to this port: for a client that is registered with one")  # fmt: skip
    login_token.add_arguments(parser, SUPPRESS)


def run(args: Namespace, context: Context) -> Result:
    if args.url_digest is not None:
        return login_token.run(args, context)
    asked = _asked(args, context)
    target = find(context, args.name, args.client)
    say = partial(_say, quiet=args.quiet)
    say(f"asking {host_of(target.url)} …")
    directory = context.places.remote_tokens
    show = partial(_show, browser=not args.no_browser)
    done = sign_in(Logins(directory), asked._replace(url=target.url, name=target.name), show)
    if done is None:
        line = Line(f"{target.name} wants no login: there is nothing to sign in to", "good")
        return Result("login", {"server": target.name, "login": None}, [line])
    results = _governed(context, target)
    return _result(target, done, results)


def _asked(args: Namespace, context: Context) -> SignIn:
    scopes = scopes_in(*args.scope)
    if args.scope and not scopes:
        raise UsageError("`--scope` has no scope in it")
    secret = ""
    if args.client_secret_env:
        secret = os.environ.get(args.client_secret_env, "")
        if not secret or not args.client_id:
            what = "needs `--client-id` beside it" if secret else "names a variable that is not set"
            raise UsageError(f"`--client-secret-env` {what}")
    if not 0 <= args.callback_port < 65536:
        raise UsageError("`--callback-port` is a number below 65536")
    return SignIn("", "", scopes, args.client_id, secret, args.callback_port)


def _say(text: str, *, quiet: bool = False) -> None:
    """Told at once: the person is waiting. On standard error, so that --json stays one value."""
    if not quiet:
        sys.stderr.write(f"{visible(text)}\n")
        sys.stderr.flush()


def _show(url: str, *, browser: bool) -> None:
    """The URL is said even with --quiet: without it nobody can go on."""
    if browser:
        # In a thread that nobody waits for: a browser in the terminal keeps its caller until it is closed.
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        _say("your browser opens now; if it does not, visit:")
    else:
        _say("visit, within 5 minutes:")
    _say(f"  {url}")


def _governed(context: Context, target: Target) -> list[FileResult]:
    """The entries of this URL: those that are bare are wrapped now, those that are wrapped get our token."""
    places = context.places
    for server in remote_servers.load_servers(places.remote_servers).values():
        if server.url == target.url and server.login == NO_LOGIN:
            remote_servers.keep_server(places.remote_servers, server._replace(login=OUR_LOGIN))
    worker = context.worker()
    enabled = {str(source.file) for source in worker.sources()}
    results: list[FileResult] = []
    for entry in target.entries:
        if not entry.wrapped and entry.file in enabled:
            source = own_source(worker, entry)
            results += config_view.run_pass(worker, [source], [entry.name], goal=WRAP, dry=False, theirs=False)
    return results


def _result(target: Target, done: SignedIn, results: list[FileResult]) -> Result:
    view: list[Block] = [Line(f"signed in at {target.name}", "good"), _where(done)]
    if done.expires_at is not None and not done.renewable:
        view.append(Line("the server gives no way to renew the login: you will be asked to sign in again", "warning"))
    names = {entry.name for entry in target.entries}
    states = [state for result in results for state in result.states if state.name in names]
    for state in states:
        whose = f"{state.name} of {config_view.title_of(state.client)}"
        if state.state == GOVERNED:
            view.append(Line(f"{whose} is governed from now on; restart the app if it runs", "good"))
        else:
            view.append(Line(f"{whose} is not governed yet: {state.reason}", "warning"))
    view += [Line(f"{home_short(each.file)}: {each.reason}", "bad") for each in results if each.result == FAILED]
    login = {
        "issuer": done.issuer, "client_id": done.client_id, "scopes": [*done.scopes], "expires_at": done.expires_at,
        "renewable": done.renewable, "where": done.place.kind,
    }  # fmt: skip
    files = [config_view.file_data(result) for result in results]
    return Result("login", {"server": target.name, "login": login, "files": files}, view)


def _where(done: SignedIn) -> Line:
    place = done.place
    if place.kind == KEYRING:
        return Line(f"the token is in the system's keyring ({place.name})", "faint")
    where = f"a file that only you can read, below {home_short(place.name)}"
    return Line(f"the token is in {where}: {place.why}", "warning")
