import pytest

from mcpgov.guards.privacy.mail.domains import is_domain


@pytest.mark.parametrize(
    "domain", ["corp.io", "mail.corp.co.uk", "xn--80ak6aa92e.xn--p1ai", "EXAMPLE.COM", "a.museum", "почта.рф"]
)
def test_domains_with_a_label_that_there_is(domain):
    assert is_domain(domain)


@pytest.mark.parametrize(
    "domain", ["localhost", "2x.png", "a.shape", "-a.com", "a-.com", "a..com", "a.lockfile", "a.привет", ""]
)
def test_names_of_code_and_files_are_no_domains(domain):
    assert not is_domain(domain)
