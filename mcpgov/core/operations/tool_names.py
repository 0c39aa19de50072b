"""A tool's name -> its operation: which word is the verb, and what its object makes of it. Pure.

Law: `read` is for tools that change nothing; a name that is not understood is `unknown`, never `read`.
"""

from __future__ import annotations

from mcpgov.core.operations import argument_names as text
from mcpgov.core.operations.vocabulary import nouns as n
from mcpgov.core.operations.vocabulary import objects as o
from mcpgov.core.operations.vocabulary import verbs as v
from mcpgov.core.operations.vocabulary.places import PLACES
from mcpgov.core.operations.vocabulary.short_forms import SHORT_FORMS
from mcpgov.core.operations.vocabulary.trade_nouns import is_noun
from mcpgov.core.operations.vocabulary.verb_objects import object_classes
from mcpgov.core.operations.words import words

OPERATIONS = ("read", "write", "delete", "execute", "admin", "unknown")
RANK = {name: rank for rank, name in enumerate(OPERATIONS)}
_DIGITS = "0123456789"
# Places that are names only: what may be a verb or an object in a name is not passed over.
_PLACE_NAMES = frozenset(
    word
    for places, *_ in PLACES
    for word in places
    if not (word in v.STRONG or word in v.WEAK or word in v.NOUN_LIKE or word in n.NOUNS or word in n.READ_NOUNS)
    and not (word in o.OUTWARD or word in o.ACCESS or word in o.OWN or len(word) < 3 or is_noun(word))
)


def tokens_of(name: str) -> list[str]:
    """The words of a name: phrases joined, version digits removed, joined words (`listissues`) split."""
    tokens: list[str] = []
    for word in words(name):
        word = SHORT_FORMS.get(word, word)
        if word not in v.STRONG and word not in v.WEAK and word not in n.PRODUCTS:
            word = word.rstrip(_DIGITS) or word
        if tokens and f"{tokens[-1]}-{word}" in o.PHRASES:
            tokens[-1] = f"{tokens[-1]}-{word}"
        else:
            tokens.append(word)
    lead = tokens[0] if tokens else ""
    if lead not in v.STRONG and lead not in v.WEAK and not _is_listed(lead):
        for cut in range(3, len(lead) - 2):
            verb, noun = lead[:cut], lead[cut:]
            if verb in v.JOINED and _is_listed(noun) and noun != "ion":
                tokens[:1] = [verb, noun]
                break
        for end in ("search", "fetch", "lookup", "info"):  # `websearch`
            if lead.endswith(end) and lead[: -len(end)] in n.NOUNS:
                tokens[:1] = [lead[: -len(end)], end]
    return tokens


def _is_listed(noun: str) -> bool:
    return noun in n.NOUNS or noun.rstrip("s") in n.NOUNS or noun in n.READ_NOUNS or is_noun(noun)


def _is_noun(word: str) -> bool:
    """Is it certainly no verb: listed, an abbreviation (`pg_locks`), or with an ending that verbs do not have?"""
    if _is_listed(word) or len(word) < 3:
        return True
    if len(word) < 6 or word.endswith(n.NOUN_ENDINGS):
        return len(word) > 5
    if word in v.STRONG or word in v.WEAK or word in v.NOUN_LIKE or word in n.VERBS_IN_DISGUISE:
        return False
    return word.endswith(n.LIKELY_ENDINGS) and not word.startswith(n.VERB_OPENINGS)


def _sure_verb(word: str) -> str:
    """The operation of a word that is always a verb, also behind un-, re-, de-, auto-; empty: it is none."""
    kind = v.STRONG.get(word, "") or v.STRONG.get(_american(word), "")
    if kind or len(word) < 6 or word in n.NOUNS or word in n.READ_NOUNS or word in v.WEAK or word in v.NOUN_LIKE:
        return kind
    if word.startswith(("un", "dis")):
        stem = word[2 if word[0] == "u" else 3 :]
        kind = v.STRONG.get(stem, "") or v.WEAK.get(stem, "")
        return "admin" if kind == "admin" else "write" if kind and (kind != "read" or word[0] == "u") else ""
    if word.startswith(("re", "de", "pre", "auto", "cross")):
        stem = word[{"a": 4, "c": 5, "p": 3}.get(word[0], 2) :]
        kind = v.STRONG.get(stem, "") or v.WEAK.get(stem, "")
        return "write" if kind == "read" else kind
    return ""


