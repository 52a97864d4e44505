# draftgate: two commands for a newcomer, `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help
.PHONY: help demo test check cover bench audit ray mutants autoshare fuzz mutmut crash balance soak shots tenseconds browser clean lock

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "draftgate needs Python 3.11 or newer: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing: apt-get install -y python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Two stamps: the product alone for the demo, the tools as well for tests and checks.
$(VENV)/.installed: $(BIN)/python pyproject.toml requirements.txt
	@echo "installing draftgate (about a minute the first time)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.txt
	@echo "installing the test tools"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@

demo: $(VENV)/.installed ## play twelve customer turns against a simulated WeCom and show the table (ONCE=1: then end)
	$(BIN)/draftgate demo $(if $(ONCE),--once,) $(if $(PORT),--port $(PORT),)

browser: ## install the Chromium and the Chinese fonts that the browser tests want (Debian, as root)
	@bash tests/browser/install.sh

test: $(VENV)/.installed-dev browser ## run all tests
	$(BIN)/python -m pytest

shots: $(VENV)/.installed-dev browser ## run the browser tests and keep pictures of every journey in artefacts/shots
	DRAFTGATE_SHOTS=artefacts/shots $(BIN)/python -m pytest tests/browser

tenseconds: $(VENV)/.installed-dev browser ## decide ten drafts with the keyboard only; prints keys and server time of each decision
	$(BIN)/python -m pytest tests/browser/test_ten.py

check: $(VENV)/.installed-dev browser ## what CI runs: format, lint, types, imports, dependencies, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/deptry .
	$(BIN)/python -m pytest

cover: $(VENV)/.installed-dev browser ## run all tests with branch coverage
	$(BIN)/python -m pytest --cov --cov-report=term-missing:skip-covered

bench: $(VENV)/.installed-dev ## speeds as ratios in one run
	$(BIN)/python -m bench

# Both read the sets of eval/, or SETS="folder file …" in the same format.
mutants: $(VENV)/.installed-dev ## change one fact of a good draft at a time and count what still passes (LIST=1: name it)
	$(BIN)/python -m bench.mutants $(SETS) $(if $(LIST),--list,)

autoshare: $(VENV)/.installed-dev ## the share of good drafts that auto mode would send, before and after one rewrite
	$(BIN)/python -m bench.autoshare $(SETS)

fuzz: $(VENV)/.installed-dev ## ten minutes of arbitrary turns (FUZZ_MINUTES=n); follows branches where atheris is installed
	$(BIN)/python -m bench.fuzz

mutmut: $(VENV)/.installed-dev ## change the code of one module and see whether a test notices (NAME="verifier.polarity*")
	$(BIN)/python -m pip install --quiet --disable-pip-version-check mutmut
	nice -n 10 $(BIN)/python -m mutmut run $(if $(NAME),"$(NAME)",)
	$(BIN)/python -m mutmut results

crash: $(VENV)/.installed-dev ## kill a real process at every commit and around every call, and print the table
	$(BIN)/python -m bench crash

balance: $(VENV)/.installed-dev ## 5,000 drafts through two and through four workers with faults; the sums must balance
	$(BIN)/python -m bench balance

audit: $(VENV)/.installed-dev ## judge AUDIT_ROWS generated replies on two workers, once with a kill in the middle; goes on after a stop
	$(BIN)/python -m bench audit

ray: $(VENV)/.installed-dev ## install Ray and check that two of its workers judge as this machine does (RAY_ROWS=n)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[ray]'
	$(BIN)/python -m pytest tests_ray

soak: $(VENV)/.installed-dev ## 30 minutes of mixed traffic at a fixed rate (SOAK_MINUTES=n), with table and picture
	$(BIN)/python -m bench soak

lock: $(BIN)/python ## write the lock files anew
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate --extra dev -c requirements.txt pyproject.toml -o requirements-dev.txt

clean: ## remove what was built
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info artefacts
