"""The libraries that the guards need, recorded file by file: a proxy loads exactly these and searches nowhere.

Law: a proxy imports only from its bundle (or our package), from the standard library, or a file recorded here with its
digest. No directory of foreign modules is ever on its `sys.path`.
"""

from __future__ import annotations

import hashlib
import os
import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path

import mcpgov

# Packages whose directories are needed; pure and compiled ones may be in different places.
LIBRARIES = ("platformdirs", "re2", "cel", "tree_sitter")

# module -> file, whether it is a package, its digest, and the state in which it was recorded.
Pins = dict[str, tuple[str, bool, str, tuple[int, ...]]]

# Finds them. The launcher gives it `pins` (what is recorded) and `parent` (where our own package lies).
# A file in its recorded state is not read for its digest: only the kernel sets the time of its last change (ctime).
# This text must not contain `posix.stat`: status_facts searches the launcher for its own use of it.
FINDER = """\
class Recorded:
 pins = pins
 @classmethod
 def find_spec(cls, name, path=None, target=None):
  if name == 'mcpgov': return sys.modules['_frozen_importlib_external'].PathFinder.find_spec(name, [parent])
  if name not in cls.pins: return None
  file, package, digest, state = cls.pins[name]
  from posix import stat
  now = stat(file)
  data = None
  if not file.endswith('.so') or (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns) != state:
   from _blake2 import blake2b
   with open(file, 'rb') as held: data = held.read()
   if blake2b(data, digest_size=16).hexdigest() != digest:
    raise ImportError(file + ' is not the file that mcpgov recorded: `mcpgov launcher` records it anew')
  machinery = sys.modules['_frozen_importlib_external']
  if file.endswith('.so'):
   return machinery.spec_from_file_location(name, file, loader=machinery.ExtensionFileLoader(name, file))
  cls.read = data
  spec = type(sys.__spec__)(name, cls, origin=file, is_package=package)
  return spec
 @staticmethod
 def create_module(spec): return None
 @classmethod
 def exec_module(cls, module):
  exec(compile(cls.read, module.__spec__.origin, 'exec', dont_inherit=True), module.__dict__)
sys.meta_path.insert(0, Recorded)
"""


def import_paths() -> list[str]:
    """The directories of our package and its libraries: an interpreter under `-S` knows neither."""
    package = str(Path(mcpgov.__file__).resolve().parents[1])
    held = [path for path in sys.path if any(os.path.isdir(os.path.join(path, name)) for name in LIBRARIES)]
    return list(dict.fromkeys((package, *held)))


def recorded() -> Pins:
    """The current files of RE2 and the CEL library, as far as they are installed."""
    pins: Pins = {}
    re2 = PathFinder.find_spec("re2")
    if re2 is not None and re2.submodule_search_locations:
        _record(pins, "re2", re2)
        _record(pins, "re2._re2", PathFinder.find_spec("_re2", re2.submodule_search_locations))
    cel = PathFinder.find_spec("cel")
    if cel is not None and cel.submodule_search_locations:
        # The extension itself, not its package, which is a command line tool.
        _record(pins, "cel", PathFinder.find_spec("cel", cel.submodule_search_locations))
    return pins


def _record(pins: Pins, name: str, spec: ModuleSpec | None) -> None:
    if spec is None or not isinstance(spec.loader, (ExtensionFileLoader, SourceFileLoader)):
        return
    file = os.path.realpath(str(spec.origin))
    with open(file, "rb") as held:
        digest = hashlib.blake2b(held.read(), digest_size=16).hexdigest()
    now = os.stat(file)
    state = (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
    pins[name] = (file, bool(spec.submodule_search_locations), digest, state)
