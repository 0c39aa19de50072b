"""What looking for private data costs, beside `json.loads` of the same line; and false alarms in real files.

The files are those of this machine: the standard library, installed packages, documents, lock files, logs. What they
hold that is private by its form (numbers in tests and documents of checksum libraries) is left out by name.
"""

import base64
import json
import os
import random
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import privacy_proxy
import rows
from rows import Row

from mcpgov.guards.patterns import compile_bytes
from mcpgov.guards.privacy.detector import KINDS, Detector
from mcpgov.guards.privacy.gate import line_pattern
from mcpgov.guards.privacy.line_gate import LineGate
from mcpgov.guards.privacy.search.findings import Finding
from mcpgov.guards.privacy.search.gate_places import GatePlaces
from mcpgov.guards.screening.guard import CompiledGate

MB = 1_000_000
ENDINGS = ".py .pyi .js .mjs .cjs .ts .json .md .txt .lock .yaml .yml .toml .log .svg .html .css .map .rst .xml .cfg"
PLACES = (
    "/usr/lib/python3", "/usr/lib/node_modules", "/usr/local/lib", "/usr/share", "/usr/lib", "/var/log", "/etc",
    str(Path(__file__).parents[2] / ".tools"),
)  # fmt: skip
LEAST = 50 * MB
SHARE = 40 * MB  # of one place
# Libraries that hold numbers of people, made up or not, by their purpose: those of checksums, and their tests.
LEFT_OUT = ("stdnum", "phonenumbers", "moto", "faker", "zod/src")
FLOOR = 100  # MB a second: with too little memory RE2 falls back, silently, to 4
SECRETS = ("api_key", "private_key", "jwt", "credential_url")
# What a text repeats that is made to keep the search busy: nearly a number, a head, a statement, a name in a long run.
HOSTILE = (
    "123-45-6789 ", "passwd,", "insert into a (token) values (", "BEGIN X PRIVATE KEY \n", "ASE_PWD=fEmH16#",
    "api_key,owner\nmail,q8Zr4LmN2vTt7Yb1", "r_pat_XNgSkSp7y", "a --password L5", " -p1", " / a1", " -U a%1",
    "pwd=a1&b2", "pw,a\n", "glpat-" * 40 + " ", "-eyJabcdefghij", "1234567 fax ", "a1Q~", "passwd," * 60 + "'(\n",
    "key-1a-" * 25 + " ", "\x1b[31mpwd=a1", "%41%42key=a1", "https://a:b", "4111 1111 1111 1112 ",
)  # fmt: skip
# Words that are repeated in no order: what counts from each of them has as many states as there are orders.
WORDS = (
    ("token", ":"), ("-M", "-MA", "pwd"), ("iban", "_auth", "--", "["), ("ssn", "phone", "secret", "\t", "\n"),
    ("login", "password", ":", "passwd", "eyJ"), ("secret", "PRIVATE KEY", '"'), ("00", ")"), ("01", "(", " ", ")"),
    ("0", "1", " "), ("|", "password", " ", "a1"),
)  # fmt: skip


def message(text: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}}).encode()


def filled(line: Callable[[], str]) -> str:
    out, size = [], 0
    while size < MB:
        out.append(line())
        size += len(out[-1]) + 1
    return "\n".join(out)


def lines() -> dict[str, bytes]:
    chance = random.Random(7)
    whole = chance.randint
    log = filled(
        lambda: (
            f"2026-11-{whole(1, 28):02} 12:{whole(0, 59):02}:07.{whole(0, 999):03} INFO worker-{whole(1, 99)} GET "
            f"/api/v1/items/{whole(1, 10**6)}?page={whole(1, 9)} 200 {whole(1, 999)}ms {chance.getrandbits(128):032x}"
        )
    )
    row = [
        {"id": at, "uuid": f"{chance.getrandbits(32):08x}-9dc0-41d1-b245-{chance.getrandbits(48):012x}",
         "name": f"item {at}", "price": whole(1, 9999) / 100, "created": "2026-11-18T04:05:46Z", "tags": ["new"]}
        for at in range(6000)
    ]  # fmt: skip
    schema = {"type": "object", "properties": {"path": {"type": "string"}, "token": {"type": "string"}}}
    about = "Reads a file and returns its text; the path must be inside a root."
    tool = {"name": "read_file", "description": about, "inputSchema": schema}
    return {
        "tools": json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool] * 4500}}).encode(),
        "rows": json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {"rows": row}}}).encode(),
        "logs": message(log),
        "base64": message(base64.b64encode(chance.randbytes(750_000)).decode()),
    }


def best(work: Callable[[], object], rounds: int = 9) -> float:
    """Milliseconds of CPU."""
    least = 9e9
    for _ in range(rounds):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return least * 1e3


def texts_of(value: object) -> list[str]:
    out: list[str] = []
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            out.append(item)
        elif isinstance(item, dict):
            left += item.values()
        elif isinstance(item, list):
            left += item
    return out


def dirty() -> dict[str, bytes]:
    """About one finding a kilobyte: in rows with short fields, and in one long text."""
    values = ("ada{}@corp.io", "4111 1111 1111 1111", "+1 415 555 {:04}", "DE89370400440532013000", "pwd=Ihq{}Sb1Gg9x")
    row = [
        {"id": at, "name": f"item {at}", "state": "open", "price": at / 7, "created": "2026-11-18T04:05:46Z",
         "note": "nothing to be told of it", "who": values[at % 5].format(at % 1000) if at % 6 == 0 else "nobody"}
        for at in range(7000)
    ]  # fmt: skip
    note = "The worker has done the job and it took a while; nothing else is to be told of it. " * 11
    text = "\n".join(note + values[at % 5].format(at) for at in range(1000))
    rows_of_fields = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {"rows": row}}})
    return {"rows": rows_of_fields.encode(), "text": message(text)}


