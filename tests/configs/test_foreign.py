import pytest

from mcpgov.configs.foreign import Foreign, recognised, restored, takeover_hint
from mcpgov.configs.text import splice as texts
from mcpgov.configs.wrap import ConfigText

CLAW = {"command": "/usr/local/bin/clawdefender", "args": ["proxy", "--", "npx", "-y", "x"]}
GOV = {"command": "mcp-gov-proxy", "args": ["--service", "s", "--target", "npx x", "--rules", "/r"]}
KEPT = {"command": "npx", "args": ["-y", "x"]}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (CLAW, Foreign("clawdefender", "", ("npx", "-y", "x"))),
        (
            {**CLAW, "_clawdefender_original": KEPT},
            Foreign("clawdefender", "_clawdefender_original", ("npx", "-y", "x")),
        ),
        ({**CLAW, "_clawai_original": {"command": "npx"}}, Foreign("clawdefender", "_clawai_original", ("npx",))),
        ({**CLAW, "command": "clawai"}, Foreign("clawdefender", "", ("npx", "-y", "x"))),
        ({**GOV, "_original": KEPT}, Foreign("mcp-gov", "_original", ("npx", "-y", "x"))),
        (GOV, Foreign("mcp-gov", "", ())),
        ({**GOV, "args": ["--target-args", '["npx", "a b"]']}, Foreign("mcp-gov", "", ("npx", "a b"))),
        ({**GOV, "args": ["--target-args", "["]}, Foreign("mcp-gov", "", ())),
        ({**GOV, "args": ["--target-args", "{}"]}, Foreign("mcp-gov", "", ())),
        ({**GOV, "args": ["--target-args"]}, Foreign("mcp-gov", "", ())),
        ({**GOV, "args": [1]}, Foreign("mcp-gov", "", ())),
        ({**GOV, "_original": {"command": 1}}, Foreign("mcp-gov", "", ())),
        ({**GOV, "_original": {"command": "x", "args": "y"}}, Foreign("mcp-gov", "", ())),
        ({"command": "npx", "_original": KEPT}, None),
        ({"command": "mcp-gov-proxy-like"}, None),
        ({"command": 1}, None),
        ([], None),
    ],
)
def test_wraps_of_other_governors_are_known_by_their_program_and_what_they_keep(value, found):
    assert recognised(value) == found


@pytest.mark.parametrize(("name", "typed"), [("a", "a"), ("my fs", "'my fs'"), ("-x", "-- -x"), ("a;b", "'a;b'")])
def test_what_takes_another_governor_out_can_be_typed_as_it_stands(name, typed):
    told = f"`mcp-gov` stands in it as well; `mcpgov wrap --replace {typed}` puts mcpgov in its place"
    assert takeover_hint("mcp-gov", name) == told


@pytest.mark.parametrize(
    ("entry", "after"),
    [
        (
            '{"command": "clawdefender", "args": ["proxy", "--", "npx", "x"], "env": {},\n'
            ' "_clawdefender_original": {"command": "n\\u0070x", "args": [ "x" ]}}',
            '{"command": "n\\u0070x", "args": [ "x" ], "env": {}}',
        ),
        (
            '{"command": "clawdefender", "args": ["proxy", "--", "npx"], "_clawai_original": {"command": "npx"}}',
            '{"command": "npx"}',
        ),
        (
            '{"_original": {"command": "npx", "args": ["x"]}, "command": "mcp-gov-proxy"}',
            '{"command": "npx", "args": ["x"]}',
        ),
        ('{"command": "mcp-gov-proxy", "_original": {"command": "npx", "args": null}}', '{"command": "npx"}'),
        ('{"command": "clawai", "args": ["proxy", "--", "npx", "-y"]}', '{"command": "npx", "args": ["-y"]}'),
        ('{"command": "clawai", "args": ["proxy", "--", "npx"]}', '{"command": "npx", "args": []}'),
    ],
)
def test_what_they_kept_comes_back_as_they_kept_it(entry, after):
    text = f'{{"m": {{"s": {entry}}}}}'
    (found,) = texts.find(text, texts.JSON, [("m", "*")])
    edits, value = restored(ConfigText(text, texts.JSON), found, recognised(found.value))
    new = texts.splice(text, edits)
    texts.verify(text, new, texts.JSON, [("m", "*")], {("m", "s"): value}, [found])
    assert new == f'{{"m": {{"s": {after}}}}}'
