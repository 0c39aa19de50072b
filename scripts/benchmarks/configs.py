"""What it costs to wrap one new server in a very large `~/.claude.json`, beside what `json.loads` of that file costs.

Each round runs both in processes of their own, in turn; CPU is that of the work alone, memory is the highest that the
whole process ever held.
"""

import json
import random
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from rows import Row, table

PROJECTS, HISTORY, ROUNDS = 3_000, 285, 7
MOST_CPU, MOST_MEMORY = 3.0, 6.0

MEASURED = """
import json, os, resource, sys

def spent():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime

def peak():
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Not ru_maxrss: that remembers who started us.
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
"""
LOADS = """
from pathlib import Path
text = Path(sys.argv[1]).read_bytes()
before = spent()
json.loads(text)
print(json.dumps([spent() - before, peak()]))
"""
WRAP = """
from pathlib import Path
from mcpgov.configs.locations import Home
from mcpgov.configs.config_pass import Worker
home = Path(sys.argv[1]).parent
(home / "bin").mkdir(exist_ok=True)
(home / "bin" / "mcpgov-proxy").touch()
worker = Worker(Home(home, home / "state", home / "bin" / "mcpgov-proxy", ("claude-code",), environ={}))
(source,) = [source for source in worker.sources() if source.user_level]
before = spent()
found = worker.sync(source)
after = spent()
assert [entry.name for entry in found.entries if entry.result == "wrapped"] == ["new"], found.reason
print(json.dumps([after - before, peak()]))
"""


def claude(file: Path, tip: str = "", projects: int = PROJECTS) -> Path:
    """A long life with Claude Code: projects with a history of short strings; two servers, one of them new."""
    chance = random.Random(7)
    words = [
        "fix",
        "the",
        "tests",
        "in",
        "src/main.py",
        "please",
        "now",
        "deploy",
        "why",
        "does",
        "it",
        "fail",
        "again",
    ]

    def project(number: int) -> dict[str, object]:
        history = [" ".join(chance.choices(words, k=chance.randint(2, 8))) for _ in range(HISTORY)]
        return {"allowedTools": [], "history": history, "mcpServers": {}, "lastCost": number / 7, "hasTrust": True}

    whole = {
        "numStartups": 4211,
        "tip": tip,
        "mcpServers": {"new": {"type": "stdio", "command": "uvx", "args": ["mcp-server-git"], "env": {}}},
        "projects": {f"/home/user/projects/p{number}": project(number) for number in range(projects)},
    }
    with file.open("w", encoding="utf-8") as out:
        json.dump(whole, out, indent=2, ensure_ascii=False)
    return file


def once(code: str, file: Path) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-I", "-c", MEASURED + code, str(file)], capture_output=True, text=True, check=True
    )
    cpu, memory = json.loads(done.stdout)
    return cpu, memory


def maker(file: Path) -> list[str]:
    """A command that makes it: whoever holds it all in memory would be remembered by its children."""
    code = "import sys; sys.path[:0] = sys.argv[1:2]; from configs import *; claude(Path(sys.argv[2]), *sys.argv[3:])"
    return [sys.executable, "-c", code, str(Path(__file__).parent), str(file)]


def claude_of(home: Path) -> Path:
    home.mkdir()
    subprocess.run([*maker(home / ".claude.json"), "\U0001f389"], check=True)
    return home / ".claude.json"


def measure(scratch: Path) -> dict[str, list[tuple[float, float]]]:
    made = scratch / "made.json"
    subprocess.run(maker(made), check=True)
    out: dict[str, list[tuple[float, float]]] = {"json.loads": [], "wrap": []}
    for number in range(ROUNDS):
        home = scratch / str(number)
        home.mkdir()
        file = Path(shutil.copyfile(made, home / ".claude.json"))
        for name, code in random.sample([("json.loads", LOADS), ("wrap", WRAP)], 2):
            out[name].append(once(code, made if name == "json.loads" else file))
        shutil.rmtree(home)
    out["size"] = [(0.0, made.stat().st_size)]
    # One wide letter makes every letter of a Python text wide.
    wide = claude_of(scratch / "wide")
    out["wide"] = [once(LOADS, wide), once(WRAP, wide)]
    return out


def report(scratch: Path) -> tuple[str, bool]:
    found = measure(scratch)
    size = found["size"][0][1]
    loads, wrap = (statistics.median(cpu for cpu, _ in found[name]) for name in ("json.loads", "wrap"))
    pairs = zip(found["wrap"], found["json.loads"], strict=True)
    ratio = statistics.median(ours / theirs for (ours, _), (theirs, _) in pairs)
    memory = statistics.median(peak for _, peak in found["wrap"])
    plain = statistics.median(peak for _, peak in found["json.loads"])
    wide = [peak for _, peak in found["wide"]]
    rows = [
        Row("the file", f"{size / 1e6:.1f} MB, {PROJECTS} projects"),
        Row("json.loads", f"{loads * 1e3:.0f} ms CPU, {plain / 1e6:.0f} MB"),
        Row("wrap one new entry", f"{wrap * 1e3:.0f} ms CPU, {memory / 1e6:.0f} MB"),
        Row.most("CPU, x json.loads", ratio, MOST_CPU, "x"),
        Row.most("peak memory, x size", memory / size, MOST_MEMORY, "x"),
        Row("with one emoji: peak memory", f"{wide[1] / size:.2f} x (json.loads: {wide[0] / size:.2f} x)"),
    ]
    return table(rows)
