#!/bin/sh
# Run a fast part of the tests on every other Python from 3.11 on that this machine has, each in an environment of its own.
#
# A name on PATH proves nothing (pyenv has shims for Pythons that are switched off), so each one is run first.
# Nothing is downloaded but the packages of uv.lock.
set -eu
cd "$(dirname "$0")/.."

PART="tests/test_public_values.py tests/test_host_program.py tests/test_lazy.py tests/cli/test_main.py tests/cli/test_startup.py
tests/formats/json tests/sessions/transcript tests/sessions/reading tests/query tests/stats tests/views tests/index/queries"
own="$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')"

if [ "$(uname)" = Darwin ] || [ -s /etc/ssl/certs/ca-certificates.crt ]; then
    export UV_SYSTEM_CERTS=1
fi
export UV_PYTHON_DOWNLOADS=never UV_LINK_MODE="${UV_LINK_MODE:-copy}"
unset VIRTUAL_ENV

# Print the path of one Python for each version.
pythons() {
    for minor in 11 12 13 14 15; do
        [ "3.$minor" = "$own" ] && continue
        for candidate in "python3.$minor" "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor."*/bin/python \
            "$(.tools/bin/uv python find --no-project "3.$minor" 2>/dev/null || true)"; do
            if [ -n "$candidate" ] && "$candidate" -c "import sys; sys.exit(sys.version_info[:2] != (3, $minor))" 2>/dev/null; then
                "$candidate" -c 'import os, sys; print(os.path.realpath(sys.executable))'
                break
            fi
        done
    done
}

found="$(pythons)"
[ -n "$found" ] || echo "other pythons: none on this machine but $own"
for python in $found; do
    version="$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
    echo "other pythons: $("$python" --version)"
    environment=".venv-others/$version"
    UV_PROJECT_ENVIRONMENT="$environment" .tools/bin/uv sync --quiet --locked --python "$python"
    "$environment/bin/python" -m pytest -q -n "${WORKERS:-2}" -m "not slow" --hypothesis-profile=quick -p no:cacheprovider $PART
done
