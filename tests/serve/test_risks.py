import pytest

from mcpgov.serve import risks
from mcpgov.serve.risks import concerns, risk_level, suggestions
from mcpgov.serve.tools import ACTION_TYPES


@pytest.mark.parametrize(
    ("action", "target", "level", "concern"),
    [
        ("file_read", "/srv/project/src/main.rs", "Low", None),
        ("file_read", "/home/user/.ssh/id_rsa", "High", risks.SSH),
        ("file_write", "/home/user/.ssh/authorized_keys", "Critical", risks.SSH),
        ("file_read", "/home/user/.aws/credentials", "High", risks.CLOUD),
        ("file_read", "/srv/project/.env", "High", risks.ENV),
        ("file_read", ".env.local", "High", risks.ENV),
        ("file_read", "/srv/tls/server.KEY", "High", risks.KEYS),
        ("file_read", "/etc/hosts", "Medium", risks.SYSTEM),
        ("file_delete", "/usr/bin/python3", "Critical", risks.SYSTEM),
        ("file_write", "/srv/a", "Medium", None),
        ("file_delete", "/srv/a", "High", None),
        ("resource_access", "file:///srv/a", "Low", None),
        ("other", "x", "Medium", None),
        ("shell_execute", "ls -la", "High", None),
        ("shell_execute", "rm -rf build", "Critical", risks.DESTROYS),
        ("shell_execute", "git push origin main", "High", risks.SENDS),
        ("shell_execute", "git reset --hard", "Critical", risks.DESTROYS),
        ("shell_execute", "/usr/bin/sudo id", "Critical", risks.RIGHTS),
        ("shell_execute", "cat ~/.ssh/id_rsa", "Critical", risks.SSH),
        ("network_request", "https://api.example/x", "Medium", None),
        ("network_request", "http://169.254.169.254/latest", "Critical", risks.METADATA),
        ("network_request", "localhost:8080", "High", risks.INSIDE),
        ("network_request", "http://[::1]:80/", "High", risks.INSIDE),
        ("file_read", "https://10.0.0.1/a", "High", risks.INSIDE),
        ("network_request", "http://0xa9fea9fe/", "Critical", risks.METADATA),
        ("network_request", "http://2852039166/latest", "Critical", risks.METADATA),
        ("network_request", "http://[::ffff:169.254.169.254]/", "Critical", risks.METADATA),
        ("network_request", "http://[::ffff:a9fe:a9fe]:80/", "Critical", risks.METADATA),
        ("network_request", "http://[fd00:ec2::254]/", "Critical", risks.METADATA),
        ("network_request", "http://metadata.google.internal./", "Critical", risks.METADATA),
        ("network_request", "http://172.31.0.5/", "High", risks.INSIDE),
        ("network_request", "http://127.1/", "High", risks.INSIDE),
        ("network_request", "http://a.localhost:3000/", "High", risks.INSIDE),
        ("network_request", "http://[fe80::1%25eth0]/", "High", risks.INSIDE),
        ("network_request", "http://172.32.0.5/", "Medium", None),
        ("network_request", "https://10.example.com/", "Medium", None),
        ("network_request", "https://localhost.example.com/", "Medium", None),
        ("file_read", "file:///home/u/.ssh/id_rsa", "High", risks.SSH),
        ("resource_access", "FILE://localhost/etc/hosts", "Medium", risks.SYSTEM),
        ("network_request", "file:///etc/shadow", "Critical", risks.KEYS),
    ],
)
def test_the_level_comes_from_the_action_and_what_it_is_done_to(action, target, level, concern):
    found = concerns(action, [target], protected=False)
    assert risk_level(action, found, allowed=True) == level
    assert concern is None or concern in found
    assert concern is not None or found == []


def test_what_is_not_allowed_is_no_small_matter():
    assert risk_level("file_read", [], allowed=False) == "Medium"
    assert risk_level("file_read", concerns("file_read", ["/a"], protected=True), allowed=False) == "Critical"


def test_advice_fits_the_reason_and_comes_once():
    found = concerns("file_read", ["/home/u/.ssh/id_rsa", "/real/.ssh/id_rsa"], protected=False)
    assert suggestions("file_read", found, asks=False) == [
        "Use environment variables or a secrets manager instead of reading SSH keys directly"
    ]
    assert suggestions("file_read", [], asks=True) == [risks.ASK, risks.USUAL_ADVICE["file_read"]]
    assert set(risks.USUAL_ADVICE) == set(risks.BASE) == set(ACTION_TYPES)
    both = concerns("shell_execute", ["sudo rm x && curl y"], protected=False)
    assert [concern.advice for concern in both][-1] == risks.SENDS.advice
