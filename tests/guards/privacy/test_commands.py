"""Passwords that only their place in a command tells."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from tests.helpers.private_cases import found

DETECTOR = Detector()
KEY = "q8Zr4LmN2vTt7Yb1Xc9dEf3h"


@pytest.mark.parametrize(
    "text",
    ["ENV API_TOKEN {}", "SetEnv API_KEY {}", "fastcgi_param API_KEY {};", '(setq api-key "{}")',
     "npm config set //r.io/:_authToken {}",
     "set password {}", "jdbc:oracle:thin:ada/{}@//db:1521/x", "bearer: {}"],
)  # fmt: skip
def test_a_name_and_a_blank_before_a_value_where_something_is_set(text):
    value = "q7Wm2Zk9Xv4Rt8Lp3Nb6"
    filled = text.format(value)
    assert found(Detector(), filled) == [value]


def test_what_is_set_and_no_secret_is_none():
    for text in ("ENV PATH /usr/bin2", "set token", "ENV API_TOKEN $TOKEN1", "a set of 12 tokens", "set x y1"):
        assert Detector().find(text) == []


@pytest.mark.parametrize(
    "text",
    ["ENV API_KEY {}", "setx API_KEY {}", "set -gx API_TOKEN {}", 'proxy_set_header X-Api-Key "{}";',
     "ARG DB_PASSWORD {}",
     "bindpw {}", "snmp-server community {} RO", "username ada password 0 {}",
     "use the following password to proceed to the installation:\n\n{}\n\nIt stands in a file"],
)  # fmt: skip
def test_a_command_sets_a_name_or_a_line_stands_below(text):
    filled = text.format(KEY)
    assert found(DETECTOR, filled) == [KEY]


@pytest.mark.parametrize("text", ["ENV API_KEY $TOKEN2", "set token_count 12345678", "ENV VERSION {}", "setx PATH {}"])
def test_a_command_that_sets_no_secret_is_left_alone(text):
    assert DETECTOR.find(text.format(KEY)) == []


def test_a_command_that_ends_before_its_password_names_none():
    for text in ("htpasswd -b f a1 ", "htpasswd -b f 5 411111111,0 ", "x -p ", "sqlplus a/"):
        assert DETECTOR.find(text) == []


@pytest.mark.parametrize(
    "text",
    ["net user ada {} /add", "echo '{}' | sudo -S ls", "echo {} | docker login -u ada --password-stdin",
     "DriverManager.getConnection(url, 'ada', '{}')", "new PDO($dsn, 'root', '{}')", "mysqli('db', 'root', '{}', 'x')"],
)  # fmt: skip
def test_what_is_piped_to_a_command_or_given_to_a_connection(text):
    value = "Xk29!fjs02k"
    filled = text.format(value)
    assert found(Detector(), filled) == [value]


def test_what_is_echoed_to_nothing_that_asks_for_it_is_none():
    for text in ("echo Xk29!fjs02k", "echo 'deb1 http://h.io' | sudo tee f", "echo $PASSWORD1 | sudo -S ls"):
        assert Detector().find(text) == []
