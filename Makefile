# Everything a contributor or CI runs. On a fresh Debian, python3, python3-venv, make and git are
# enough for root: checks/bare_debian.sh tries it.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
DEMO_VENV := .venv-demo
LIBRARY_VENV := .venv-library
TOOLS_VENV := .venv-tools
# Windows calls the folder of programs otherwise.
PROGRAMS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := $(VENV)/$(PROGRAMS)
LIBRARY_BIN := $(LIBRARY_VENV)/$(PROGRAMS)
# Benchmarks and slow proofs measure: one thread of BLAS unless a caller says otherwise.
export OPENBLAS_NUM_THREADS ?= 1
# Tests start hundreds of Pythons: compile every module once, whatever the caller prefers.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-library check format slow bench audit docs changelog lock build \
  release release-check clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

demo: $(DEMO_VENV)/.ready ## See howgood at work, end to end, in about a minute
	@$(DEMO_VENV)/bin/howgood demo --out howgood-demo
	@echo "To type the commands above in this clone, first: . $(DEMO_VENV)/bin/activate"

test: check ## Run every check and every test but the slow ones (what CI runs)

# Passwords typed into code are found by ruff (S105 to S107); hashes of locked files are no secrets.
# Keys and tokens hold digits: of other lines only addresses and heads of keys are looked at.
NO_SECRETS = --disable-plugin KeywordDetector --exclude-lines '"version": |USER:PASSWORD@|:geheim@' \
  --exclude-lines '^(?!.*(://|PRIVATE KEY))[^0-9]*$$' \
  --exclude-files '(requirements.*\.lock|manifest\.toml)$$'
# Pages that people wrote; the other two are drawn from what tests measured.
PAGES = README.md CONTRIBUTING.md SECURITY.md ARCHITECTURE.md $(filter-out docs/adr/% \
  docs/explanation/calibration.md docs/explanation/faults.md,$(wildcard docs/*.md docs/*/*.md))
# Two at a time: nothing here needs another's result.
STATIC = check-types check-secrets check-style check-words check-files
check: $(VENV)/.ready ## Format, lint, types, layers, spelling, then all tests but the slow ones
	@$(MAKE) --no-print-directory -j 2 $(STATIC)
	$(BIN)/python -m checks.browser
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -q $(NO_HANGING)
# A test that waits for ever ends the run and is named, with what it waits for.
NO_HANGING = -o faulthandler_timeout=900 -o faulthandler_exit_on_timeout=true --max-worker-restart=0
.PHONY: $(STATIC)
check-types:
	$(BIN)/mypy
check-secrets:
	git ls-files -z | xargs -0 $(BIN)/detect-secrets-hook $(NO_SECRETS)
check-style:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
check-words:
	$(BIN)/codespell
	$(BIN)/codespell -D checks/plain_words.txt $(PAGES)
check-files:
	$(BIN)/zizmor --offline --quiet .github action.yml actions
	$(BIN)/hadolint Dockerfile
	$(BIN)/pip-licenses --summary > /dev/null

# The library's own folders: nothing here needs a browser, a database, Java or root.
LIBRARY = ask decide learn records score show stats
test-library: $(LIBRARY_VENV)/.ready ## Test the library alone: needs only Python (macOS, Windows, packagers)
	$(LIBRARY_BIN)/python -m pytest -q $(LIBRARY:%=src/howgood/%) $(LIBRARY:%=tests/%) \
	  tests/property tests/reference

format: $(VENV)/.ready ## Format the code and fix what can be fixed safely
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Crowds and kills want the machine for themselves; half an hour of gentle load does not mind company,
# nor do disks and connections that fail at a write or a packet of their own.
SOAK = tests/faults/test_soak.py
CROWDED = $(foreach part,crowd killed_database killed_server killed_worker restored rolling_restart \
  slow_clients stopping two_servers,tests/faults/test_$(part).py)
slow: $(VENV)/.ready $(TOOLS_VENV)/.ready ## Statistical proofs, faults and long load: over an hour; every part runs though one fails
	@failed=; \
	run() { echo "$$@"; "$$@" || failed=yes; }; \
	run $(BIN)/python -m pytest -m slow -v $(CROWDED); \
	$(BIN)/python -m pytest -m slow -v -n 2 $(SOAK) & soak=$$!; \
	run $(BIN)/python -m pytest -m slow -v -n 2 --dist loadfile --no-loadscope-reorder \
	  $(addprefix --ignore=,$(CROWDED) $(SOAK)); \
	run env HOWGOOD_MORE_CASES=20 $(BIN)/python -m pytest -q -n 2 tests/property; \
	run env HOWGOOD_MORE_CASES=4 $(BIN)/python -m pytest -q -n 2 -m 'hypothesis and not slow' tests \
	  --ignore=tests/property; \
	wait $$soak || failed=yes; \
	test -z "$$failed"

