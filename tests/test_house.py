"""The laws of ARCHITECTURE.md, read off the imports."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "mcpgov"
SOURCES = sorted(HOUSE.rglob("*.py"))


def is_pure(path: Path) -> bool:
    """As in `scripts/purity`; `front` is exempt."""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    inside = path.name != "__init__.py" and not path.is_relative_to(HOUSE / "front")
    return inside and re.search(r"\bPure\b", text) is not None


# Law 1: rooms that do no I/O. What they know of the machine comes in as an argument.
# A module outside of `core` says so itself: its docstring has the word.
PURE = [path for path in SOURCES if path.is_relative_to(HOUSE / "core") or is_pure(path)]
NO_IO = {"os", "posix", "io", "time", "subprocess", "threading", "socket", "logging", "pathlib", "shutil", "tempfile"}
NO_IO |= {"random"}

# Law 2: the hot rooms load nothing that costs start-up time.
HOT_ROOMS = ("core", "live", "proxy", "host.py", "policy_cache.py", "fingerprints.py", "peer_credentials.py")
HOT = [path for path in SOURCES if path.relative_to(HOUSE).parts[0] in HOT_ROOMS]
LEAN = {"__future__", "_blake2", "_json", "_signal", "_stat", "fcntl", "gc", "os.path", "posix", "pwd", "select", "sys"}
LEAN |= {"_socket", "binascii", "time", "unicodedata"}
# `line_templates` is loaded only in a conversation that goes on.
# `ctypes` is for macOS only, where nothing else tells where another process is.
HOT_EXCEPTIONS = {("line_templates.py", "re"), ("server_dirs.py", "ctypes")}
HOT_EXCEPTIONS |= {("launch.py", "_ctypes")}

MOST_FILES = 15  # of a folder

# Tests of more than one file.
WITHOUT_A_TWIN = ("test_properties", "test_contract", "test_bounds", "test_fast_paths")

# Which rooms a room may import. A room not named here is a leaf that anybody may import.
ARROWS = {
    "core": set(),
    "guards": {"core"},
    "policy": {"core", "guards"},
    "configs": set(),
    "live": {"core", "guards"},
    "proxy": {"core", "guards", "live"},
    "loopback": {"core"},
    "remote": {"core", "guards", "live", "loopback"},
    "web": {"core", "loopback"},
    "lender": {"core", "guards"},
    "login": set(),
    "daemon": {"core", "guards", "policy", "configs"},
    "serve": {"core", "guards", "live"},
    "front": {"core", "guards", "policy", "configs", "daemon", "lender", "login", "serve"},
}
# What of the daemon a room may import that speaks to it by control requests alone: how they are written and sent.
CONTROL = {
    "serve": {
        "mcpgov.daemon.control.codec", "mcpgov.daemon.control.request_row", "mcpgov.daemon.serve.serve_requests",
    },
}  # fmt: skip
# Law 9: one outside thing, one file.
OUTSIDE = {
    "aiohttp": {"loopback/listener.py", "remote/upstream.py"},
    "keyring": {"login/token_store.py"},
    "mcp": {"login/oauth_provider.py", "serve/sdk_server.py", "client.py"},
    "uvicorn": {"serve/http_server.py"},
    "h11": {"serve/http_server.py"},
    "httpx2": {"login/http_client.py", "login/oauth_provider.py", "login/oauth_client.py"},
    "rich": {"front/output/render.py"},
    "pydantic": {"settings.py"},
    "pydantic_settings": {"settings.py"},
    "platformdirs": {"places.py"},
    "filelock": {"configs/files/store.py"},
    "watchdog": {"daemon/watching/watcher.py"},
    "psutil": {"daemon/processes/process_table.py"},
    "tomli": {"configs/text/toml_text.py"},
    "tree_sitter": {"policy/source_lines.py"},
    "tree_sitter_toml": {"policy/source_lines.py"},
    "re2": {"guards/patterns.py"},
    "redis": {"lender/redis_engine.py"},
    "psycopg": {"lender/postgres_engine.py"},
    "cel": {"guards/cel_names.py"},
    "presidio_analyzer": {"guards/people/engine.py"},
    "spacy": {"guards/people/engine.py"},
}


def imports(path: Path) -> set[str]:
    """Every module a file imports at run time; what stands under `if TYPE_CHECKING` is for the type checker."""
    found: set[str] = set()
    stack: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            stack += node.orelse
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            found.add(module)
            found |= {
                f"{module}.{alias.name}" for alias in node.names if (HOUSE.parent / module.replace(".", "/")).is_dir()
            }
        else:
            stack += ast.iter_child_nodes(node)
    return found


def texts(path: Path) -> list[str]:
    """Every string literal of a file but its docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
    ]


