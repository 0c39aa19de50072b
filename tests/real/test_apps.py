"""The real clients write their configs, we wrap, they connect through us, and unwrap leaves what they wrote."""

import json
import re
from pathlib import Path

import pytest

from tests.real.apps import Scratch

REMOTE = "https://example.invalid/mcp"


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    found = Scratch(tmp_path.resolve() / "home")
    found.policy()
    return found


def states(scratch: Scratch, *words: str) -> dict[str, tuple[str, str]]:
    found = json.loads(scratch.mcpgov("servers", "--json", *words).stdout)["servers"]
    return {row["name"]: (row["state"], row["transport"]) for row in found}


def test_claude_code_in_all_scopes_and_transports(scratch: Scratch) -> None:
    add = ("mcp", "add")
    scratch.run("git", "init", "--quiet", str(scratch.work))
    below = scratch.work / "below"
    below.mkdir()
    scratch.client("claude", *add, "-s", "user", "files", "-e", "A=b c", "--", *scratch.filesystem())
    scratch.client("claude", *add, "local", "--", *scratch.filesystem(), cwd=below)
    scratch.client("claude", *add, "-s", "project", "shared", "--", *scratch.filesystem())
    scratch.client("claude", *add, "-s", "user", "-t", "http", "web", REMOTE, "-H", "X-A: b")
    scratch.client("claude", *add, "-s", "user", "-t", "sse", "stream", REMOTE)
    config, project = scratch.home / ".claude.json", scratch.work / ".mcp.json"
    committed = project.read_bytes()

    scratch.mcpgov("sync")
    assert states(scratch) == {
        "files": ("governed", "stdio"),
        "local": ("governed", "stdio"),
        "web": ("native", "http"),
        "stream": ("native", "sse"),
        "shared": ("native", "stdio"),  # in the project's own file
    }
    assert project.read_bytes() == committed, "committed files are only touched on request"
    found = json.loads(config.read_text())
    assert found["mcpServers"]["files"]["command"] == scratch.launcher
    assert found["mcpServers"]["files"]["env"] == {"A": "b c"}
    assert "--project" in found["projects"][str(scratch.work)]["mcpServers"]["local"]["args"]

    listed = scratch.client("claude", "mcp", "list")
    for name in ("files", "local"):
        line = next(line for line in listed.splitlines() if line.startswith(f"{name}: "))
        assert "✔ Connected" in line, listed
        assert scratch.launcher in line

    scratch.mcpgov("unwrap", "--all")
    bare = json.loads(config.read_text())
    assert bare["mcpServers"]["files"]["command"] == scratch.filesystem()[0]
    assert bare["mcpServers"]["files"]["args"] == scratch.filesystem()[1:]


def test_unwrap_leaves_what_claude_code_itself_would_have_written(tmp_path: Path) -> None:
    """Two homes, the same commands, one of them with us in between."""
    found = []
    for name in ("with", "without"):
        scratch = Scratch(tmp_path.resolve() / name)
        scratch.policy()
        scratch.client("claude", "mcp", "add", "-s", "user", "a", "--", "/bin/cat", "-u", "--", "x")
        if name == "with":
            scratch.mcpgov("sync")
        # The client rewrites the whole file now, our entry in it.
        scratch.client("claude", "mcp", "add", "-s", "user", "b", "--", "/bin/cat")
        if name == "with":
            scratch.mcpgov("sync")
        scratch.client("claude", "mcp", "add", "-s", "user", "c", "-t", "http", REMOTE)
        if name == "with":
            assert states(scratch) == {"a": ("governed", "stdio"), "b": ("governed", "stdio"), "c": ("native", "http")}
            scratch.mcpgov("unwrap", "--all")
        text = (scratch.home / ".claude.json").read_text()
        at = text.index('"mcpServers"')
        found.append(text[at : text.index("\n  }", at)])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("client", "file", "add"),
    [
        ("codex", ".codex/config.toml", ("mcp", "add", "{}", "--", "/bin/cat", "-u", "{}")),
        ("gemini", ".gemini/settings.json", ("mcp", "add", "-s", "user", "{}", "/bin/cat", "-u", "{}")),
        ("opencode", ".config/opencode/opencode.json*", ("mcp", "add", "{}", "--", "/bin/cat", "-u", "{}")),
    ],
)
def test_unwrap_leaves_what_another_client_itself_would_have_written(
    tmp_path: Path, client: str, file: str, add: tuple[str, ...]
) -> None:
    """Two homes, the same commands, one of them with us in between: the client writes its file with our entry in it."""
    found = []
    for name in ("with", "without"):
        scratch = Scratch(tmp_path.resolve() / name)
        scratch.policy()
        for server in ("a", "b", "c"):
            scratch.client(client, *(word.format(server) for word in add))
            if name == "with":
                scratch.mcpgov("wrap", "--all", "--client", client)
        (config,) = [path for path in scratch.home.glob(file) if path.suffix != ".bak"]
        if name == "with":
            assert states(scratch, "--client", client) == dict.fromkeys("abc", ("governed", "stdio"))
            scratch.mcpgov("unwrap", "--all")
        found.append(config.read_text().replace(str(scratch.home), "~"))
    assert found[0] == found[1]


def test_claude_code_removes_a_wrapped_server_and_it_can_be_restored(scratch: Scratch) -> None:
    scratch.client("claude", "mcp", "add", "-s", "user", "files", "-e", "KEY=secret", "--", *scratch.filesystem())
    scratch.mcpgov("sync")
    scratch.client("claude", "mcp", "remove", "files")
    scratch.mcpgov("sync")
    assert states(scratch) == {}
    scratch.mcpgov("restore", "files")
    assert states(scratch) == {"files": ("governed", "stdio")}
    entry = json.loads((scratch.home / ".claude.json").read_text())["mcpServers"]["files"]
    assert entry["env"] == {"KEY": "secret"}
    assert entry["args"][-len(scratch.filesystem()) :] == scratch.filesystem()
    assert "✔ Connected" in scratch.client("claude", "mcp", "list")


