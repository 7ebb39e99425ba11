# Everything runs in .venv, made with the first Python from 3.11 on that this machine has,
# and made again when pyproject.toml changes.

VENV := .venv
BIN := $(VENV)/bin
DATA := data
RESULTS := results

.PHONY: quickstart test lint bench bench-scaling peers reproduce-others reproduce-scale reproduce-table1 reproduce-table2 reproduce-table3 reproduce-fig1 reproduce-fig2 fuzz clean

quickstart: $(VENV)/.core  ## run three methods on the bundled data and print the table
	$(BIN)/xcbench run configs/quickstart.yaml --data data --results results

test: $(VENV)/.dev  ## the whole test suite
	$(BIN)/python -m pytest -q -n 2 --dist loadfile

lint: $(VENV)/.dev  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.peers  ## time the stages against the libraries a user would call otherwise
	$(BIN)/xcbench bench

bench-scaling: $(VENV)/.peers  ## time and memory against size, on made-up data (up to half an hour)
	$(BIN)/xcbench bench --only scaling --out "$(RESULTS)/figures/scaling.csv"

peers: $(VENV)/.peers .venv-pecos/.libpecos  ## the libraries of the methods in configs/peers

# Files of a table, one a format.
table_files = $(foreach suffix,txt md tex csv html,--out "$(RESULTS)/tables/table$(1).$(suffix)")

reproduce-table1: $(VENV)/.core  ## the datasets in $(DATA), counted
	$(BIN)/xcbench table 1 --data "$(DATA)" $(call table_files,1)
	@cat "$(RESULTS)/tables/table1.txt"

# Of other tasks than extreme classification, or beside the tables.
OTHERS := $(wildcard configs/itml.yaml configs/peers/itml.yaml configs/compressed-modes*.yaml configs/correspondence.yaml \
  configs/embedding*.yaml configs/maxide.yaml configs/recovery.yaml configs/robust.yaml)

# A job failed, data or a library is missing, another run is at work: the table is made of the rest.
reproduce-table2 reproduce-table3: $(VENV)/.peers  ## accuracy and cost, on the datasets in $(DATA)
	-@$(MAKE) --silent .venv-pecos/.libpecos
	$(BIN)/xcbench run $(filter-out configs/quickstart.yaml $(OTHERS),$(wildcard configs/*.yaml \
	  configs/peers/*.yaml configs/splits/*.yaml configs/seeds/*.yaml)) --data "$(DATA)" --results "$(RESULTS)" || \
	  { status=$$?; case $$status in 1|3|4) ;; *) exit $$status;; esac; }
	$(BIN)/xcbench table $(@:reproduce-table%=%) --data "$(DATA)" --results "$(RESULTS)" \
	  $(call table_files,$(@:reproduce-table%=%))
	@cat "$(RESULTS)/tables/$(@:reproduce-%=%).txt"

reproduce-fig1 reproduce-fig2: $(VENV)/.core  ## the RXML paper's figures, of the datasets in $(DATA)
	$(BIN)/xcbench run configs/figures/$(@:reproduce-%=%)-*.yaml --data "$(DATA)" --results "$(RESULTS)" || \
	  { status=$$?; case $$status in 1|3|4) ;; *) exit $$status;; esac; }
	$(BIN)/xcbench figure $(@:reproduce-fig%=%) --data "$(DATA)" --results "$(RESULTS)"

reproduce-others: $(VENV)/.core  ## metric learning, MADMM and matrix completion, on the data in $(DATA)
	$(BIN)/xcbench run $(OTHERS) --data "$(DATA)" --results "$(RESULTS)" || \
	  { status=$$?; case $$status in 1|3|4) ;; *) exit $$status;; esac; }
	$(BIN)/xcbench figure metric-learning modes modes-mesh correspondence correspondence-map embedding \
	  matrix-completion matrix-recovery robustness --data "$(DATA)" --results "$(RESULTS)"

reproduce-scale: $(VENV)/.peers  ## YSO-25K of $(DATA), and made-up data of Amazon-670K's size
	[ -e data/amazon-like/synth.json ] || $(BIN)/xcbench data synth amazon-like --like amazon-670k --data data
	$(BIN)/xcbench run configs/scale/amazon-like.yaml --data data --results "$(RESULTS)"
	$(BIN)/xcbench run configs/scale/yso-25k.yaml --data "$(DATA)" --results "$(RESULTS)"

RUNS := 200000

fuzz: $(VENV)/.fuzz  ## damaged data and config files, $(RUNS) each by chance and steered by coverage
	$(BIN)/python -m tests.fuzz.reader --runs $(RUNS)
	$(BIN)/python -m tests.fuzz.config --runs $(RUNS)
	$(BIN)/python -m tests.fuzz.guided reader --runs $(RUNS)
	$(BIN)/python -m tests.fuzz.guided config --runs $(RUNS)

clean:  ## remove the environment and the caches; data and results stay
	rm -rf $(VENV) .venv-pecos .pytest_cache .hypothesis .mypy_cache .ruff_cache
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

# libpecos needs numpy < 2, so it has an environment of its own. The torch, transformers and others
# that it asks for are for other parts of it than XR-Linear.
.venv-pecos/.libpecos:
	@for python in $(PECOS_PYTHON) python3.12 python3.11 python3.10 python3; do \
	  if $$python -c 'import sys; sys.exit(not (3, 9) <= sys.version_info[:2] <= (3, 12))' 2>/dev/null; then \
	    echo "making .venv-pecos with $$($$python --version)"; \
	    $$python -m venv --clear .venv-pecos || exit 1; \
	    exit 0; \
	  fi; \
	done; \
	echo "error: libpecos needs a Python from 3.9 to 3.12; name one with make peers PECOS_PYTHON=/path/to/python" >&2; exit 1
	.venv-pecos/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: \
	  'numpy<2' 'scipy<1.14' scikit-learn
	.venv-pecos/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-deps libpecos
	@touch $@
