"""Real config files of public repositories through wrap and unwrap: no crash, and every byte comes back."""

import base64
import gzip
import json
from pathlib import Path

import pytest

from mcpgov.configs.clients import YAML, client_of
from mcpgov.configs.plan import LOOK, UNWRAP, WRAP, Task
from mcpgov.configs.planner import NoServerList, plan
from mcpgov.configs.text import splice as texts

DATA = Path(__file__).parents[3] / "shared" / "data" / "realconfigs.jsonl.gz"
US = "/x/mcpgov-proxy"
# Where a kind of file stands when its client reads it; the others are taken by their own names.
PLACES = {
    "claude-desktop": "/h/.config/Claude/claude_desktop_config.json", "claude-code": "/h/.claude.json",
    "mcp-json": "/p/.mcp.json", "cursor": "/h/.cursor/mcp.json", "codex": "/h/.codex/config.toml",
    "opencode": "/p/opencode.jsonc", "vscode": "/p/.vscode/mcp.json", "gemini": "/h/.gemini/settings.json",
    "cline": "/h/.cline/data/settings/cline_mcp_settings.json", "roo": "/p/.roo/mcp.json",
    "copilot": "/h/.copilot/mcp-config.json", "antigravity": "/h/.gemini/antigravity/mcp_config.json",
    "zed": "/h/.config/zed/settings.json", "amazonq": "/h/.aws/amazonq/mcp.json", "kiro": "/p/.kiro/settings/mcp.json",
    "windsurf": "/h/.codeium/windsurf/mcp_config.json", "crush": "/p/.crush.json", "kilocode": "/p/.kilocode/mcp.json",
    "factory": "/h/.factory/mcp.json", "junie": "/h/.junie/mcp/mcp.json", "kilo-cli": "/p/kilo.jsonc",
    "qwen": "/h/.qwen/settings.json", "trae": "/p/.trae/mcp.json",
}  # fmt: skip


def rows():
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def there_and_back(row):
    """How many servers were wrapped; -1: the text cannot hold any."""
    file = PLACES.get(row["kind"], f"/p/{row['path']}")
    client = client_of(file, "/h", "linux")
    before = base64.b64decode(row["file_b64"]).decode("utf-8")
    try:
        wrapped = plan(before, Task(client, file, WRAP, US))
    except (texts.InvalidText, texts.DuplicateKey, NoServerList):
        return -1
    new = texts.splice(before, wrapped.edits)
    texts.verify(before, new, client.dialect, client.places, wrapped.intended, wrapped.entries)
    assert plan(new, Task(client, file, WRAP, US)).edits == (), "wrapped once"
    assert all(state.reason for state in plan(new, Task(client, file, LOOK, US)).states if state.state == "native")
    known = {(original.place, original.argv): original for original in wrapped.originals}
    task = Task(client, file, UNWRAP, US, original=lambda file, place, argv: known.get((place, tuple(argv))))
    back = plan(new, task)
    bare = texts.splice(new, back.edits)
    texts.verify(new, bare, client.dialect, client.places, back.intended, back.entries)
    assert bare == before
    return len(wrapped.intended)


def test_real_config_files_are_wrapped_and_unwrapped_to_the_same_bytes():
    if not DATA.exists():
        pytest.skip(f"NOT RUN: the real config files are not here ({DATA.name})")
    found = {}
    for row in rows():
        found[row["id"]] = there_and_back(row), row
    kinds = {"json-broken", "toml-broken", "empty", YAML}
    strict = {"claude-desktop", "mcp-json"}  # their clients refuse comments
    odd = [(row["kind"], row["path"]) for many, row in found.values() if many < 0 and row["syntax"] not in kinds
           and not (row["syntax"] == "jsonc" and row["kind"] in strict)]  # fmt: skip
    assert odd == [], "only what is broken or YAML cannot be read"
    assert sum(many > 0 for many, _ in found.values()) > 300
    assert sum(max(many, 0) for many, _ in found.values()) > 800
