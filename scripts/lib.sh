# Shared by the scripts beside this file: one venv per purpose, made and refreshed only when needed.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# find_python: the newest Python >= 3.11 that really starts (a version manager's shim may not) and can make a venv.
find_python() {
  local name bare=
  for name in ${MCPGOV_PYTHON:-} python3.14 python3.13 python3.12 python3.11 python3; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      if "$name" -c 'import ensurepip, venv' 2>/dev/null; then
        "$name" -c 'import sys; print(sys.executable)'
        return
      fi
      bare=${bare:-$name}
    fi
  done
  if [ -z "$bare" ]; then
    echo "mcpgov needs Python 3.11 or newer on the PATH (or set MCPGOV_PYTHON)" >&2
  elif command -v apt >/dev/null || command -v apt-get >/dev/null; then
    echo "$bare cannot make a Python environment here: it comes without ensurepip. Type" >&2
    echo "  sudo apt install python3-venv" >&2
    echo "and run this again (or set MCPGOV_PYTHON to another Python)" >&2
  else
    echo "$bare cannot make a Python environment: it comes without ensurepip" >&2
    echo "install that part of Python, or set MCPGOV_PYTHON to another one, and run this again" >&2
  fi
  exit 1
}

# whole_venv DIR: is it there, and was it finished? One that was interrupted, or has no pip, is none.
whole_venv() { [ ! -e "$1/.unfinished" ] && [ -x "$1/bin/python" ] && "$1/bin/python" -m pip --version >/dev/null 2>&1; }

# begin_venv DIR: a venv that counts as half-made until end_venv; what is left of an interrupted one goes.
begin_venv() {
  local python
  whole_venv "$1" || {
    python=$(find_python) || exit 1
    rm -rf "$1"
    mkdir -p "$1"
    : > "$1/.unfinished"
    "$python" -m venv "$1"
  }
  : > "$1/.unfinished"
}
end_venv() { rm -f "$1/.unfinished"; }

# make_venv DIR EXTRA: a venv with the project installed in editable form, redone when pyproject.toml changes.
make_venv() {
  local dir=$1 extra=$2 stamp
  stamp=$(cksum < "$ROOT/pyproject.toml")
  if [ ! -x "$dir/bin/python" ] || [ "$(cat "$dir/.stamp" 2>/dev/null)" != "$stamp" ]; then
    echo "setting up $dir" >&2
    rm -rf "$dir"
    begin_venv "$dir"
    "$dir/bin/python" -m pip install --quiet --disable-pip-version-check -e "$ROOT$extra" >&2
    printf '%s' "$stamp" > "$dir/.stamp"
    end_venv "$dir"
  fi
}

# make_wheel_venv DIR: a venv with the built wheel installed and compiled, redone when a source file changes.
make_wheel_venv() {
  local dir=$1 stamp
  stamp=$(cd "$ROOT" && find mcpgov pyproject.toml -name '*.py' -o -name pyproject.toml | sort | xargs cksum | cksum)
  if [ ! -x "$dir/bin/python" ] || [ "$(cat "$dir/.stamp" 2>/dev/null)" != "$stamp" ]; then
    echo "installing the wheel into $dir" >&2
    begin_venv "$dir"
    install_wheel "$dir"
    printf '%s' "$stamp" > "$dir/.stamp"
    end_venv "$dir"
  fi
}

# install_wheel DIR: this checkout into the venv, also where the version is the same, and compiled.
install_wheel() {
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade "$ROOT" >&2
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$ROOT" >&2
  env -u PYTHONDONTWRITEBYTECODE "$1/bin/python" -m compileall -q "$1/lib" >/dev/null || true
}

# What the demo fetches, and the tests among other things.
MEMORY_SERVER=@modelcontextprotocol/server-memory@2026.8.31
CLAUDE_CODE=@anthropic-ai/claude-code@2.1.325

# with_npm DIR PACKAGE…: these packages and no others below DIR; the stamp is written last. Fails where Node is missing
# or the registry does not answer.
with_npm() {
  local dir=$1
  shift
  [ "$(cat "$dir/.stamp" 2>/dev/null)" = "$*" ] && return
  command -v node >/dev/null && command -v npm >/dev/null || return 1
  rm -rf "$dir"
  mkdir -p "$dir"
  echo "installing $* into $dir" >&2
  npm install --loglevel=error --no-audit --no-fund --no-package-lock --ignore-scripts --prefix "$dir" "$@" >/dev/null ||
    return 1
  printf '%s' "$*" > "$dir/.stamp"
}
