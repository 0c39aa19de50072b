from dataclasses import replace

from mcpgov.configs.client_limits import ClientLimits
from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.entry import Original, read_entry
from mcpgov.configs.plan import LOOK, WRAP, Task
from mcpgov.configs.remote import url_wrap
from mcpgov.configs.remote.url_plan import SECRET_IN_PROJECT, UrlEntries
from mcpgov.configs.text import splice as texts
from mcpgov.configs.wrap import ConfigText
from tests.helpers.remotes import Remotes, ident_for

URL, CLIENT = "https://x.example/mcp", BY_NAME["cursor"]


def entries(remotes, url=URL, goal=WRAP, **more):
    text = f'{{"mcpServers": {{"s": {{"url": "{url}"}}}}}}'
    (entry,) = texts.find(text, CLIENT.dialect, CLIENT.places)
    urls = UrlEntries(Task(CLIENT, "/f", goal, "/l", remotes=remotes.known(), **more), ConfigText(text, CLIENT.dialect))
    facts = read_entry(CLIENT, entry.place, entry.value, (), ())
    return urls, urls.site(entry, facts, ""), facts


def governed(remotes, goal=WRAP, **more):
    urls, site, _ = entries(remotes)
    _, url, original = urls.wrap(site, "bare")
    remotes.servers = {server.id: server for server in urls.keep}
    return entries(remotes, url, goal, **more), original


def test_a_wrap_gives_an_edit_a_registration_and_what_the_history_needs():
    remotes = Remotes()
    urls, site, facts = entries(remotes)
    assert (urls.server(site), urls.bare(site)) == (None, [])
    assert (urls.checked(site, facts).upstream, urls.shown) == (URL, [])
    edits, url, original = urls.wrap(site, "bare")
    (server,) = urls.keep
    assert (edits, url) == ([(*site.span, f'"{url}"')], f"http://127.0.0.1:23456/{server.id}/mcp")
    key = url_wrap.original_key(server.id)
    assert original == Original("cursor", "/f", ("mcpServers", "s"), "/l", key, f'"{URL}"', "bare")
    assert (server.id, urls.holds_secret) == (ident_for("mcpServers/s"), True)


def test_a_wrapped_url_is_shown_and_kept_as_its_own_and_is_current():
    remotes = Remotes()
    (urls, site, facts), _ = governed(remotes)
    assert urls.checked(site, facts).upstream == URL
    assert urls.shown == urls.bare(site) == [(*site.span, f'"{URL}"')]
    assert (urls.is_current(site), urls.keep, urls.holds_secret) == (True, [], True)
    assert urls.unwrap(site) == ([(*site.span, f'"{URL}"')], URL)
    assert urls.forget == [site.facts.ident]


def test_the_registration_is_corrected_by_a_pass_and_not_by_a_look():
    remotes = Remotes()
    (urls, site, _), original = governed(remotes)
    remotes.servers = {}
    for goal, kept in ((WRAP, 1), (LOOK, 0)):
        urls, site, facts = entries(remotes, site.facts.url, goal, original=lambda file, place, argv: original)
        assert (urls.is_current(site), len(urls.keep)) == (True, kept)
        assert urls.checked(site, facts).broken == ""
    remotes.port = 2001
    moved, there, _ = entries(remotes, site.facts.url, original=lambda *_: original)
    assert not moved.is_current(there)


def test_a_url_that_nobody_knows_is_broken_and_still_a_secret():
    remotes = Remotes()
    (_, site, _), _ = governed(remotes)
    remotes.servers = {}
    urls, there, facts = entries(remotes, site.facts.url)
    assert urls.checked(there, facts).broken == url_wrap.LOST
    assert urls.holds_secret


def test_what_is_registered_for_another_place_is_not_forgotten():
    remotes = Remotes()
    (_, site, _), _ = governed(remotes)
    remotes.servers = {key: server._replace(place=("other",)) for key, server in remotes.servers.items()}
    urls, there, _ = entries(remotes, site.facts.url)
    assert (urls.unwrap(there)[1], urls.forget) == (URL, [])


def test_lists_of_the_client_and_projects_come_before_what_a_probe_found():
    limits = ClientLimits(denied_urls=((URL, "/s"),))
    urls, site, _ = entries(Remotes())
    assert urls.why_native(site, limits).code == "client-deny-list"
    assert urls.why_native(site, ClientLimits()).code == ""
    (urls, site, _), _ = governed(Remotes())
    assert urls.why_native(site, limits).code == "client-deny-list"
    assert urls.why_native(site, ClientLimits()).code == ""
    inside = replace(urls.task, in_project=True)
    assert UrlEntries(inside, urls.doc).why_native(site, ClientLimits()) == SECRET_IN_PROJECT


def test_an_entry_that_is_left_keeps_its_secret():
    urls, site, _ = entries(Remotes())
    urls.left(site)
    assert not urls.holds_secret
    (urls, site, _), _ = governed(Remotes())
    urls.left(site)
    assert urls.holds_secret
