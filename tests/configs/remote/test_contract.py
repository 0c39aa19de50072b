"""Real config files and a case of every client: wrapped URLs come back byte for byte."""

from pathlib import Path

import pytest

from mcpgov.configs.clients import BY_NAME, client_of
from mcpgov.configs.plan import LOOK, UNWRAP, WRAP, Task
from mcpgov.configs.planner import NoServerList, plan
from mcpgov.configs.text import splice as texts
from mcpgov.remote_servers import OAUTH
from tests.configs.test_contract import DATA, PLACES, US, rows
from tests.helpers.remotes import Remotes

CASES = Path(__file__).parents[2] / "cases" / "configs"


def there_and_back(client, file, before):
    """The text with wrapped URLs, how many there are, and the servers that were registered."""
    remotes = Remotes()

    def task(goal):
        return Task(client, file, goal, US, remotes=remotes.known())

    commands = frozenset(state.place for state in plan(before, task(LOOK)).states if state.transport == "stdio")
    wrapped = plan(before, Task(client, file, WRAP, US, leave=commands, remotes=remotes.known()))
    new = texts.splice(before, wrapped.edits)
    texts.verify(before, new, client.dialect, client.places, wrapped.intended, wrapped.entries)
    remotes.took(wrapped)
    servers = dict(remotes.servers)
    remotes.found = OAUTH
    assert texts.splice(new, plan(new, task(LOOK)).shown) == before
    back = plan(new, task(UNWRAP))
    bare = texts.splice(new, back.edits)
    texts.verify(new, bare, client.dialect, client.places, back.intended, back.entries)
    remotes.took(back)
    assert (bare, remotes.servers) == (before, {})
    return new, len(wrapped.edits), servers


def test_the_urls_of_real_config_files_are_wrapped_and_unwrapped_to_the_same_bytes():
    if not DATA.exists():
        pytest.skip(f"NOT RUN: the real config files are not here ({DATA.name})")
    import base64

    found = 0
    for row in rows():
        file = PLACES.get(row["kind"], f"/p/{row['path']}")
        try:
            text = base64.b64decode(row["file_b64"]).decode("utf-8")
            found += there_and_back(client_of(file, "/h", "linux"), file, text)[1]
        except (texts.InvalidText, texts.DuplicateKey, NoServerList):
            continue
    assert found > 100


@pytest.mark.parametrize("case", sorted(CASES.glob("*/*.bare.*")), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_every_case_with_urls_is_wrapped_and_unwrapped_to_the_same_bytes(case):
    client = BY_NAME[case.parent.name]
    new, count, servers = there_and_back(client, "/f", case.read_bytes().decode("utf-8"))
    assert new == case.with_name(case.name.replace(".bare.", ".governed.")).read_bytes().decode("utf-8")
    assert (count > 0, len(servers)) == (True, count)


def test_every_client_whose_file_can_hold_a_url_has_a_case():
    assert {path.parent.name for path in CASES.glob("*/*.bare.*")} == {name for name, row in BY_NAME.items() if row.url}
