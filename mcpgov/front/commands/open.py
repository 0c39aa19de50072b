"""`mcpgov open`: open the local page in the browser.

The page shows every server, call and question as it happens, and takes your
answers. It is served on this machine's loopback only, while it is used. The
browser is shown a file that only you can read; the code in it lets in once.

--print is for a shell on another machine: it prints the address and a code to
type there. Forward the port first, under the same number.

examples:
  mcpgov open
  mcpgov open --no-browser
  mcpgov open --print
  ssh -L PORT:127.0.0.1:PORT that-machine
"""

from __future__ import annotations

import threading
import webbrowser
from argparse import ArgumentParser, Namespace
from pathlib import Path
from urllib.parse import urlsplit

from mcpgov.daemon.control.client import ask
from mcpgov.daemon.page.page_requests import OpenPageAnswer, OpenPageRequest
from mcpgov.errors import McpgovError
from mcpgov.front.context import Context
from mcpgov.front.result import Block, Line, Result

PATIENCE = 25.0  # seconds: its service may have to be started
OPENS_WITHIN = 3.0  # seconds
NOTHING_SHOWN = "if the browser cannot show the file: mcpgov open --print"


def add_arguments(parser: ArgumentParser) -> None:
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--no-browser", action="store_true", help="print the file to open instead of opening it")
    how.add_argument("--print", action="store_true", help="print the address and a code to type there")


def run(args: Namespace, context: Context) -> Result:
    made = ask(context.places.socket, OpenPageRequest(typed=args.print), timeout=PATIENCE)
    if args.print:
        return Result("open", {"url": made.url, "code": made.one_time_code, "seconds": made.seconds}, _typed(made))
    data = {"url": made.url, "file": made.file, "seconds": made.seconds}
    if args.no_browser:
        view = [Line(made.file, "strong"), Line(f"open it in a browser within {made.seconds:.0f} s", "faint")]
        return Result("open", {**data, "opened": False}, view)
    if not show(made.file):
        raise McpgovError("no browser was found", hint="mcpgov open --print")
    told = [Line("the page opens in your browser", "good"), Line(NOTHING_SHOWN, "faint")]
    return Result("open", {**data, "opened": True}, told)


def _typed(made: OpenPageAnswer) -> list[Block]:
    port = urlsplit(made.url).port
    return [
        Line(f"address  {made.url}", "strong"),
        Line(f"code     {made.one_time_code}", "strong"),
        Line(f"it lets in once, within {made.seconds / 60:.0f} min", "faint"),
        Line(f"from another machine: ssh -L {port}:127.0.0.1:{port} HOST, then open the address there", "faint"),
    ]


def show(file: str) -> bool:
    """Have a browser open a file. It is named by its path alone: nothing secret is on a command line."""
    found: list[bool] = []
    # In a thread that nobody waits for long: a browser in the terminal keeps its caller until it is closed.
    opening = threading.Thread(target=lambda: found.append(webbrowser.open(Path(file).as_uri())), daemon=True)
    opening.start()
    opening.join(OPENS_WITHIN)
    return found != [False]
