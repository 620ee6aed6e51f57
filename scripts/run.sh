#!/bin/sh
# Show the overview of this machine's own sessions, or of the demo home where there are none.
set -eu
cd "$(dirname "$0")/.."

count='import json, sys; print(json.load(sys.stdin)["sessions"])'
sessions="$(.venv/bin/backscroll --json | .venv/bin/python -c "$count")"
if [ "$sessions" != 0 ]; then
    .venv/bin/backscroll
    echo
    echo "Look at it in the browser:  .venv/bin/backscroll web"
    exit 0
fi

demo=.venv/demo
.venv/bin/backscroll demo "$demo" >/dev/null
echo "No session of Claude Code was found on this machine: this is the demo home, $demo"
echo
.venv/bin/backscroll --root "$demo"
echo
echo "Look at it in the browser:  .venv/bin/backscroll --root $demo web"
