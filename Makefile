# `make demo` and `make test` need Python 3.11 and make, and set up the rest.
SHELL := /bin/sh
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PORT ?= 8000
SERVE ?= 1
JOBS ?= 2
BIN := .venv/bin
PY := $(BIN)/python
PYTEST := $(BIN)/pytest -n $(JOBS) --dist loadgroup
# Only what asks the suite's database runs on both: the rest would do the same again.
ON_POSTGRESQL := tests/labeling tests/calibration
ASKING := database and not browser
# Without it each process that a test starts, and each run of the suite, compiles everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test test-slow test-model test-adapters check format lock bench pictures migrations

help:
	@echo "make demo        set up, run the main job on the starter set, serve it on 127.0.0.1:$(PORT)"
	@echo "make test        the tests, on SQLite and on PostgreSQL"
	@echo "make test-slow   the tests that take long or kill processes"
	@echo "make test-model  the tests that load a model, skipped by name where its packages are not"
	@echo "make test-adapters  the tests of other packages' metrics, each beside its own packages"
	@echo "make check       lint, types, layers, migrations"
	@echo "make bench       the benchmarks, each figure beside its floor"
	@echo "make pictures    retakes the README's pictures from a demo of their own; needs Chromium"

setup: .venv/installed .env

.venv/installed: requirements.lock
	@echo "Setting up .venv; its packages are downloaded once, which takes a minute or two."
	@$(PYTHON) -m venv .venv
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

.env:
	@umask 077 && $(PY) -c "import secrets; print('SECRET_KEY=' + secrets.token_urlsafe(48))" > $@

demo: setup
	@$(PY) manage.py migrate --verbosity 0
	@$(PY) manage.py demo $(if $(filter 0,$(SERVE)),--reports)
ifneq ($(SERVE),0)
	@$(PY) manage.py serve --port $(PORT)
endif

test: setup
	$(PYTEST) -m "not slow"
	TEST_DATABASE=postgresql $(PYTEST) -m "$(ASKING) and not slow" $(ON_POSTGRESQL)

# The worker tests bring databases of their own, of both kinds.
test-slow: setup
	$(PYTEST) -m slow
	TEST_DATABASE=postgresql $(PYTEST) -m "$(ASKING) and slow" $(ON_POSTGRESQL)

# What it needs is an extra: .venv/bin/pip install '.[nli]'
test-model: setup
	$(BIN)/pytest -m model

# Each package in an environment of its own, since they do not agree on what else is installed.
test-adapters: .venv-ragas/installed .venv-deepeval/installed
	.venv-ragas/bin/python -m pytest tests/grounding/adapters --confcutdir tests/grounding/adapters
	.venv-deepeval/bin/python -m pytest tests/grounding/adapters --confcutdir tests/grounding/adapters

.venv-%/installed: pyproject.toml
	@echo "Setting up .venv-$*; its packages are downloaded once, which takes a few minutes."
	@$(PYTHON) -m venv .venv-$*
	@.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check --upgrade \
		--editable '.[llm,$*]' pytest
	@touch $@

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(PY) manage.py makemigrations --check --dry-run

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

migrations: setup
	$(PY) manage.py makemigrations

bench: setup
	$(PY) -m benchmarks

pictures: setup
	$(PY) -m benchmarks.pictures

# Writes the full tested set; needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --extra app --extra dev --generate-hashes \
		--no-emit-index-url --no-header --upgrade -o requirements.lock pyproject.toml
