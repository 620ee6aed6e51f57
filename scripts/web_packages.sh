#!/bin/sh
# Install the packages that build and test the web page, by their lock file; where npm is absent, say so and go on.
set -eu
cd "$(dirname "$0")/../web-page"

stamp=node_modules/.stamp
[ ! -f "$stamp" ] || [ package-lock.json -nt "$stamp" ] || exit 0
if ! command -v npm >/dev/null; then
    echo "npm is not installed: the web page is not built, and some of its tests are skipped."
    exit 0
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || {
    echo "npm could not install the packages of the web page: some of its tests are skipped."
    exit 0
}
touch "$stamp"