def speed(detector: Detector, gate: LineGate) -> list[Row]:
    out = []
    for kind, line in lines().items():
        size = len(line) / MB
        loads, gated = best(lambda line=line: json.loads(line)), best(lambda line=line: gate.may_hold(line))
        out.append(Row.most(f"clean {kind}, per MB", gated / size, 5, "ms"))
        out.append(Row.most(f"clean {kind}, beside json.loads", gated / loads, 3, "x"))
        if kind == "logs":
            out.append(
                Row.most("clean logs, 10 KB", best(lambda line=line: gate.may_hold(line[:10_240]), 99), 0.05, "ms", 3)
            )
        if gate.may_hold(line):
            out.append(Row(f"clean {kind}", "the gate fires", "not", False))
    log = lines()["logs"]
    rate = len(log) / 1e3 / best(lambda: gate.may_hold(log))
    out.append(Row("gate over 1 MB, each second", f"{rate:.0f} MB", f">= {FLOOR} MB", rate >= FLOOR))
    places = detector.places
    assert places is not None
    for kind, line in dirty().items():
        share = len(found_in(line, detector, gate)) / len(line) * 1e3
        out.append(Row(f"dirty {kind}: findings per KB", f"{share:.2f}", ">= 0.9", share >= 0.9))
        loads = best(lambda line=line: json.loads(line))
        searched = best(lambda line=line: every_place(places, line))
        out.append(Row(f"dirty {kind}: where something may be, beside json.loads", f"{searched / loads:.2f} x"))
    return [*out, *busy(detector, gate)]


def every_place(places: GatePlaces, data: bytes) -> None:
    """RE2 alone: what no check behind it can be faster than."""
    at = 0
    while at >= 0:
        start, end = places.search(data, at)
        at = end if start >= 0 else -1


def busy(detector: Detector, gate: LineGate) -> list[Row]:
    """Texts that are made to keep the search busy."""
    chance = random.Random(1)
    texts = [unit * (MB // 4 // len(unit)) for unit in HOSTILE]
    texts += ["".join(chance.choices(words, k=MB // 16))[: MB // 4] for words in WORDS]
    slowest = max(best(lambda text=text: detector.find(text), 1) / len(text) for text in texts) * 1e3
    gated = max(best(lambda text=text: gate.may_hold(text.encode()), 1) / len(text) for text in texts) * 1e3
    return [
        Row(f"made to keep it busy, slowest of {len(texts)} texts, per MB", f"{slowest:.2f} s"),
        Row("the same, the gate alone", f"{gated:.2f} s"),
    ]


def line_gate() -> LineGate:
    """As a proxy has it."""
    places = compile_bytes(line_pattern(frozenset(KINDS)).encode("latin-1"))
    return LineGate(CompiledGate(places, []))  # type: ignore[arg-type]


def found_in(line: bytes, detector: Detector, gate: LineGate) -> list[Finding]:
    if not gate.may_hold(line):
        return []
    found = detector.find_all(texts_of(json.loads(line)))
    return [one for findings in found.values() for one in findings]


def files() -> Iterator[Path]:
    """Text files of this machine, a share of each place."""
    own = sysconfig.get_paths()
    endings = {*ENDINGS.split(), ""}
    for place in dict.fromkeys((own["purelib"], own["stdlib"], *PLACES)):
        yield from files_of(place, endings)


def files_of(place: str, endings: set[str]) -> Iterator[Path]:
    size = 0
    for folder, _, names in os.walk(place):
        if any(name in folder for name in LEFT_OUT):
            continue
        for name in sorted(names):
            path = Path(folder, name)
            if path.suffix in endings and not path.is_symlink() and path.is_file():
                size += path.stat().st_size
                yield path
        if size > SHARE:
            return


def false_alarms(detector: Detector) -> list[Row]:
    found: Counter[str] = Counter()
    size, seen = 0, set()
    for path in files():
        try:
            data = path.read_bytes()
            text = data.decode("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if not 0 < len(data) < 2 * MB or (mark := hash(data)) in seen:
            continue
        seen.add(mark)
        size += len(data)
        for one in detector.find(text):
            found[one.kind] += 1
            if "--show" in sys.argv and one.kind != "email":
                print(one.kind, path, repr(text[max(0, one.start - 40) : one.end + 10]))
    secrets = sum(found[kind] for kind in SECRETS)
    megabytes = size / MB
    out = [Row("files read", f"{megabytes:.0f} MB", f">= {LEAST // MB} MB", size >= LEAST)]
    out.append(Row.most("keys and tokens found there, per MB", secrets / megabytes, 0.1, "", 3))
    out.append(Row.most("phones found there, per MB", found["phone"] / megabytes, 0.05, "", 3))
    out.append(Row.most("cards found there", found["credit_card"], 0, "", 0))
    out.append(Row("addresses found there (of authors, mostly)", str(found["email"])))
    return out


def report(scratch: Path) -> tuple[str, bool]:
    detector = Detector()
    gate = line_gate()
    found = [Row("gate compiled", f"{best(line_gate, 5):.1f} ms"), *speed(detector, gate)]
    found += [*privacy_proxy.read(scratch, dirty(), best), *privacy_proxy.added(scratch)]
    return rows.table([*found, *false_alarms(detector)])
