import pytest

from mcpgov.configs.remote import url_wrap
from mcpgov.configs.remote.url_entry import read_url
from mcpgov.configs.remote.url_wrap import KnownRemotes, UrlSite
from mcpgov.configs.text import splice as texts
from mcpgov.remote_servers import (
    CREDENTIAL,
    NO_LOGIN,
    OAUTH,
    OPEN,
    OUR_LOGIN,
    PASSTHROUGH,
    UNREACHED,
    RemoteServer,
    wrapped_url,
)
from tests.helpers.remotes import PORT, Remotes, ident_for

URL = "https://x.example/mcp?k=v"
PLACE = ("m", "s")


def site(literal=f'"{URL}"', more="", dialect=texts.JSON):
    text = f'{{"m": {{"s": {{"url": {literal}{more}}}}}}}' if dialect == texts.JSON else f"[m.s]\nurl = {literal}\n"
    (entry,) = texts.find(text, dialect, [("m", "*")])
    return UrlSite(text, dialect, entry, read_url(entry.value), "http", "cursor", "/f", "/p")


def governed(remotes, literal=f'"{URL}"', dialect=texts.JSON):
    """An entry once it is wrapped, and its registration."""
    bare = site(literal, dialect=dialect)
    server = url_wrap.desired(bare, remotes.known(), None)
    remotes.servers[server.id] = server
    url = url_wrap.governed_url(bare, remotes.known(), server)
    return site(texts.quote(dialect, url), dialect=dialect), server


@pytest.mark.parametrize(
    ("remotes", "more", "code"),
    [
        (Remotes(OPEN), "", ""),
        (Remotes(None), "", "remote-unprobed"),
        (Remotes(OAUTH), "", "remote-needs-login"),
        (Remotes(CREDENTIAL), "", "remote-needs-credential"),
        (Remotes(UNREACHED, why="no answer"), "", "remote-unreached"),
        (Remotes(None, port=0), "", "remote-listener-not-up"),
        (Remotes(OAUTH), ', "headers": {"Authorization": "x"}', ""),
        (Remotes(None), ', "oauth": {}', "remote-needs-login"),
        (Remotes(OPEN), ', "oauth": {}', ""),
        (Remotes(OAUTH, signed_in=[URL]), "", ""),
        (Remotes(OAUTH, passthrough=True), "", ""),
    ],
)
def test_when_a_url_may_be_wrapped(remotes, more, code):
    assert url_wrap.why_not(site(more=more), remotes.known(), False).code == code
    in_project = url_wrap.why_not(site(more=more), remotes.known(), True)
    assert in_project.code == "remote-in-project"


def test_a_login_is_told_as_it_can_be_typed():
    assert "`mcpgov login s`" in url_wrap.why_not(site(), Remotes(OAUTH).known(), False).text
    assert url_wrap.login_command("-a b") == "mcpgov login -- '-a b'"


def test_what_was_wrapped_before_may_be_wrapped_again_by_the_same_id_and_login():
    remotes = Remotes(passthrough=True)
    _, server = governed(remotes)
    remotes.passthrough, remotes.found = False, OAUTH
    assert url_wrap.why_not(site(), remotes.known(), False).code == ""
    again = url_wrap.desired(site(), remotes.known(), None)
    assert (again, again.login) == (server, PASSTHROUGH)


def test_who_signs_in():
    ours = Remotes(OAUTH, signed_in=[URL])
    assert url_wrap.desired(site(), ours.known(), None).login == OUR_LOGIN
    with_header = site(more=', "headers": {"authorization": "x"}')
    assert url_wrap.desired(with_header, ours.known(), None).login == NO_LOGIN
    wrapped, server = governed(Remotes())
    assert url_wrap.desired(wrapped, ours.known(), server).login == OUR_LOGIN


@pytest.mark.parametrize(
    ("literal", "dialect"),
    [
        (f'"{URL}"', texts.JSON),
        ('"https:\\/\\/x.example\\/mcp?k=v"', texts.JSON),
        (f"'{URL}'", texts.TOML),
        (f'"""\n{URL}"""', texts.TOML),
        ('"\\u0068ttps://x.example/mcp?k=v"', texts.TOML),
    ],
)
def test_the_literal_comes_back_as_it_was(literal, dialect):
    remotes = Remotes()
    wrapped, server = governed(remotes, literal, dialect)
    assert wrapped.facts.url == f"http://127.0.0.1:{PORT}/{server.id}/mcp"
    assert url_wrap.bare_url(wrapped, server) == (URL, literal)
    assert url_wrap.edit(wrapped, literal) == (*wrapped.span, literal)
    assert url_wrap.quoted(wrapped, URL) == f'"{URL}"'


def test_what_a_person_added_to_a_wrapped_url_stays():
    remotes = Remotes()
    _, server = governed(remotes)
    changed = site(f'"{wrapped_url(PORT, server)}/v2?x=1"')
    assert url_wrap.bare_url(changed, server) == (both := "https://x.example/mcp/v2?k=v&x=1", f'"{both}"')
    remotes.port = 2001
    assert url_wrap.governed_url(changed, remotes.known(), server) == f"http://127.0.0.1:2001/{server.id}/mcp/v2?x=1"
    remotes.port = 0
    assert url_wrap.governed_url(changed, remotes.known(), server) == changed.facts.url


def test_an_entry_in_another_place_or_dialect_gets_a_registration_of_its_own():
    remotes = Remotes()
    _, server = governed(remotes)
    copied = site(texts.quote(texts.TOML, wrapped_url(PORT, server)), dialect=texts.TOML)
    other = server._replace(place=("m", "other"), id="B" * 43, literal='"https:\\/\\/x.example\\/mcp?k=v"')
    own = url_wrap.desired(copied, remotes.known(), other)
    assert (own.id, own.place, own.url, own.literal) == (ident_for("m/s"), PLACE, URL, f'"{URL}"')
    assert url_wrap.bare_url(copied, other) == (URL, f'"{URL}"'), "an escape of JSON is none of TOML"
    assert url_wrap.desired(copied, remotes.known(), server).id == server.id


def test_the_history_knows_what_the_registry_has_lost():
    wrapped, server = governed(Remotes())
    known = KnownRemotes(PORT)
    assert url_wrap.registered(wrapped, known, None) is None
    assert url_wrap.registered(wrapped, known, f'"{URL}"') == server
    for odd in ("3", '"x', "null\nv2 = 1", "'a'"):
        assert url_wrap.registered(wrapped, known, odd) is None
    toml = site("'http://127.0.0.1:2/" + "A" * 43 + "'", dialect=texts.TOML)
    for odd in ("3", '"x', "'a'\nb = 1"):
        assert url_wrap.registered(toml, known, odd) is None
    kept = KnownRemotes(PORT, {server.id: server}.get)
    assert url_wrap.registered(wrapped, kept, None) is server


def test_no_id_stands_in_what_the_history_is_asked_by():
    assert "A" * 43 not in str(url_wrap.original_key("A" * 43))


def test_a_plan_that_knows_nothing_of_remote_servers_wraps_none():
    known = KnownRemotes()
    assert known.server("x") is known.probe("x") is known.wrapped_before("f", (), "x") is None
    assert (known.signed_in("x"), known.new_id((), "x"), known.same_file("a", "a")) == (False, "", True)
    assert isinstance(url_wrap.desired(site(), known, None), RemoteServer)
