"""Fingerprints of what a record does not show."""

import hashlib
import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from mcpgov.fingerprints import Fingerprints, ident_of, known_salt, make_salt


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "state" / "salt")


def test_the_salt_is_made_once_and_only_its_owner_can_read_it(path):
    first = Fingerprints(path).of("x")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.path.getsize(path) == 32
    assert os.listdir(os.path.dirname(path)) == ["salt"]
    assert Fingerprints(path).of("x") == first != Fingerprints(path).of("y")


def test_nothing_is_read_or_made_before_the_first_fingerprint(path):
    Fingerprints(path)
    assert not os.path.exists(path)


def test_a_fingerprint_says_which_salt_it_was_made_with(path, tmp_path):
    found = Fingerprints(path).of("x")
    ident, _, digest = found.partition(":")
    assert (ident, len(digest)) == (ident_of(known_salt(path)), 32)
    assert Fingerprints(str(tmp_path / "other")).of("x").partition(":")[0] != ident


def test_no_pin_falls_to_ten_thousand_tries_without_the_salt(path):
    digests = {Fingerprints(path).of(f'{{"pin":"{pin}"}}').partition(":")[2] for pin in ("0000", "4711", "9999")}
    for pin in range(10_000):
        for text in (f"{pin:04}", f'{{"pin":"{pin:04}"}}'):
            guess = hashlib.blake2b(text.encode(), digest_size=16)
            ident = bytes.fromhex(Fingerprints(path).of("x").partition(":")[0]) if pin == 0 else b""
            keyed = hashlib.blake2b(text.encode(), digest_size=16, key=ident)
            assert guess.hexdigest() not in digests
            assert keyed.hexdigest() not in digests


def test_a_long_text_is_taken_in_pieces_with_the_same_outcome(path):
    text = "é" * 200_000 + "\ud800"
    found = Fingerprints(path).of(text).partition(":")[2]
    salt = known_salt(path)
    assert found == hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=salt).hexdigest()


def test_many_at_once_agree_on_one_salt(path):
    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(lambda _: Fingerprints(path).of("x"), range(64)))
    assert len(found) == 1
    assert os.listdir(os.path.dirname(path)) == ["salt"]


def plant_pipe(path):
    os.mkfifo(path, 0o600)


def plant_directory(path):
    os.mkdir(path)


def plant_short(path):
    with open(path, "wb") as file:
        file.write(b"x")
    os.chmod(path, 0o600)


def plant_open(path):
    with open(path, "wb") as file:
        file.write(b"x" * 32)
    os.chmod(path, 0o644)


def plant_link(path):
    os.symlink("/dev/zero", path)


@pytest.mark.parametrize("plant", [plant_pipe, plant_directory, plant_short, plant_open, plant_link])
def test_where_the_salt_is_unusable_fingerprints_compare_within_one_process_only(path, plant):
    os.mkdir(os.path.dirname(path))
    plant(path)
    one, other = Fingerprints(path), Fingerprints(path)
    assert one.of("x") == one.of("x") != other.of("x")
    assert os.listdir(os.path.dirname(path)) == ["salt"]
    assert known_salt(path) is None


def test_where_nothing_can_be_written_or_shall_be_none_is_kept(tmp_path, path):
    (tmp_path / "file").write_text("")
    blocked = str(tmp_path / "file" / "salt")
    assert make_salt(blocked) is None
    assert Fingerprints(blocked).of("x") != Fingerprints(blocked).of("x")
    assert Fingerprints(path, keep=False).of("x")
    assert not os.path.exists(path)
