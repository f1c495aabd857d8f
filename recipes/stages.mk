# The stages of one recipe: data, tokenizers, ids, model, scores. It knows no recipe: inspect --make says what a recipe needs.
#
#   make -f recipes/stages.mk RECIPE=recipes/spa-eng.yaml report       BIN: the tools; DATA: the data root; MODELS: where runs go
#
# All of a run goes to MODELS/recipes/RUN, named after its recipe, with "-seed-N" after it for another seed and "-quick" at
# SCALE=quick; the model to the folder model there. Each stage is a file that depends on the files before it: an interrupted make
# goes on where it stopped, and train on an interrupted model directory resumes.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := report

RECIPE ?= $(error which recipe? RECIPE=FILE)
BIN ?= build/bin
DATA ?= data/cache
MODELS ?= models
SCALE ?= full
SEED ?=
THREADS ?= 0
W := $(MODELS)/recipes
R := $(W)/$(basename $(notdir $(RECIPE)))$(addprefix -seed-,$(filter-out 1,$(SEED)))$(if $(filter quick,$(SCALE)),-quick)
Q := $(if $(filter 0,$(THREADS)),,--threads $(THREADS))

.PHONY: report
report: $(R)/report.txt
	@cat $<

# The resolved recipe; rewritten, and so everything after it, only when it changes.
$(R)/recipe.yaml: $(RECIPE)
	@mkdir -p $(@D)
	@$(BIN)/train --recipe $< --scale $(SCALE) $(addprefix --seed ,$(SEED)) --print-recipe > $@.part
	@if cmp -s $@.part $@; then rm $@.part; touch -r $< $@; else mv $@.part $@; fi

# What it needs, as variables: set, folder, seed, train, validation, test, their numbers of lines, columns, stage_COLUMN, answer.
$(R)/recipe.mk: $(R)/recipe.yaml
	@$(BIN)/inspect $< --make > $@.part
	@mv $@.part $@
include $(R)/recipe.mk

# --- Data: what a script of data/ prepares, or the user's own files ---------------------------------------------------------

