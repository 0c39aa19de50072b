"""Which policy files are trusted, what is said of those that cannot be read, and what they include."""

import os
import pwd
import stat

import pytest

from mcpgov.errors import PolicyError, UnsafeFileError
from mcpgov.policy.build import read_layer
from mcpgov.policy.files import LARGEST, check_safe, read_document, read_text
from tests.helpers.policies import policy, write

ME = os.geteuid()
NOBODY_AT_ALL = 4_000_000


def own_group(uid):
    return pwd.getpwuid(uid).pw_gid


def told(mode=0o600, uid=ME, gid=None):
    found = [0] * 10
    found[stat.ST_MODE] = stat.S_IFREG | mode
    found[stat.ST_UID] = uid
    found[stat.ST_GID] = own_group(ME) if gid is None else gid
    return os.stat_result(found)


def refusal(path, found, owner=None):
    with pytest.raises(UnsafeFileError) as caught:
        check_safe(path, found, owner)
    return str(caught.value), caught.value.hint, caught.value.exit_code


@pytest.mark.parametrize("found", [told(), told(0o644), told(0o660), told(uid=0, mode=0o644)])
def test_a_file_only_its_owner_can_write_is_trusted(tmp_path, found):
    check_safe(tmp_path / "p", found, None)


def test_a_file_everybody_can_write_is_refused(tmp_path):
    path = tmp_path / "p"
    expected = (f"`{path}` can be written by everybody: refused", f"chmod o-w '{path}'", 4)
    assert refusal(path, told(0o602)) == expected


def test_a_file_a_foreign_group_can_write_is_refused(tmp_path):
    path = tmp_path / "p"
    expected = (f"`{path}` can be written by a foreign group: refused", f"chmod g-w '{path}'", 4)
    assert refusal(path, told(0o620, gid=NOBODY_AT_ALL)) == expected


def test_a_foreign_group_that_can_only_read_is_no_danger(tmp_path):
    check_safe(tmp_path / "p", told(0o640, gid=NOBODY_AT_ALL), None)


def test_a_file_of_another_user_is_refused(tmp_path):
    path = tmp_path / "p"
    expected = (f"`{path}` belongs to user {NOBODY_AT_ALL}: refused", "only its owner may write the rules", 4)
    assert refusal(path, told(uid=NOBODY_AT_ALL)) == expected


def test_the_other_user_is_named_where_he_has_a_name(tmp_path):
    other = next(entry for entry in pwd.getpwall() if entry.pw_uid not in (0, ME))
    message, _, _ = refusal(tmp_path / "p", told(uid=other.pw_uid))
    assert message == f"`{tmp_path}/p` belongs to user `{other.pw_name}`: refused"


def test_a_managed_file_must_belong_to_its_administrator(tmp_path):
    check_safe(tmp_path / "p", told(0o644, uid=7), 7)
    assert refusal(tmp_path / "p", told(uid=NOBODY_AT_ALL), 0)[0].endswith(f"user {NOBODY_AT_ALL}: refused")


def test_a_group_is_foreign_to_an_owner_without_an_account(tmp_path):
    found = told(0o660, uid=NOBODY_AT_ALL, gid=NOBODY_AT_ALL)
    assert refusal(tmp_path / "p", found, NOBODY_AT_ALL)[0].endswith("foreign group: refused")


def test_a_file_on_disk_that_everybody_can_write_is_refused(tmp_path):
    path = write(tmp_path, 'default = "allow"')
    path.chmod(0o666)
    with pytest.raises(UnsafeFileError):
        read_layer(path)


def test_an_included_file_that_everybody_can_write_is_refused(tmp_path):
    write(tmp_path, 'default = "allow"', "open.toml").chmod(0o666)
    with pytest.raises(UnsafeFileError):
        policy(tmp_path, 'include = ["open.toml"]')


def broken(path, text=None):
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(PolicyError) as caught:
        read_document(path, safe=False)
    assert caught.value.exit_code == 3
    return str(caught.value).replace(str(path), path.name)


