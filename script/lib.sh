# Sourced by the commands in this folder: finds Python, creates .venv, installs the lock. Messages go to stderr.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
VENV=$ROOT/.venv

say() { printf '%s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

find_python() {
    local name
    for name in python3.11 python3.12 python3.13 python3.14 python3; do
        if command -v "$name" >/dev/null 2>&1 &&
            "$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    fail "Rungs needs Python 3.11, 3.12, 3.13 or 3.14; none was found on PATH."
}

has_uv() { command -v uv >/dev/null 2>&1; }

make_venv() {
    "$VENV/bin/python" -c '' 2>/dev/null && return
    local python
    python=$(find_python)
    say "Creating a virtual environment in .venv …"
    rm -rf "$VENV"
    has_uv && uv venv --quiet --no-project --python "$python" "$VENV" 2>/dev/null && return
    "$python" -m venv --clear --without-pip "$VENV"
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
    install_packages "$1"
    rm -f "$VENV"/installed-*
    touch "$VENV/installed-$hash"
}

# install_packages LOCK: with uv where it is on PATH or in the lock and reaches an index, otherwise with pip.
# The lock names every package. With resolving, pip would install a newer release for an extra (coverage[toml]).
install_packages() {
    local all
    all=$(grep -c '^[A-Za-z]' "$1")
    say "Installing the $all packages of $1 (once; less than half a minute) …"
    # Modules of a site are compiled when they are first imported: most never are. Those of the tests are compiled now, as
    # compiling some of them warns, and tests treat warnings as errors.
    local for_pip=--no-compile for_uv=--no-compile-bytecode
    [ "$1" = requirements.lock ] || for_pip=--compile for_uv=--compile-bytecode
    local uv=
    if has_uv; then
        uv=uv
    elif grep -q '^uv==' "$1"; then
        # Many packages take pip twice as long as installing uv first.
        awk '/^[^ ]/ { wanted = /^uv==/ } wanted' "$1" >"$VENV/uv.lock"
        run_pip --quiet --require-hashes -r "$VENV/uv.lock" >&2 && uv=$VENV/bin/uv
    fi
    # As pip does, uv trusts the certificates of the machine; older releases know the second name.
    if [ -n "$uv" ] && UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1 "$uv" pip install --quiet --python "$VENV/bin/python" --no-deps \
        --require-hashes $for_uv -r "$1" >&2; then
        return
    fi
    run_pip $for_pip --require-hashes -r "$1" | show_progress "$all" ||
        fail "The packages of $1 could not be installed; see above."
}

# run_pip ARGUMENTS…: installs into .venv with the pip of the Python that made it; copying it there takes four seconds and
# 24 MB.
run_pip() {
    local pip=("$(find_python)" -m pip --python "$VENV/bin/python")
    if ! "${pip[@]}" --version >/dev/null 2>&1; then
        "$VENV/bin/python" -m ensurepip >/dev/null 2>&1 ||
            fail "Python's venv module is missing; on Debian and Ubuntu: apt-get install python3-venv."
        pip=("$VENV/bin/python" -m pip)
    fi
    "${pip[@]}" install --disable-pip-version-check --no-input --no-deps --progress-bar off "$@"
}

# show_progress ALL: says after every tenth package of pip's output how many of all there are.
show_progress() {
    awk -v all="$1" '/^Collecting/ && ++count % 10 == 0 { printf "  %d of %d\n", count, all }
        /^Installing collected/ { print "  unpacking" }' >&2
}

manage() { "$VENV/bin/python" "$ROOT/manage.py" "$@"; }
