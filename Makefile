# Tasks; `make` lists them. Each makes the virtual environment it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
READY := $(VENV)/.ready
DEV := $(VENV)/.dev

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

bench: $(DEV) ## measure speed and maps, as ratios
	$(BIN)/python -m benchmarks

clean: ## remove the virtual environment and what tools left
	rm -rf $(VENV) .pytest_cache .hypothesis .mypy_cache .ruff_cache build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --constraint constraints.txt --editable .
	touch $@

$(DEV): $(READY)
	$(BIN)/python -m pip install --constraint constraints.txt --editable ".[dev]"
	touch $@
