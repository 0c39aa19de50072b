"""The directories that a client gives its server: answers to `roots/list`. Pure."""

from __future__ import annotations

from mcpgov.core.rules.spellings import file_paths, normal, unquote

MOST_ROOTS = 16


def roots_in(answer: object) -> tuple[str, ...]:
    """The directories named by `{"roots": [{"uri": "file:///…"}]}`, as they are and decoded."""
    roots = answer.get("roots") if isinstance(answer, dict) else None
    if not isinstance(roots, list):
        return ()
    out: dict[str, None] = {}
    for root in roots[:MOST_ROOTS]:
        uri = root.get("uri") if isinstance(root, dict) else root
        if isinstance(uri, str):
            for path in file_paths(uri) or (uri,):
                out.update(dict.fromkeys(normal(each) for each in (path, unquote(path)) if each.startswith("/")))
    return tuple(out)


def roots_in_responses(params: dict[str, object]) -> tuple[str, ...]:
    """roots_in() for the answers that a request brings along, each under its own name."""
    responses = params.get("inputResponses")
    if not isinstance(responses, dict):
        return ()
    bodies = [body for each in responses.values() if isinstance(each, dict) for body in (each, each.get("result"))]
    return tuple(dict.fromkeys(path for body in bodies for path in roots_in(body)))
