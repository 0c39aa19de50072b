"""The hot modules in one file: what every proxy reads at its start, and what it may need later.

Law: a module from here does what its source does; it only says less about itself.
"""

from __future__ import annotations

import ast
import hashlib
import marshal
from collections.abc import Container, Mapping
from pathlib import Path
from types import CodeType

import mcpgov

# Not needed at every start. The vocabulary is only asked when a rule or the protection wants an operation.
LATER = (
    "operations.py", "vocabulary.py", "statements.py", "redact.py", "plain.py", "forms.py", "pieces.py", "missing.py",
    "register.py", "inputs.py", "secrets.py", "issuers.py", "fingerprints.py", "elicitation.py", "naming.py",
    "nouns.py", "objects.py", "turns.py", "telling.py", "sqlwords.py", "by_names.py", "screen.py", "urls.py",
    "hosts.py", "strays.py", "roles.py", "commands.py", "shell_words.py", "encoded.py", "touches.py", "carried.py",
    "operands.py", "patterns.py", "cel.py", "cel_names.py", "cel_source.py", "cel_values.py", "cel_types.py",
    "go_names.py", "protect.py", "guarded.py", "roots.py", "parking.py", "guard.py",
)  # fmt: skip

# A bundle that is missing or of another interpreter is no loss: the modules are found where they are.
# Its first part is what every start needs; what stands as None there is in the second part. The file stays open for
# that: an upgrade takes its name away under a running proxy. The modules that one
# needs are made before it, in order: asking the import system for each costs more than running it.
LOADER = """\
try:
 import marshal
 file = open({path!r}, 'rb'); held = marshal.load(file)
except Exception: held = {{}}
class Bundle:
 @classmethod
 def find_spec(cls, name, path=None, target=None):
  if name in held:
   if held[name] is None:
    try: held.update(marshal.load(file))
    except Exception: return None
   spec = type(sys.__spec__)(name, cls)
   spec.submodule_search_locations = held[name][0]
   return spec
 @staticmethod
 def create_module(spec): return None
 @staticmethod
 def exec_module(module):
  path, code, before = held.pop(module.__name__)
  for name in before:
   if name not in sys.modules:
    package, dot, last = name.rpartition('.')
    if package not in sys.modules: __import__(package)
    made = sys.modules[name] = type(sys)(name)
    exec(marshal.loads(held.pop(name)[1]), made.__dict__)
    setattr(sys.modules[package], last, made)
  exec(marshal.loads(code), module.__dict__)
sys.meta_path.insert(0, Bundle)
"""
# The bundles' names: version, interpreter, digest.
BUNDLES = "hot-*-*-????????????.bin"
# Whose needs are worth the trouble, and whose packages are asked for in the usual way.
ROOT_MODULE = "mcpgov.proxy.stdio"


def _hot_files(package: Path) -> list[Path]:
    """What a proxy may import."""
    rooms = [package / "guards", package / "core", package / "proxy"]
    leaves = [package / name for name in ("__init__.py", "machine.py", "compiled.py", "fingerprints.py")]
    return [*leaves, *(file for room in rooms for file in sorted(room.glob("*.py")))]


def fingerprint(package: Path) -> str:
    made = hashlib.blake2b(digest_size=6)
    # How they are put together counts as well.
    for file in (package / "front" / "bundle.py", *_hot_files(package)):
        made.update(file.read_bytes())
    return made.hexdigest()


class _Lean(ast.NodeTransformer):
    """Takes out what only readers and type checkers need."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg):
            if arg is not None:
                arg.annotation = None
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        # The annotations of such a class are its fields.
        if any(isinstance(base, ast.Name) and base.id == "NamedTuple" for base in node.bases) or node.decorator_list:
            return node
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        # Without a value it still says that a name is local, or of a class: harmless, and no reason to load a type.
        made = ast.Pass() if node.value is None else ast.Assign([node.target], node.value)
        return ast.copy_location(made, node)

    def visit_If(self, node: ast.If) -> ast.AST:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)


def lean_tree(source: str, name: str) -> ast.Module:
    tree = _Lean().visit(ast.parse(source, name))
    assert isinstance(tree, ast.Module)
    return ast.fix_missing_locations(tree)


def lean_code(tree: ast.Module, name: str) -> CodeType:
    """The module's code without annotations, docstrings and line numbers: a third less to read at every start."""
    return _without_lines(compile(tree, name, "exec", dont_inherit=True, optimize=2))


def _without_lines(code: CodeType) -> CodeType:
    consts = tuple(_without_lines(item) if isinstance(item, CodeType) else item for item in code.co_consts)
    return code.replace(co_consts=consts, co_linetable=b"")


def needs(tree: ast.Module, known: Container[str]) -> list[str]:
    """The modules that a module imports when it is loaded."""
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
            found += [name for name in names if name in known]
    return found


def in_order(name: str, trees: Mapping[str, ast.Module], done: dict[str, None] | None = None) -> list[str]:
    """What a module needs, directly or not, each behind what it needs itself."""
    done = {} if done is None else done
    for other in needs(trees[name], trees):
        if other not in done:
            in_order(other, trees, done)
            done[other] = None
    return list(done)


def module_files() -> dict[str, Path]:
    package = Path(mcpgov.__file__).resolve().parent
    found = {}
    for file in _hot_files(package):
        parts = file.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def bundle_bytes() -> bytes:
    """Two parts: name -> (where a package's other modules lie, its code, what is made before it)."""
    files = module_files()
    trees = {name: lean_tree(file.read_text("utf-8"), str(file)) for name, file in files.items()}
    plain = {name: tree for name, tree in trees.items() if files[name].name != "__init__.py"}
    first: dict[str, object] = {}
    second: dict[str, object] = {}
    for name, file in files.items():
        # Each in a piece of its own: only what is imported is ever unpacked.
        code = marshal.dumps(lean_code(trees[name], str(file)))
        path = [str(file.parent)] if file.name == "__init__.py" else None
        packed = (path, code, in_order(name, plain) if name == ROOT_MODULE else [])
        first[name] = None if file.name in LATER else packed
        if file.name in LATER:
            second[name] = packed
    return marshal.dumps(first) + marshal.dumps(second)
