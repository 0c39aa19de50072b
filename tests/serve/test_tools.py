"""The tools as clients of such servers know them: the seed's own JSON, field by field, where it is at hand."""

import json
import re
from pathlib import Path

import pytest

from mcpgov.serve.tools import BY_NAME, TOOLS

SEED = Path(__file__).parents[3] / "shared" / "seeds" / "001_clawdefender.md"


def seed_blocks() -> list[dict]:
    if not SEED.exists():
        pytest.skip(f"THE SEED IS NOT HERE: {SEED}: schemas are not compared with it")
    text = SEED.read_text("utf-8").split("## ClawDefender MCP Server")[1]
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL)]


@pytest.mark.parametrize("name", ["checkIntent", "requestPermission", "reportAction", "getPolicy"])
def test_the_input_schema_is_the_seeds(name):
    known = next(block for block in seed_blocks() if block.get("name") == name)
    assert BY_NAME[name]["inputSchema"] == known["inputSchema"]
    if "description" in known:
        assert BY_NAME[name]["description"] == known["description"].replace("ClawDefender", "mcpgov")


def test_the_fields_of_answers_are_the_seeds():
    samples = [block for block in seed_blocks() if "name" not in block and "jsonrpc" not in block]
    by_field = {
        "allowed": "checkIntent",
        "granted": "requestPermission",
        "recorded": "reportAction",
        "rules": "getPolicy",
    }
    seen = set()
    for sample in samples:
        name = next(tool for field, tool in by_field.items() if field in sample)
        schema = BY_NAME[name]["outputSchema"]
        assert set(schema["required"]) <= set(sample) <= set(schema["properties"])
        for field, value in sample.items():
            fits(value, schema["properties"][field])
        seen |= {name}
    assert seen == set(by_field.values())


def fits(value, schema):
    kinds = {"string": str, "boolean": bool, "array": list, "null": type(None), "object": dict, "integer": int}
    named = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    assert isinstance(value, tuple(kinds[kind] for kind in named))
    assert "enum" not in schema or value in schema["enum"]
    for item in value if isinstance(value, list) else ():
        fits(item, schema["items"])
    for key, inner in schema.get("properties", {}).items() if isinstance(value, dict) else ():
        fits(value[key], inner)


def test_every_tool_has_a_title_both_schemas_and_annotations():
    assert [tool["name"] for tool in TOOLS] == ["checkIntent", "requestPermission", "reportAction", "getPolicy"]
    for tool in TOOLS:
        assert {"title", "description", "inputSchema", "outputSchema", "annotations"} <= set(tool)
        assert tool["annotations"]["openWorldHint"] is False