bench: $(VENV)/.ready $(TOOLS_VENV)/.ready ## Measure against peers, ratios in one run
	$(BIN)/python -m benchmarks

audit: $(VENV)/.ready ## Look up known vulnerabilities of every locked package (needs the network)
	$(BIN)/pip-audit --strict --require-hashes --disable-pip -r requirements-server.lock
	$(BIN)/pip-audit --strict --require-hashes --disable-pip -r requirements.lock

docs: $(VENV)/.ready ## Build the documentation into docs/_build/html
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "docs: docs/_build/html/index.html"

changelog: $(VENV)/.ready ## Show what changed since the last release
	$(BIN)/towncrier build --draft --version next

build: $(VENV)/.ready ## Build wheel and sdist into dist/
	rm -rf dist
	SOURCE_DATE_EPOCH=$(EPOCH) $(BIN)/python -m hatchling build -d dist

# The time of the last commit, so that the same commit always gives the same bytes.
EPOCH = $(shell git log -1 --format=%ct)
release-check: build ## Check what would be uploaded: metadata, contents, the same bytes twice, SBOM
	$(BIN)/twine check --strict dist/*.whl dist/*.tar.gz
	$(BIN)/check-wheel-contents dist/*.whl
	rm -rf build/again && SOURCE_DATE_EPOCH=$(EPOCH) $(BIN)/python -m hatchling build -d build/again
	cd dist && sha256sum *.whl *.tar.gz | (cd ../build/again && sha256sum --check --quiet)
	$(BIN)/python -W ignore -m cyclonedx_py requirements requirements-server.lock --pyproject pyproject.toml \
	  --output-reproducible --output-format JSON --output-file dist/howgood.cdx.json
	@ls -l dist

release: $(VENV)/.ready ## Set the version and collect the changelog: make release VERSION=0.2.0
	@echo '$(VERSION)' | grep -Eq '^[0-9]+\.[0-9]+\.[0-9]+$$' || { echo "make release VERSION=0.2.0"; exit 2; }
	sed -i 's/^__version__ = .*/__version__ = "$(VERSION)"/' src/howgood/__init__.py
	sed -i 's/^version: .*/version: $(VERSION)/' CITATION.cff
	$(BIN)/towncrier build --yes --version $(VERSION)
	@echo "Read CHANGELOG.md as a user would; then: make release-check"

EXPORT = uv export --quiet --no-emit-project --no-header --no-default-groups
lock: ## Renew the lock files (needs uv on the PATH)
	uv lock --quiet
	uv export --quiet --no-emit-project --no-header --all-extras --all-groups -o requirements.lock
	$(EXPORT) --extra plots --extra sklearn --extra files -o requirements-demo.lock
	$(EXPORT) --group library --extra files --extra parquet --extra excel --extra plots --extra sklearn -o requirements-library.lock
	uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate checks/tools.in -o requirements-tools.lock
	$(EXPORT) --extra postgres --extra files --extra parquet --extra excel --extra accounts --extra encryption --extra statistics -o requirements-server.lock

clean: ## Remove what the other targets made
	rm -rf $(VENV) $(DEMO_VENV) $(LIBRARY_VENV) $(TOOLS_VENV) howgood-demo build docs/_build dist .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/.ready: requirements.lock pyproject.toml
	@$(PYTHON) checks/set_up.py $(VENV) requirements.lock

$(DEMO_VENV)/.ready: requirements-demo.lock pyproject.toml
	@$(PYTHON) checks/set_up.py $(DEMO_VENV) requirements-demo.lock

$(TOOLS_VENV)/.ready: requirements-tools.lock
	@$(PYTHON) checks/set_up.py $(TOOLS_VENV) requirements-tools.lock

$(LIBRARY_VENV)/.ready: requirements-library.lock pyproject.toml
	@$(PYTHON) checks/set_up.py $(LIBRARY_VENV) requirements-library.lock
