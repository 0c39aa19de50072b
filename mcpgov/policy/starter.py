"""The starter policies that `policy init` writes."""

from __future__ import annotations

_HEAD = """\
# mcpgov policy, profile "{profile}": {about}.
#
# Rules are asked from top to bottom; the first that matches decides. Nothing matches: the default.
#   mcpgov policy show       the rules in order        mcpgov policy check   errors and warnings
#   mcpgov policy explain    why a call is decided so  mcpgov policy test    try fixtures

default = "{default}"

# A rule of your own goes here, below the default and above the others, for example:
#
# [[rule]]
# name = "no-ssh-keys"
# action = "deny"                        # allow | deny | prompt | log | redact
# args."*" = "~/.ssh/**"                 # any argument, however it is spelled
# description = "keys stay where they are"
"""

_OPEN = """
# Reading resources and prompts.
[[rule]]
name = "resources-and-prompts"
action = "allow"
method = ["resources/read", "resources/subscribe", "subscriptions/listen", "prompts/get"]
"""

_ASKED = """
# What a server asks of you: text from your model, answers from you.
[[rule]]
name = "server-asks"
action = "prompt"
method = ["sampling/createMessage", "elicitation/create"]
description = "the server wants something from you or your model"
"""

_BALANCED = """
# Every server, by what the tool does. A server of its own: [services.github], with the same keys.
[services."*"]
read = "allow"
write = "allow"
delete = "prompt"
execute = "prompt"
admin = "prompt"
unknown = "prompt"
"""

_STRICT = """
# Every server: tools that only read. A server of its own: [services.github], with the same keys.
[services."*"]
read = "allow"
"""

PROFILES = {
    "audit": ("everything is allowed and logged", "log", ""),
    "balanced": ("read and write pass, the rest asks", "deny", _OPEN + _ASKED + _BALANCED),
    "strict": ("read only", "deny", _OPEN + _STRICT),
}


def starter(profile: str) -> str:
    about, default, body = PROFILES[profile]
    return _HEAD.format(profile=profile, about=about, default=default) + body
