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
# name = "no-private-notes"
# action = "deny"                        # allow | deny | prompt | log | redact
# args."*" = "~/notes/private/**"        # any argument, however it is spelled
# covers = true                          # also `~/notes`: a tool that goes through it would find them
# description = "my notes stay mine"
"""

_KEYS = """[
    "~/.ssh/**", "~/.gnupg/**", "~/.aws/**", "~/.azure/**", "~/.config/gcloud/**", "~/.kube/**",
    "~/.docker/config.json", "~/.netrc", "~/.npmrc", "~/.pypirc", "~/.git-credentials",
    "~/.config/git/credentials", "~/.config/gh/**", "~/.config/hub",
    "~/.cargo/credentials*", "~/.terraform.d/credentials*", "~/.password-store/**",
    "~/.local/share/keyrings/**", "~/Library/Keychains/**",
]"""

_BROWSERS = """[
    "~/.mozilla/**", "~/.config/google-chrome*/**", "~/.config/chromium/**", "~/.config/BraveSoftware/**",
    "~/.config/microsoft-edge*/**", "~/snap/firefox/**", "~/snap/chromium/**", "~/.var/app/org.mozilla.firefox/**",
    "~/Library/Application Support/Google/Chrome/**", "~/Library/Application Support/Firefox/**",
    "~/Library/Application Support/BraveSoftware/**", "~/Library/Application Support/Microsoft Edge/**",
    "~/Library/Safari/**", "~/Library/Cookies/**",
]"""

# Tools that take whole directories along. `list_directory ~` is none of them, nor is a search by name.
_TREES = """[
    "*copy*", "*Copy*", "*archive*", "*Archive*", "*zip*", "*Zip*", "*compress*", "*tar*ball*", "*backup*", "*Backup*",
    "*sync*", "*Sync*", "*upload*", "*Upload*", "*pack_*", "*recursive*", "*Recursive*", "*grep*", "*read_directory*",
]"""

_PRIVATE = f"""
# Keys and tokens. Take a line out of a list if a tool of yours needs that file.
[[rule]]
name = "keys-and-tokens"
action = "{{keys}}"
args."*" = {_KEYS}
description = "keys and tokens stay where they are"

[[rule]]
name = "browser-profiles"
action = "{{keys}}"
args."*" = {_BROWSERS}
description = "a browser's passwords and cookies stay where they are"

# Settings with secrets in them; `.env.example` is free.
[[rule]]
name = "env-files"
action = "{{env}}"
args."*" = ["/**/.env", "/**/.env.local", "/**/.env.production", "/**/.env.*.local"]
description = "a file with secrets"
"""

_HELD = f"""
# The same for servers that offer files as resources.
[[rule]]
name = "keys-as-resources"
action = "deny"
resource = {_KEYS}
description = "keys and tokens stay where they are"

# A tool that goes through a directory takes along what lies in it: `covers` also stops one that is given `~`.
[[rule]]
name = "keys-inside"
action = "{{inside}}"
tool = {_TREES}
args."*" = {_KEYS}
covers = true
description = "there are keys and tokens below this directory"
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
    "audit": ("everything is allowed and logged", "log", _PRIVATE.format(keys="log", env="log")),
    "balanced": (
        "read and write pass, the rest asks",
        "deny",
        _PRIVATE.format(keys="deny", env="prompt") + _HELD.format(inside="prompt") + _OPEN + _ASKED + _BALANCED,
    ),
    "strict": (
        "read only",
        "deny",
        _PRIVATE.format(keys="deny", env="deny") + _HELD.format(inside="deny") + _OPEN + _STRICT,
    ),
}


def starter(profile: str) -> str:
    about, default, body = PROFILES[profile]
    return _HEAD.format(profile=profile, about=about, default=default) + body