part_files := $(addprefix $(DATA)/,$(sort $(train) $(validation) $(test) $(tokenizer_text)))
ifneq ($(set),)
prepared := $(DATA)/$(train)
$(prepared): data/prepare-$(set).sh data/common.sh data/pins.sha256 $(wildcard data/$(set)/*)
	data/prepare-$(set).sh $(DATA) $(seed_of_split)
	@touch $@
$(filter-out $(prepared),$(part_files)): | $(prepared) ;
endif

# A part of the examples: all lines, or so many, spread evenly over the file.
define part_rule
$(R)/$(1).tsv: $(DATA)/$($(1)) $(R)/recipe.yaml
	awk -v wanted=$($(1)_examples) -v lines="$$$$(wc -l < $$<)" 'wanted == 0 || wanted >= lines || int(NR * wanted / lines) > int((NR - 1) * wanted / lines)' $$< > $$@.part
	mv $$@.part $$@
endef
parts := $(foreach part,train validation test,$(if $($(part)),$(part)))
$(foreach part,$(parts),$(eval $(call part_rule,$(part))))

# --- Tokenizers, terms, labels ----------------------------------------------------------------------------------------------

learning_text := $(DATA)/$(or $(tokenizer_text),$(train))

$(R)/%.json: $(R)/recipe.yaml $(learning_text)
	cut -f$(field_$*) $(learning_text) | $(BIN)/tokenize --recipe $< --side $* -o $@
$(R)/terms.tsv: $(R)/recipe.yaml $(R)/source.json $(learning_text)
	cut -f$(field_source) $(learning_text) | $(BIN)/tokenize --tokenizer $(R)/source.json \
	  | $(BIN)/vectorize --learn ngrams --recipe $< -o $@
$(R)/labels.txt: $(DATA)/$(train) $(R)/recipe.yaml
	cut -f$(field_label) $< | $(BIN)/vectorize --learn labels -o $@

# --- Ids: a column of a part goes through one of these pipes ----------------------------------------------------------------

needs_tokens = $(R)/$(1).json
needs_terms = $(R)/$(1).json $(R)/terms.tsv
needs_labels = $(R)/labels.txt
pipe_tokens = $(BIN)/tokenize --tokenizer $(R)/$(1).json | $(BIN)/vectorize --tokenizer $(R)/$(1).json --recipe $(R)/recipe.yaml --side $(1)
pipe_terms = $(BIN)/tokenize --tokenizer $(R)/$(1).json | $(BIN)/vectorize --terms $(R)/terms.tsv --recipe $(R)/recipe.yaml
pipe_labels = $(BIN)/vectorize --labels $(R)/labels.txt

define ids_rule
$(R)/$(1).$(2).ids: $(R)/$(1).tsv $(R)/recipe.yaml $(call needs_$(stage_$(2)),$(2))
	cut -f$(field_$(2)) $$< | $(call pipe_$(stage_$(2)),$(2)) > $$@.part
	mv $$@.part $$@
endef
define part_ids_rule
$(R)/$(1).ids: $(columns:%=$(R)/$(1).%.ids)
	paste $$^ > $$@.part
	mv $$@.part $$@
endef
id_parts := $(if $(columns),$(filter-out test,$(parts)))
$(foreach part,$(id_parts),$(eval $(call part_ids_rule,$(part)))$(foreach column,$(columns),$(eval $(call ids_rule,$(part),$(column)))))

# --- The model: its table of expected and reached figures is what train writes to standard output ---------------------------

stages := $(foreach column,$(columns),$(stage_$(column)))
tokenized := $(foreach column,$(columns),$(if $(filter tokens terms,$(stage_$(column))),$(column)))
label_file := $(if $(filter labels,$(stages)),$(R)/labels.txt)
term_file := $(if $(filter terms,$(stages)),$(R)/terms.tsv)
# Files that train reads as they are, where the examples have no columns.
train_files := $(if $(columns),$(R)/train.ids,$(DATA)/$(train))
validation_files := $(if $(validation),$(if $(columns),$(R)/validation.ids,$(DATA)/$(validation)))

$(R)/table.txt: $(R)/recipe.yaml $(tokenized:%=$(R)/%.json) $(label_file) $(term_file) $(train_files) $(validation_files)
	$(BIN)/train --recipe $< $(foreach side,$(tokenized),--$(side)-tokenizer $(R)/$(side).json) \
	  $(addprefix --labels ,$(label_file)) $(addprefix --terms ,$(term_file)) $(addprefix --validation ,$(validation_files)) \
	  -o $(R)/model $(if $(OVERWRITE),--overwrite) $(Q) $(train_files) > $@.part
	mv $@.part $@

# --- Scores on the test data, by what the model answers ---------------------------------------------------------------------

$(R)/test.sources: $(R)/test.tsv
	cut -f$(field_source) $< > $@
$(R)/test.references: $(R)/test.tsv
	cut -f$(field_target) $< > $@
$(R)/test.hypotheses: $(R)/test.sources $(R)/table.txt
	$(BIN)/translate $(R)/model $(Q) $< > $@.part
	mv $@.part $@
# As the tokenizer sees them: lower case, no punctuation.
$(R)/test.standardized: $(R)/test.references $(R)/target.json
	$(BIN)/tokenize --tokenizer $(R)/target.json $< | $(BIN)/tokenize --tokenizer $(R)/target.json --decode > $@.part
	mv $@.part $@
# What evaluate reads of the test data: text and label, text, or the file as it is.
test_label = paste <(cut -f$(field_source) $(R)/test.tsv) <(cut -f$(field_label) $(R)/test.tsv) |
test_continuation = cut -f$(field_source) $(R)/test.tsv |
test_file := $(if $(columns),,$(DATA)/$(test))
$(R)/test.txt: $(R)/recipe.yaml $(or $(test_file),$(R)/test.tsv) $(R)/table.txt
	$(test_$(answer)) $(BIN)/evaluate $(R)/model --recipe $< $(Q) $(test_file) > $@.part
	mv $@.part $@

scores_translation := $(R)/test.sources $(R)/test.hypotheses $(R)/test.standardized $(R)/test.references
scores_label := $(R)/test.txt
scores_continuation := $(R)/test.txt
scores_image_label := $(R)/test.txt
scores := $(if $(test),$(scores_$(answer)))

$(R)/report.txt: $(R)/table.txt $(scores)
	@data/report.sh $(notdir $(R)) $(BIN) $(R) $(if $(scores),$(answer),none) $(DATA)/$(train) > $@.part
	@mv $@.part $@
