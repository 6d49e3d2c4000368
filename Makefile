# Two commands need nothing but Python 3.11+ (venv) and make: `make sandbox` and `make test`.
PYTHON ?= python3
PORT ?= 0
DB ?=
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed

.PHONY: install sandbox test test-all check format lock shots bench bench-ticks clean

install: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Placet needs Python 3.11 or newer; PYTHON=%s is %s. Try: make PYTHON=python3.11 install" % (sys.executable, sys.version.split()[0])) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

sandbox: install
	@$(PY) -P -m bot sandbox --port $(PORT) $(if $(DB),--db "$(DB)")

test: install
	$(PY) -m pytest -n auto --dist loadfile -m "not slow and not browser and not postgres"

test-all: install
	$(PY) -m pytest

check: install
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m pyright
	$(VENV)/bin/lint-imports

format: install
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

shots: install
	$(PY) -m pytest -q -m browser tests/browser/test_first_light.py
	@echo "The screenshots are in shots/."

# The lock names no index, so that any mirror serves it.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --extra dev \
		pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) dist build shots .pytest_cache .ruff_cache .hypothesis

bench: install
	$(PY) benchmarks/engine.py $(BENCH)

bench-ticks: install
	$(PY) benchmarks/ticks.py $(BENCH)
