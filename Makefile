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

.PHONY: help deps build demo test gradcheck asan recipes bench format lint clean distclean tools-present
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

asan: ## all tests under the address and undefined-behaviour sanitizers
	$(CONFIGURE) -B $(BUILD)-asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g1' -DHEADWATER_SANITIZE=address,undefined
	cmake --build $(BUILD)-asan -j $(JOBS)
	ctest --test-dir $(BUILD)-asan --output-on-failure

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
	$(CLANG_FORMAT) -i $(CPP_FILES)

lint: build ## formatting, clang-tidy and shellcheck; changes nothing
	@for tool in '$(CLANG_FORMAT)' '$(CLANG_TIDY)' shellcheck; do command -v "$$tool" >/dev/null || { \
	  echo 'lint: please type: sudo apt-get install clang-format-16 clang-tidy-16 shellcheck' >&2; exit 1; }; done
	$(CLANG_FORMAT) --dry-run -Werror $(CPP_FILES)
	$(CLANG_TIDY) --quiet --extra-arg=-Wno-unknown-warning-option -p $(BUILD) $(filter libcore/%.cpp tools/%.cpp,$(CPP_FILES))
	shellcheck -x $$(git ls-files '*.sh' .ci/run)

clean: ## remove the builds, not data or models
	rm -rf $(BUILD) $(BUILD)-double $(BUILD)-asan

distclean: clean ## remove models and prepared data as well
	rm -rf $(MODELS) data/cache

# --- Recipes: data, tokenizers, ids, model, translations, scores ---------------------------------------------------------
#
# A run is named after its recipe, with "-seed-N" behind it where SEED is not 1 and "-quick" at SCALE=quick. All of it goes to
# MODELS/recipes/RUN, the model to the folder model there. Each stage is a file that depends on the files before it: an
# interrupted make goes on where it stopped, and `train` on an interrupted model directory resumes.

