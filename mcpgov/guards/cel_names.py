"""What an expression may name, how much it may cost, and the library it runs on.

Law: only this file imports the library, past its package's `__init__` (a command line, ten times the cost).
"""

import sys
from importlib.machinery import ExtensionFileLoader, PathFinder
from typing import Any

MAX_SOURCE, MAX_TOKENS, MAX_BRACKETS, MAX_NESTED = 16_384, 2_000, 24, 2
MAX_COUNT = {"+": 32, "?": 32, "map": 2}  # in one expression
MAX_TEXT, MAX_NODES, MAX_DEPTH = 1 << 20, 50_000, 64  # of one request
MAX_GROWTH = 64 << 20  # of one evaluation: characters built by map()
MAX_STEPS = 500_000  # of all expressions of a policy for one request; a step is about a microsecond's work

METHODS = {
    "Initialize": "initialize", "Ping": "ping", "ResourcesList": "resources/list",
    "ResourcesTemplatesList": "resources/templates/list", "ResourcesRead": "resources/read",
    "PromptsList": "prompts/list", "PromptsGet": "prompts/get", "ToolsList": "tools/list",
    "ToolsCall": "tools/call", "SetLogLevel": "logging/setLevel", "ElicitationCreate": "elicitation/create",
}  # fmt: skip
CONSTANTS = {f"{name}Method": f'"{value}"' for name, value in METHODS.items()}
PARTS = {
    "tools/call": "ToolCall", "resources/read": "ResourceRead", "resources/subscribe": "ResourceSubscribe",
    "resources/unsubscribe": "ResourceUnsubscribe", "prompts/get": "PromptGet", "initialize": "Initialize",
    "sampling/createMessage": "CreateMessage", "elicitation/create": "Elicitation",
    "completion/complete": "Complete", "logging/setLevel": "SetLogLevel", "tools/list": "Paginated",
    "resources/list": "Paginated", "resources/templates/list": "Paginated", "prompts/list": "Paginated",
}  # fmt: skip
FIELDS = {"Method", "ID", *PARTS.values()}
GETTERS = {
    f"{get}{kind}{many}Argument": (kind, bool(many))
    for get in ("Get", "get") for kind in ("String", "Int", "Float", "Bool") for many in ("", "Slice")
}  # fmt: skip
OWN = {"size": "__size", "matches": "__matches"}  # the library's own count bytes, and compile a pattern for each call
READS = {"args", "mcpRequest"}  # the library copies the value each time one is named
SCANS = {"contains", "startsWith", "endsWith"}
MACROS = {"all", "exists", "exists_one", "existsOne", "map", "filter"}
NAMES = {"mcpRequest", "mcp", "server", "client", "service", "operation", "args"}
TYPES = {"int", "uint", "double", "string", "bytes", "bool", "list", "map", "type", "null_type"}
FUNCTIONS = {
    "contains", "startsWith", "endsWith", "int", "uint", "double", "string", "bytes", "type", "dyn",
    "timestamp", "duration", "getFullYear", "getMonth", "getDayOfMonth", "getDayOfWeek", "getDayOfYear",
    "getHours", "getMinutes", "getSeconds", "getMilliseconds", "Parse", *OWN, *GETTERS,
}  # fmt: skip


def load() -> Any:
    # In a proxy the launcher has recorded the file; nothing is searched for there.
    recorded = next((finder for finder in sys.meta_path if hasattr(finder, "pins")), None)
    if recorded is not None:
        spec = recorded.find_spec("cel", None)
    else:
        package = PathFinder.find_spec("cel")
        spec = package and PathFinder.find_spec("cel", package.submodule_search_locations)
    if not spec or not isinstance(spec.loader, ExtensionFileLoader):
        raise ImportError("common-expression-language is not installed")
    module = spec.loader.create_module(spec)
    spec.loader.exec_module(module)
    return module


library = load()


class CelError(ValueError):
    """The expression is broken or too costly: what, and where if known."""
