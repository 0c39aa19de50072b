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
