# Sourced by the commands in this folder: finds Python, creates .venv, installs the lock. Messages go to stderr.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
VENV=$ROOT/.venv

say() { printf '%s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

find_python() {
    local name
    for name in python3.11 python3.12 python3.13 python3; do
        if command -v "$name" >/dev/null 2>&1 &&
            "$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    fail "Rungs needs Python 3.11 or newer; none was found on PATH."
}

make_venv() {
    [ -x "$VENV/bin/python" ] && "$VENV/bin/python" -c 'import pip' 2>/dev/null && return
    local python
    python=$(find_python)
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        fail "Python's venv module is missing; on Debian and Ubuntu: apt-get install python3-venv."
    say "Creating a virtual environment in .venv …"
    rm -rf "$VENV"
    "$python" -m venv "$VENV"
}

# macOS has no sha256sum.
sha256_of() {
    "$VENV/bin/python" -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "$1"
}

# install_lock LOCK…: does nothing if one of the locks is installed already; otherwise installs the first.
install_lock() {
    make_venv
    local lock hash
    for lock in "$@"; do
        hash=$(sha256_of "$lock")
        [ -f "$VENV/installed-$hash" ] && return
    done
    hash=$(sha256_of "$1")
    say "Installing $1 (once; about a minute) …"
    # The lock names every package. With resolving, pip would install a newer release for an extra (coverage[toml]).
    "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps --require-hashes -r "$1" >&2 ||
        fail "The packages of $1 could not be installed; see above."
    rm -f "$VENV"/installed-*
    touch "$VENV/installed-$hash"
}

manage() { "$VENV/bin/python" "$ROOT/manage.py" "$@"; }