def _american(word: str) -> str:
    """`notarise`, `dishonour`, `analyse` in the American spelling of the tables."""
    if word.endswith(("ise", "yse")):
        return word[:-2] + "ze"
    return word[:-2] + "r" if word.endswith("our") else word


def trimmed(tokens: list[str], server: frozenset[str]) -> list[str]:
    """The words without meaningless ones in front: the server's own name, a product's, `bulk`, `async`."""
    start = 0
    while (
        start < len(tokens) - 1
        and (
            tokens[start] in n.SKIP
            or (tokens[start] in server and not _is_lead(tokens, start))
            or _is_product(tokens, start)
        )
        and (tokens[start + 1] not in o.PREPOSITIONS)
    ):
        start += 1
    return tokens[start:]


def _is_name(word: str) -> bool:
    return word in n.PRODUCTS or word in _PLACE_NAMES


def _is_product(tokens: list[str], at: int) -> bool:
    """Is it the product whose tool this is (`zoom_list_recordings`)? Before a single word it is that word's object."""
    word, following = tokens[at], tokens[at + 1]
    if len(tokens) - at < 3:  # `brew_upgrade`
        return word in n.PRODUCT_VERBS and v.STRONG.get(following, "read") != "read" and following not in v.DOUBLE
    if _is_name(word):
        return True
    if word not in n.PRODUCT_VERBS:
        # `retell_create_call`: what would be a verb only by its prefix is a name before a verb that is no noun.
        return following in v.STRONG and following not in v.DOUBLE and word not in v.STRONG and bool(_sure_verb(word))
    return following in v.STRONG or following in v.WEAK


def decided(tokens: list[str], server: frozenset[str], tails: dict[str, None]) -> tuple[str, str, str]:
    """The operation, why, and the verb that decides it; no verb: nouns decide, or an argument."""
    front = tokens
    tokens = trimmed(tokens, server)
    cut = len(front) - len(tokens)
    if not tokens:
        return "unknown", "no name", ""
    if dispatched(tokens, server, tails) is not None:
        return "unknown", "the verb is an argument", ""
    while len(tokens) > 1 and tokens[-1] in ("tool", "mcp", "api", "now"):
        tokens = tokens[:-1]
    at, kind = _find_verb(tokens, tails)
    if kind:
        place = (*front[:cut], *server)
        kind, why = _judged(tokens, at, kind, place)
        if kind == "write" and (closing := _closing_verb(tokens, at)):
            other, reason = _judged(tokens, len(tokens) - 1, closing, place)
            kind, why = (other, reason) if RANK[other] > RANK[kind] else (kind, why)
        return kind, why, tokens[at]
    return *_from_nouns(tokens, server, tails), ""


def _judged(tokens: list[str], at: int, kind: str, place: tuple[str, ...]) -> tuple[str, str]:
    """The operation, and why, of the verb at a place in a name, with all that raises it."""
    kind, why = _raise_by_words(tokens, at, kind)
    if kind != "write":
        return kind, why
    verb, things = tokens[at], tokens[at + 1 :] or tokens[:at]
    kind, why = _raise_by_place((*place, *tokens[:at]), verb, things or [""], why)
    if kind == "write" and _is_presumed(verb, tokens[at + 1 :] if verb == "post" else things):
        return o.PRESUMED[verb], f"{why} of something that is no document"
    return kind, why


def _closing_verb(tokens: list[str], at: int) -> str:
    """The operation of a verb at the end of a name whose first verb may be a noun; empty: there is none."""
    last = len(tokens) - 1
    if at == last or tokens[last - 1] in o.PREPOSITIONS or (at == 0 and tokens[0] not in v.LEADS):
        return ""
    if at == last - 1 and at and tokens[last] in v.DOUBLE and tokens[last] not in v.FINAL:
        return ""  # `itinerary_add_stop`
    kind = "" if tokens[last] in n.READ_NOUNS else _sure_verb(tokens[last])
    return "" if kind == "read" else _with_object(tokens, last, kind)


