from mcpgov.daemon.approvals.suggest import SPAN, habit_counts, suggestions

NOW = 10_000_000.0


class Journal:
    """Records as proxies and the daemon write them."""

    def __init__(self):
        self.records, self.count, self.time = [], 0, NOW - 1000

    def call(self, args=None, answer=None, tool="write_file", rule="ask", action="prompt", server="fs", **more):
        self.count += 1
        self.time += 1
        number = f"s-{self.count}"
        note = {"dir": "client", "method": "tools/call", "action": action, "decision": number, "server": server}
        self.records.append({"time": self.time, **note, "tool": tool, "rule": rule, "args": args, **more})
        if action == "prompt":
            told = {
                "dir": "approval",
                "method": "tools/call",
                "decision": number,
                "question": number,
                "server": server,
                "tool": tool,
            }
            told |= {"time": self.time, "rule": rule or "(default)"}
            self.records.append({**told, "action": "asked"})
            if answer:
                self.records.append({**told, "action": "question answered", "answer": answer})
        return number

    def found(self):
        return suggestions(self.records, NOW)


def test_three_equal_yeses_suggest_the_exact_call():
    journal = Journal()
    numbers = [journal.call({"a": 1}, "yes") for _ in range(3)]
    other = journal.call({"a": 2}, "no", tool="write_file2")
    kept = journal.call({"a": 2})
    [found] = journal.found()
    assert (found.server, found.tool, found.rule, found.scope, found.yeses) == ("fs", "write_file", "ask", "exact", 3)
    assert (found.allowed, found.refused, found.kept, found.asked) == (tuple(numbers), (), (kept,), 1)
    assert (found.last, other) == (numbers[-1], "s-4")


def test_two_yeses_or_a_no_in_between_suggest_nothing():
    journal = Journal()
    for answer in ("yes", "yes", "no", "yes", "yes"):
        journal.call({"a": 1}, answer)
    assert journal.found() == []


def test_paths_in_one_folder_suggest_that_folder_and_tell_what_stays_asked():
    journal = Journal()
    for name in ("a", "deep/b", "c"):
        journal.call({"path": f"/home/u/proj/{name}", "text": name}, "yes")
    refused = journal.call({"path": "/home/u/proj/secret"}, "no")
    for _ in range(3):
        journal.call({"path": "/home/u/proj/d"}, "yes")
    outside = journal.call({"path": "/home/u/other/x"})
    tricky = journal.call({"path": "/home/u/proj/../x"})
    denied = journal.call({"path": "/home/u/proj/x"}, rule="no-writes", action="deny")
    [found] = journal.found()
    assert (found.scope, found.folders) == ("exact", ())
    assert found.refused == ()
    journal.call({"path": "/home/u/proj/e"}, "yes")
    [found] = journal.found()
    assert (found.scope, found.folders) == ("folder", ((("path",), "/home/u/proj/**"),))
    assert found.refused == (refused,)
    assert found.kept == (outside, tricky, denied)
    assert len(found.allowed) == 8


def test_anything_else_suggests_the_tool():
    for calls in (
        [{"a": 1}, {"a": 2}, {"a": 3}],
        [{"path": "/a/x"}, {"path": "/b/x"}, {"path": "/c/x"}],
        [{"path": "rel/x"}, {"path": "rel/y"}, {"path": "rel/z"}],
        [{"path": "/h/u/x"}, {"path": "/h/u/y", "to": "/h/u/z"}, {"path": "/h/u/z"}],
        [{"path": ["/h/u/x"] * 300}, {"path": "/h/u/y"}, {"path": "/h/u/z"}],
    ):
        journal = Journal()
        for args in calls:
            journal.call(args, "yes", rule=None)
        [found] = journal.found()
        assert (found.scope, found.folders, found.rule, len(found.allowed)) == ("tool", (), "(default)", 3)


def test_masked_arguments_are_compared_by_their_digest_and_never_suggested_exactly():
    journal = Journal()
    for _ in range(3):
        journal.call({"password": "***"}, "yes", digest="k:1", masked=["password"])
    assert journal.found()[0].scope == "tool"
    journal = Journal()
    for _ in range(3):
        journal.call({"text": "long…(+5)"}, "yes", digest="k:1")
    other = journal.call({"text": "long…(+5)"}, digest="k:2")
    assert (journal.found()[0].scope, journal.found()[0].kept) == ("exact", (other,))


def test_most_yeses_come_first_and_what_is_old_or_no_call_is_left_out():
    journal = Journal()
    for _ in range(3):
        journal.call({"a": 1}, "yes", tool="x")
    for _ in range(4):
        journal.call({"a": 1}, "yes", tool="y")
    old = {**journal.records[0], "time": NOW - SPAN - 1, "decision": "old-1"}
    answer = {**journal.records[0], "action": "question answered"}
    notes = [old, answer, {"time": "never"}, {**answer, "action": None}, {**answer, "method": "ping"}]
    notes.append({**journal.records[1], "action": "offered"})
    found = suggestions([*notes, *journal.records], NOW)
    assert [suggestion.tool for suggestion in found] == ["y", "x"]
    assert "old-1" not in found[1].allowed


def test_calls_that_joined_a_question_share_its_answer_and_questions_without_calls_suggest_nothing():
    journal = Journal()
    for _ in range(3):
        journal.call({"a": 1}, "yes")
    joined = journal.call({"a": 1})
    journal.records[-1] = {**journal.records[-1], "action": "joined", "question": "s-3"}
    [found] = journal.found()
    assert (joined in found.allowed, found.refused) == (True, ())
    only = [record for record in journal.records if record["dir"] == "approval"]
    assert suggestions(only, NOW) == []


def test_a_call_that_an_earlier_yes_let_pass_was_not_refused():
    journal = Journal()
    for _ in range(3):
        journal.call({"a": 1}, "yes")
    passed, unanswered = journal.call({"a": 1}), journal.call({"a": 1})
    used = {"dir": "approval", "action": "grant used", "decision": "s-1", "call": passed, "time": journal.time}
    answered = {"dir": "client", "method": "tools/call", "action": "answered", "time": journal.time}
    journal.records += [used, answered]
    [found] = journal.found()
    assert found.refused == (unanswered,)


def test_yeses_for_answers_of_a_server_suggest_no_rule():
    journal = Journal()
    for _ in range(3):
        journal.call({"a": 1}, "yes")
    for record in journal.records:
        record["method"] = "answer to tools/call" if record["dir"] == "approval" else record["method"]
    assert journal.found() == []


def test_records_of_other_messages_and_answers_suggest_nothing():
    journal = Journal()
    journal.call({"a": 1}, action="answered")
    journal.records.append({"time": NOW - 1, "dir": "server", "method": "tools/call", "action": "passed"})
    assert journal.found() == []


def test_every_habit_is_counted_also_where_no_rule_is_worth_it_yet():
    journal = Journal()
    for tool, answers in (("x", ("yes", "yes")), ("y", ("yes", "no")), ("z", ("no", "yes"))):
        for answer in answers:
            journal.call({"a": 1}, answer, tool=tool)
    old = [{**record, "time": NOW - SPAN - 1} for record in journal.records]
    assert habit_counts([*old, {"time": None}, *journal.records], NOW) == [
        ("fs", "x", "ask", 2, "s-2"), ("fs", "z", "ask", 1, "s-6"),
    ]  # fmt: skip
