"""The file with a one-time code that a browser is shown: a form that posts the code to the page by itself.

Law: the code is in a file of mode 0600 and in no URL, argument or log; a file lies there no longer than its code holds.
"""

from __future__ import annotations

import html
import secrets
import time
from pathlib import Path

from mcpgov.atomic_file import replace_file

BEGIN, END = "open-", ".html"
OLD = 600.0  # seconds: longer than any code holds
# A browser without scripts shows the button.
TEXT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>mcpgov</title></head>
<body><form method="post" action="{url}"><input type="hidden" name="code" value="{code}">
<button>Open mcpgov</button></form><script>document.forms[0].submit()</script></body></html>
"""


def write_code_file(folder: Path, url: str, code: str) -> Path:
    """`url`: where the code is posted to. Raises McpgovError."""
    path = folder / f"{BEGIN}{secrets.token_hex(8)}{END}"
    text = TEXT.format(url=html.escape(url, quote=True), code=html.escape(code, quote=True))
    replace_file(path, text.encode("utf-8"))
    return path


def remove_old(folder: Path, older_than: float = OLD) -> None:
    """Files that nobody took away: the service had ended before it could."""
    for path in folder.glob(f"{BEGIN}*{END}*"):
        try:
            if path.lstat().st_mtime <= time.time() - older_than:
                path.unlink()
        except OSError:
            continue