def dispatched(tokens: list[str], server: frozenset[str], tails: dict[str, None]) -> list[str] | None:
    """The subject of a tool whose verb is an argument (`manage_x`, `x_action`, `execute_tool`), else None."""
    head = tokens[-1]
    if head in ("capabilities", "help"):
        return None
    for at, word in enumerate(tokens):
        if word in v.MANAGING and _with_object(tokens, at, "unknown") == "unknown":
            return tokens[at + 1 :] or tokens[:at]
        if word in v.DOERS and head in v.DONE and at == len(tokens) - 2:
            return tokens[:at]
        if _sure_verb(word) and not _is_noun_here(tokens, at):
            return None
    if head in v.DONE and head not in ("tool", "tools"):
        return tokens[:-1]
    choosing = _chooses(tails, head)
    if choosing and text.CODE_ARGS.isdisjoint(tails) and all(_is_noun(word) or word in server for word in tokens):
        return [word for word in tokens if word not in ("tool", "tools")]
    return None


def _chooses(tails: dict[str, None], head: str) -> bool:
    """Does an argument choose what is done? What only looks has modes, too (`directions` by car)."""
    chosen = text.CHOICE_ARGS & tails.keys()
    if chosen == {"mode"} and head in n.READ_NOUNS and head not in n.MADE:
        return False
    return bool(chosen) and head not in ("docs", "guide", "help")


def _is_lead(tokens: list[str], start: int) -> bool:
    """Is it a verb although the server's name contains it (`fetch`)? Not if another verb follows."""
    return bool(_sure_verb(tokens[start])) and not _sure_verb(tokens[start + 1])


def _find_verb(tokens: list[str], tails: dict[str, None]) -> tuple[int, str]:
    """Place and operation of the verb: the first word, else the first certain verb, else a noun-like one."""
    lead, last = tokens[0], len(tokens) - 1
    if last and tokens[last - 1] in v.FRONTED.get(tokens[last], ()):  # `hotel_book`
        return last, _with_object(tokens, last, v.WEAK[tokens[last]])
    agent = lead in v.DOUBLE and tokens[last] == "reader"  # `deploy_reader` reads
    if lead in v.NOTING and last and _is_noted_thing(tokens):
        return 0, "write"
    if lead in v.BESIDES and (kind := _verb_with_head(tokens)):  # `file_flight_plan`, `issue_permit`
        return 0, kind
    if not agent and not _is_noun_here(tokens, 0) and (kind := _sure_verb(lead)):
        return 0, _with_object(tokens, 0, kind)
    weak = v.WEAK.get(lead, "")
    if weak and last and tokens[1] in ("on", "in", "for", "with"):  # `vote_on_poll`
        return 0, _with_object(tokens, 0, weak)
    return _first_sure_verb(tokens, lead, weak) or _noun_like_verb(tokens, lead, weak, tails)


def _first_sure_verb(tokens: list[str], lead: str, weak: str) -> tuple[int, str] | None:
    """A verb behind the first word; `weak`: the operation of the first word if it is a verb."""
    last = len(tokens) - 1
    for at in range(1, last + 1):
        if not _is_noun_here(tokens, at) and (kind := _sure_verb(tokens[at])):
            # `log_search_event`: behind a word that may be a verb itself, a reading verb must close the name.
            # `post` is also the HTTP method: `post_search` posts.
            closes = at == last or tokens[at + 1] in o.PREPOSITIONS
            planned = lead == "post" or (lead in v.HANDING and tokens[at] in v.PLANNED)  # `schedule_export`
            if kind == "read" and weak and tokens[at] in v.NOUNISH and (not closes or planned):
                return 0, weak
            if kind == "write" and lead in v.SAYING and _is_said_noun(tokens, at):
                return 0, weak  # `announce_stage_change`
            if (
                kind == "write"
                and at == last == 1
                and tokens[at] in v.CLOSING
                and not (_is_noun(lead) or lead in n.PRODUCTS)
            ):
                return None
            return at, _with_object(tokens, at, kind)
    return None


