# Two commands for a fresh machine with Python 3.11 or newer: `make demo` and `make test`.
PYTHON ?= python3
BIN = .venv/bin

.PHONY: demo test lint types layers unit weights lock docs clean

demo: $(BIN)/consilience
	$(BIN)/python demo/run.py

test: lint types layers unit

lint: $(BIN)/consilience
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(BIN)/consilience
	$(BIN)/mypy

layers: $(BIN)/consilience
	$(BIN)/lint-imports

unit: weights
	$(BIN)/coverage run -m pytest -q
	$(BIN)/coverage report --fail-under=90 --skip-covered --skip-empty

weights: $(BIN)/consilience
	$(BIN)/consilience models pull all-minilm-l6-v2
	$(BIN)/consilience models pull qwen2.5-coder-0.5b-instruct

docs: $(BIN)/consilience
	$(BIN)/python tools/pages.py
	$(PYTHON) -m venv build/docs
	build/docs/bin/python -m pip install --quiet --upgrade pip
	build/docs/bin/python -m pip install --quiet --group docs
	build/docs/bin/zensical build --clean

lock: $(BIN)/consilience
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --universal --generate-hashes --python-version 3.11 --extra local --extra serve --extra mcp --group dev pyproject.toml -o requirements.lock

$(BIN)/consilience: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .coverage
