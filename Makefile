# `make run` tries it, `make check` while working, `make test` before handing in.
# Nothing is needed beforehand but make and Python 3.11 or newer.

.DEFAULT_GOAL := help
.PHONY: help setup run test check check-plain faults mutants lint docs web format dist bench clean

# Byte code that may not be written is compiled again by each of a thousand processes that the tests start.
unexport PYTHONDONTWRITEBYTECODE

# Windows has another name for the directory of programs.
programs := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
bin := .venv/$(programs)
workers := 2
# How many of the system calls of a run `make faults` lets fail.
faults := 100
# How many mutants `make mutants` tests, and the seed of the sample.
sample := 500
seed := 1
# near=1: only the tests beside each module, without the run that measures which tests reach which lines.
near :=

help:  ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' Makefile

setup: .venv/.stamp  ## make .venv from uv.lock; quick when nothing changed

.venv/.stamp: pyproject.toml uv.lock scripts/setup.sh
	@sh scripts/setup.sh

run: setup  ## show the overview of your own sessions, or of the demo home
	@sh scripts/run.sh

test: setup lint  ## everything CI needs: lint, types, contracts, docs, all tests
	@sh scripts/system_packages.sh
	@sh scripts/web_packages.sh
	$(bin)/pytest -q -n $(workers)
	@WORKERS=$(workers) sh scripts/other_pythons.sh

check: setup lint  ## as test, without the slow tests; some minutes
	$(bin)/pytest -q -n $(workers) -m "not slow" --hypothesis-profile=quick

check-plain: setup  ## the fast tests without lazy imports and other tricks for a quick start
	BACKSCROLL_PLAIN_START=1 $(bin)/pytest -q -n $(workers) -m "not slow" --hypothesis-profile=quick

faults: setup  ## attacks and injected faults, ten times as many as in `make test`; takes long
	BACKSCROLL_FAULTS=$(faults) $(bin)/pytest -q --timeout 0 -n $(workers) tests/attacks tests/archive tests/changes tests/transfer tests/index/update/test_grow_commands.py tests/test_faults.py tests/test_new_files.py

mutants: setup .tools/mutants/.stamp  ## change the code in small ways and count the changes that tests notice; takes hours
	.tools/mutants/$(programs)/python scripts/run_mutants.py --sample $(sample) --seed $(seed) --workers $(workers) $(if $(near),--near)

.tools/mutants/.stamp:
	.tools/$(programs)/python -m venv .tools/mutants
	.tools/mutants/$(programs)/python -m pip install --quiet --disable-pip-version-check cosmic-ray==8.7.0 coverage==7.17.3
	.tools/mutants/$(programs)/python -m pip install --quiet --disable-pip-version-check --target .tools/coverage coverage==7.17.3
	touch $@

lint: setup  ## formatting, lint, types, import contracts, generated docs
	$(bin)/ruff format --check --quiet
	$(bin)/ruff check --quiet
	$(bin)/mypy --no-error-summary
	$(bin)/lint-imports --no-logo
	$(bin)/python scripts/write_public_names.py --check
	$(bin)/python scripts/write_cli_docs.py --check
	$(bin)/python scripts/write_messages.py --check
	$(bin)/python scripts/draw_pictures.py --check
	$(bin)/python scripts/check_phrases.py
	$(bin)/python scripts/write_web_types.py --check

docs: setup  ## write the generated files: functions.py, __init__.pyi, docs/cli.md, the pictures, the output in README.md
	$(bin)/python scripts/write_public_names.py
	$(bin)/python scripts/write_cli_docs.py
	$(bin)/python scripts/write_messages.py
	$(bin)/python scripts/draw_pictures.py
	$(bin)/python scripts/draw_page.py
	$(bin)/python scripts/write_web_types.py
	$(bin)/python scripts/draw_web_pictures.py

web: setup  ## build the web page from web-page/ into src/backscroll/web/static; needs npm
	@sh scripts/web_packages.sh
	cd web-page && npm run --silent check && npm run --silent build

format: setup  ## format the code and apply the fixes of ruff
	$(bin)/ruff check --quiet --fix-only
	$(bin)/ruff format

dist: setup  ## build the wheel and the source archive into dist/, and try the wheel in an empty environment
	rm -rf dist
	.tools/$(programs)/uv build --quiet --out-dir dist
	$(bin)/pytest -q -n 0 tests/test_package.py

bench: setup  ## measure us against the peers, in a virtual environment of its own
	$(bin)/python bench/run.py
	$(bin)/python bench/transfers.py
	@sh scripts/system_packages.sh restic
	$(bin)/python bench/archiving.py M L --write
	$(bin)/python bench/redactors.py --write

clean:  ## remove all that was made here
	rm -rf .venv .venv-others .tools web-page/node_modules bench/.venv bench/.cache dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
