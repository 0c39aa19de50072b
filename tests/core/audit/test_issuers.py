"""Kinds of key that can be told by how they begin."""

import pytest

from mcpgov.core.audit.audit_preview import MASK, concealed, is_plain, may_hold_secret, needs_no_mask
from mcpgov.core.audit.issuers import ISSUERS, is_key

KEYS = [prefix + (sorted(alphabet - {"-", "_", "."})[1] * least) for prefix, least, alphabet in ISSUERS]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_of_each_issuer_is_masked_alone_and_between_words(key):
    assert is_key(key, 0)
    assert concealed(key) == MASK
    assert concealed(f"use {key}, please") == f"use {MASK}, please"
    assert concealed(f"({key})") == f"({MASK})"


@pytest.mark.parametrize("key", KEYS)
def test_no_quick_look_passes_over_a_key(key):
    for text in (key, f"use {key} now", f"a/{key}", f"-{key}", f"é{key[:0]} {key}"):
        assert not is_plain(text)
        assert may_hold_secret(text)
        assert not needs_no_mask(text)


@pytest.mark.parametrize(
    "text",
    ["re_index the table", "key-value store", "access_log", "secret_santa list", "fc-barcelona", "SG.1", "dapi",
     "the BSA rules", "an AKIAshort one", "hvs.x", "task-1", "lin_alg", "risk-averse", "sl.png", "file_name", "a - b"],
)  # fmt: skip
def test_words_that_only_begin_alike_stay(text):
    assert needs_no_mask(text)


def test_too_short_or_of_other_characters_is_no_key():
    assert not is_key("ghp_" + "a" * 15, 0)
    assert not is_key("ghp_" + "a" * 15 + "-", 0)
    assert not is_key("", 0)
