import json
import stat

import pytest

from mcpgov.errors import McpgovError
from mcpgov.login.markers import LoginMarker, all_markers, forget_marker, keep_marker, known_digests, load_marker
from mcpgov.remote_servers import url_digest

MARKER = LoginMarker("https://x/mcp", "x", "https://i", ("a", "b"), "c", "keyring", 3.5, None, ("w",), "gone")
DIGEST = url_digest(MARKER.url)


def test_a_marker_comes_back_is_private_and_goes(tmp_path):
    keep_marker(tmp_path / "t", DIGEST, MARKER)
    path = tmp_path / "t" / f"{DIGEST}.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_marker(tmp_path / "t", DIGEST) == MARKER
    assert all_markers(tmp_path / "t") == {DIGEST: MARKER}
    forget_marker(tmp_path / "t", DIGEST)
    forget_marker(tmp_path / "t", DIGEST)
    assert load_marker(tmp_path / "t", DIGEST) is None


@pytest.mark.parametrize(
    "change", [{"url": 1}, {"at": "x"}, {"expires_at": "x"}, {"scopes": 3}, {"name": None}, {"refused": 1}]
)
def test_a_damaged_marker_is_none(tmp_path, change):
    path = tmp_path / f"{DIGEST}.json"
    path.write_text(json.dumps({**MARKER._asdict(), **change}))
    assert load_marker(tmp_path, DIGEST) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000])
def test_neither_is_another_text(tmp_path, text):
    (tmp_path / f"{DIGEST}.json").write_text(text)
    assert (load_marker(tmp_path, DIGEST), all_markers(tmp_path)) == (None, {})


def test_a_digest_names_no_other_file(tmp_path):
    (tmp_path / "x.json").write_text(json.dumps(MARKER._asdict()))
    assert load_marker(tmp_path / "below", "../x") is None


def test_every_file_of_a_login_tells_that_there_was_one(tmp_path):
    for name in (f"{'0' * 32}.lock", f"{'1' * 32}.secret", f"{'1' * 32}.json", "other.json"):
        (tmp_path / name).touch()
    assert known_digests(tmp_path) == ["0" * 32, "1" * 32]
    assert known_digests(tmp_path / "none") == []


def test_a_marker_that_cannot_be_removed_is_told(tmp_path):
    (tmp_path / f"{DIGEST}.json").mkdir()
    with pytest.raises(McpgovError, match="cannot write"):
        forget_marker(tmp_path, DIGEST)
