# `make run` and `make test` need nothing but Debian's python3 (with venv), make and a network to the package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --constraint requirements.lock
ENVIRONMENT := $(PYTHON) deploy/make_environment.py $(VENV)
TORCH := torch==2.13.0
# LIGHT=1 is a server without torch; an environment that is light stays so.
KIND := $(if $(or $(LIGHT),$(if $(wildcard $(VENV)/.server),,$(wildcard $(VENV)/.light))),light,server)

.DEFAULT_GOAL := help
.PHONY: help run try test check audit format screenshots mutants lock openapi clean release

help: ## what there is to make
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## / — /'

run: $(VENV)/.$(KIND) ## the whole server on this machine, until Ctrl-C; LIGHT=1 without torch
	@exec $(BIN)/python manage.py up

try: $(VENV)/.$(KIND) ## with `make run` in another shell: see a transcript become something that can be searched
	@tools/first_day.sh

# Three at once, made for two cores: many tests wait for the processes that they start.
test: $(VENV)/.dev ## every test, against an embedded Postgres of its own
	@$(BIN)/python -m pytest $(or $(ARGS),--numprocesses 3 --dist loadfile --no-loadscope-reorder)

check: $(VENV)/.dev ## linters, types, import contracts, migrations, templates, deployment, known vulnerabilities
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/lint-imports
	MEMORYSERVER_DATA=$$(mktemp -d) $(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
	git ls-files '*.html' | xargs $(BIN)/djade --target-version 5.2 --check
	MEMORYSERVER_TLS=1 MEMORYSERVER_DATA=$$(mktemp -d) $(BIN)/python manage.py check --deploy --fail-level WARNING
	@$(MAKE) --no-print-directory audit

audit: $(VENV)/.dev ## known vulnerabilities of the pinned packages; says so where their list cannot be reached
	@tools/audit.sh $(BIN)/pip-audit

format: $(VENV)/.dev ## run the formatters
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	git ls-files '*.html' | xargs $(BIN)/djade --target-version 5.2

openapi: $(VENV)/.dev ## rewrite the file with the API's schema, to be looked at in review
	$(BIN)/python manage.py export_openapi_schema --api memoryserver.api.api --indent 2 --sorted > tests/memoryserver/openapi.json

screenshots: $(VENV)/.dev ## take the pictures of README and docs again, of the demo's data (needs chromium)
	@$(BIN)/python -W ignore tools/screenshots.py $(ARGS)

mutants: $(VENV)/.dev ## change the code in small ways and list what no test notices (hours; ARGS="--sample 20" is a part)
	@$(INSTALL) --editable '.[mutants]'
	@$(BIN)/python tools/mutants.py $(ARGS)

lock: ## pin what a new environment gets today
	rm -rf $(VENV)-lock && $(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/pip install --quiet $(TORCH)
	$(VENV)-lock/bin/pip install --quiet $(TORCH) -e '.[server,mcp,dev,mutants]' hatchling editables
	$(VENV)-lock/bin/pip freeze --exclude memoryserver | sed "s/+cpu//" > requirements.lock
	rm -rf $(VENV)-lock

release: $(VENV)/.dev ## wheels, the client as one file, an image if one can be built, checksums (ARGS="--no-image")
	@$(BIN)/python release.py $(ARGS)

clean: ## remove the environment (not the data)
	rm -rf $(VENV)

$(VENV)/.server: pyproject.toml requirements.lock
	@$(ENVIRONMENT) server mcp
	@touch $@

$(VENV)/.light: pyproject.toml requirements.lock
	@$(ENVIRONMENT) light mcp
	@touch $@

$(VENV)/.dev: $(VENV)/.server
	@$(ENVIRONMENT) server mcp dev
	@touch $@
