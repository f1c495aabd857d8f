# The front door: make help says what there is. Everything real happens in CMake, in the tools and in data/.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:
.SECONDEXPANSION:
.DEFAULT_GOAL := build

BUILD ?= build
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
DATA ?= data/cache
MODELS ?= models
SCALE ?= full
THREADS ?= 0
WERROR ?= OFF
CMAKE_FLAGS ?=
BIN = $(BUILD)/bin
TOOLS = tokenize vectorize train translate classify evaluate attn-dump inspect

.PHONY: help deps lint-deps build demo test gradcheck asan asan-unit recipes recipe bench format lint clean distclean tools-present
help: ## this list
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo '  SCALE=quick cuts recipes down; SEED=N is another one than 1; OVERWRITE=1 starts a changed recipe anew; THREADS=N'
	@echo '  DATA=DIR is the data root; HEADWATER_DATA=DIR is a local mirror of public data'

# --- Building ---------------------------------------------------------------------------------------------------------

PACKAGES = g++ cmake ninja-build pkg-config libeigen3-dev libtbb-dev libcli11-dev libyaml-cpp-dev doctest-dev libicu-dev \
  nlohmann-json3-dev libxxhash-dev
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

CONFIGURE = cmake -S . -G Ninja -DHEADWATER_WERROR=$(WERROR) $(CMAKE_FLAGS)

$(BUILD)/build.ninja: CMakeLists.txt
	$(CONFIGURE) -B $(BUILD)

build: $(BUILD)/build.ninja ## build the tools into build/bin, and the tests
	cmake --build $(BUILD) -j $(JOBS)

# The tools alone: what recipes and the demo need.
tools-present: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target $(TOOLS)

demo: ## learn to translate the embedded phrasebook, and look at the attention: about two minutes
	@! command -v dpkg-query >/dev/null || $(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory tools-present
	@BIN=$(BIN) data/demo.sh $(MODELS)/demo

# --- Checking ---------------------------------------------------------------------------------------------------------

gradcheck: ## check every gradient in the double-precision build
	$(CONFIGURE) -B $(BUILD)-double -DHEADWATER_DOUBLE=ON
	cmake --build $(BUILD)-double -j $(JOBS)
	ctest --test-dir $(BUILD)-double --output-on-failure

test: build gradcheck ## all tests
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

CONFIGURE_ASAN = $(CONFIGURE) -B $(BUILD)-asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g1' \
  -DHEADWATER_SANITIZE=address,undefined

asan: ## all tests under the address and undefined-behaviour sanitizers
	$(CONFIGURE_ASAN)
	cmake --build $(BUILD)-asan -j $(JOBS)
	ctest --test-dir $(BUILD)-asan --output-on-failure

asan-unit: ## the unit and reference tests under both sanitizers
	$(CONFIGURE_ASAN)
	cmake --build $(BUILD)-asan -j $(JOBS) --target unit_and_golden_tests
	ctest --test-dir $(BUILD)-asan --output-on-failure -j $(JOBS) -L '^(unit|golden)$$'

ROWS ?= kernels A1 A2 A2P B C D1 D2 E
ROUNDS ?= 5

bench: $(BUILD)/build.ninja ## kernels and training steps, beside PyTorch's (PEER_PYTHON=python with torch; ROWS="A1 C" ROUNDS=5)
	$(CONFIGURE) -B $(BUILD) -DHEADWATER_BENCH=ON
	cmake --build $(BUILD) -j $(JOBS) --target steps_bench $(if $(filter kernels,$(ROWS)),kernels_bench)
	@BIN=$(BIN) THREADS=$(THREADS) ROUNDS=$(ROUNDS) JSON=$(BUILD)/bench.json tests/bench/bench.sh $(ROWS)

CLANG_FORMAT ?= $(firstword $(shell command -v clang-format-16 clang-format))
CLANG_TIDY ?= $(firstword $(shell command -v clang-tidy-16 clang-tidy))
CPP_FILES = $(shell git ls-files '*.cpp' '*.hpp')

format: ## put every source into the common form
	@command -v '$(CLANG_FORMAT)' >/dev/null || { echo 'format: please type: sudo apt-get install clang-format-16' >&2; exit 1; }
	@$(CLANG_FORMAT) -i $(CPP_FILES)

lint: ## formatting, clang-tidy and shellcheck; changes nothing
	@for tool in '$(CLANG_FORMAT)' '$(CLANG_TIDY)' shellcheck; do command -v "$$tool" >/dev/null || { \
	  echo 'lint: please type: make lint-deps' >&2; exit 1; }; done
	@$(CLANG_FORMAT) --dry-run -Werror $(CPP_FILES)
	shellcheck -x $$(git ls-files '*.sh' .ci/run)
	$(CONFIGURE) -B $(BUILD)-lint -DHEADWATER_TESTS=OFF -DHEADWATER_PRECOMPILE=OFF
	sed -n 's/^ *"file": "\(.*\)",*/\1/p' $(BUILD)-lint/compile_commands.json | sort -u \
	  | xargs -P $(JOBS) -n 1 $(CLANG_TIDY) --quiet --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option -p $(BUILD)-lint \
	  2> >(sed '/warnings generated\.$$/d' >&2)

clean: ## remove the builds, not data or models
	rm -rf $(BUILD) $(BUILD)-double $(BUILD)-asan $(BUILD)-lint

distclean: clean ## remove models and prepared data as well
	rm -rf $(MODELS) data/cache

# --- Recipes: recipes/stages.mk has the stages of any of them ----------------------------------------------------------------

RECIPES = $(patsubst recipes/%.yaml,%,$(wildcard recipes/*.yaml))
SEED ?=
export BIN DATA MODELS SCALE SEED THREADS OVERWRITE
STAGES = $(MAKE) --no-print-directory -f recipes/stages.mk
W = $(MODELS)/recipes
RUNS = $(RECIPES:%=%$(addprefix -seed-,$(filter-out 1,$(SEED)))$(if $(filter quick,$(SCALE)),-quick))

recipes: tools-present ## run all recipes; ends with one table of what was expected and reached
	@for recipe in $(RECIPES); do \
	  $(STAGES) RECIPE=recipes/$$recipe.yaml report || echo "recipes: $$recipe failed; the others go on" >&2; done
	@data/table.sh $(W) $(RUNS)

# Says so before anything is built.
must_be_recipe = $(if $(wildcard recipes/$(1).yaml),,$(error no recipe "$(1)"; there are: $(RECIPES)))

recipe-%: $$(call must_be_recipe,$$*) tools-present ## run one: make recipe-NAME [SCALE=quick]
	@$(STAGES) RECIPE=recipes/$*.yaml report

# A recipe of one's own: its data root is its own folder unless DATA says another, or unless it names a public set.
own_data = $(if $(filter file,$(origin DATA)),$(shell grep -qs '^ *set: *[a-z]' '$(RECIPE)' || dirname '$(RECIPE)'))
recipe: tools-present ## run your own: make recipe RECIPE=my.yaml, on the files it names, beside it
	@[ -n '$(RECIPE)' ] || { echo 'recipe: which one? (make recipe RECIPE=FILE)' >&2; exit 2; }
	@[ -f '$(RECIPE)' ] || { echo 'recipe: $(RECIPE): no such file' >&2; exit 2; }
	@$(STAGES) RECIPE='$(RECIPE)' $(addprefix DATA=,$(own_data)) report
