#!/bin/sh
# Make .venv from uv.lock, with nothing but a Python and the package index.
#
# uv.lock names the public index and the hash of every file, so that it holds on any machine.
# Where pip is set up for another index, uv's own `sync` would refuse the lock (it pins the index too):
# there the same versions and hashes are exported and installed from that index instead.
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "setup: $*" >&2
    exit 1
}

# A name on PATH proves nothing (pyenv has shims for Pythons that are switched off): run it.
find_python() {
    for name in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    fail "Python 3.11 or newer is needed, and none of python3, python3.14 ... python3.11, python is one. Install it and run make again."
}

# Debian packs the part of Python that makes virtual environments apart.
make_tools() {
    rm -rf .tools
    "$python" -m venv .tools >/dev/null 2>&1 && return
    package="$("$python" -c 'import sys; print(f"python{sys.version_info[0]}.{sys.version_info[1]}-venv")')"
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "setup: $python cannot make a virtual environment; installing $package"
        apt-get update -qq || true
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null || true
    fi
    rm -rf .tools
    "$python" -m venv .tools || fail "$python cannot make a virtual environment. Install $package (Debian, Ubuntu) and run make again."
}

configured_index() {
    echo "${PIP_INDEX_URL:-$(.tools/$programs/python -m pip config get global.index-url 2>/dev/null || true)}"
}

case "$(uname)" in
    MINGW* | MSYS* | CYGWIN*) programs=Scripts ;;
    *) programs=bin ;;
esac
python="$(find_python)"
echo "setup: making .venv with $("$python" --version)"
[ -x .tools/$programs/uv ] && .tools/$programs/uv --version >/dev/null 2>&1 || {
    make_tools
    .tools/$programs/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9,<1'
}

# A network may sign with a certificate of its own: trust what the system trusts, where it has a list.
if [ "$(uname)" = Darwin ] || [ -s /etc/ssl/certs/ca-certificates.crt ]; then
    export UV_SYSTEM_CERTS=1
fi
export UV_PYTHON_DOWNLOADS=never UV_LINK_MODE="${UV_LINK_MODE:-copy}"
unset VIRTUAL_ENV

index="$(configured_index)"
if [ -z "$index" ]; then
    .tools/$programs/uv sync --quiet --locked --python "$python"
else
    .tools/$programs/uv venv --quiet --allow-existing --python "$python" .venv
    .tools/$programs/uv export --quiet --frozen --no-emit-project --format requirements.txt --output-file .tools/requirements.txt
    UV_DEFAULT_INDEX="$index" .tools/$programs/uv pip sync --quiet --require-hashes .tools/requirements.txt
    UV_DEFAULT_INDEX="$index" .tools/$programs/uv pip install --quiet --no-deps --editable .
fi
# Where a user forbids Python to write byte code, every start would compile anew.
.venv/$programs/python -c '
import compileall, click, msgspec
for directory in ("src", *click.__path__, *msgspec.__path__):
    compileall.compile_dir(directory, quiet=1)'
touch .venv/.stamp
