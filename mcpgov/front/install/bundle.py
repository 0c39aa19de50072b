"""The bundle: the hot modules in one file, for every proxy's start.

Law: a module from the bundle behaves as its source; it only lacks annotations, docstrings and line numbers.
"""

from __future__ import annotations

import ast
import hashlib
import marshal
from collections.abc import Container, Mapping
from pathlib import Path
from types import CodeType

import mcpgov
from mcpgov.front.install import libraries

# The launch's modules come first. The modules of the loop are one piece, those of a first verdict another, further ones
# of a first usual call the third; every other module is a piece of its own.
LAUNCH_MODULES = ("mcpgov", "mcpgov.proxy", "mcpgov.proxy.launch")
ROOT_MODULE = "mcpgov.proxy.stdio"
JUDGE_MODULES = ("mcpgov.core.rules.rule", "mcpgov.core.audit.audit_preview")
CALL_MODULES = (
    "mcpgov.core.messages.fast_parse",
    "mcpgov.core.rules.by_names",
    "mcpgov.core.protection.protection",
    "mcpgov.core.protection.argument_roles",
)
ROOMS = ("guards", "core", "live", "proxy")
LEAVES = ("__init__.py", "host.py", "policy_cache.py", "fingerprints.py", "peer_credentials.py")

# Finds our modules in the bundle. The launcher gives it `bundle` (the descriptor, which stays open: an upgrade takes
# the file's name away under a running proxy), `modules` (those at hand), `pieces` (module -> length and place of the
# piece that holds it) and `start` (where the pieces start). All modules of a piece are made when one of them is asked
# for, in order: asking the import system for each costs more than running it. What cannot be read is no loss: it is
# found where the package is.
FINDER = """\
class Bundle:
 @classmethod
 def find_spec(cls, name, path=None, target=None):
  if name not in modules and name in pieces:
   length, at = pieces[name]
   try: modules.update(marshal.loads(posix.pread(bundle, length, start + at)))
   except Exception: return None
  if name not in modules: return None
  spec = type(sys.__spec__)(name, cls)
  spec.submodule_search_locations = modules[name][0]
  return spec
 @staticmethod
 def create_module(spec): return None
 @staticmethod
 def exec_module(module):
  there, kind = sys.modules, type(sys)
  for name in modules[module.__name__][2]:
   package, dot, last = name.rpartition('.')
   if name == module.__name__: made = module
   elif name not in modules or name in there: continue
   else:
    if package not in there: __import__(package)
    made = there[name] = kind(name)
   made.__made__ = there
   exec(modules.pop(name)[1], made.__dict__)
   if package: setattr(there[package], last, made)
sys.meta_path.insert(0, Bundle)
"""
# `__future__` is a file of the library that only the compiler needs: an empty stand-in saves loading it.
STAND_IN = """\
stand_in = sys.modules['__future__'] = type(sys)('__future__')
stand_in.annotations = None
"""
BOOT = f"{STAND_IN}{libraries.FINDER}{FINDER}"
# How the launcher reads it. Compiling the text takes a tenth of a start, so that is done only without a bundle.
READ = """\
try:
 import marshal
 bundle = posix.open({path!r}, posix.O_RDONLY | posix.O_CLOEXEC)
 start = {digits} + int(posix.read(bundle, {digits}))
 boot, modules, pieces = marshal.loads(posix.read(bundle, start))
except Exception: boot, modules, pieces = {without}
exec(boot)
"""
MADE = "__made__"  # what the code of a piece calls `sys.modules`
DIGITS = 8  # of the first part's length
# The bundles' names: version, interpreter, digest.
BUNDLES = "hot-*-*-????????????.bin"


def read_code(path: Path | None) -> str:
    """The launcher's code that makes our modules importable, from the bundle if there is one."""
    without = f"r'''\n{BOOT}''', {{}}, {{}}"
    if path is None:
        return f"boot, modules, pieces = {without}\nexec(boot)\n"
    return READ.format(path=str(path), digits=DIGITS, without=without)


def _hot_files(package: Path) -> list[Path]:
    """Every module that a proxy may import."""
    rooms = [file for room in ROOMS for file in sorted((package / room).rglob("*.py"))]
    return [*(package / name for name in LEAVES), *rooms]


def fingerprint(package: Path) -> str:
    digest = hashlib.blake2b(digest_size=6)
    # The code that builds the bundle counts as well.
    bundler_files = (package / "front" / "install" / name for name in ("bundle.py", "libraries.py"))
    for file in (*bundler_files, *_hot_files(package)):
        digest.update(file.read_bytes())
    return digest.hexdigest()


