"""Which requests the page's service takes for those of its own page, and the security headers of every answer. Pure.

Laws: the Host is this machine's loopback (DNS rebinding), the Origin its own, or `null` where a file posts a code
(CSRF); a page of another site gets no answer but the form for a code; no script, style or frame that is not ours.
"""

from __future__ import annotations

import json
from urllib.parse import parse_qs

from mcpgov.loopback.request_checks import Refusal, RequestHead, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST_BODY = 1024 * 1024
ENTER = "enter"
COOKIE = "mcpgov_page"
TOKEN = b"x-mcpgov-token"
PERMISSIONS_POLICY = "camera=(), microphone=(), geolocation=(), usb=(), payment=(), clipboard-read=()"
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
SECURITY_HEADERS = (
    ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", PERMISSIONS_POLICY),
)
NO_STORE = ("Cache-Control", "no-store")
JSON = ("Content-Type", "application/json; charset=utf-8")


def page_hosts(port: int) -> frozenset[str]:
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost"))


def page_refusal(head: RequestHead, hosts: frozenset[str], base: str) -> Refusal | None:
    """`base`: the path that everything is below, with its slashes."""
    path = path_of(head.target)
    enters = path == base + ENTER and head.method == "POST"
    refused = refusal(head, hosts, LARGEST_BODY, file_may_post=enters)
    if refused is not None:
        return refused
    if head.method not in ("GET", "POST"):
        return Refusal(405, "the method is not one of those spoken here")
    origin, host = head.get(b"origin"), head.get(b"host") or b""
    if origin is not None and origin != b"null" and origin.lower() != b"http://" + host.lower():
        return Refusal(403, "the Origin is another one")
    site = head.get(b"sec-fetch-site")
    if not enters and path != base and site not in (None, b"same-origin", b"none"):
        return Refusal(403, "asked for by another page")
    return None


def path_of(target: str) -> str:
    return target.partition("?")[0]


def query_of(target: str) -> dict[str, str]:
    """The first value of each name; raises ValueError for a query with too many."""
    found = parse_qs(target.partition("?")[2], keep_blank_values=True, max_num_fields=40, errors="replace")
    return {name: values[0] for name, values in found.items()}


def cookie_of(head: RequestHead) -> str:
    """The value of our cookie; empty: there is none, or not one only."""
    pairs = [part.partition("=") for part in (head.get(b"cookie") or b"").decode("ascii").split(";")]
    found = [value.strip() for name, _, value in pairs if name.strip() == COOKIE]
    return found[0] if len(found) == 1 else ""


def set_cookie(value: str, base: str, age: float) -> tuple[str, str]:
    return "Set-Cookie", f"{COOKIE}={value}; Path={base}; Max-Age={int(age)}; HttpOnly; SameSite=Strict"


def form_code(content_type: bytes | None, body: bytes) -> str:
    """The code of a form; empty: no such form."""
    if (content_type or b"").partition(b";")[0].strip().lower() != b"application/x-www-form-urlencoded":
        return ""
    try:
        found = parse_qs(body.decode("utf-8", "replace"), max_num_fields=4)
    except ValueError:
        return ""
    return found.get("code", [""])[0]


def json_object(body: bytes) -> dict[str, object] | None:
    """None: the body is no JSON object."""
    try:
        value = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def json_text(value: Mapping[str, object]) -> bytes:
    """ASCII, and nothing that could end a script or begin a tag, wherever it may be put."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").encode("ascii")
