"""A certificate authority of the test, and a certificate for an address, made by the openssl of this machine."""

import shutil
import ssl
import subprocess

import pytest


def make(folder, address="127.0.0.1"):
    """(file of the authority, server context)."""
    tool = shutil.which("openssl")
    if tool is None:
        pytest.skip("there is no openssl here")
    key, cert = folder / "key.pem", folder / "cert.pem"
    subject = ["-subj", "/CN=test", "-addext", f"subjectAltName=IP:{address}"]
    words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    subprocess.run([tool, *words, "-keyout", key, "-out", cert, *subject], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return cert, context