class _Lean(ast.NodeTransformer):
    """Removes what only readers and type checkers need."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg):
            if arg is not None:
                arg.annotation = None
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        # The annotations of a NamedTuple or dataclass are its fields.
        if any(isinstance(base, ast.Name) and base.id == "NamedTuple" for base in node.bases) or node.decorator_list:
            return node
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        # A bare annotation has no effect at run time.
        made = ast.Pass() if node.value is None else ast.Assign([node.target], node.value)
        return ast.copy_location(made, node)

    def visit_If(self, node: ast.If) -> ast.AST:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)


class Linked(ast.NodeTransformer):
    """Replaces imports from loaded modules by attribute access: half of an import's time goes into an error that the
    import system raises and drops for every module that is not a package.
    """

    def __init__(self, made: Container[str]) -> None:
        self._made = made

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node  # it runs later, when other modules may be loaded

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt] | ast.AST:
        if node.level or node.module is None or node.module == "__future__":
            return node
        lines: list[str] = []
        for alias in node.names:
            name, whole = alias.asname or alias.name, f"{node.module}.{alias.name}"
            if whole in self._made:
                lines.append(f"{name} = {MADE}[{whole!r}]")
            elif node.module in self._made:
                lines.append(f"{name} = {MADE}[{node.module!r}].{alias.name}")
            else:
                return node
        return [ast.copy_location(item, node) for line in lines for item in ast.parse(line).body]


def lean_tree(source: str, name: str) -> ast.Module:
    tree = _Lean().visit(ast.parse(source, name))
    assert isinstance(tree, ast.Module)
    return tree


def lean_code(tree: ast.Module, name: str) -> CodeType:
    """The module's code without annotations, docstrings, line numbers and qualified names: a third smaller."""
    return _without_lines(compile(ast.fix_missing_locations(tree), name, "exec", dont_inherit=True, optimize=2))


def _without_lines(code: CodeType) -> CodeType:
    consts = tuple(_without_lines(item) if isinstance(item, CodeType) else item for item in code.co_consts)
    # The plain name replaces the qualified one: one string less per function.
    return code.replace(co_consts=consts, co_linetable=b"", co_qualname=code.co_name)


def needs(tree: ast.Module, known: Container[str]) -> list[str]:
    """The modules that a module imports when it is loaded."""
    modules: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
            modules += [name for name in names if name in known]
    return modules


def in_order(name: str, trees: Mapping[str, ast.Module], done: dict[str, None] | None = None) -> list[str]:
    """The modules a module needs, directly or not, in dependency order."""
    done = {} if done is None else done
    for other in needs(trees[name], trees):
        if other not in done:
            in_order(other, trees, done)
            done[other] = None
    return list(done)


def module_files() -> dict[str, Path]:
    package = Path(mcpgov.__file__).resolve().parent
    files = {}
    for file in _hot_files(package):
        parts = file.relative_to(package.parent).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return files


def grouped(trees: Mapping[str, ast.Module], packages: Container[str] = ()) -> list[list[str]]:
    """The modules grouped into pieces, in dependency order."""
    known = {name: tree for name, tree in trees.items() if name not in packages and name not in LAUNCH_MODULES}
    done: dict[str, None] = {}
    groups: list[list[str]] = []
    for roots in ([ROOT_MODULE], JUDGE_MODULES, CALL_MODULES):
        before = len(done)
        for name in roots:
            in_order(name, known, done)
            done[name] = None
        groups.append([*done][before:])
    return [*groups, *([name] for name in trees if name not in done and name not in LAUNCH_MODULES)]


def bundle_bytes() -> bytes:
    """Length of the first part; the first part: boot code, the launch's modules, offsets of the pieces; the pieces."""
    files = module_files()
    trees = {name: lean_tree(file.read_text("utf-8"), str(file)) for name, file in files.items()}
    pieces: dict[str, tuple[int, int]] = {}
    rest, started = b"", set(LAUNCH_MODULES)
    for names in grouped(trees, [name for name, file in files.items() if file.name == "__init__.py"]):
        if len(names) > 1:
            # INVARIANT: when the modules of a later piece are loaded, those of the start are loaded already.
            made = set(started)
            for name in names:
                trees[name] = Linked(frozenset(made)).visit(trees[name])
                made.add(name)
            started = made if ROOT_MODULE in names else started
        data = marshal.dumps(_packed(names, trees, files))
        pieces.update(dict.fromkeys(names, (len(data), len(rest))))
        rest += data
    launch = {name: _packed([name], trees, files)[name] for name in LAUNCH_MODULES}
    first = marshal.dumps((lean_code(ast.parse(BOOT), "boot"), launch, pieces))
    return f"{len(first):0{DIGITS}}".encode() + first + rest


def _packed(names: list[str], trees: Mapping[str, ast.Module], files: Mapping[str, Path]) -> dict[str, object]:
    """Per module: a package's search path, its code, and the modules of its piece in order."""
    paths = {name: [str(files[name].parent)] if files[name].name == "__init__.py" else None for name in names}
    return {name: (paths[name], lean_code(trees[name], str(files[name])), names) for name in names}
