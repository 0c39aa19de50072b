"""Grants for a resource: a yes to one operation on one exact file, URL or command, for one server. Pure.

Laws: what was asked for is exact, so no wildcard, variable or `..` is accepted (in a command in no word), and no escape
in a path; a path is granted as it really is when it is asked for, and a link that leads elsewhere later is another.
Such a grant holds for a call whose every path and URL is that resource, which does nothing but that operation, says
nothing that makes it do more (a flag: other_arguments.py), and which a rule of the user asks about.
"""

from __future__ import annotations

import unicodedata

from mcpgov.core.approvals.other_arguments import only_harmless
from mcpgov.core.rules.arguments import satisfied
from mcpgov.core.rules.call import texts
from mcpgov.core.rules.links import canonical
from mcpgov.core.rules.path_arguments import TooMany, is_url, path_and_url_arguments
from mcpgov.core.rules.value_patterns import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mcpgov.core.rules.call import Call
    from mcpgov.core.rules.path_arguments import Keys
    from mcpgov.core.rules.path_matching import Reader

PERMISSION = "permission/"  # before the operation: the method of a question and a grant of this kind
READ, WRITE, EXECUTE, DELETE, CONNECT = "read", "write", "execute", "delete", "connect"
OPERATIONS = (READ, WRITE, EXECUTE, DELETE, CONNECT)
ASKED = "(permission)"  # what asked: no rule did
LONGEST = 2048
OTHER_RESOURCE = "the grant is for another resource, or the call says more than was asked for"
OTHER_COMMAND = "the grant is for another command, or the call says more than was asked for"
_CONNECTS = frozenset((READ, WRITE, "unknown"))  # what may be done where connecting was allowed
_WILD, _WILD_IN_URL = "*?[]{}", "*{}\\"
_VARIABLES, _VARIABLES_IN_URL = "$%`\\", "$`"


def is_permission(method: str) -> bool:
    return method.startswith(PERMISSION)


def why_not_exact(resource: str, operation: str) -> str:
    """Why this names no single resource; "" where it does. The sentence holds nothing of the resource."""
    if not resource.strip() or resource != resource.strip():
        return "the resource is empty, or has blanks around it"
    if len(resource) > LONGEST:
        return f"the resource is longer than {LONGEST} characters"
    if not resource.isprintable():
        return "the resource has control characters or invisible ones"
    url = operation != EXECUTE and "://" in resource  # a command is an exact text, whatever it names
    # A reader that folds look-alikes (fullwidth letters, one-dot leaders) finds more in it than its text shows.
    folded = resource if resource.isascii() else unicodedata.normalize("NFKC", resource)
    if any(sign in folded for sign in (_WILD_IN_URL if url else _WILD)):
        return "the resource has wildcards: name one exact resource"
    if any(sign in folded for sign in (_VARIABLES_IN_URL if url else _VARIABLES)):
        return "the resource has variables or escapes: write out what they stand for"
    if folded.count("/") != resource.count("/"):
        return "the resource has letters that may be read as `/`"
    if any(_leads_up(part) for part in _segments(folded, operation)):
        return "the resource has `..`: write out where it leads"
    return _why_no_url(resource) if url else _why_no_place(resource, operation)


def _segments(text: str, operation: str) -> list[str]:
    """What may be a part of a path: of a command whatever stands between signs that no name needs."""
    if operation == EXECUTE:
        return "".join(char if char.isalnum() or char in "._-" else "/" for char in text).split("/")
    return _plain(text).replace("?", "/").replace("#", "/").split("/")


def _leads_up(part: str) -> bool:
    """Also behind an option: `-C..`."""
    return part == ".." or (part[:1] == "-" and part[-2:] == "..")


def _plain(resource: str) -> str:
    """Without the escapes that may hide a `..`, written once or twice over; a path has none."""
    text = resource.lower().replace("%25", "%")
    return text.replace("%2e", ".").replace("%2f", "/").replace("%5c", "/")


