# Everything runs in .venv, made with the first Python from 3.11 on that this machine has,
# and made again when pyproject.toml changes.

VENV := .venv
BIN := $(VENV)/bin

.PHONY: quickstart test lint bench fuzz clean

quickstart: $(VENV)/.core  ## run three methods on the bundled data and print the table
	$(BIN)/xcbench run configs/quickstart.yaml --data data --results results

test: $(VENV)/.dev  ## the whole test suite
	$(BIN)/python -m pytest -q

lint: $(VENV)/.dev  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.peers  ## time the stages against the libraries a user would call otherwise
	$(BIN)/xcbench bench

RUNS := 200000

fuzz: $(VENV)/.fuzz  ## damaged data and config files, $(RUNS) each by chance and steered by coverage
	$(BIN)/python -m tests.fuzz.reader --runs $(RUNS)
	$(BIN)/python -m tests.fuzz.config --runs $(RUNS)
	$(BIN)/python -m tests.fuzz.guided reader --runs $(RUNS)
	$(BIN)/python -m tests.fuzz.guided config --runs $(RUNS)

clean:  ## remove the environment and the caches; data and results stay
	rm -rf $(VENV) .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find xcbench tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.core: pyproject.toml
	@for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "making $(VENV) with $$($$python --version)"; \
	    $$python -m venv --clear $(VENV) || exit 1; \
	    exit 0; \
	  fi; \
	done; \
	echo "error: no Python 3.11 or later found; name one with make PYTHON=/path/to/python" >&2; exit 1
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(VENV)/.fuzz: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	@touch $@

$(VENV)/.peers: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[peers]'
	@touch $@
