"""Real readers of a line, as servers have them: each says which messages it finds in some bytes."""

import base64
import io
import json
import os
import shutil
import struct
import subprocess

from pydantic_core import from_json

NODE = shutil.which("node")


def asks_node():
    """Is there a Node to ask? Where CI runs there must be: a reader that is not asked agrees with everything."""
    assert NODE is not None or not os.environ.get("CI"), "node is not installed, and CI is set"
    return NODE is not None


SCRIPT = r"""
const view = new DataView(new ArrayBuffer(8));
const number = (v) => { view.setFloat64(0, v === 0 ? 0 : v); return "#" + view.getBigUint64(0).toString(16); };
const read = (text) => text.split(/\r?\n|\r(?!\n)|\u2028|\u2029/).filter((line) => line.trim()).map((line) => {
  try { return [JSON.parse(line, (key, value) => typeof value === "number" ? number(value) : value)]; }
  catch { return []; }
});
require("readline").createInterface({input: process.stdin}).on("line", (line) => {
  const text = new TextDecoder("utf-8").decode(Buffer.from(line, "base64"));
  process.stdout.write(JSON.stringify(read(text).flat()) + "\n");
});
"""


class Node:
    """One child for all lines: base64 in, the messages it finds out; numbers as the bits of their double."""

    def __init__(self):
        self._child = subprocess.Popen([NODE, "-e", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, data):
        self._child.stdin.write(base64.b64encode(data) + b"\n")
        self._child.stdin.flush()
        return json.loads(self._child.stdout.readline())

    def close(self):
        self._child.stdin.close()
        self._child.wait(5)
        self._child.stdout.close()


def bits(value):
    """A value as a reader with doubles sees it."""
    if isinstance(value, dict):
        return {key: bits(item) for key, item in value.items()}
    if isinstance(value, list):
        return [bits(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    try:
        double = float(value) + 0.0
    except OverflowError:
        double = float("inf") if value > 0 else -float("inf")
    return "#" + struct.pack(">d", double).hex().lstrip("0") if double else "#0"


def universal_newlines(data):
    return _loaded(io.TextIOWrapper(io.BytesIO(data), "utf-8", "replace", newline=None))


def split_lines(data):
    return _loaded(data.decode("utf-8", "replace").splitlines())


def first_key_wins(data):
    return _loaded(data.decode("utf-8", "replace").split("\n"), lambda pairs: dict(reversed(pairs)))


def pydantic(data):
    found = []
    for line in data.splitlines():
        try:
            found.append(from_json(line))
        except ValueError:
            continue
    return found


def _loaded(lines, hook=None):
    found = []
    for line in lines:
        try:
            found.append(json.loads(line, object_pairs_hook=hook))
        except ValueError:
            continue
    return found


EXACT = [universal_newlines, split_lines, first_key_wins]


def folding(data, last):
    """A reader that ignores case, and takes the first or the last of equal keys."""

    def hook(pairs):
        return {key.casefold(): value for key, value in (pairs if last else reversed(pairs))}

    return _loaded(data.decode("utf-8", "replace").split("\n"), hook)


def folded(value):
    if isinstance(value, dict):
        return {key.casefold(): folded(item) for key, item in value.items()}
    return [folded(item) for item in value] if isinstance(value, list) else value
