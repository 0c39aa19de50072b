"""What the names of a call's arguments say about its operation, and the texts that can raise it. Pure.

Law: every text is found, however deep it is nested and whether or not it is JSON inside a string.
"""

from __future__ import annotations

from mcpgov.core.json.values import opened_json
from mcpgov.core.operations.words import word_set as _set
from mcpgov.core.operations.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LONGEST_KEY = 256


# Argument names whose text can raise the operation.
SQL_KEYS = _set("sql statement statements stmt ddl dml cql soql hql")
# Of those, names that may hold plain English as well.
PLAIN_KEYS = _set("statement statements")
QUERY_KEYS = _set("query queries q input cypher graphql gql mutation")
# Words of tools and servers whose queries are SQL.
SQL_SERVERS = _set("""
    sql mysql postgres postgresql pg psql sqlite sqlite3 bigquery snowflake duckdb clickhouse mssql sqlserver tsql
    redshift oracle mariadb trino presto athena cockroachdb motherduck
""")
SHELL_KEYS = _set("command commands cmd cmdline argv script shell bash powershell javascript")
ACTION_KEYS = _set("action actions operation operations op mode method methods verb subcommand")
HTTP = {"post": "write", "put": "write", "patch": "write", "delete": "delete"}
_WATCHED = SQL_KEYS | QUERY_KEYS | SHELL_KEYS | ACTION_KEYS
# A `command` of one of these words picks a function of the tool; it is no shell line.
FUNCTIONS = _set("view create insert get list delete update add remove describe search undo_edit str_replace")
# A file's path, and its content.
FILE_KEYS = _set("path file_path filePath filepath file filename uri target_file")
DOCUMENT_KEYS = _set("""
    content contents text file_text new_text old_text newText oldText new_str old_str new_string old_string
    code_edit insert_text replacement
""")
# OUTPUT with PLACE (`output_dir`, `saveTo`): a file gets written.
OUTPUT = _set("output out save response result download export dest destination")
PLACE = _set("path file folder dir directory filename to location")

# Last words of argument names. With `action` and the like, one tool has many operations.
WRITE_ARGS = _set("body content contents payload data value values message attachments edits changes rating")
READ_ARGS = _set("query q search keyword keywords limit cursor page offset filter filters since until symbol ticker")
# Arguments by which a thing is looked up (`character(id)`).
ASKING = ("id", "ids", "query", "limit", "page", "offset", "cursor", "symbol", "ticker", "date", "language")
CODE_ARGS = _set("command commands cmd script code shell javascript")
CHOICE_ARGS = _set("action actions operation operations op subcommand mode")
# Only tools that change something have these.
SAFETY_ARGS = _set("""
    confirm confirmed overwrite ignoreconflicts onconflict destpath replacement newname newvalue newcontent
    newtext newtitle newpath commitmessage
""")
# With these a tool that changes something pays for it.
PAYING_ARGS = _set("paymentmethod paymentmethodid paymentmethodtoken paymenttoken cardnumber cvv cvc")
# A tool that makes something out of a command keeps it to be run.
COMMAND_ARGS = _set("command commands cmd cmdline")
# Last words that mean something else behind another word: `errorCode`, `next_action`, `safe_mode`.
HOMONYMS = _set("code action mode")
# Names of the file that `export` and `download` write to.
FILE_ARGS = _set("path filepath localpath filename directory dir folder outputdir targetpath targetdir out outfile")
# First words of switches and bounds (`include_content`, `max_value`): no payload, whatever the last word is.
SWITCHES = _set("include exclude with without has is return show only fetch max min enable use generate expand")


def tails(arguments: Iterable[str]) -> dict[str, None]:
    """Of each argument the last word and the whole name without separators; `>name` for a file to be written."""
    out: dict[str, None] = {}
    for name in arguments:
        if isinstance(name, str) and len(name) <= _LONGEST_KEY and (parts := words(name)):
            if parts[-1] not in HOMONYMS and parts[0] not in SWITCHES:
                out[parts[-1]] = None
            out["".join(parts)] = None
            if parts[0] in OUTPUT and not PLACE.isdisjoint(parts[1:]):
                out[">" + name] = None
    return out


def texts(arguments: object, files: bool = False) -> Iterator[tuple[list[str], str]]:
    """Every text with the words of the nearest key above it; no recursion, so depth cannot hurt.

    JSON inside a string is opened, as servers do. `files`: the content beside a file's path is not opened, because it
    is stored and not read. Raises Tangled.
    """
    stack: list[tuple[list[str], object, int, bool]] = [([], arguments, 0, False)]
    while stack:
        key, value, depth, filed = stack.pop()
        if isinstance(value, dict):
            filed = files and (filed or not FILE_KEYS.isdisjoint(value))
            for name, inner in value.items():
                stored = filed and isinstance(inner, str) and name in DOCUMENT_KEYS
                if isinstance(inner, (str, dict, list)) and not stored:
                    stack.append((watched(name), inner, depth, filed))
        elif isinstance(value, list):
            for inner in value:
                # Numbers are left out: there may be a hundred thousand of them.
                if (key or _may_hide(inner)) if isinstance(inner, str) else inner and isinstance(inner, (dict, list)):
                    stack.append((key, inner, depth, filed))
        elif isinstance(value, str) and value and not value.isspace():
            if _may_hide(value) and (inner := opened_json(value, depth)) is not None:
                stack.append((key, inner, depth + 1, False))
            if key:
                yield key, value


def _may_hide(value: str) -> bool:
    inner = value.lstrip().lstrip("\ufeff")
    return inner[:1] in ("{", "[") or (inner[:1] == '"' and "\\" in inner)


def watched(key: object) -> list[str]:
    """The words of a key whose text can raise the operation; of other keys none."""
    parts = words(key[:_LONGEST_KEY]) if isinstance(key, str) else []
    return parts if parts and (parts[0] in OUTPUT or not _WATCHED.isdisjoint(parts)) else []
