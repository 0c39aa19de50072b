import os

import mcpgov
from mcpgov.policy_cache import cache_name, signature, state_of


def test_every_policy_has_a_name_of_its_own_and_of_this_version():
    names = [cache_name(""), cache_name("/a"), cache_name("/b"), cache_name("/\udcff")]
    assert len(set(names)) == 4
    assert all(name.endswith(f"-{mcpgov.__version__}.json") and "/" not in name for name in names)
    assert cache_name("").startswith("current-")


def test_a_changed_replaced_or_missing_file_is_another_state(tmp_path):
    file = tmp_path / "f"
    states = {state_of(str(file))}
    file.write_text("a")
    states.add(state_of(str(file)))
    file.write_text("ab")
    states.add(state_of(str(file)))
    before = file.stat()
    other = tmp_path / "g"
    other.write_text("cd")
    os.utime(other, ns=(before.st_mtime_ns, before.st_mtime_ns))
    os.replace(other, file)
    states.add(state_of(str(file)))
    assert len(states) == 4


def test_a_signature_names_each_file_with_its_state(tmp_path):
    path = str(tmp_path / "none")
    assert signature([path]) == ((path, 0, -1, 0),)
    assert signature([str(tmp_path)]) == ((str(tmp_path), *state_of(str(tmp_path))),)
