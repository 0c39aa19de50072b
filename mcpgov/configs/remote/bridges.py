"""Bridges in a command line: a stdio server that does nothing but reach a URL. Pure.

They are governed as what they are, stdio servers; where they lead is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcpgov.configs.remote.masked_url import masked_url

# Per tool: the options whose value is the URL; () takes the first URL behind its name.
TOOLS: dict[str, tuple[str, ...]] = {
    "mcp-remote": (), "mcp-remote-client": (), "supergateway": ("--sse", "--streamableHttp"), "mcp-proxy": (),
    "fastmcp": (), "mcp-remote-go": (), "mcp-streamablehttp-proxy": (),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bridge:
    tool: str
    url: str

    @property
    def note(self) -> str:
        return f"a bridge ({self.tool}) to {masked_url(self.url)}"


def bridge_in(argv: Sequence[str]) -> Bridge | None:
    """The bridge that this command line starts; also behind npx, uvx, docker, a shell's `-c`."""
    words = [word for given in argv for word in (given.split() if " " in given else [given])]
    for at, word in enumerate(words):
        tool = _package(word)
        if tool in TOOLS and (tool != "fastmcp" or words[at + 1 : at + 2] == ["run"]):
            url = _url(words[at + 1 :], TOOLS[tool])
            if url:
                return Bridge(tool, url)
    return None


def _package(word: str) -> str:
    """The name of a program or package: without directory, scope, version and ending."""
    name = word.replace("\\", "/").rsplit("/", 1)[-1].partition("==")[0]
    name = name.partition("@")[0] if not name.startswith("@") else name
    for ending in (".cmd", ".exe", ".js"):
        name = name.removesuffix(ending)
    return name


def _url(words: Sequence[str], options: Sequence[str]) -> str:
    behind = ""
    for word in words:
        name, equals, value = word.partition("=")
        text = value if equals and name in options else word
        if _is_url(text) and (not options or name in options or behind in options):
            return text
        behind = word
    return ""


def _is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))