def test_a_missing_file_says_so(tmp_path):
    assert broken(tmp_path / "p.toml") == "cannot read `p.toml`: no such file or directory"


def test_a_directory_and_a_pipe_are_no_policies(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert broken(tmp_path / "pipe") == "`pipe` is not a regular file"
    assert broken(tmp_path) == f"`{tmp_path.name}` is not a regular file"


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    with open(tmp_path / "p.toml", "wb") as file:
        file.truncate(LARGEST + 1)
    assert broken(tmp_path / "p.toml") == "`p.toml` is larger than 64 MiB"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("p.toml", b"a = 1\n\xff", "p.toml:2: not UTF-8 text"),
        ("p.toml", b"a = 1\nb = \n", "p.toml:2: not valid TOML: invalid value"),
        ("p.toml", b"a = 1\na = 2\n", "p.toml:2: not valid TOML: cannot overwrite a value"),
        ("p.toml", b"a = 1\nb = [1,", "p.toml:2: not valid TOML: invalid value"),
        ("p.toml", b"", None),
        ("r.json", b'{"a":\n]', "r.json:2: not valid JSON: expecting value"),
        ("r.json", b"", "r.json:1: not valid JSON: expecting value"),
        ("r.json", b"[" * 200_000, "`r.json` is nested too deeply"),
        ("p.toml", b"\na" + b".a" * 900 + b" = 1", "`p.toml` is nested too deeply"),
        ("p.toml", b"\na" + b".a" * 1001 + b" = 1", "p.toml:2: more than 1000 dots"),
        ("p.toml", b"a = " + b"1" * 5000, "`p.toml` holds a number with too many digits"),
        ("r.json", b"1" * 5000, "`r.json` holds a number with too many digits"),
    ],
)
def test_broken_text_is_refused_with_its_line(tmp_path, name, text, expected):
    if expected is None:
        (tmp_path / name).write_bytes(text)
        assert read_document(tmp_path / name, safe=False).doc == {}
    else:
        assert broken(tmp_path / name, text) == expected


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    (tmp_path / "p.toml").write_bytes(b'\xef\xbb\xbfdefault = "log"')
    assert read_text(tmp_path / "p.toml", safe=False) == 'default = "log"'


ALLOW_ALL = '[[rule]]\nname = "all"\naction = "allow"\ntool = "*"\n'


def deny(tool, name=""):
    return f'[[rule]]\n{f"name = {name!r}" if name else ""}\naction = "deny"\ntool = "{tool}"\n'


def test_included_rules_come_before_the_own_ones_in_name_order(tmp_path):
    write(tmp_path, deny("x*", "b"), "shared/b.toml")
    write(tmp_path, deny("x", "a"), "shared/a.toml")
    rules = policy(tmp_path, 'include = ["shared/*.toml"]\n' + ALLOW_ALL)
    assert [rules.call(tool) for tool in ("x", "xy", "z")] == [("deny", "a"), ("deny", "b"), ("allow", "all")]


def test_a_nameless_included_rule_carries_its_files_name(tmp_path):
    write(tmp_path, deny("x"), "more.toml")
    assert policy(tmp_path, 'include = "more.toml"\n' + deny("y")).ids == ["more:rule-1", "rule-1"]


def test_includes_nest_and_the_innermost_come_first(tmp_path):
    write(tmp_path, deny("x", "inner"), "deep/inner.toml")
    write(tmp_path, 'include = ["deep/*.toml"]\n' + deny("x", "outer"), "outer.toml")
    assert policy(tmp_path, 'include = ["outer.toml"]\n' + ALLOW_ALL).ids == ["inner", "outer", "all"]


def test_a_file_met_twice_is_inserted_once(tmp_path):
    write(tmp_path, deny("x", "base"), "base.toml")
    for name in "ab":
        write(tmp_path, 'include = ["base.toml"]\n' + deny(name, name), f"{name}.toml")
    rules = policy(tmp_path, 'include = ["a.toml", "b.toml", "*.toml"]'.replace('"*.toml"', '"[ab].toml"'))
    assert (rules.said, rules.ids) == ([], ["base", "a", "b"])


