#!/bin/sh
# Install the named system packages, or those that some tests use; where that may not be, say what is missing and go on.
set -eu

missing=""
for tool in ${*:-strace chromium zsh fish zstd pdftotext ps}; do
    command -v "$tool" >/dev/null || missing="$missing $tool"
done
[ -n "$missing" ] || exit 0

packages="$(echo "$missing" | sed -e "s/pdftotext/poppler-utils/" -e "s/ ps\\b/ procps/")"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq $packages >/dev/null 2>&1 ||
        { apt-get update -qq && apt-get install -y -qq $packages; } >/dev/null 2>&1 || true
fi

for tool in $missing; do
    command -v "$tool" >/dev/null || echo "$tool is not installed: the tests and measurements that need it are skipped."
done
