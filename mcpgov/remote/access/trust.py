"""Which certificate authorities an upstream's certificate may come from.

Law: a certificate is always verified. The system's authorities, and those of the bundles that other tools are told by
environment variables: who has set one up for them (a company's proxy) has set it up for us.
"""

from __future__ import annotations

import os
import ssl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# OpenSSL itself goes by SSL_CERT_FILE and SSL_CERT_DIR.
MORE_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
# Builds of Python may come without authorities of their own.
SYSTEM_BUNDLES = ("/etc/ssl/cert.pem", "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")


def client_context(environ: Mapping[str, str], system: tuple[str, ...] = SYSTEM_BUNDLES) -> ssl.SSLContext:
    context = ssl.create_default_context()
    for name in MORE_BUNDLES:
        _load(context, environ.get(name, ""))
    if not context.cert_store_stats()["x509_ca"] and not environ.get("SSL_CERT_FILE"):
        for place in system:
            _load(context, place)
    return context


def _load(context: ssl.SSLContext, place: str) -> None:
    """A bundle that cannot be read adds nothing, and weakens nothing."""
    try:
        if os.path.isdir(place):
            context.load_verify_locations(capath=place)
        elif place:
            context.load_verify_locations(cafile=place)
    except (OSError, ValueError):
        return
