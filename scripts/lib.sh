# Shared by the scripts beside this file: one venv per purpose, made and refreshed only when needed.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The newest Python >= 3.11 that really starts (a version manager's shim may not).
find_python() {
  local name
  for name in ${MCPGOV_PYTHON:-} python3.14 python3.13 python3.12 python3.11 python3; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      "$name" -c 'import sys; print(sys.executable)'
      return
    fi
  done
  echo "mcpgov needs Python 3.11 or newer on the PATH (or set MCPGOV_PYTHON)" >&2
  exit 1
}

# make_venv DIR EXTRA: a venv with the project installed in editable form, redone when pyproject.toml changes.
make_venv() {
  local dir=$1 extra=$2 stamp
  stamp=$(cksum < "$ROOT/pyproject.toml")
  if [ ! -x "$dir/bin/python" ] || [ "$(cat "$dir/.stamp" 2>/dev/null)" != "$stamp" ]; then
    echo "setting up $dir" >&2
    rm -rf "$dir"
    "$(find_python)" -m venv "$dir"
    "$dir/bin/python" -m pip install --quiet --disable-pip-version-check -e "$ROOT$extra" >&2
    printf '%s' "$stamp" > "$dir/.stamp"
  fi
}

# make_wheel_venv DIR: a venv with the built wheel installed and compiled, redone when a source file changes.
make_wheel_venv() {
  local dir=$1 stamp
  stamp=$(cd "$ROOT" && find mcpgov pyproject.toml -name '*.py' -o -name pyproject.toml | sort | xargs cksum | cksum)
  if [ ! -x "$dir/bin/python" ] || [ "$(cat "$dir/.stamp" 2>/dev/null)" != "$stamp" ]; then
    echo "installing the wheel into $dir" >&2
    [ -x "$dir/bin/python" ] || "$(find_python)" -m venv "$dir"
    "$dir/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade "$ROOT" >&2
    "$dir/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$ROOT" >&2
    env -u PYTHONDONTWRITEBYTECODE "$dir/bin/python" -m compileall -q "$dir/lib" >/dev/null || true
    printf '%s' "$stamp" > "$dir/.stamp"
  fi
}