def test_a_server_we_added_is_one_that_claude_code_knows(scratch: Scratch) -> None:
    scratch.mcpgov("add", "files", "--", *scratch.filesystem())
    scratch.mcpgov("add", "mine", "--scope", "local", "--env", "A=1", "--", *scratch.filesystem())
    listed = scratch.client("claude", "mcp", "list")
    assert listed.count("✔ Connected") == 2, listed


def test_gemini(scratch: Scratch) -> None:
    trust = scratch.home / ".gemini" / "trustedFolders.json"
    trust.parent.mkdir()
    trust.write_text(json.dumps({str(scratch.work): "TRUST_FOLDER"}))
    command, *args = scratch.filesystem()
    scratch.client("gemini", "mcp", "add", "-s", "user", "files", command, *args)
    scratch.client("gemini", "mcp", "add", "-s", "user", "-t", "http", "web", REMOTE)
    config = scratch.home / ".gemini" / "settings.json"
    before = config.read_bytes()
    plain = scratch.client("gemini", "mcp", "list")
    scratch.mcpgov("wrap", "--all", "--client", "gemini")
    assert states(scratch, "--client", "gemini") == {"files": ("governed", "stdio"), "web": ("native", "http")}
    listed = scratch.client("gemini", "mcp", "list")
    assert "files: " in listed
    assert without_us(listed, scratch, "gemini") == plain, "but for the wrap the same"
    assert "Connected" in next(line for line in listed.splitlines() if "files: " in line), listed
    wrapped = config.read_bytes()
    scratch.mcpgov("unwrap", "--all")
    assert config.read_bytes() == before, wrapped


def test_opencode(scratch: Scratch) -> None:
    scratch.client("opencode", "mcp", "add", "files", "--env", "A=b", "--", *scratch.filesystem())
    config = next((scratch.home / ".config" / "opencode").glob("opencode.json*"))
    before = config.read_bytes()
    scratch.mcpgov("wrap", "--all", "--client", "opencode")
    assert states(scratch, "--client", "opencode") == {"files": ("governed", "stdio")}
    listed = scratch.client("opencode", "mcp", "list")
    assert "connected" in listed, listed
    scratch.mcpgov("unwrap", "--all")
    assert config.read_bytes() == before


def test_codex(scratch: Scratch) -> None:
    scratch.client("codex", "mcp", "add", "files", "--env", "A=b", "--", *scratch.filesystem())
    scratch.client("codex", "mcp", "add", "web", "--url", REMOTE)
    config = scratch.home / ".codex" / "config.toml"
    before = config.read_bytes()
    scratch.mcpgov("wrap", "files", "--client", "codex")
    assert states(scratch, "--client", "codex") == {"files": ("governed", "stdio"), "web": ("native", "http")}
    found = json.loads(scratch.run(*_codex(), "mcp", "get", "files", "--json").stdout)
    assert found["transport"]["command"] == scratch.launcher
    assert found["transport"]["args"][-len(scratch.filesystem()) :] == scratch.filesystem()
    scratch.mcpgov("unwrap", "files", "--client", "codex")
    assert config.read_bytes() == before


def _codex() -> list[str]:
    from tests.real.apps import program

    return program("codex")


def without_us(text: str, scratch: Scratch, client: str) -> str:
    """A client's list of servers without our part."""
    words = r"\s+--server \S+ --client " + client + r"(?: --project \S+)? -- "
    return re.sub(re.escape(scratch.launcher) + words, "", text)


LISTS = {
    "claude": ("claude-code", ("mcp", "add", "-s", "user", "files", "-e", "A=b", "--")),
    "opencode": ("opencode", ("mcp", "add", "files", "--env", "A=b", "--")),
    "codex": ("codex", ("mcp", "add", "files", "--env", "A=b", "--")),
}


@pytest.mark.parametrize("program", LISTS)
def test_a_clients_own_list_is_the_same_before_and_after_a_wrap_but_for_it(scratch: Scratch, program: str) -> None:
    client, add = LISTS[program]

    def listed() -> str:
        told = re.sub(r"[^\x20-\x7e]+|\s+", " ", scratch.client(program, "mcp", "list"))
        return re.sub(r" +", " ", told)

    scratch.client(program, *add, *scratch.filesystem())
    before = listed()
    scratch.mcpgov("wrap", "--all", "--client", client)
    after = listed()
    assert scratch.launcher in after
    assert without_us(after, scratch, client) == before
    scratch.mcpgov("unwrap", "--all")
    assert listed() == before


def test_codex_lists_the_same_json_but_for_the_wrap(scratch: Scratch) -> None:
    scratch.client("codex", "mcp", "add", "files", "--env", "A=b", "--", *scratch.filesystem())
    scratch.client("codex", "mcp", "add", "web", "--url", REMOTE)
    listed = lambda: json.loads(scratch.run(*_codex(), "mcp", "list", "--json").stdout)  # noqa: E731
    before = listed()
    scratch.mcpgov("wrap", "--all", "--client", "codex")
    after = listed()
    assert after != before
    for row in after:
        if row["transport"].get("command") == scratch.launcher:
            words = row["transport"]["args"]
            program, *args = words[words.index("--") + 1 :]
            row["transport"] |= {"command": program, "args": args}
    assert after == before