def _why_no_url(resource: str) -> str:
    host = resource.partition("://")[2].partition("/")[0]
    if resource[:5].lower() == "file:":
        return "the resource is a file: name it by its plain path, such as `/srv/a`"
    if not is_url(resource) or not host or " " in resource:
        return "the resource is no URL with a host"
    if "@" in host:
        return "the URL has a user or password in it"
    # Letters of other alphabets look like ASCII: a person could not tell which host it is.
    return "" if host.isascii() and "%" not in host else "the URL's host is not plain ASCII: write it as `xn--…`"


def _why_no_place(resource: str, operation: str) -> str:
    if operation == CONNECT:
        return "to connect, name a URL with its scheme"
    if operation == EXECUTE:
        return ""
    if not resource.startswith("/"):
        return "the resource is neither an absolute path nor a URL"
    if resource != "/" and not all(part not in ("", ".") for part in resource[1:].split("/")):
        return "the path has empty parts or `.`: write it without them"
    return ""


def operation_fits(method: str, operations: Collection[str]) -> bool:
    """Does a call with these operations do nothing but what was granted?"""
    wanted = method.removeprefix(PERMISSION)
    if wanted == CONNECT:
        return bool(operations) and _CONNECTS.issuperset(operations)
    return set(operations) == {wanted}


def places_fit(method: str, resource: str, args: dict[str, object], leads: Iterable[tuple[str, ...]]) -> bool:
    """Is every path and URL of these arguments the resource, by its text? `leads`: where each path really leads."""
    paths = _paths_beside_nothing(method, resource, args)
    if not paths:
        return paths is not None
    places = list(leads)
    return len(places) == len(paths) and all(place == (resource,) for place in places)


def call_refusal(method: str, resource: str, call: Call, reader: Reader) -> str:
    """Why a grant for the resource does not hold for the call; "" where it does. The last word, at dispatch."""
    operations = [operation for operation in (call.operation, *call.other_operations) if operation]
    if not operation_fits(method, operations):
        return "the grant is for another operation"
    if call.args is None:
        own = (resource, f"file://{resource}")
        return "" if call.uris and all(uri in own for uri in call.uris) else OTHER_RESOURCE
    if type(call.args) is not dict:  # of a large line only a part is kept
        return "the call is too large to be told by its resource"
    if method == PERMISSION + EXECUTE:
        return "" if _paths_beside_nothing(method, resource, call.args) is not None else OTHER_COMMAND
    return "" if _touches_only(method, call.args, resource, reader) else OTHER_RESOURCE


def _paths_beside_nothing(method: str, resource: str, args: dict[str, object]) -> list[tuple[Keys, str]] | None:
    """The paths that have to be the resource; [] where it is a URL or command and the arguments say it themselves.

    None: they say something else, or too much.
    """
    operation = method.removeprefix(PERMISSION)
    if operation == EXECUTE:
        return [] if _only_text(args, resource) else None
    try:
        paths, urls = path_and_url_arguments(args)
    except TooMany:
        return None
    if not only_harmless(args, operation, resource):
        return None
    if is_url(resource):
        return [] if urls and not paths and all(text == resource for _, text in urls) else None
    return paths if paths and not urls else None


def _only_text(args: dict[str, object], resource: str) -> bool:
    """A command is all that the arguments say, whatever their names; but for how long it may take."""
    values = [text for value in args.values() for text in texts(value)]
    return bool(values) and all(text == resource for text in values) and only_harmless(args, EXECUTE, resource)


def _touches_only(method: str, args: dict[str, object], resource: str, reader: Reader) -> bool:
    paths = _paths_beside_nothing(method, resource, args)
    pattern = (Pattern(resource),)
    # As an allow has it, and at the very place that was granted: a directory of it may be a link by now.
    return paths is not None and all(
        canonical(text, reader.world) == resource and satisfied(args, keys, pattern, reader, False)
        for keys, text in paths
    )
