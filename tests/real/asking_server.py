"""A server on the real SDK whose tools ask the client back, in whichever era the client speaks.

In the handshake era a question is a request of its own; in the stateless one it travels inside the result, and the
call is repeated with the answer.
"""

from typing import Annotated

from mcp.server.mcpserver import Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp.types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("asking")


class Colour(BaseModel):
    colour: str


async def sampled(prompt: str) -> Sample:
    return Sample([SamplingMessage(role="user", content=TextContent(type="text", text=prompt))], max_tokens=10)


async def elicited() -> Elicit[Colour]:
    return Elicit("which colour", Colour)


async def rooted() -> ListRoots:
    return ListRoots()


@server.tool()
async def think(prompt: str, answer: Annotated[CreateMessageResult, Resolve(sampled)]) -> str:
    return f"thought of {prompt}: {answer.content.text}"


@server.tool()
async def ask(answer: Annotated[Colour, Resolve(elicited)]) -> str:
    return f"the colour is {answer.colour}"


@server.tool()
async def places(answer: Annotated[ListRootsResult, Resolve(rooted)]) -> str:
    return " ".join(str(root.uri) for root in answer.roots)


if __name__ == "__main__":
    server.run("stdio")