SUFFIX = $(if $(filter quick,$(SCALE)),-quick)
RECIPES = $(patsubst recipes/%.yaml,%,$(wildcard recipes/*.yaml))
SEED ?= 1
SEED_SUFFIX = $(if $(filter-out 1,$(SEED)),-seed-$(SEED))
words_of = $(subst -seed-, ,$(patsubst %-quick,%,$(1)))
recipe_of = $(firstword $(words_of))
seed_of = $(word 2,$(words_of))
scale_of = $(if $(filter %-quick,$(1)),quick,full)
# Recipes that read reviews and their labels; the bags of words among them.
CLASSIFIERS = $(filter imdb-%,$(RECIPES))
BAGS = imdb-unigrams imdb-bigrams imdb-best
is_bag = $(filter $(BAGS),$(call recipe_of,$(1)))
# The data set of a recipe, where its name is another one; reviews are split anew for each seed.
$(foreach recipe,$(CLASSIFIERS),$(eval set_$(recipe) = imdb))
base_set_of = $(or $(set_$(call recipe_of,$(1))),$(call recipe_of,$(1)))
set_of = $(base_set_of)$(if $(filter imdb,$(base_set_of)),$(addprefix -seed-,$(call seed_of,$(1))))
set_dir = $(DATA)/$(call set_of,$(1))
test_phrasebook = heldout.tsv
test_of = $(call set_dir,$(1))/$(or $(test_$(call set_of,$(1))),test.tsv)
W = $(MODELS)/recipes
Q = $(if $(filter 0,$(THREADS)),,--threads $(THREADS))

RUNS = $(RECIPES:%=%$(SEED_SUFFIX)$(SUFFIX))
recipes: tools-present ## run all recipes; ends with one table of what was expected and reached
	@for run in $(RUNS); do \
	  $(MAKE) --no-print-directory $(W)/$$run/report.txt || echo "recipes: $$run failed; the others go on" >&2; done
	@data/table.sh $(W) $(RUNS)

# Says so before anything is built.
must_be_recipe = $(if $(wildcard recipes/$(1).yaml),,$(error no recipe "$(1)"; there are: $(RECIPES)))

recipe-%: $$(call must_be_recipe,$$*) tools-present ## run one: make recipe-spa-eng [SCALE=quick]
	@$(MAKE) --no-print-directory $(W)/$*$(SEED_SUFFIX)$(SUFFIX)/report.txt
	@cat $(W)/$*$(SEED_SUFFIX)$(SUFFIX)/report.txt

$(DATA)/%/train.tsv: data/prepare-%.sh data/common.sh data/pins.sha256
	data/prepare-$*.sh $(DATA)
	@touch $@
$(DATA)/imdb-seed-%/train.tsv: data/prepare-imdb.sh data/common.sh data/pins.sha256
	data/prepare-imdb.sh $(DATA) $*
	@touch $@
$(DATA)/phrasebook/train.tsv: $(wildcard data/phrasebook/*.tsv)

# The resolved recipe: at SCALE=quick its cut-down version. Rewritten, and so everything behind it, only when it changes.
$(W)/%/recipe.yaml: recipes/$$(call recipe_of,$$*).yaml
	@mkdir -p $(@D)
	@$(BIN)/train --recipe $< --scale $(call scale_of,$*) $(addprefix --seed ,$(call seed_of,$*)) --print-recipe > $@.part
	@if cmp -s $@.part $@; then rm $@.part; touch -r $< $@; else mv $@.part $@; fi

$(W)/%/source.json: $(W)/%/recipe.yaml $$(call set_dir,$$*)/train.tsv
	cut -f1 $(call set_dir,$*)/train.tsv | $(BIN)/tokenize --recipe $< --side source -o $@
$(W)/%/target.json: $(W)/%/recipe.yaml $$(call set_dir,$$*)/train.tsv
	cut -f2 $(call set_dir,$*)/train.tsv | $(BIN)/tokenize --recipe $< --side target -o $@

# train.source.ids, validation.target.ids and so on: text, tokens, ids in one pipe.
define ids_rule
$(W)/%/$(1).$(2).ids: $(W)/%/$(2).json $$$$(call set_dir,$$$$*)/train.tsv
	cut -f$(3) $$(call set_dir,$$*)/$(1).tsv | $$(BIN)/tokenize --tokenizer $$< \
	  | $$(BIN)/vectorize --tokenizer $$< --recipe $(W)/$$*/recipe.yaml --side $(2) > $$@.part
	mv $$@.part $$@
endef
$(foreach part,train validation,$(eval $(call ids_rule,$(part),source,1))$(eval $(call ids_rule,$(part),target,2)))

$(W)/%.ids: $(W)/%.source.ids $(W)/%.target.ids
	paste $^ > $@.part
	mv $@.part $@

# The table of expected and reached figures is what train writes to its standard output.
$(W)/%/table.txt: $(W)/%/recipe.yaml $(W)/%/source.json $(W)/%/target.json $(W)/%/train.ids $(W)/%/validation.ids
	$(BIN)/train --recipe $< --source-tokenizer $(W)/$*/source.json --target-tokenizer $(W)/$*/target.json \
	  --validation $(W)/$*/validation.ids -o $(W)/$*/model $(if $(OVERWRITE),--overwrite) $(Q) $(W)/$*/train.ids > $@.part
	mv $@.part $@

# At SCALE=quick every twentieth line of the test set.
$(W)/%/test.tsv: $(W)/%/recipe.yaml $$(call set_dir,$$*)/train.tsv
	awk 'NR % $(if $(filter quick,$(call scale_of,$*)),20,1) == 0' $(call test_of,$*) > $@
$(W)/%/test.sources: $(W)/%/test.tsv
	cut -f1 $< > $@
$(W)/%/test.references: $(W)/%/test.tsv
	cut -f2 $< > $@
$(W)/%/test.hypotheses: $(W)/%/test.sources $(W)/%/table.txt
	$(BIN)/translate $(W)/$*/model $(Q) $< > $@.part
	mv $@.part $@
# As the tokenizer sees them: lower case, no punctuation.
$(W)/%/test.standardized: $(W)/%/test.references $(W)/%/target.json
	$(BIN)/tokenize --tokenizer $(W)/$*/target.json $< | $(BIN)/tokenize --tokenizer $(W)/$*/target.json --decode > $@.part
	mv $@.part $@

$(W)/%/report.txt: $(W)/%/table.txt $(W)/%/test.sources $(W)/%/test.hypotheses $(W)/%/test.standardized $(W)/%/test.references
	@data/report.sh $* $(BIN) $(W)/$* $(call set_dir,$*) > $@.part
	@mv $@.part $@

# --- Recipes of classifiers: text and label to a model that names the label -------------------------------------------------
#
# The same stages, but for the labels; bags of words have a table of terms, from which their ids come. At SCALE=quick the head of each
# set (they are shuffled).

head_of = $(if $(filter quick,$(call scale_of,$(1))),head -n $(2),cat) $(call set_dir,$(1))
bag_file = $(if $(call is_bag,$(1)),$(W)/$(1)/$(2))
to_ids = $(if $(call is_bag,$(1)),--terms $(W)/$(1)/terms.tsv,--tokenizer $(W)/$(1)/source.json)

$(W)/imdb-%/labels.txt: $$(call set_dir,imdb-$$*)/train.tsv
	@mkdir -p $(@D)
	cut -f2 $< | $(BIN)/vectorize --learn labels -o $@
$(W)/imdb-%/terms.tsv: $(W)/imdb-%/recipe.yaml $(W)/imdb-%/source.json
	cut -f1 $(call set_dir,imdb-$*)/train.tsv | $(BIN)/tokenize --tokenizer $(W)/imdb-$*/source.json \
	  | $(BIN)/vectorize --learn ngrams --recipe $< -o $@

define classifier_ids_rule
$(W)/imdb-%/$(1).source.ids: $(W)/imdb-%/recipe.yaml $(W)/imdb-%/source.json $$$$(call bag_file,imdb-$$$$*,terms.tsv)
	$$(call head_of,imdb-$$*,$(2))/$(1).tsv | cut -f1 | $$(BIN)/tokenize --tokenizer $(W)/imdb-$$*/source.json \
	  | $$(BIN)/vectorize $$(call to_ids,imdb-$$*) --recipe $$< > $$@.part
	mv $$@.part $$@
$(W)/imdb-%/$(1).label.ids: $(W)/imdb-%/labels.txt $(W)/imdb-%/recipe.yaml
	$$(call head_of,imdb-$$*,$(2))/$(1).tsv | cut -f2 | $$(BIN)/vectorize --labels $$< > $$@.part
	mv $$@.part $$@
$(W)/imdb-%/$(1).ids: $(W)/imdb-%/$(1).source.ids $(W)/imdb-%/$(1).label.ids
	paste $$^ > $$@.part
	mv $$@.part $$@
endef
$(eval $(call classifier_ids_rule,train,2000))
$(eval $(call classifier_ids_rule,validation,500))

$(W)/imdb-%/table.txt: $(W)/imdb-%/recipe.yaml $(W)/imdb-%/source.json $(W)/imdb-%/labels.txt $(W)/imdb-%/train.ids \
  $(W)/imdb-%/validation.ids $$(call bag_file,imdb-$$*,terms.tsv)
	$(BIN)/train --recipe $< --tokenizer $(@D)/source.json --labels $(@D)/labels.txt \
	  $(if $(call is_bag,imdb-$*),--terms $(@D)/terms.tsv) --validation $(@D)/validation.ids -o $(@D)/model \
	  $(if $(OVERWRITE),--overwrite) $(Q) $(@D)/train.ids > $@.part
	mv $@.part $@

$(W)/imdb-%/test.txt: $(W)/imdb-%/recipe.yaml $(W)/imdb-%/test.tsv $(W)/imdb-%/table.txt
	$(BIN)/evaluate $(@D)/model --recipe $< $(Q) $(@D)/test.tsv > $@.part
	mv $@.part $@
$(W)/imdb-%/report.txt: $(W)/imdb-%/table.txt $(W)/imdb-%/test.txt
	@{ echo 'imdb-$*'; cat $(@D)/table.txt; echo; echo "test: $$(wc -l < $(@D)/test.tsv) reviews"; cat $(@D)/test.txt; } > $@.part
	@mv $@.part $@
