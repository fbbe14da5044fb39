# Tasks; `make` lists them. Each makes the virtual environment it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
READY := $(VENV)/.ready
DEV := $(VENV)/.dev
PEERS := .venv-bench
PEERS_READY := $(PEERS)/.ready

.PHONY: help run test lint fix bench clean
.DEFAULT_GOAL := help

help: ## list the tasks
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-6s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(READY) ## map the papers in seeds/ and serve the dashboard
	$(BIN)/papersky

test: $(DEV) ## run the whole suite
	$(BIN)/python -m pytest

lint: $(DEV) ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fix: $(DEV) ## mend style where that can be done
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(DEV) $(PEERS_READY) ## measure speed and maps beside peers, of PAPERS=PATH or made-up ones
	$(BIN)/python -m benchmarks $(PAPERS)

clean: ## remove the virtual environments and what tools left
	rm -rf $(VENV) $(PEERS) .pytest_cache .hypothesis .mypy_cache .ruff_cache build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --constraint constraints.txt --editable .
	touch $@

$(DEV): $(READY)
	$(BIN)/python -m pip install --constraint constraints.txt --editable ".[dev]"
	touch $@

$(PEERS_READY): benchmarks/peers/requirements.txt benchmarks/peers/constraints.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/$(notdir $(BIN))/python -m pip install \
		--requirement benchmarks/peers/requirements.txt \
		--constraint benchmarks/peers/constraints.txt
	touch $@
