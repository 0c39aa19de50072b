"""Our question inside the app: can the client be asked, and what did it answer. Pure; the proxy's side.

Laws: only an accept with one of our words is an answer, a decline is `deny`, all else (cancel, an accept without
content, an error) answers nothing. The key and the state are ours alone: they are taken out before a request is
forwarded, and what the request carried for the server (2026-07-28) is put back.
"""

from __future__ import annotations

from mcpgov.core.json.values import parse
from mcpgov.core.messages.input_requests import OUR_KEY as KEY
from mcpgov.core.messages.input_requests import OUR_STATE as STATE
from mcpgov.core.messages.wire import dump
from mcpgov.core.session.session_state import RESERVED

METHOD = "elicitation/create"
FIRST, STATELESS = "2025-06-18", "2026-07-28"
FIELD = "decision"
IDENT = RESERVED
LONGEST_STATE = 64 * 1024
ONCE, SESSION, DENY = "once", "session", "deny"
WORDS = (ONCE, SESSION, DENY)
REQUEST, RESULT = "request", "result"


def way_to_ask(version: str, capabilities: object) -> str:
    """How a client with these capabilities can be asked: by a request of ours, inside a result, or "" not at all."""
    found = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    if not isinstance(found, dict) or version < FIRST:
        return ""
    if "url" in found and "form" not in found:  # `{}` means forms
        return ""
    return RESULT if version >= STATELESS else REQUEST


def identifier(number: str, secret: str) -> str:
    """The id of our request. `secret`: of this session, so that no server can have chosen the same."""
    return f"{IDENT}{number}-{secret}"


def word_of(response: object) -> str:
    """What a response says (the `result` of our request, or an input response): one of WORDS, or nothing."""
    if not isinstance(response, dict):
        return ""
    if response.get("action") == "decline":
        return DENY
    content = response.get("content")
    if response.get("action") != "accept" or not isinstance(content, dict):
        return ""
    word = content.get(FIELD)
    return word if isinstance(word, str) and word in WORDS else ""


def asking_result(
    question: object, number: str, params: dict[str, object], *, answer: bool = False
) -> dict[str, object] | None:
    """The result that asks. `question`: the parameters of the elicitation; `params`: those of the held request.

    `answer`: what is held is the server's answer, so that nothing of the request will be sent again.
    None: what the request carries for the server is too long to travel in our state.
    """
    kept: dict[str, object] = {key: params[key] for key in ("requestState", "inputResponses") if key in params}
    kept["number"] = number
    if answer:
        kept["answer"] = True
    state = STATE + dump(kept)
    if len(state) > LONGEST_STATE:
        return None
    asked = {KEY: {"method": METHOD, "params": question}}
    return {"resultType": "input_required", "inputRequests": asked, "requestState": state}


class Taken:
    """What a repeated request brings: to which question, the word (may be ""), and the parameters for the server.

    `answer`: the question was about the server's answer, which was there already.
    """

    __slots__ = ("answer", "number", "params", "word")

    def __init__(self, number: str, word: str, params: dict[str, object], answer: bool = False) -> None:
        self.number = number
        self.word = word
        self.params = params
        self.answer = answer


def take_answer(params: dict[str, object]) -> Taken | None:
    """Our part out of a request's parameters; None: there is none. With a state that is not ours it answers nothing."""
    given = params.get("inputResponses")
    responses = given if isinstance(given, dict) else {}
    kept = _kept(params.get("requestState"))
    if kept is None and KEY not in responses:
        return None
    rest = {key: item for key, item in params.items() if key != "inputResponses"}
    others = {key: item for key, item in responses.items() if key != KEY}
    if kept is None:
        return Taken("", "", {**rest, "inputResponses": others} if others else rest)
    del rest["requestState"]
    before = kept.get("inputResponses")
    others = {**(before if isinstance(before, dict) else {}), **others}
    if others:
        rest["inputResponses"] = others
    if "requestState" in kept:
        rest["requestState"] = kept["requestState"]
    return Taken(str(kept["number"]), word_of(responses.get(KEY)), rest, kept.get("answer") is True)


def _kept(state: object) -> dict[str, object] | None:
    if not isinstance(state, str) or not state.startswith(STATE) or len(state) > LONGEST_STATE:
        return None
    try:
        found = parse(state[len(STATE) :])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("number"), str) else None
