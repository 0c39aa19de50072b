from mcpgov.live.policy_source import PolicySource
from mcpgov.policy_cache import signature
from tests.helpers.compiled import compiled_text, world


def source(tmp_path, script):
    policy = tmp_path / "policy.toml"
    policy.write_text("x")
    return PolicySource(str(tmp_path / "compiled.json"), ["/bin/sh", "-c", script], world(), [str(policy)])


def finish(found):
    changed = False
    while found.child is not None:
        changed = found.advance() or changed
    return changed


def test_a_damaged_compiled_file_is_no_policy(tmp_path):
    found = source(tmp_path, "exit 0")
    for text in ("", "{}", compiled_text([]), compiled_text([], inputs=[]), compiled_text([], inputs=[[1]]), "\ud800"):
        (tmp_path / "compiled.json").write_text(text, "utf-8", "surrogatepass")
        found = source(tmp_path, "exit 0")
        assert not found.refresh(10.0)
        assert not finish(found)
        assert (found.rules, found.error) == (None, f"no compiled policy in `{tmp_path}/compiled.json`")


def test_a_broken_source_is_tried_again_only_now_and_then(tmp_path):
    found = source(tmp_path, f"echo >> {tmp_path}/tries; echo broken >&2; exit 3")
    for moment in (10.0, 10.1, 12.0, 13.2, 15.5, 17.9, 20.0, 22.0):
        found.refresh(moment)
        finish(found)
    assert found.error == "broken"
    # After two seconds, then four, and so on: counted from the first look after a try.
    assert len((tmp_path / "tries").read_text()) == 3


def test_a_compiler_that_cannot_be_started_is_told(tmp_path):
    found = PolicySource(str(tmp_path / "c"), [str(tmp_path / "nowhere")], world(), [str(tmp_path / "policy.toml")])
    assert not found.refresh(10.0)
    assert (found.child, found.error.partition(":")[0]) == (None, "the policy cannot be compiled")


def test_other_protected_places_are_other_rules_although_the_revision_is_the_same(tmp_path):
    found = source(tmp_path, "exit 0")
    loaded = []
    for number, place in enumerate(("/a", "/b", "/b")):
        (tmp_path / "policy.toml").write_text(str(number) * (number + 1))
        inputs = [list(state) for state in signature([str(tmp_path / "policy.toml")])]
        (tmp_path / "compiled.json").write_text(compiled_text([], inputs=inputs, protect=[place]))
        loaded.append(found.refresh(10.0 * (number + 1)))
        assert found.rules.head["protect"] == [place]
    assert loaded == [True, True, False]
