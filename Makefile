# `make run` tries it, `make check` while working, `make test` before handing in.
# Nothing is needed beforehand but make and Python 3.11 or newer.

.DEFAULT_GOAL := help
.PHONY: help setup run test check lint docs format bench clean

# Byte code that may not be written is compiled anew by each of a thousand processes that the tests start.
unexport PYTHONDONTWRITEBYTECODE

bin := .venv/bin
workers := 2

help:  ## say what can be made
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' Makefile

setup: .venv/.stamp  ## make .venv from uv.lock; quick when nothing changed

.venv/.stamp: pyproject.toml uv.lock scripts/setup.sh
	@sh scripts/setup.sh

run: setup  ## show the overview of your own sessions, or of the demo home
	@sh scripts/run.sh

test: setup lint  ## everything CI needs: lint, types, contracts, docs, all tests
	@sh scripts/system_packages.sh
	$(bin)/pytest -q -n $(workers)

check: setup lint  ## as test, without the slow tests; under a minute
	$(bin)/pytest -q -n $(workers) -m "not slow" --hypothesis-profile=quick

lint: setup  ## formatting, lint, types, import contracts, generated docs
	$(bin)/ruff format --check --quiet
	$(bin)/ruff check --quiet
	$(bin)/mypy --no-error-summary
	$(bin)/lint-imports --no-logo
	$(bin)/python scripts/write_cli_docs.py --check
	$(bin)/python scripts/draw_pictures.py --check

docs: setup  ## write anew what is generated: docs/cli.md, the pictures, the output in README.md
	$(bin)/python scripts/write_cli_docs.py
	$(bin)/python scripts/draw_pictures.py

format: setup  ## format the code and mend what ruff can mend
	$(bin)/ruff check --quiet --fix-only
	$(bin)/ruff format

bench: setup  ## measure us against the peers, in a virtual environment of its own
	$(bin)/python bench/run.py

clean:  ## remove all that was made here
	rm -rf .venv .tools bench/.venv bench/.cache dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
