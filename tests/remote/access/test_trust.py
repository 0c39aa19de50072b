"""Which authorities are trusted: the system's, and those of known variables."""

import ssl

from mcpgov.remote.access.trust import client_context
from tests.helpers import certificates


def names(context):
    return [dict(pair[0] for pair in cert["subject"]).get("commonName") for cert in context.get_ca_certs()]


def test_a_certificate_is_always_verified(tmp_path):
    authority, _ = certificates.make(tmp_path)
    context = client_context({"NODE_EXTRA_CA_CERTS": str(authority)})
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert "test" in names(context)
    assert "test" not in names(client_context({}))


def test_a_bundle_that_cannot_be_read_adds_nothing(tmp_path):
    (tmp_path / "bad.pem").write_text("nothing")
    for place in (tmp_path / "bad.pem", tmp_path / "missing.pem", tmp_path):
        assert names(client_context({"REQUESTS_CA_BUNDLE": str(place)})) == names(client_context({}))


def test_a_build_without_authorities_takes_the_systems(tmp_path, monkeypatch):
    authority, _ = certificates.make(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "none"))
    assert names(client_context({}, (str(authority),))) == ["test"]
    assert names(client_context({"SSL_CERT_FILE": "x"}, (str(authority),))) == []
