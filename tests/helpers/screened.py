"""Conversations under a `[privacy]`, and the samples they are about."""

import json

from mcpgov.core.session.session import Policy
from mcpgov.policy.build import build, build_project, read_layer
from tests.helpers.playbook import Playbook
from tests.helpers.policies import Policy as CompiledPolicy
from tests.helpers.policies import write

MAIL, OTHER_MAIL, CARD, SSN = "alice.smith@acme-corp.com", "bob@widgets.org", "4111 1111 1111 1111", "219-09-8765"
REDACT = '[privacy]\nparams = "redact"\nresults = "redact"\nrestore = true\n'


def rules_of(folder, text, managed="", **places):
    layers = [read_layer(write(folder, text))]
    if managed:
        (folder / "managed").mkdir()
        layers.insert(0, read_layer(write(folder / "managed", managed), prefix="managed:"))
    compiled = build(layers, **places)
    assert compiled.errors == ()
    return CompiledPolicy(compiled).rules


def project_of(folder, text):
    path = folder / ".mcpgov.toml"
    path.write_text(text)
    compiled = build_project(path)
    assert compiled.errors == ()
    return CompiledPolicy(compiled).rules


def conversation(folder, text, *, project="", managed="", **more):
    """A session under a policy that allows everything else."""
    talk = Playbook(none=True, **more)
    narrow = project_of(folder, project) if project else None
    text = text if text.startswith("default") else f'default = "allow"\n{text}'
    talk.session.policy = Policy(rules_of(folder, text, managed), narrow)
    return talk


def written(message):
    """The line of a message as other programs write it: blanks, and no more escapes than there must be."""
    return json.dumps(message, ensure_ascii=False).encode()
