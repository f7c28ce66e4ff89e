# Everything a contributor or CI runs. On a fresh Debian, python3, python3-venv, make and git are
# enough for root: checks/bare_debian.sh tries it.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
DEMO_VENV := .venv-demo
BIN := $(VENV)/bin
# Benchmarks and slow proofs measure: one thread of BLAS unless a caller says otherwise.
export OPENBLAS_NUM_THREADS ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1
export PIP_USE_PEP517 = 1

.PHONY: help demo test check format slow bench docs changelog lock build clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

demo: $(DEMO_VENV)/.ready ## See howgood at work, end to end, in about a minute
	@$(DEMO_VENV)/bin/howgood demo --out howgood-demo

test: check ## Run every check and every test but the slow ones (what CI runs)

# Passwords typed into code are found by ruff (S105 to S107); hashes of locked files are no secrets.
NO_SECRETS = --disable-plugin KeywordDetector --exclude-lines '"version": |USER:PASSWORD@|:geheim@' \
  --exclude-files '(requirements.*\.lock|manifest\.toml)$$'
check: $(VENV)/.ready ## Format, lint, types, layers, then all tests but the slow ones
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	git ls-files -z | xargs -0 $(BIN)/detect-secrets-hook $(NO_SECRETS)
	$(BIN)/pip-licenses --summary > /dev/null
	$(BIN)/python -m checks.browser
	$(BIN)/python -m pytest -n 2 --dist loadfile -q

format: $(VENV)/.ready ## Format the code and fix what can be fixed safely
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Crowds and kills want the machine for themselves; half an hour of gentle load does not mind company.
SOAK = tests/faults/test_soak.py
CROWDED = $(filter-out $(SOAK),$(wildcard tests/faults/test_*.py))
slow: $(VENV)/.ready ## Statistical proofs, faults and long load: over an hour; every part runs though one fails
	@failed=; \
	run() { echo "$$@"; "$$@" || failed=yes; }; \
	run $(BIN)/python -m pytest -m slow -v $(CROWDED); \
	$(BIN)/python -m pytest -m slow -v -n 2 $(SOAK) & soak=$$!; \
	run $(BIN)/python -m pytest -m slow -v -n 2 --dist loadfile --no-loadscope-reorder \
	  $(addprefix --ignore=,$(CROWDED) $(SOAK)); \
	run env HOWGOOD_MORE_CASES=20 $(BIN)/python -m pytest -q -n 2 tests/property; \
	wait $$soak || failed=yes; \
	test -z "$$failed"

bench: $(VENV)/.ready ## Measure against peers, ratios in one run
	$(BIN)/python -m benchmarks

docs: $(VENV)/.ready ## Build the documentation into docs/_build/html
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "docs: docs/_build/html/index.html"

changelog: $(VENV)/.ready ## Show what changed since the last release
	$(BIN)/towncrier build --draft --version next

build: $(VENV)/.ready ## Build wheel and sdist into dist/
	$(BIN)/python -m hatchling build -d dist

lock: ## Renew the lock files (needs uv on the PATH)
	uv lock --quiet
	uv export --quiet --no-emit-project --no-header --all-extras --all-groups -o requirements.lock
	uv export --quiet --no-emit-project --no-header --no-default-groups --extra plots --extra sklearn --extra files -o requirements-demo.lock

clean: ## Remove what the other targets made
	rm -rf $(VENV) $(DEMO_VENV) howgood-demo docs/_build dist .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/.ready: requirements.lock pyproject.toml
	@echo "make: setting up $(VENV) with the locked test tools (a few minutes the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --no-deps -e .
	@touch $@

$(DEMO_VENV)/.ready: requirements-demo.lock pyproject.toml
	@echo "make: setting up $(DEMO_VENV) with the locked packages of the demo"
	@test -x $(DEMO_VENV)/bin/python || $(PYTHON) -m venv $(DEMO_VENV)
	@$(DEMO_VENV)/bin/python -m pip install --quiet --require-hashes -r requirements-demo.lock
	@$(DEMO_VENV)/bin/python -m pip install --quiet --no-deps -e .
	@touch $@
