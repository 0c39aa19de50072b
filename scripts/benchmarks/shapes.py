"""What a call costs under the kinds of policy people have, and with the kinds of value that calls carry.

As in `proxy`: what a target adds to `direct`, as a ratio to what the bare relay adds; everything interleaved, one CPU.
"""

import os
import statistics
from pathlib import Path

from talk import Talk, cpu

from mcpgov.policy.starter import PROFILES, starter
from proxy import Run, targets

CALLS, ROUNDS, PIPED = 300, 6, 1500
TOOLS = "[tools]\nhide_denied = false\n\n"
FORBIDDEN = '[[rule]]\naction = "deny"\ntool = "forbidden"\n\n'
SERVICES = (
    '[services."*"]\nread = "allow"\nwrite = "allow"\nunknown = "allow"\n'
    'delete = "deny"\nexecute = "deny"\nadmin = "deny"\n'
)
NEVER = "".join(f'[[rule]]\naction = "deny"\ntool = "never_{at}_*"\nargs.path = "/etc/{at}/**"\n\n' for at in range(7))
SECRETS = '[[rule]]\naction = "deny"\nargs."*" = ["~/.ssh/**", "**/.env"]\n\n'
OTHERS = "".join(f'[services.other{at}]\nread = "allow"\n"*" = "deny"\n\n' for at in range(7))
SHAPES = {
    "ordered rules": f'{TOOLS}{NEVER}{FORBIDDEN}[[rule]]\naction = "allow"\ntool = "*"\n',
    "service tables": f'default = "deny"\n{TOOLS}{FORBIDDEN}{OTHERS}{SERVICES}',
    "log everything": f'default = "log"\n{TOOLS}{NEVER}{FORBIDDEN}',
    "argument denies": f'default = "deny"\n{TOOLS}{SECRETS}{FORBIDDEN}{NEVER}{SERVICES}',
} | {f"starter {profile}": starter(profile) for profile in PROFILES}
# (added p50, CPU, calls a second), each against the relay.
USUAL, LOOKING = (1.4, 1.5, 0.8), (2.0, 2.2, 0.5)
TARGETS = {"argument denies": LOOKING}
VALUES = {
    "words": b"p%d /home/user/projects/file.txt",
    "a path": b"/home/user/projects/app/src/file%d.txt",
    "a path again": b"/home/user/projects/app/src/file.txt",
    "a sentence": b"Fix: x=%d, see https://example.com/a?b=1",
    "a sentence again": b"Fix: x=1, see https://example.com/a?b=1",
    "code": b"def f%d(x):\\n    return {'a': x, 'b': 1}\\n",
}


class Shaped(Talk):
    """A conversation whose calls carry one kind of value."""

    value = VALUES["words"]

    def call(self, number: int) -> bytes:
        head = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"payload":"'
        return head % number + self.value.replace(b"%d", b"%d" % number) + b'"}}}\n'


class ShapesRun(Run):
    def start(self, name: str) -> Shaped:
        talk = Shaped(self.found[name], self.scratch)
        talk.ready()
        return talk

    def measured(self, value: bytes) -> dict[str, tuple[float, float, float]]:
        """(p50 us, CPU us, calls a second) of each target."""
        talks = {name: self.start(name) for name in self.found}
        out: dict[str, list[tuple[float, float, float]]] = {name: [] for name in talks}
        for talk in talks.values():
            talk.value = value
            talk.ping_pong(200)
        for _ in range(ROUNDS):
            for name in self.shuffled():
                talk = talks[name]
                pids = talk.tree() if name != "direct" else []
                before = cpu(pids)
                middle = statistics.median(talk.ping_pong(CALLS))
                used = (cpu(pids) - before) / CALLS * 1e6
                out[name].append((middle, used, talk.pipelined(PIPED)))
        for talk in talks.values():
            talk.close()
        return {
            name: (min(r[0] for r in found), min(r[1] for r in found), max(r[2] for r in found))
            for name, found in out.items()
        }


def report(scratch: Path) -> tuple[str, bool]:
    if not Path("/proc/self/schedstat").exists():
        return "shapes: not measured here, it needs /proc", True
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    found: dict[str, list[str]] = {}
    for name, text in SHAPES.items():
        file = scratch / f"{name.replace(' ', '-')}.toml"
        file.write_text(text, "utf-8")
        file.chmod(0o600)
        made = targets(scratch, scratch / "root", file)
        found |= {"direct": made["direct"], "relay": made["relay"], name: made["mcpgov"]}
    run, lines, met = ShapesRun(scratch, found), [], True
    for kind, value in VALUES.items():
        rows = run.measured(value)
        lines += [f"a call with {kind}", f"{'policy':<20}{'added p50':>11}{'CPU':>8}{'calls/s':>9}   targets"]
        direct, relay = rows["direct"], rows["relay"]
        for name in SHAPES:
            ours = rows[name]
            ratios = (ours[0] - direct[0]) / (relay[0] - direct[0]), ours[1] / relay[1], ours[2] / relay[2]
            # Words are what the targets are about; the others are shown, so that no kind is forgotten.
            target = TARGETS.get(name, USUAL) if kind == "words" else None
            ok = target is None or (ratios[0] <= target[0] and ratios[1] <= target[1] and ratios[2] >= target[2])
            met = met and ok
            goal = "" if target is None else f"   <= {target[0]}x, <= {target[1]}x, >= {target[2]}x"
            lines.append(
                f"{name:<20}{ratios[0]:>10.2f}x{ratios[1]:>7.2f}x{ratios[2]:>8.2f}x{goal}{'' if ok else ' MISSED'}"
            )
        lines.append("")
    return "\n".join(lines).rstrip(), met
