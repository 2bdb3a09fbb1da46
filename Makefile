# Every target makes or reuses .venv, so that each works from a bare clone with nothing but
# Python 3.10 or later and a package index.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet

.PHONY: demo test lint types layers format check bench wheels clean servers

demo: $(VENV)/base.stamp
	@$(BIN)/qidf demo

test: $(VENV)/test.stamp
	@$(BIN)/python -m pytest

# Real OpenSearch and Elasticsearch for the tests that skip without them; stop them with
# scripts/servers stop.
servers:
	@scripts/servers start
	@echo 'Let the tests find them: eval "$$(scripts/servers env)"'

lint: $(VENV)/dev.stamp
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/dev.stamp
	@$(BIN)/mypy

layers: $(VENV)/dev.stamp
	@$(BIN)/lint-imports

format: $(VENV)/dev.stamp
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

check: lint types layers test

# Eight minutes on a quiet machine, and the Go corpus is built first where it is missing.
bench: $(VENV)/test.stamp
	@$(PIP) install --requirement benchmarks/requirements.txt
	@$(BIN)/python -m benchmarks.speed

# For every kind of machine, whatever this one is: the compiler comes as a package.
wheels: $(BIN)/python
	@for target in linux-x86_64 linux-arm64 macos-x86_64 macos-arm64 windows-x86_64; do \
		QIDF_TARGET=$$target $(PIP) wheel --no-deps --wheel-dir dist . || exit 1; \
	done
	@ls dist

clean:
	rm -rf $(VENV)

# A stamp is older than pyproject.toml once the dependencies have changed.
$(VENV)/base.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing qidf into $(VENV)"
	@$(PIP) install --editable .
	@touch $@

$(VENV)/test.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing qidf and what its tests need into $(VENV)"
	@$(PIP) install --editable '.[test]'
	@touch $@ $(VENV)/base.stamp

$(VENV)/dev.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing qidf and its development tools into $(VENV)"
	@$(PIP) install --editable '.[dev]'
	@touch $@ $(VENV)/base.stamp $(VENV)/test.stamp

# Names on PATH may be shims that don't run, so each candidate is asked; newest first. Debian ships
# Python without ensurepip, which venv needs.
$(BIN)/python:
	@old=; bare=; \
	for python in $(PYTHON) python3.14 python3.13 python3.12 python3.11 python3.10 python3; do \
		"$$python" -c '' 2>/dev/null || continue; \
		"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { old=$$python; continue; }; \
		"$$python" -c 'import ensurepip, venv' 2>/dev/null || { bare=$$python; continue; }; \
		echo "Making $(VENV) with $$("$$python" --version)"; \
		rm -rf $(VENV); \
		exec "$$python" -m venv $(VENV); \
	done; \
	if [ -n "$$bare" ]; then \
		echo "$$bare lacks venv or ensurepip: install them (on Debian and Ubuntu: apt install python3-venv) and run make again." >&2; \
	elif [ -n "$$old" ]; then \
		echo "qidf needs Python 3.10 or later and finds only $$("$$old" --version 2>&1): install a newer one, or say where it is with make PYTHON=..." >&2; \
	else \
		echo "qidf needs Python 3.10 or later and finds none on PATH: install one, or say where it is with make PYTHON=..." >&2; \
	fi; \
	exit 1
