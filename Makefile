# The four targets to know: demo, test, check, bench. Everything is installed into $(VENV) from the pinned locks.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
LOCK := --universal --python-version 3.11 --generate-hashes --no-annotate --no-header

.PHONY: help demo models test pipelines agents proof check bench soak chaos lock clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    the main job end to end: agents ask, build and are graded (no account, no model, no Docker)"
	@echo "make models  install what agents with a model need"
	@echo "make test    the test suite, under 10 minutes"
	@echo "make pipelines  two registry packages through the whole of construct, with recorded responses"
	@echo "make check   format, lint, types, import rules"
	@echo "make bench   the project's own figures, as one JSON document"
	@echo "make soak    thousands of items through one process, as one JSON document (40 minutes)"
	@echo "make chaos   200 rounds of runs that are killed, starved, stalled and resumed"
	@echo "make proof   slower proofs"
	@echo "make agents  the real programs of agents, from their registry packages (npm, debootstrap; about 4 GB of disk)"
	@echo "make lock    renew the pinned locks after changing pyproject.toml"

$(VENV)/.runtime: requirements.lock pyproject.toml
	@sh tools/check_python.sh "$(PYTHON)"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.models: requirements-models.lock $(VENV)/.runtime
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-models.lock
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

demo: $(VENV)/.runtime
	@sh tools/ensure_bubblewrap.sh
	@$(BIN)/underspec demo

models: $(VENV)/.models

test: $(VENV)/.dev
	@sh tools/ensure_bubblewrap.sh
	$(BIN)/pytest -n 3 -m "not proof and not agents and not pipeline"

pipelines: $(VENV)/.dev
	@sh tools/ensure_bubblewrap.sh
	$(BIN)/pytest -m pipeline --timeout 1800

proof: $(VENV)/.dev
	@sh tools/ensure_bubblewrap.sh
	$(BIN)/pytest -m "proof and not agents" --timeout 3600

agents: $(VENV)/.dev
	@sh tools/ensure_bubblewrap.sh
	$(BIN)/pytest -m agents --timeout 3600

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/audit.py

bench: $(VENV)/.dev
	@sh tools/ensure_bubblewrap.sh >&2
	@$(BIN)/python -m bench

chaos: $(VENV)/.dev
	@sh tools/ensure_bubblewrap.sh >&2
	@$(BIN)/python -m tests.chaos --rounds 200

soak: $(VENV)/.dev
	@sh tools/ensure_bubblewrap.sh >&2
	@$(BIN)/python -m bench.soak

lock:
	uv pip compile pyproject.toml --group build --group dev --extra models --extra ray $(LOCK) -o requirements-dev.lock
	uv pip compile pyproject.toml --group build $(LOCK) -c requirements-dev.lock -o requirements.lock
	uv pip compile pyproject.toml --group build --extra models $(LOCK) -c requirements-dev.lock -o requirements-models.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
