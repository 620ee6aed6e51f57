"""The pre-commit hook for git: it refuses a commit whose added lines hold a secret."""

HOOK = """\
#!/bin/sh
# Printed by `backscroll redact --git-hook`: refuse a commit whose added lines hold a secret.
# Line numbers are those of: git diff --cached -U0
git diff --cached --no-color --no-ext-diff --no-textconv -U0 | sed 's/^-.*//' |
  backscroll redact --check --no-identities - >&2
code=$?
if [ "$code" -ne 0 ]; then
  echo 'pre-commit: remove the secret, or skip this check with: git commit --no-verify' >&2
fi
exit "$code"
"""
