"""Laws of wrapped URLs on random layouts, spellings and rewrites by a client. MCPGOV_EXAMPLES: how many."""

import json
import random

from hypothesis import given
from hypothesis import strategies as st

from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.plan import LOOK, UNWRAP, WRAP, Task
from mcpgov.configs.planner import plan
from mcpgov.configs.text import splice as texts
from tests.configs.test_properties import EXAMPLES, Writer
from tests.helpers.remotes import Remotes

KEYS = ["url", "serverUrl", "httpUrl", "uri", "baseUrl"]
TYPES = ["http", "sse", "streamable-http", "streamableHttp", "remote"]
HOSTS = ["x.example", "localhost:3000", "[::1]:8080", "user:pass@x.example:8443", "xn--nxasmq6b", "é.example"]
PATHS = ["", "/", "/mcp", "/a//b/", "/p%20q", "/s/0a1b2c3d4e5f6071/mcp", "/é"]
QUERIES = ["", "?key=1", "?a=b&c=%2F", "?", "#part"]


def json_spelling(dice, text):
    """A literal of the text, with some characters escaped."""
    signs = []
    for sign in text:
        way = dice.random()
        escaped = f"\\u{ord(sign):04x}" if way < 0.1 else "\\/" if sign == "/" and way < 0.5 else ""
        signs.append(escaped or sign)
    return f'"{"".join(signs)}"'


def toml_spelling(dice, text):
    ways = [
        f'"{text}"',
        f"'{text}'",
        f'"""{text}"""',
        f"'''\n{text}'''",
        f'"""\\\n   {text}"""',
        f'"\\u0068{text[1:]}"',
    ]
    return dice.choice(ways)


class UrlWriter(Writer):
    """Entries of which most name a URL."""

    def url(self):
        dice = self.dice
        return f"http{dice.choice(['', 's'])}://{dice.choice(HOSTS)}{dice.choice(PATHS)}{dice.choice(QUERIES)}"

    def entry(self):
        dice = self.dice
        if dice.random() < 0.15:
            return super().entry()
        pairs = [(dice.choice(KEYS), json_spelling(dice, self.url()))]
        if dice.random() < 0.5:
            pairs.append(("type", f'"{dice.choice(TYPES)}"'))
        if dice.random() < 0.5:
            pairs.append(("headers", self.object([("Authorization", '"Bearer \\u0061"')])))
        if dice.random() < 0.3:
            pairs.append(("x", self.value()))
        dice.shuffle(pairs)
        return self.object(pairs)


class Client:
    """A config file of one client, the servers registered for it, and the passes over it."""

    def __init__(self, row, **remotes):
        self.row, self.remotes, self.originals = BY_NAME[row], Remotes(**remotes), {}

    def plan(self, text, goal):
        return plan(text, Task(self.row, "/f", goal, "/l", remotes=self.remotes.known(), original=self.original))

    def original(self, file, place, argv):
        return self.originals.get((place, tuple(argv)))

    def passed(self, text, goal):
        made = self.plan(text, goal)
        new = texts.splice(text, made.edits)
        texts.verify(text, new, self.row.dialect, self.row.places, made.intended, made.entries)
        self.originals |= {(row.place, row.argv): row for row in made.originals}
        self.remotes.took(made)
        return new


def there_and_back(client, text):
    wrapped = client.passed(text, WRAP)
    assert client.passed(wrapped, WRAP) == wrapped
    assert client.plan(wrapped, LOOK).forms == client.plan(text, LOOK).forms
    ids = list(client.remotes.servers)
    assert all(ident in wrapped for ident in ids)
    shown = texts.splice(wrapped, client.plan(wrapped, LOOK).shown)
    assert not any(ident in shown for ident in ids)
    assert client.passed(wrapped, UNWRAP) == text
    assert client.remotes.servers == {}
    return wrapped


def json_case(seed):
    client = Client(random.Random(seed).choice(["claude-code", "cursor"]))
    return client, UrlWriter(seed, client.row.name == "cursor").text()


@EXAMPLES
@given(st.integers(0, 2**64))
def test_wrap_then_unwrap_restores_every_byte(seed):
    client, text = json_case(seed)
    try:
        texts.find(text, client.row.dialect, client.row.places)
        client.plan(text, LOOK)
    except ValueError:
        return  # a key that stands twice: such a file is never touched
    there_and_back(client, text)


@EXAMPLES
@given(st.integers(0, 2**64), st.sampled_from([None, 2, "\t"]), st.booleans())
def test_after_a_client_has_written_the_file_anew_the_values_come_back(seed, indent, ascii_only):
    client = Client("claude-code")
    writer = UrlWriter(seed, False)
    try:
        text = writer.text().replace("1E+400", "1")
        before = json.loads(text.removeprefix("\ufeff"))
        wrapped = client.passed(text, WRAP)
    except ValueError:
        return
    anew = json.dumps(json.loads(wrapped.removeprefix("\ufeff")), indent=indent, ensure_ascii=ascii_only)
    assert client.passed(anew, WRAP) == anew
    same = texts.only_difference(json.loads(client.passed(anew, UNWRAP)), before, [])
    assert same


@EXAMPLES
@given(st.integers(0, 2**64))
def test_a_lost_registry_and_a_new_port_change_nothing_of_it(seed):
    client, text = json_case(seed)
    try:
        wrapped = client.passed(text, WRAP)
    except ValueError:
        return
    client.remotes.servers.clear()
    client.remotes.port += 1
    moved = client.passed(wrapped, WRAP)
    client.remotes.servers.clear()
    assert client.passed(moved, UNWRAP) == text


TOML_HEADS = ["[mcp_servers.{0}]\n{1}", "mcp_servers.{0} = {{ {2} }}\n", "[mcp_servers]\n{0} = {{ {2} }}\n", "{3}"]


@EXAMPLES
@given(st.integers(0, 2**64))
def test_toml_holds_to_the_same_laws(seed):
    dice = random.Random(seed)
    url = f"https://x.example{dice.choice(PATHS)}{dice.choice(QUERIES)}"
    pairs = [f"url{dice.choice(['=', ' = '])}{toml_spelling(dice, url)}", "enabled = true", 'http_headers.X = "y"']
    dice.shuffle(pairs)
    notes = ["", " # é", "\t# url = 1"]
    lines = "".join(f"{pair}{dice.choice(notes)}\n" for pair in pairs)
    dotted = "".join(f"mcp_servers.s.{pair}{dice.choice(notes)}\n" for pair in pairs)
    server = dice.choice(TOML_HEADS).format("s", lines, ", ".join(pairs), dotted)
    text = dice.choice(["", "# é\n"]) + server + dice.choice(["", "[other]\nurl = 1\n"])
    client = Client("codex")
    assert there_and_back(client, text.replace("\n", dice.choice(["\n", "\r\n"]))) != text