def _noun_like_verb(tokens: list[str], lead: str, weak: str, tails: dict[str, None]) -> tuple[int, str]:
    """The verb among words that may be verbs or nouns, decided by the words around them."""
    last = len(tokens) - 1
    if _is_conversion(tokens):
        return 0, ""
    end = tokens[last]
    figures = weak == "execute" and end in v.FIGURES and (lead not in v.SAYING or end.startswith("metric"))
    figures = figures and not (lead in ("charge", "release") and end in ("fee", "fees", "results", "scores"))
    has_object = (weak or lead in v.NOUN_LIKE) and _takes(lead, end) and not figures
    has_object = has_object or (last > 1 and tokens[1] in v.NOTING and not weak)  # `crm_log_activity`
    if last and end in n.READ_NOUNS and not has_object and not text.WRITE_ARGS & tails.keys():
        return 0, ""
    if not weak and last and end not in ("on", "off") and (kind := v.NOUN_LIKE.get(lead, "")):
        head = _until_preposition(tokens)[-1]  # `milk_yield_by_cow`
        return 0, "" if head in v.PARTS or (head in n.READ_NOUNS and not _takes(lead, head)) else _with_object(
            tokens, 0, kind
        )
    for at in (min(1, last), last, 0) if weak == "read" else (0, min(1, last), last):
        if weak == "read" and at == last and last > 1 and end in n.READ_NOUNS:
            continue  # `quote_freight_rate`
        if (kind := v.WEAK.get(tokens[at], "")) and _may_act(tokens, at):
            return at, _with_object(tokens, at, kind)
    if end in ("on", "off") and last:  # `light_on`
        turned = next((kind for nouns, kind in object_classes(f"turn-{end}") if not nouns.isdisjoint(tokens)), "write")
        return last, turned
    return (last, "write") if end == "new" and last else (0, "")


def _takes(verb: str, head: str) -> bool:
    """Can a verb that is a noun as well have this reading noun as its object (`log_result`, `feed_children`)?"""
    if head in n.MATTER:
        return True
    noun = verb in v.BODILY or (verb in v.NOUN_LIKE and _is_listed(verb))
    return head in n.NOTED and not noun


def _is_said_noun(tokens: list[str], at: int) -> bool:
    """Is a changing verb at the end the noun of a message (`announce_stage_change`)?"""
    return tokens[at] in v.DOUBLE and at == len(tokens) - 1 > 1 and o.DRAFTS.isdisjoint(tokens)


def _is_noted_thing(tokens: list[str]) -> bool:
    """Is all that follows `note` or `log` what is noted? Not a verb that is no noun, or that ends the name."""
    verbs = [at for at in range(1, len(tokens)) if v.STRONG.get(tokens[at], "read") != "read"]
    nouns = all(tokens[at] in v.DOUBLE or tokens[at] in v.BODILY for at in verbs)
    ends = len(verbs) == 1 and verbs[-1] == len(tokens) - 1
    closed = ends and tokens[0] not in ("draft", "log", "record")  # `log_call` notes it
    return bool(verbs) and nouns and not closed and tokens[-1] not in v.FINAL


def _verb_with_head(tokens: list[str]) -> str:
    """The operation of a first word that is a verb only before certain head nouns; empty: it is a noun here."""
    head = _until_preposition(tokens)[-1]
    return next((kind for nouns, kind in object_classes(tokens[0]) if head in nouns), "") if len(tokens) > 1 else ""


def _may_act(tokens: list[str], at: int) -> bool:
    """Is a noun-like verb a verb at this place?"""
    last = len(tokens) - 1
    if at == last and last and tokens[at] in v.FRONT and not (at == 1 and tokens[0] in n.PRODUCTS):
        return tokens[at] == "type" and not v.HANDS.isdisjoint(tokens)
    if at == last and last and tokens[at] in ("permissions", "roles"):
        return False  # `user_permissions`
    return at == last or tokens[last] not in v.PARTS


def _is_noun_here(tokens: list[str], at: int) -> bool:
    """Is a changing verb a noun here because of the last word: `run_details`, `import_status`?"""
    word, end, near = tokens[at], tokens[-1], at == len(tokens) - 2
    if at == 0 and word in v.THINGS_FIRST and _is_plain_verb(tokens, 1):  # `survey_submit_response`
        return True
    if at == len(tokens) - 1 and at and tokens[at - 1] in v.HANDING and word in v.DOUBLE:
        return v.STRONG.get(word) == "write"  # `post_update` posts
    if word in v.BODILY and at < len(tokens) - 1 and end in n.READ_NOUNS and end not in n.MATTER:
        return True  # `berth_occupancy`
    if word in v.OFFERED:
        return near and end in v.TERMS
    if word in v.TELLS and end not in v.OF_ACTS:  # `send_results` sends; `email_send_status` looks
        sent = at > 0 and (tokens[at - 1] in o.OUTWARD or tokens[at - 1] in v.SAYING)
        return sent and near and end in v.STAGES
    if at == 0 and word in v.ORDERS and not (near and word != "reset"):  # `reset_reading_progress`
        return False
    if word in v.THINGS:
        return at < len(tokens) - 1 and (end in v.STAGES or (near and end in v.STATES))
    return near and word in v.PROCESSES and end in v.STAGES


