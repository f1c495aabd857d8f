# The front door: make help says what there is. Everything real happens in CMake, in the tools, in recipes/ and in data/.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:
.SECONDEXPANSION:
.DEFAULT_GOAL := build

BUILD ?= build
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
MODELS ?= models
SCALE ?= full
THREADS ?= 0
WERROR ?=
UNITY ?=
CMAKE_FLAGS ?=
BIN = $(BUILD)/bin
TOOLS = $(basename $(notdir $(wildcard tools/*.cpp)))

# A rule of make cannot have a file with a space or with a character that means something to make or to a shell.
special := : ; $$ % \# ' " ` \ & | ( ) < > * ? [ ] { } ! =
special_in_build := $(firstword $(foreach c,$(special),$(findstring $(c),$(BUILD))))
$(if $(special_in_build)$(word 2,x$(BUILD)x),$(error BUILD="$(BUILD)" has $(or $(special_in_build),a space), which make cannot name; take another folder, or a link to it))

.PHONY: help deps lint-deps build deb wheel deb-test demo check test gradcheck asan asan-unit aarch64-unit recipes recipe bench format lint standalone includes pages clean distclean install uninstall tools-present FORCE
help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9%-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo '  SCALE=quick cuts recipes down; SEED=N is another one than 1; SET=KEY=VALUE is --set of train; OVERWRITE=1 starts a run anew, one that is finished too; ALLOW_EMPTY=1; THREADS=N'
	@echo '  DATA=DIR is the data root; MODELS=DIR is where models go; HEADWATER_DATA=DIR is a local mirror of public data'

# --- Building ---------------------------------------------------------------------------------------------------------

LIBRARY_PACKAGES = libeigen3-dev libtbb-dev libcli11-dev libyaml-cpp-dev doctest-dev libicu-dev nlohmann-json3-dev libxxhash-dev \
  libpng-dev libjpeg-dev
PACKAGES = g++ cmake ninja-build pkg-config $(LIBRARY_PACKAGES)
MISSING = $(shell for p in $(PACKAGES); do dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done)

deps: ## install the Debian or Ubuntu packages that are missing
	@set -- $(MISSING); \
	if [ $$# -eq 0 ]; then echo 'deps: nothing is missing'; exit 0; fi; \
	if ! command -v apt-get >/dev/null; then \
	  echo "deps: no apt-get here; please install the equivalents of: $$*" >&2; exit 1; fi; \
	install="apt-get install -y --no-install-recommends $$*"; \
	if [ "$$(id -u)" = 0 ]; then sudo=; \
	elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo='sudo -n'; \
	else echo "deps: packages are missing; please type: sudo $$install" >&2; exit 1; fi; \
	export DEBIAN_FRONTEND=noninteractive; \
	echo "deps: $$install"; \
	$$sudo $$install >/dev/null 2>&1 || { $$sudo apt-get update -q && $$sudo $$install; }

lint-deps:
	@$(MAKE) --no-print-directory deps PACKAGES='clang-format-16 clang-tidy-16 shellcheck'

# WERROR=ON, UNITY=OFF and CMAKE_FLAGS hold for a build that is there already; without them it keeps the flags that it has.
CONFIGURE = cmake -S . -G Ninja $(addprefix -DHEADWATER_WERROR=,$(WERROR)) $(addprefix -DHEADWATER_UNITY=,$(UNITY)) $(CMAKE_FLAGS)

$(BUILD)/build.ninja: CMakeLists.txt $(if $(strip $(WERROR)$(UNITY)$(CMAKE_FLAGS)),FORCE)
	$(CONFIGURE) -B $(BUILD)

build: $(BUILD)/build.ninja ## build the tools into build/bin [UNITY=OFF: file by file]
	cmake --build $(BUILD) -j $(JOBS) --target $(TOOLS)

# The same without a word of its own: what recipes and the demo need.
tools-present: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target $(TOOLS)

PREFIX ?= /usr/local
install uninstall: export PREFIX := $(PREFIX)
install uninstall: export DESTDIR := $(DESTDIR)
install uninstall: export PROGRAM_PREFIX := $(PROGRAM_PREFIX)
# Where a script of ours refuses, CMake says in which of its lines: left out.
in_one_line = 2>&1 >/dev/null | awk '/^(un)?install: / { said = 1 } said && /^CMake Error at .*(begin|uninstall)[.]cmake/ { refused = 1 } !refused' >&2

install: ## what is built, with manual pages, completions, recipes and data scripts [PREFIX=/usr/local DESTDIR= PROGRAM_PREFIX=hw-]
	@[ -f '$(BIN)/../cmake_install.cmake' ] || { echo 'install: $(BIN)/../cmake_install.cmake: no such file (make build)' >&2; exit 1; }
	@rm -f '$(BIN)/../install_manifest.txt'; cmake --install '$(BIN)/..' --prefix "$$PREFIX" $(in_one_line)

uninstall: ## remove what make install put below PREFIX, and nothing else
	@cmake -DRECORD="$$PREFIX/share/headwater/installed" -P tools/install/uninstall.cmake $(in_one_line)

deb: ## a Debian package in build-deb, for any 64-bit PC with the release of this machine [PROGRAM_PREFIX=hw-]
	@! command -v dpkg-query >/dev/null || $(MAKE) --no-print-directory deps
	@JOBS=$(JOBS) PROGRAM_PREFIX='$(PROGRAM_PREFIX)' tools/install/deb.sh '$(BUILD)-deb'

wheel: ## a Python wheel of the programs and their libraries in build-wheel; needs python3-venv
	@! command -v dpkg-query >/dev/null || $(MAKE) --no-print-directory deps
	@JOBS=$(JOBS) tools/install/wheel.sh '$(BUILD)-deb' '$(BUILD)-wheel'

deb-test: ## the package from two folders, lintian, a fresh root: half an hour, not of make test
	@JOBS=$(JOBS) tests/cli/deb_test.sh

demo: ## learn to translate the embedded phrasebook, and look at the attention: about three minutes
	@! command -v dpkg-query >/dev/null || $(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory tools-present
	@recipes/demo.sh "$$MODELS/demo"

# --- Checking ---------------------------------------------------------------------------------------------------------

gradcheck: ## check every gradient in the double-precision build
	$(CONFIGURE) -B $(BUILD)-double -DHEADWATER_DOUBLE=ON
	cmake --build $(BUILD)-double -j $(JOBS) --target gradcheck
	ctest --test-dir $(BUILD)-double --output-on-failure

check: $(BUILD)/build.ninja ## layering, unit tests and gradients: what to run while working
	cmake --build $(BUILD) -j $(JOBS) --target unit_and_layering_tests
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) -L '^(unit|layering)$$'
	@$(MAKE) --no-print-directory gradcheck

test: $(BUILD)/build.ninja gradcheck ## build the tests, and run all of them
	cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

CONFIGURE_ASAN = $(CONFIGURE) -B $(BUILD)-asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g1' \
  -DHEADWATER_SANITIZE=address,undefined

asan: ## all tests under the address and undefined-behaviour sanitizers
	$(CONFIGURE_ASAN)
	cmake --build $(BUILD)-asan -j $(JOBS)
	ctest --test-dir $(BUILD)-asan --output-on-failure

asan-unit: ## the unit and reference tests and the fuzz corpora under both sanitizers
	$(CONFIGURE_ASAN)
	cmake --build $(BUILD)-asan -j $(JOBS) --target unit_and_golden_tests fuzz_targets
	ctest --test-dir $(BUILD)-asan --output-on-failure -j $(JOBS) -L '^(unit|golden|fuzz)$$'

# With a build of its own; packages of ARM are unpacked there and not installed (tests/aarch64/sysroot.sh).
aarch64-unit: tools-present ## unit, reference and property tests for 64-bit ARM under qemu-user, and the same hashes: an hour
	@$(MAKE) --no-print-directory deps PACKAGES='g++-aarch64-linux-gnu qemu-user'
	tests/aarch64/sysroot.sh $(BUILD)-aarch64 $(LIBRARY_PACKAGES)
	$(CONFIGURE) -B $(BUILD)-aarch64 -DCMAKE_TOOLCHAIN_FILE='$(CURDIR)/tests/aarch64/toolchain.cmake'
	cmake --build $(BUILD)-aarch64 -j $(JOBS) --target unit_and_golden_tests property $(TOOLS)
	tests/aarch64/same_hashes.sh '$(BIN)' $(BUILD)-aarch64
	ctest --test-dir $(BUILD)-aarch64 --timeout 7200 --output-on-failure -j $(JOBS) -L '^(unit|golden|property)$$'

ROWS ?= kernels A1 A2 A2P B C D1 D2 E F FA S
ROUNDS ?= 5

CONFIGURE_BENCH = $(CONFIGURE) -B $(BUILD) -DHEADWATER_BENCH=ON
bench: ## kernels and training steps, beside PyTorch's (PEER_PYTHON=python with torch; ROWS="A1 C" ROUNDS=5)
	@tests/bench/bench.sh --check $(ROWS)
	@! command -v dpkg-query >/dev/null || $(MAKE) --no-print-directory deps
	$(CONFIGURE_BENCH)
	$(if $(filter kernels,$(ROWS)),@if grep -q '^benchmark_DIR:.*NOTFOUND' $(BUILD)/CMakeCache.txt; then \
	  $(MAKE) --no-print-directory deps PACKAGES=libbenchmark-dev && $(CONFIGURE_BENCH); fi)
	cmake --build $(BUILD) -j $(JOBS) --target steps_bench $(if $(filter kernels,$(ROWS)),kernels_bench)
	@BIN='$(BIN)' THREADS=$(THREADS) ROUNDS=$(ROUNDS) JSON=$(BUILD)/bench.json tests/bench/bench.sh $(ROWS)

CLANG_FORMAT ?= $(firstword $(shell command -v clang-format-16 clang-format))
CLANG_TIDY ?= $(firstword $(shell command -v clang-tidy-16 clang-tidy))
CPP_FILES = $(shell git ls-files '*.cpp' '*.hpp')

format: ## put every source into the common form
	@command -v '$(CLANG_FORMAT)' >/dev/null || { echo 'format: please type: sudo apt-get install clang-format-16' >&2; exit 1; }
	@$(CLANG_FORMAT) -i $(CPP_FILES)

# The static analyzer looks at 50,000 states of a function, not 225,000: tools/train.cpp takes 8.7 s, not 16.1.
LINT_ANALYZER = $(addprefix --extra-arg=,-Xclang -analyzer-config -Xclang max-nodes=50000)

lint: ## formatting, clang-tidy, shellcheck, and files that are cited; changes nothing
	@for tool in '$(CLANG_FORMAT)' '$(CLANG_TIDY)' shellcheck; do command -v "$$tool" >/dev/null || { \
	  echo 'lint: please type: make lint-deps' >&2; exit 1; }; done
	@$(CLANG_FORMAT) --dry-run -Werror $(CPP_FILES)
	shellcheck -x $$(git ls-files '*.sh' .ci/run)
	tests/citations.sh
	$(CONFIGURE) -B $(BUILD)-lint -DHEADWATER_TESTS=OFF -DHEADWATER_PRECOMPILE=OFF -DHEADWATER_UNITY_BATCH=0
	sed -n 's/^ *"file": "\(.*\)",*/\1/p' $(BUILD)-lint/compile_commands.json | sort -u \
	  | xargs -P $(JOBS) -n 1 $(CLANG_TIDY) --quiet --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option $(LINT_ANALYZER) -p $(BUILD)-lint \
	  2> >(sed '/warnings generated\.$$/d' >&2)

# The build compiles files of a room together, so a file may forget an include; those of the tensor room it compiles one by one.
PRECOMPILE ?= ON
standalone: ## each source of libcore and tools compiles by itself in two minutes [PRECOMPILE=OFF: with its own standard headers, in four]
	$(CONFIGURE) -B $(BUILD)-standalone -DHEADWATER_UNITY=OFF -DHEADWATER_PRECOMPILE=$(PRECOMPILE) -DHEADWATER_WERROR=ON -DHEADWATER_TESTS=OFF >/dev/null
	$(if $(filter ON,$(PRECOMPILE)),@cmake --build $(BUILD)-standalone --target libcore/CMakeFiles/hw_support.dir/cmake_pch.hxx.gch >/dev/null)
	@sed -n 's/^ *"command": "\(.*\)",*$$/\1/p' $(BUILD)-standalone/compile_commands.json | sed 's/\\\(["\]\)/\1/g; s/ -o [^ ]* -c / -fsyntax-only /' \
	  | grep -v '/libcore/tensor/\|cmake_pch.hxx.cxx$$' | xargs -d '\n' -P $(JOBS) -n 1 sh -c

includes: ## includes that nothing is used of, by clang-tidy 17 or newer [CLANG_TIDY=]: some minutes
	@JOBS=$(JOBS) $(if $(filter file,$(origin CLANG_TIDY)),,CLANG_TIDY='$(CLANG_TIDY)') tests/includes.sh $(BUILD)-includes

pages: tools-present ## write the options in tools/*.md and the keys in recipes/keys.md anew, from what the programs declare
	@for tool in $(TOOLS); do '$(BIN)'/$$tool --print-options | \
	  sed -i -e '/^## Options$$/r /dev/stdin' -e '/^## Options$$/,/^## /{//!d}' tools/$$tool.md; done
	@sed -i '/^`inspect --keys`/q' recipes/keys.md; '$(BIN)'/inspect --keys >>recipes/keys.md

clean: ## remove the builds, not data or models
	rm -rf $(BUILD) $(BUILD)-double $(BUILD)-asan $(BUILD)-aarch64 $(BUILD)-lint $(BUILD)-standalone $(BUILD)-includes $(BUILD)-deb $(BUILD)-deb-test $(BUILD)-wheel

distclean: clean ## remove models and prepared data as well
	rm -rf -- "$$MODELS" data/cache

# --- Recipes: headwater runs them --------------------------------------------------------------------------------------------

SEED ?=
SET ?=
export BIN DATA MODELS RECIPE SCALE SEED SET THREADS
RUN = set -f; HEADWATER_MAKE=1 "$$BIN/headwater" run --scale="$$SCALE" --models="$$MODELS" --threads="$$THREADS" \
  $${SEED:+--seed="$$SEED"} $${DATA:+--data="$$DATA"} $(if $(OVERWRITE),--overwrite) $(if $(ALLOW_EMPTY),--allow-empty) $(if $(QUIET),--quiet)

recipes: tools-present ## run all recipes; begins with what each takes, and ends with a page of all, and one table of what was expected and reached
	@$(RUN) --all $$SET

# Says so before anything is built.
must_be_recipe = $(if $(wildcard recipes/$(1).yaml),,$(error no recipe "$(1)"; there are: $(patsubst recipes/%.yaml,%,$(wildcard recipes/*.yaml))))

recipe-%: $$(call must_be_recipe,$$*) tools-present ## run one: make recipe-NAME [SCALE=quick]
	@$(RUN) 'recipes/$*.yaml' $$SET

recipe: tools-present ## run your own: make recipe RECIPE=my.yaml, on the files it names, beside it
	@[ -n "$$RECIPE" ] || { echo 'recipe: which one? (make recipe RECIPE=FILE)' >&2; exit 2; }
	@$(RUN) "$$RECIPE" $$SET