def name(path: Path) -> str:
    return path.relative_to(HOUSE).as_posix()


@pytest.mark.parametrize("path", PURE, ids=name)
def test_a_pure_room_does_no_io(path):
    assert {module for module in imports(path) if module.split(".")[0] in NO_IO} == set()
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    assert [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ("open", "print")] == []


@pytest.mark.parametrize("path", HOT, ids=name)
def test_a_hot_room_imports_only_what_is_lean(path):
    outside = {module for module in imports(path) if module.split(".")[0] != "mcpgov"}
    heavy = {module for module in outside if module not in LEAN and (path.name, module) not in HOT_EXCEPTIONS}
    assert heavy == set()


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_imports_between_rooms_point_one_way(path):
    parts = path.relative_to(HOUSE).parts
    room = parts[0] if len(parts) > 1 else ""
    ours = {module for module in imports(path) if module.split(".")[0] == "mcpgov"}
    rooms = {module.split(".")[1] for module in ours if module.count(".") and module.split(".")[1] in ARROWS}
    if room in ARROWS:
        spoken = CONTROL.get(room, set())
        rooms = {module.split(".")[1] for module in ours - spoken if module.count(".")} & ARROWS.keys()
        assert rooms - {room} <= ARROWS[room]
    elif path.name not in ("__init__.py", "__main__.py"):
        allowed = {"core", "configs"} if path.name == "settings.py" else {"core"}  # the names of the clients
        assert rooms <= allowed, "a leaf at the top imports core at most"


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_no_room_below_front_names_front_in_a_string(path):
    """Code in a string (`python -c`, a module's name to import) is an import like any other."""
    if path.is_relative_to(HOUSE / "front"):
        return
    named = re.compile(r"(?<![\w.])mcpgov\s*[./]\s*front\b|from\s+mcpgov\s+import\s[^;\n]*\bfront\b")
    assert [text for text in texts(path) if named.search(text)] == []


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_one_outside_thing_lives_in_one_file(path):
    used = {module.split(".")[0] for module in imports(path)}
    misplaced = {thing for thing in used & OUTSIDE.keys() if name(path) not in OUTSIDE[thing]}
    assert misplaced == set()


def test_every_source_file_has_its_test_file():
    wanted = {path.relative_to(HOUSE).with_name(f"test_{path.name}") for path in SOURCES if path.name != "__init__.py"}
    missing = sorted(str(path) for path in wanted if not (ROOT / "tests" / path).exists())
    assert missing == []


def test_every_test_file_of_a_room_has_its_source_file():
    extra = []
    for room in ARROWS:
        for path in sorted((ROOT / "tests" / room).rglob("test_*.py")):
            source = HOUSE / path.relative_to(ROOT / "tests").with_name(path.name.removeprefix("test_"))
            # Files of properties and of the contract speak for their whole room.
            if not source.exists() and path.stem not in WITHOUT_A_TWIN:
                extra.append(str(path.relative_to(ROOT)))
    assert extra == []


def test_version_and_help_load_neither_rich_nor_pydantic():
    code = "import sys; from mcpgov.front.main import main; main(['--version']); main(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {module.split(".")[0] for module in done.stdout.splitlines()[-1].split()}
    assert loaded & {"rich", "pydantic", "pydantic_settings", "platformdirs", "argparse", "tree_sitter", "re2"} == set()