def _is_plain_verb(tokens: list[str], at: int) -> bool:
    """Is the word at a place, or the last one, a verb and never a noun?"""
    last = len(tokens) - 1
    if last < at or not o.JOIN.isdisjoint(tokens) or not o.PREPOSITIONS.isdisjoint(tokens):
        return False
    return any(
        v.STRONG.get(word, "read") != "read" and (word not in v.DOUBLE or word in v.FINAL or word == "set")
        for word in (tokens[at], tokens[last])
    )


def _is_conversion(tokens: list[str]) -> bool:
    """`pdf_to_text`: the result is returned, not written to a file."""
    return "to" in tokens[1:-1] and tokens[-1] in v.ANSWERS


def _with_object(tokens: list[str], at: int, kind: str) -> str:
    if not kind:
        return kind
    others = tokens[at + 1 :] or tokens[:at]
    if tokens[at] == "apply":
        others = tokens  # `salt_apply_state`
    if "to" in others[:-1] and tokens[at] in ("convert", "transform"):
        others = others[others.index("to") + 1 :]
    for nouns, turned in object_classes(tokens[at]):
        if not nouns.isdisjoint(others):
            return turned
    if tokens[at] == "evaluate" and at == len(tokens) - 1:
        return "execute"
    return kind


def _raise_by_words(tokens: list[str], at: int, kind: str) -> tuple[str, str]:
    verb, why = tokens[at], f"verb `{tokens[at]}`"
    last = len(tokens) - 1
    clear = last > at + 1 or tokens[last] == "submit" or tokens[last] not in v.DOUBLE
    if kind == "write" and last > at and tokens[last] in v.FINAL and clear:
        kind, why = v.STRONG[tokens[last]], f"{why} raised by verb `{tokens[last]}`"
    for place in range(at + 1, len(tokens)):
        other = _with_object(tokens, place, _sure_verb(tokens[place]))
        if not other and tokens[place - 1] in o.JOIN:
            other = v.WEAK.get(tokens[place], "")
        if other and RANK[other] > RANK[kind] and _is_second_verb(tokens, at, place):
            kind, why = other, f"{why} raised by verb `{tokens[place]}`"
    return _raise_by_object(tokens, at, verb, kind, why)


def _is_second_verb(tokens: list[str], at: int, place: int) -> bool:
    """Is the word at `place` a second verb of the name, not part of the first one's object?"""
    before = place - 1
    while before > at and (tokens[before].endswith("ly") or tokens[before] in ("force", "hard", "bulk", "batch")):
        before -= 1  # `get_and_permanently_delete`
    if tokens[before] in o.JOIN:
        return tokens[place] in v.STRONG or before - 1 == at
    if place == at + 1 < len(tokens) - 1 and v.STRONG.get(tokens[place]) == "delete":
        return tokens[-1] not in n.READ_NOUNS  # `get_delete_file`, but `get_delete_status`
    if tokens[place - 1] in o.PREPOSITIONS or tokens[at] in o.QUESTIONS:
        return False
    last, double = len(tokens) - 1, tokens[place] in v.DOUBLE
    if double and tokens[at] in v.GETTERS and tokens[place] in v.THINGS:
        return False
    if tokens[at] in v.NOUNISH:
        return place == last or (place == at + 1 and not double)
    return place == at + 1 == last and not double and tokens[at] not in v.GETTERS


def _raise_by_object(tokens: list[str], at: int, verb: str, kind: str, why: str) -> tuple[str, str]:
    thing: list[str] = []
    for word in tokens[at + 1 :] or tokens[:at]:
        if word in o.PREPOSITIONS:
            break
        thing.append(word)
    around = [*tokens[:at], *thing] if at else thing  # `security_group_add_rule`
    if kind == "read" and verb in o.REVEALS and thing and thing[-1] in o.SECRET:
        return "admin", f"{why} raised by noun `{thing[-1]}`"
    if kind == "write" and verb in o.CONTROL and not o.LISTS.isdisjoint(tokens[at:]):
        return "admin", f"{why} raised by a list of who may come in"
    if kind in ("write", "execute"):
        for verbs, nouns, anywhere, stricter in o.OBJECTS:
            if verb in verbs and RANK[stricter] > RANK[kind]:
                for word in around if anywhere else thing[-1:]:
                    if word in nouns and (nouns is not o.OUTWARD or o.DRAFTS.isdisjoint(tokens)):
                        kind, why = stricter, f"{why} raised by noun `{word}`"
                        break
    return kind, why


