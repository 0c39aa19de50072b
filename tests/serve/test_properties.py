"""What checkIntent says of an action and what a proxy does with such a call, for random policies and for a real proxy.

MCPGOV_EXAMPLES raises the number of policies that are compared (150).
"""

import asyncio
import os
import random
from pathlib import Path

import pytest
from mcp import MCPError

from mcpgov.core.decision import STRICTNESS
from mcpgov.core.rules.call import call_of
from mcpgov.serve.intent import KINDS, argument_names, arguments_for
from mcpgov.serve.verdicts import IntentJudge
from tests.helpers.policies import TODAY, policy
from tests.helpers.serving import GovernedServing

EXAMPLES = int(os.environ.get("MCPGOV_EXAMPLES", "150"))
FILES = ("/srv/a", "/srv/b/c", "/etc/passwd", "/srv/../etc/x", "~/.ssh/id", "//srv/./a", "relative", "/link/x",
         "/SRV/a", "file:///srv/a", "/srv/%61", "/srv/a\u200b", "", "/srv/a\n", "https://h.example/x")  # fmt: skip
COMMANDS = ("rm -rf /", "git push", "ls /etc/passwd", "cat ~/.ssh/id", "", "sh -c 'rm x'", "/srv/a")
URLS = ("https://h.example/x", "h.example/x", "https://H.example:443/x", "http://h.example/x", "https://u@h.example/x")
TARGETS = {
    "file_read": FILES, "file_write": FILES, "file_delete": FILES, "shell_execute": COMMANDS, "network_request": URLS,
    "resource_access": ("file:///srv/a", "https://h.example/x", "file:///etc/passwd", "x://y"),
    "other": ("/srv/a", "anything", "https://h.example/x"),
}  # fmt: skip
PATTERNS = (
    "/srv/**",
    "/srv/*",
    "/etc/**",
    "~/.ssh/**",
    "/srv/a",
    "**",
    "https://h.example/**",
    "https://*/x",
    "rm *",
    "*",
)
MATCHERS = (
    'operation = "read"', 'operation = ["write", "delete"]', 'operation = "execute"', 'args."*" = "{}"',
    'args.path = "{}"', 'args.url = "{}"', 'args.command = "{}"', 'resource = "{}"', 'server = "fs"\nargs."*" = "{}"',
    'server = "other"', 'tool = "{}"',
)  # fmt: skip
WHO = ("fs", "", "")
TOOLS = [tool for kind in KINDS.values() for tool in kind.tools]


def random_policy(dice):
    rules = []
    for at in range(dice.randint(0, 5)):
        matcher = dice.choice(MATCHERS)
        matcher = matcher.format(
            dice.choice((*TOOLS, "*_file", "fs_*")) if "tool" in matcher else dice.choice(PATTERNS)
        )
        rules.append(
            f'[[rule]]\nname = "r{at}"\naction = "{dice.choice(["allow", "deny", "prompt", "log"])}"\n{matcher}\n'
        )
    return f'default = "{dice.choice(["allow", "deny", "prompt"])}"\n' + "".join(rules)


def calls(action, target, names):
    """What an app would send through a proxy to do this: a call of each usual tool."""
    if action == "resource_access":
        return [call_of("resources/read", {"uri": target}, *WHO)]
    variants = arguments_for(action, target, names)
    return [
        call_of("tools/call", {"name": tool, "arguments": args}, *WHO)
        for tool in KINDS[action].tools
        for args in variants
    ]


def cases(tmp_path, seed):
    dice = random.Random(seed)
    text = random_policy(dice)
    rules = policy(tmp_path / str(seed), text, links={"/link": "/etc"}).rules
    names = argument_names(rule.data for rule in rules)
    judge = IntentJudge(rules)
    for action, targets in TARGETS.items():
        for target in targets:
            found = judge.decide(action, target, WHO, TODAY).action
            made = calls(action, target, names)
            yield (text, action, target), found, [(call, rules.decide(call, TODAY).action) for call in made]


def test_the_usual_tools_do_what_their_action_says():
    for action, operation in (("file_read", "read"), ("file_write", "write"), ("file_delete", "delete")):
        assert {call.operation for call in calls(action, "/srv/a", ())} == {operation}
    assert {call.operation for call in calls("shell_execute", "ls", ())} == {"execute"}


def test_an_intent_gets_the_verdict_that_calls_of_the_usual_tools_get(tmp_path):
    """Where the policy tells the tools apart it is that of one of them, never one of its own.

    An action without a type of its own may do anything; a call that an argument's name makes a command is another.
    """
    for seed in range(EXAMPLES):
        for case, found, real in cases(tmp_path, seed):
            alike = {action for call, action in real if call.operation == KINDS[case[1]].operation}
            if case[1] != "network_request" and alike:
                assert found in alike, case


def test_a_network_request_is_never_judged_more_mildly_than_a_call_that_reads_or_writes(tmp_path):
    for seed in range(EXAMPLES):
        for case, found, real in cases(tmp_path, seed):
            known = [action for call, action in real if call.operation in ("read", "write")]
            if case[1] == "network_request" and "tool = " not in case[0]:
                worst = max(known, key=STRICTNESS.index)
                assert STRICTNESS.index(found) >= STRICTNESS.index(worst), case


SERVER = Path(__file__).parents[1] / "helpers" / "usual_tools_server.py"
USUAL = {
    "file_read": ("read_file", "path"), "file_write": ("write_file", "path"), "file_delete": ("delete_file", "path"),
    "shell_execute": ("run_command", "command"), "network_request": ("fetch_url", "url"),
}  # fmt: skip
REAL = [
    """
    default = "deny"
    [[rule]]
    name = "keys"
    action = "deny"
    args."*" = "~/.ssh/**"
    [[rule]]
    name = "asks"
    action = "prompt"
    operation = ["write", "delete"]
    [[rule]]
    name = "reads"
    action = "allow"
    operation = ["read", "execute"]
    """,
    """
    default = "allow"
    [privacy]
    params = "deny"
    """,
]


async def passes(client, tool, given):
    try:
        return (await client.call_tool(tool, given)).content[0].text == "done"
    except MCPError:
        return False


@pytest.mark.parametrize("text", REAL, ids=["rules", "privacy"])
def test_what_is_allowed_passes_a_real_proxy_and_what_is_not_does_not(tmp_path, text):
    governed = GovernedServing(tmp_path, text)
    governed.prepare()
    targets = {**TARGETS, "file_read": (*FILES[:5], "/srv/ada@mail.example"), "file_write": FILES[:2],
               "file_delete": FILES[:2]}  # fmt: skip
    targets["file_read"] += (str(governed.policy),)

    async def talk():
        found = []
        async with governed.through_proxy("fs", SERVER) as client, governed.stdio() as gov:
            for action, (tool, argument) in USUAL.items():
                for target in targets[action]:
                    intent = {"description": "d", "action_type": action, "target": target}
                    said = (await gov.call_tool("checkIntent", intent)).structured_content["allowed"]
                    found.append((action, target, said, await passes(client, tool, {argument: target})))
        return found

    with governed.daemon(), governed.person(lambda _view: ("no", "")):
        found = asyncio.run(talk())
    # Whether a request to the network only fetches is not told: it may be judged more strictly than a call that does.
    assert [row for row in found if row[2] != row[3] and (row[2] or row[0] != "network_request")] == []
    assert {row[2] for row in found} == {True, False}