def test_no_file_names_a_package_registry_or_a_machine():
    hosts = [
        ".".join(parts) for parts in (("pypi", "org"), ("npmjs", "org"), ("npmjs", "com"), ("pythonhosted", "org"))
    ]
    machine = ["/" + "root/", "/" + "work/main", "/" + "work/shared", "/" + "Users/"]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    bad = []
    for file in listed:
        path = ROOT / file
        text = path.read_text("utf-8", errors="replace") if path.is_file() else ""
        bad += [f"{file}: {word}" for word in (*hosts, *machine) if word in text]
    assert bad == []


def test_the_map_names_every_file_of_the_house_in_its_folder():
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8").split("```")[1]
    folders, named = [""], set()
    for line in text.splitlines()[2:]:
        depth, word = (len(line) - len(line.lstrip())) // 2, line.split()[0] if line.strip() else ""
        if word.endswith("/"):
            folders[depth - 1 :] = [folders[depth - 1], f"{folders[depth - 1]}{word}"]
        elif word.endswith(".py"):
            named |= {f"{folders[depth - 1]}{file}" for file in line.split() if file.endswith(".py")}
    there = {name(path) for path in SOURCES if path.name != "__init__.py"}
    assert (there - named, named - there) == (set(), set())


def test_no_folder_holds_more_than_one_look_takes_in():
    folders = {path.parent for path in SOURCES} - {HOUSE, HOUSE / "front" / "commands"}
    full = {name(folder): count for folder in folders if (count := len(list(folder.glob("[!_]*.py")))) > MOST_FILES}
    assert full == {}


def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text("utf-8"))))


def test_a_class_name_stands_for_one_thing_in_the_house():
    places: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(name(path))
    assert {each: found for each, found in places.items() if len(found) > 1} == {}


LONGEST_FUNCTION = 40  # lines: one screen


def test_a_function_fits_on_one_screen():
    long = {
        (name(path), node.name)
        for path in SOURCES
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    }
    assert long == set()


def at_load(path: Path) -> set[str]:
    """The modules of ours that a file imports when it is loaded."""
    tree = ast.parse(path.read_text("utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_no_module_imports_itself_by_way_of_others():
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in SOURCES}
    needs = {module: at_load(path) & modules.keys() for module, path in modules.items()}
    while ready := [module for module, wanted in needs.items() if not wanted & needs.keys()]:
        for module in ready:
            del needs[module]
    assert needs == {}, "these are on a circle, or need one that is"


# Promised times are held to while no other test runs (`scripts/test`): beside others they would tell of the machine.
def held_times(function: ast.AST) -> list[str]:
    """The comparisons that say how long something may have taken; what is only waited for patiently is none."""
    compared = [node for node in ast.walk(function) if isinstance(node, ast.Compare)]
    ended = [node for node in compared if isinstance(node.ops[-1], ast.Lt | ast.LtE)]
    texts = [(ast.unparse(ast.Tuple([node.left, *node.comparators[:-1]])), node.comparators[-1]) for node in ended]
    found = [ast.unparse(bound) for text, bound in texts if "monotonic() - " in text]
    return [bound for bound in found if "PATIENCE" not in bound and not (bound.isdigit() and int(bound) >= 15)]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("assert time.monotonic() - began < 3.0", ["3.0"]),
        ("assert 1 <= time.monotonic() - began < 2 * SLACK", ["2 * SLACK"]),
        ("assert time.monotonic() - began < PATIENCE", []),
        ("assert time.monotonic() - began < 60", []),
        ("assert time.monotonic() - began > 1", []),
        ("while time.monotonic() < end: pass", []),
    ],
)
def test_a_time_that_is_held_to_is_told_from_patience(text, times):
    assert held_times(ast.parse(text)) == times


def test_a_promised_time_is_held_to_while_no_other_test_runs():
    functions = [
        (path, node)
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and held_times(node)
    ]
    assert len(functions) > 10
    marks = [[ast.unparse(mark) for mark in node.decorator_list] for _, node in functions]
    others = [pair for pair, words in zip(functions, marks, strict=True) if "pytest.mark.deadline" not in words]
    assert [f"{path.name}: {node.name}" for path, node in others] == []