def _raise_by_place(front: tuple[str, ...], verb: str, things: list[str], why: str) -> tuple[str, str]:
    """A verb that writes does more where others look on (`youtube_upload_video`) or a hand would (`browser_accept`)."""
    for places, verbs, objects, spared, stricter in PLACES:
        if (verb in verbs or not verbs) and (things[-1] in objects or not objects) and things[-1] not in spared:
            for word in front:
                if word in places and o.DRAFTS.isdisjoint(things):
                    return stricter, f"{why} raised by `{word}`"
    return "write", why


def _is_presumed(verb: str, things: list[str]) -> bool:
    """Does a verb that seldom only writes (`start`, `cancel`) have an object that is not known as the user's own?"""
    if verb not in o.PRESUMED or not o.OWN.isdisjoint(things) or not things:
        return False
    return all(nouns.isdisjoint(things) for nouns, _ in object_classes(verb))


def _from_nouns(tokens: list[str], server: frozenset[str], tails: dict[str, None]) -> tuple[str, str]:
    """A name without a verb reads only if both its head noun and its arguments say so."""
    for name in tails:
        if name in text.CODE_ARGS:
            return "execute", f"argument `{name}`"
    head = tokens[-1]
    for name in tails:
        if name in text.WRITE_ARGS or (name in text.CHOICE_ARGS and _chooses({name: None}, head)):
            return "unknown", f"no verb, argument `{name}`"
    if _is_conversion(tokens):
        return "read", f"conversion to `{head}`"
    if tokens[0] in v.BESIDES and tokens[1:2] == ["to"]:
        return "unknown", f"`{tokens[0]}` may be a verb"  # `report_to_admin`
    if head not in n.READ_NOUNS:
        tokens = _until_preposition(tokens)
        head = tokens[-1]
    all_nouns = all(
        _is_noun(word)
        or word in server
        or _is_name(word)
        or word in v.BODILY
        or (word in v.OFFERED and _is_noun_here(tokens, at))
        for at, word in enumerate(tokens[:-1])
    )
    all_nouns = all_nouns and (len(tokens) == 1 or tokens[0] not in n.VERBAL)
    sure = all_nouns or not text.READ_ARGS.isdisjoint(tails)
    if head in n.READ_NOUNS and (sure or head not in n.MADE):
        return "read", f"noun `{head}`"
    if head in v.DOING:
        return "unknown", "no known verb"
    if (tokens[0] in v.LOOKING and len(tokens) > 1) or _does_read(head, sure):
        return "read", f"noun `{head}`"
    if sure and head[-1] == "s" and head[-2:] != "ss" and not _does_change(head):
        return "read", f"plural noun `{head}`"
    if all_nouns and head in n.NOUNS and tails and all(name.endswith(text.ASKING) for name in tails):
        return "read", f"noun `{head}` by `{next(iter(tails))}`"
    return "unknown", "no known verb"


def _until_preposition(tokens: list[str]) -> list[str]:
    """`flights_by_airport` is about flights."""
    for at in range(1, len(tokens)):
        if tokens[at] in o.PREPOSITIONS:
            return tokens[:at]
    return tokens


def _does_change(word: str) -> bool:
    """Is it a changing verb in the third person (`deletes`), and no plural (`commits`)?"""
    stems = (word[:-1], word[:-2])
    return any(v.STRONG.get(stem, "read") != "read" and stem not in v.DOUBLE for stem in stems)


def _does_read(noun: str, sure: bool) -> bool:
    """Is it a noun made of a reading verb: the agent (`predictor`) or, where `sure`, the act (`monitoring`)?"""
    for suffix in ("er", "or", "ing", "ation", "ion") if sure else ("er", "or"):
        if noun.endswith(suffix):
            stem = noun[: -len(suffix)]
            if v.STRONG.get(stem) == "read" or v.STRONG.get(stem + "e") == "read":
                return True
    return False
