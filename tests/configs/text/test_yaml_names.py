import pytest

from mcpgov.configs.text.yaml_names import keys_below

GOOSE = """# mine
GOOSE_MODEL: x
extensions:

  # built in
  developer:
    bundled: true
    type: builtin
  "file server": # stdio
    cmd: npx
    args: ['-y', "a: b"]
  'it''s':
      type: stdio
other:
  no: 1
"""


def test_the_names_below_a_key_of_the_first_level():
    assert list(keys_below(GOOSE, "extensions")) == ["developer", "file server", "it''s"]
    assert list(keys_below("\ufeffextensions:\r\n    a:\r\n        b: 1\r\n", "extensions")) == ["a"]


@pytest.mark.parametrize(
    "text", ["", "extensions: {}\n", "extensions: {a: {}}\n", "- extensions\n", "x:\n  a: 1\n", "::\n"]
)
def test_what_is_written_otherwise_names_nothing(text):
    assert list(keys_below(text, "extensions")) == []


def test_a_list_below_it_names_nothing():
    assert list(keys_below("extensions:\n  - name: a\n  - name: b\n", "extensions")) == []
