# make demo and make test do all their own set-up.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt

.PHONY: setup demo test lint docs audit bench clean

setup: .venv/.dev ## everything a developer needs, in .venv

.venv/.core: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Fiducial needs Python 3.11 or newer (make PYTHON=python3.12 ...)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing Fiducial into .venv ..."
	@$(PIP) -e '.[local,web]'
	@$(BIN)/python -m compileall -q src # where PYTHONDONTWRITEBYTECODE is set, every command would do it again
	@touch $@

.venv/.dev: .venv/.core
	@echo "Installing what the tests need ..."
	@$(PIP) -e '.[local,web,inspect,ray,docs,dev]'
	@touch $@

demo: .venv/.core ## measures a small language model on this machine, as a subject and as a reviewer; writes report.html and review.html
	$(BIN)/fiducial bias run --model local/smollm2 --system examples/brief.txt --tier core --arms control,strong \
		--bias anchoring_effect --bias conjunction_fallacy --bias gain_loss_framing \
		--trials 1 --temperature 0.3 --max-tokens 50 --out runs/demo.db
	$(BIN)/fiducial report runs/demo.db --out report.html
	$(BIN)/fiducial review plant examples/ferry.md --type requirements --count 3 --out runs/ferry --force
	$(BIN)/fiducial judge calibrate --judge local/smollm2 --task genuine --set planted:runs/ferry \
		--repeats 1 --max-tokens 200 --out runs/demo-judge.db
	$(BIN)/fiducial review run runs/ferry --reviewer examples/plain-reader.md --model local/smollm2 --judge local/smollm2 \
		--runs 3 --temperature 0.3 --max-tokens 200 --judge-max-tokens 200 --out runs/demo-review.db
	$(BIN)/fiducial report runs/demo-review.db --out review.html

test: .venv/.dev ## the whole test suite; browser tests where there is Chromium
	@scripts/chromium
	$(BIN)/python -m pytest -rs -n auto --maxprocesses 4 --dist loadfile

lint: .venv/.dev ## ruff, mypy --strict, import-linter, the battery linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	@echo "$(BIN)/mypy beside $(BIN)/fiducial bias lint"; $(BIN)/mypy & types=$$!; $(BIN)/fiducial bias lint; items=$$?; \
		wait $$types && exit $$items

docs: .venv/.dev ## the documentation as a site: open site/index.html; the tests build it too
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

audit: .venv/.core ## known vulnerabilities in the versions of constraints.txt; asks the advisories of the package index
	@$(PIP) -e '.[audit]'
	$(BIN)/pip-audit --strict --disable-pip --no-deps -r constraints.txt

bench: .venv/.dev ## figures for this machine, as ratios in one run
	$(BIN)/python -m benchmarks.throughput --inspect $(BIN)/python
	$(BIN)/python -m benchmarks.connections
	$(BIN)/python -m benchmarks.memory
	$(BIN)/python -m benchmarks.metrics
	$(BIN)/python -m benchmarks.review
	$(BIN)/python -m benchmarks.prefix
	$(BIN)/python -m benchmarks.reader
	$(BIN)/python -m benchmarks.correction
	$(BIN)/python -m benchmarks.stopping
	$(BIN)/python -m benchmarks.logprobs
	$(BIN)/python -m benchmarks.browse
	$(BIN)/python -m benchmarks.workers
	$(BIN)/fiducial bias calibrate

clean: ## removes what make made, except runs/
	rm -rf .venv build dist site report.html review.html .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -exec rm -rf {} +
