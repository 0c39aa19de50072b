"""An OAuth authorization server and a protected MCP server on loopback, strict about what clients must do.

It checks PKCE, redirect addresses, client authentication, `resource` and audiences; a refresh token that was rotated
out ends its whole family. What a test wants different is an attribute of `Knobs`.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote, urlencode, urlsplit


@dataclass
class Knobs:
    tenant: str = ""  # the issuer's path
    prm_at: tuple[str, ...] = ("header", "path", "root")  # where the protected resource's metadata is
    openid: bool = False  # metadata at the OpenID place only
    iss: str | None = ""  # "": the right one; None: none
    iss_promised: bool = True
    lifetime: int | None = 3600
    rotate: bool = True
    refresh_tokens: bool = True
    registration: str = "open"  # or refused, none, secret
    documents: bool = False  # client-id metadata documents
    challenge: str = "read"
    needed: str = ""  # a scope without which `initialize` is forbidden
    never_enough: bool = False
    opened: tuple[str, ...] = ()  # methods that need no login
    stateless: bool = False  # `initialize` is unknown
    only_sse: bool = False  # the older transport: a GET stream, no POST
    prm_resource: str = ""
    audience: str = ""
    revocation: bool = True
    revocation_status: int = 200
    methods: list[str] = field(default_factory=lambda: ["none", "client_secret_post", "client_secret_basic"])
    pkce: list[str] | None = field(default_factory=lambda: ["S256"])
    denied: tuple[str, str] | None = None
    state: str = ""  # another state than the client's
    token_status: int = 200
    token_body: bytes = b""
    authorization_endpoint: str = ""
    preregistered: dict[str, str] = field(default_factory=dict)  # id -> secret
    scopes_supported: list[str] | None = None


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: object) -> None:
        pass  # a client that hangs up is a part of some tests


class OAuthServer:
    def __init__(self) -> None:
        self.knobs = Knobs()
        self.lock = threading.Lock()
        self.clients: dict[str, dict[str, Any]] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.tokens: dict[str, dict[str, Any]] = {}  # access token -> scope, aud, until, family
        self.refreshes: dict[str, dict[str, Any]] = {}  # refresh token -> family, client, scope, aud, used
        self.dead: set[str] = set()  # families
        self.revoked: list[str] = []
        self.authorizations: list[dict[str, str]] = []
        self.token_requests: list[dict[str, str]] = []
        self.seen: list[tuple[str, str]] = []
        self.sessions: set[str] = set()
        self.asked, self.answers = threading.Event(), threading.Event()  # of the token endpoint
        self.answers.set()
        self.http = QuietServer(("127.0.0.1", 0), Handler)
        self.http.owner = self  # type: ignore[attr-defined]
        self.origin = f"http://127.0.0.1:{self.http.server_port}"
        self.url = f"{self.origin}/mcp"

    @property
    def issuer(self) -> str:
        return self.origin + self.knobs.tenant

    def expire(self) -> None:
        """Every access token that is out now."""
        for token in self.tokens.values():
            token["until"] = 0.0

    def end_grants(self) -> None:
        """Somebody has revoked them at the authorization server."""
        self.dead |= {entry["family"] for entry in self.refreshes.values()}
        self.expire()

    def count(self, kind: str) -> int:
        return sum(form.get("grant_type") == kind for form in self.token_requests)

    # --- documents

    def prm(self) -> dict[str, Any]:
        return {"resource": self.knobs.prm_resource or self.url, "authorization_servers": [self.issuer]}

    def metadata(self) -> dict[str, Any]:
        knobs, base = self.knobs, self.origin
        found: dict[str, Any] = {
            "issuer": self.issuer,
            "authorization_endpoint": knobs.authorization_endpoint or f"{base}/authorize",
            "token_endpoint": f"{base}/token",
            "response_types_supported": ["code"],
            "token_endpoint_auth_methods_supported": knobs.methods,
            "authorization_response_iss_parameter_supported": knobs.iss_promised,
        }
        optional = {
            "registration_endpoint": f"{base}/register" if knobs.registration != "none" else None,
            "revocation_endpoint": f"{base}/revoke" if knobs.revocation else None,
            "code_challenge_methods_supported": knobs.pkce,
            "client_id_metadata_document_supported": True if knobs.documents else None,
            "scopes_supported": knobs.scopes_supported,
        }
        return found | {key: value for key, value in optional.items() if value is not None}

    # --- tokens

    def issue(self, family: str, client: str, scope: str, aud: str) -> dict[str, Any]:
        access = f"at-{secrets.token_urlsafe(24)}"
        knobs = self.knobs
        until = time.time() + (knobs.lifetime if knobs.lifetime is not None else 1e9)
        self.tokens[access] = {"scope": scope, "aud": knobs.audience or aud, "until": until, "family": family}
        answer: dict[str, Any] = {"access_token": access, "token_type": "bearer", "scope": scope}
        if knobs.lifetime is not None:
            answer["expires_in"] = knobs.lifetime
        if knobs.refresh_tokens and (knobs.rotate or not any(e["family"] == family for e in self.refreshes.values())):
            refresh = f"rt-{secrets.token_urlsafe(24)}"
            self.refreshes[refresh] = {"family": family, "client": client, "scope": scope, "aud": aud, "used": False}
            answer["refresh_token"] = refresh
        return answer

    def valid(self, token: str) -> dict[str, Any] | None:
        entry = self.tokens.get(token)
        if entry is None or entry["until"] < time.time() or entry["family"] in self.dead or entry["aud"] != self.url:
            return None
        return entry


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def owner(self) -> OAuthServer:
        found: OAuthServer = self.server.owner  # type: ignore[attr-defined]
        return found

    def log_message(self, *_: object) -> None:
        pass

    def say(self, status: int, value: Any = None, headers: dict[str, str] | None = None) -> None:
        body = value if isinstance(value, bytes) else b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for key, text in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(key, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, error: str, description: str = "", status: int = 400) -> None:
        self.say(status, {"error": error, "error_description": description})

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def do_GET(self) -> None:
        owner, knobs = self.owner, self.owner.knobs
        path = urlsplit(self.path).path
        owner.seen.append(("GET", path))
        kind = "openid-configuration" if knobs.openid else "oauth-authorization-server"
        places = {f"/.well-known/{kind}{knobs.tenant}"}
        root = "/.well-known/oauth-protected-resource"
        resources = {"path": f"{root}/mcp", "root": root, "header": "/prm"}
        if path in places:
            self.say(200, owner.metadata())
        elif path in {resources[at] for at in knobs.prm_at}:
            self.say(200, owner.prm())
        elif path == "/mcp":
            self.mcp({})
        elif path == "/authorize":
            self.authorize(dict(parse_qsl(urlsplit(self.path).query)))
        else:
            self.say(404)

    def authorize(self, asked: dict[str, str]) -> None:
        """A person says yes at once. Two redirects, as real servers have their own pages between."""
        owner, knobs = self.owner, self.owner.knobs
        if "again" not in asked:
            self.say(302, headers={"Location": f"/authorize?{urlencode({**asked, 'again': '1'})}"})
            return None
        owner.authorizations.append(asked)
        client = self.client_of(asked.get("client_id", ""))
        back = asked.get("redirect_uri", "")
        if client is None or (client["redirect_uris"] and back not in client["redirect_uris"]):
            return self.refuse("invalid_client", "unknown client or redirect address")
        if asked.get("code_challenge_method") != "S256" or asked.get("response_type") != "code":
            return self.refuse("invalid_request", "no PKCE")
        answer = {"state": knobs.state or asked["state"]}
        if knobs.denied:
            answer |= {"error": knobs.denied[0], "error_description": knobs.denied[1]}
        else:
            code = secrets.token_urlsafe(16)
            owner.codes[code] = asked
            answer["code"] = code
        if knobs.iss is not None:
            answer["iss"] = knobs.iss or owner.issuer
        return self.say(302, headers={"Location": f"{back}?{urlencode(answer)}"})

    def client_of(self, ident: str) -> dict[str, Any] | None:
        knobs = self.owner.knobs
        if ident in knobs.preregistered:
            return {"redirect_uris": [], "secret": knobs.preregistered[ident]}
        if knobs.documents and ident.startswith("https://"):
            return {"redirect_uris": [], "secret": ""}
        return self.owner.clients.get(ident)

    def do_POST(self) -> None:
        owner = self.owner
        path, body = urlsplit(self.path).path, self.body()
        owner.seen.append(("POST", path))
        if path == "/mcp":
            return self.mcp(json.loads(body))
        if path == "/register":
            return self.register(json.loads(body))
        form = {key: values[0] for key, values in parse_qs(body.decode()).items()}
        if path == "/revoke":
            return self.revoke(form)
        if path != "/token":
            return self.say(404)
        with owner.lock:
            owner.token_requests.append(form)
            owner.asked.set()
            owner.answers.wait(30)
            if owner.knobs.token_status != 200 or owner.knobs.token_body:
                return self.say(owner.knobs.token_status, owner.knobs.token_body or b"{}")
            return self.token(form)

    def do_DELETE(self) -> None:
        owner, path = self.owner, urlsplit(self.path).path
        owner.seen.append(("DELETE", path))
        ident = path.removeprefix("/register/")
        client = owner.clients.get(ident)
        if path == "/mcp":
            owner.sessions.discard(self.headers.get("Mcp-Session-Id", ""))
            return self.say(200)
        if client is None or self.headers.get("Authorization") != f"Bearer {client['key']}":
            return self.say(401)
        del owner.clients[ident]
        return self.say(204)

    def register(self, asked: dict[str, Any]) -> None:
        owner, knobs = self.owner, self.owner.knobs
        if knobs.registration == "refused":
            return self.refuse("access_denied", "only partners \x1b[31mmay register", 403)
        ident, key = f"client-{secrets.token_hex(4)}", secrets.token_urlsafe(16)
        method = "client_secret_basic" if knobs.registration == "secret" else asked.get("token_endpoint_auth_method")
        secret = secrets.token_urlsafe(16) if method not in (None, "none") else ""
        owner.clients[ident] = {"redirect_uris": asked["redirect_uris"], "secret": secret, "key": key, "asked": asked}
        answer = {**asked, "client_id": ident, "registration_access_token": key}
        answer["registration_client_uri"] = f"{owner.origin}/register/{ident}"
        # A server may leave the method out: Basic is what it means then.
        answer |= {"client_secret": secret} if secret else {"token_endpoint_auth_method": "none"}
        if secret:
            answer.pop("token_endpoint_auth_method", None)
        return self.say(201, answer)

    def authenticated(self, form: dict[str, str]) -> bool:
        ident, secret = form.get("client_id", ""), form.get("client_secret", "")
        header = self.headers.get("Authorization", "")
        if header.startswith("Basic "):
            ident, secret = map(unquote, base64.b64decode(header[6:]).decode().split(":", 1))
        client = self.client_of(ident)
        return client is not None and client["secret"] == secret

    def token(self, form: dict[str, str]) -> None:
        owner = self.owner
        if not self.authenticated(form):
            return self.refuse("invalid_client", "who are you", 401)
        if form.get("grant_type") == "refresh_token":
            return self.refresh(form)
        asked = owner.codes.pop(form.get("code", ""), None)
        if asked is None:
            return self.refuse("invalid_grant", "unknown code")
        digest = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if digest.decode().rstrip("=") != asked["code_challenge"] or form.get("redirect_uri") != asked["redirect_uri"]:
            return self.refuse("invalid_grant", "the verifier does not fit")
        if form.get("resource") != asked.get("resource"):
            return self.refuse("invalid_target", "another resource than was asked for")
        scope = asked.get("scope", "")
        return self.say(200, owner.issue(secrets.token_hex(4), asked["client_id"], scope, asked.get("resource", "")))

    def refresh(self, form: dict[str, str]) -> None:
        owner = self.owner
        entry = owner.refreshes.get(form.get("refresh_token", ""))
        if entry is None or entry["family"] in owner.dead or entry["client"] != form.get("client_id", entry["client"]):
            return self.refuse("invalid_grant", "this grant has ended")
        if entry["used"]:
            owner.dead.add(entry["family"])
            return self.refuse("invalid_grant", "this refresh token was used before")
        if form.get("resource") != entry["aud"]:
            return self.refuse("invalid_target", "another resource than was granted")
        entry["used"] = owner.knobs.rotate
        return self.say(200, owner.issue(entry["family"], entry["client"], entry["scope"], entry["aud"]))

    def revoke(self, form: dict[str, str]) -> None:
        owner = self.owner
        if owner.knobs.revocation_status != 200:
            return self.refuse("unsupported_token_type", "no", owner.knobs.revocation_status)
        if not self.authenticated(form):
            return self.refuse("invalid_client", "", 401)
        token = form["token"]
        owner.revoked.append(form["token_type_hint"])
        entry = owner.refreshes.get(token) or owner.tokens.get(token)
        if entry:
            owner.dead.add(entry["family"])
        return self.say(200)

    def mcp(self, message: dict[str, Any]) -> None:
        owner, knobs = self.owner, self.owner.knobs
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        entry = owner.valid(token)
        initialize = message.get("method") == "initialize"
        if knobs.only_sse and self.command == "POST":
            return self.say(405)
        if knobs.stateless and initialize:
            return self.refuse("invalid_request")
        if entry is None and message.get("method") not in knobs.opened:
            words = [f'scope="{knobs.challenge}"'] if knobs.challenge else []
            words += [f'resource_metadata="{owner.origin}/prm"'] if "header" in knobs.prm_at else []
            words += ['error="invalid_token"'] if token else []
            return self.say(401, headers={"WWW-Authenticate": f"Bearer {', '.join(words)}".strip()})
        if entry and (knobs.never_enough or (knobs.needed and knobs.needed not in entry["scope"].split())):
            words = [f'error="insufficient_scope", scope="{knobs.needed}"']
            words += [f'resource_metadata="{owner.origin}/prm"'] if "header" in knobs.prm_at else []
            return self.say(403, headers={"WWW-Authenticate": f"Bearer {', '.join(words)}"})
        session = {"Mcp-Session-Id": secrets.token_hex(8)} if initialize else {}
        owner.sessions |= {*session.values()}
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
        answer = {"jsonrpc": "2.0", "id": message.get("id"), "result": about if initialize else {"tools": []}}
        return self.say(200, answer, session)


@contextmanager
def oauth_server(**knobs: Any) -> Iterator[OAuthServer]:
    made = OAuthServer()
    for name, value in knobs.items():
        setattr(made.knobs, name, value)
    thread = threading.Thread(target=made.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.answers.set()
        made.http.shutdown()
        made.http.server_close()
        thread.join(5)


def visit(url: str, most: int = 10) -> tuple[int, str]:
    """A browser without a window: follows redirects over HTTP; the last status and page."""
    for _ in range(most):
        parts = urlsplit(url)
        connection = HTTPConnection(parts.hostname or "", parts.port, timeout=10)
        try:
            connection.request("GET", f"{parts.path}?{parts.query}")
            answer = connection.getresponse()
            page = answer.read().decode()
        finally:
            connection.close()
        location = answer.headers.get("Location")
        if answer.status not in (301, 302, 303, 307, 308) or location is None:
            return answer.status, page
        url = location if "://" in location else f"{parts.scheme}://{parts.netloc}{location}"
    raise AssertionError("too many redirects")


if __name__ == "__main__":  # what BROWSER names: python oauth_server.py URL
    import sys

    visit(sys.argv[1])