def test_an_included_services_map_speaks_before_the_own_rules(tmp_path):
    write(tmp_path, '[services."*"]\ndelete = "deny"\n', "shared.toml")
    rules = policy(tmp_path, 'include = ["shared.toml"]\n' + ALLOW_ALL + '[services."*"]\nread = "allow"\n')
    assert rules.errors == []
    assert rules.call("delete_x") == ("deny", "shared:services.*.delete")
    assert rules.call("get_x") == ("allow", "all")


def test_a_rules_json_can_be_included(tmp_path):
    write(tmp_path, '[{"service": "fs", "operations": ["delete"], "permission": "deny"}]', "old.json")
    rules = policy(tmp_path, 'include = ["old.json"]\n[[rule]]\naction = "allow"\ntool = "*"\n')
    assert rules.said == []
    assert [rules.call("delete_x"), rules.call("get_x")] == [("deny", "old:rule-1"), ("allow", "rule-1")]


def test_an_included_json_cannot_set_the_default(tmp_path):
    write(tmp_path, '{"fs": {"read": "deny"},\n"defaultPolicy": "deny"}', "old.json")
    rules = policy(tmp_path, 'default = "allow"\ninclude = ["old.json"]\n')
    assert rules.errors == ["old.json:2: an included file cannot set `defaultPolicy` for the whole policy"]


@pytest.mark.parametrize("key", ['default = "allow"', "protect = false", 'deny_as = "error"', "[server.x]"])
def test_an_included_file_cannot_speak_for_the_whole_policy(tmp_path, key):
    write(tmp_path, key, "more.toml")
    name = key.split(" ")[0].strip("[]").split(".")[0]
    rules = policy(tmp_path, 'include = ["more.toml"]\n')
    assert rules.errors == [f"more.toml:1: unknown key `{name}` in a policy that is included"]


def test_an_included_file_may_bring_aliases(tmp_path):
    write(tmp_path, '[aliases]\ngh = "github"\n', "more.toml")
    rules = policy(tmp_path, 'include = ["more.toml"]\n[services.github]\nread = "allow"\n')
    assert rules.call("get_x", server="gh") == ("allow", "services.github.read")


def test_a_missing_include_is_an_error_and_an_empty_glob_a_warning(tmp_path):
    rules = policy(tmp_path, 'include = [\n"no/*.toml",\n"none.toml"]\n')
    assert rules.errors == ["policy.toml:3: `include` finds nothing: `none.toml`"]
    assert rules.said == ["policy.toml:2: `include` finds nothing: `no/*.toml`", *rules.errors]


def test_a_circle_of_includes_is_an_error(tmp_path):
    write(tmp_path, 'include = ["policy.toml"]\n', "more.toml")
    rules = policy(tmp_path, 'include = ["more.toml"]\n')
    assert rules.errors == [f"more.toml:1: `include` goes in a circle at `{tmp_path}/policy.toml`"]


def test_brackets_in_the_directorys_name_hide_no_rules(tmp_path):
    odd = tmp_path / "a[1]*"
    write(odd, deny("x", "a"), "shared/a.toml")
    assert policy(odd, 'include = ["shared/*.toml"]\n').ids == ["a"]


def test_an_absolute_include_is_taken_as_it_is(tmp_path):
    path = write(tmp_path, deny("x", "a"), "else/a.toml")
    assert policy(tmp_path / "here", f'include = ["{path}"]\n').ids == ["a"]


def test_an_error_in_an_included_file_names_that_file(tmp_path):
    write(tmp_path, '\n[[rule]]\naction = "no"\ntool = "x"\n', "more.toml")
    assert policy(tmp_path, 'include = ["more.toml"]\n').errors == ["more.toml:3: unknown action `no`"]
