# The stages of one recipe: data, tokenizers, ids, model, scores. It knows no recipe: inspect --make says what a recipe needs.
#
#   make -f recipes/stages.mk RECIPE=recipes/spa-eng.yaml report       BIN: the folder of the programs; DATA: the data root; MODELS: where runs go
#   make -f PREFIX/share/headwater/recipes/stages.mk RECIPE=FILE       the same as installed, in any folder; what headwater run does
#
# All of a run goes to MODELS/recipes/RUN, named after its recipe, with "-seed-N" after it for another seed than its own, "-quick" at
# SCALE=quick and "-KEY-VALUE" for each word of SET="KEY=VALUE...", keys of the recipe that are set to another value; the model to the folder model there. Lines, tokenizers and ids
# are in MODELS/recipes/prepared, where all runs of a recipe that need the same ones share them; a run has links to them. Each stage is
# a file that depends on the files before it: an interrupted make goes on where it stopped, and train on an interrupted model directory resumes.
#
# resolve.sh looks at the recipe and its data, locks the run and then calls these stages: whether data changed is decided by their contents.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := report

# The folder above this file's; empty where that is the current one. It may have spaces, and so may BIN.
house := $(subst recipes/stages.mk,,$(strip $(MAKEFILE_LIST)))
include $(subst $() ,\ ,$(house))recipes/names.mk
quoted = $(if $(findstring $(space),$(1)),'$(1)',$(1))
in_house = $(call quoted,$(house)$(1))

# A file, or the name of one of ours, without folder and ending.
RECIPE ?= $(error which recipe? RECIPE=FILE)
# The programs: built in this clone, or installed beside; else those that PATH has.
beside := $(if $(wildcard $(subst $(space),\ ,$(house))Makefile),$(house)build/bin,$(house)../../libexec/headwater)
BIN ?= $(if $(wildcard $(subst $(space),\ ,$(beside))/tokenize),$(beside),$(or $(shell $(call in_house,data/tools.sh)),$(beside)))
# The data root; without it resolve.sh takes that of public sets, or the folder of a recipe of one's own.
DATA ?=
MODELS ?= models
$(call must_be_plain,RECIPE DATA MODELS)
$(call must_be_plain_set)
SCALE ?= full
SEED ?=
SET ?=
THREADS ?= 0
$(call must_be_whole,SEED THREADS)
$(call must_be_scale)
bin := $(call quoted,$(BIN))
W := $(MODELS)/recipes
# The seed that the recipe names, 1 where it names none: the run of that seed has the recipe's own name.
own_seed := $(or $(if $(SEED),$(shell sed -n 's/^seed: *\([0-9][0-9]*\).*/\1/p' $(firstword $(wildcard $(RECIPE)) $(call in_house,recipes/$(RECIPE).yaml)) 2>/dev/null)),1)
R := $(W)/$(basename $(notdir $(RECIPE)))$(addprefix -seed-,$(filter-out $(own_seed),$(SEED)))$(if $(filter quick,$(SCALE)),-quick)$(set_suffix)
Q := $(if $(filter 0,$(THREADS)),,--threads $(THREADS))
QUIET ?=
quietly := $(if $(QUIET), --quiet)

# As headwater calls these stages, the name it has there.
ifneq ($(origin HEADWATER),command line)
HEADWATER :=
endif
ifneq ($(origin RESOLVED),command line)
goals := $(or $(MAKECMDGOALS),report)
variables := RECIPE BIN MODELS SCALE SEED SET THREADS QUIET OVERWRITE ALLOW_EMPTY HEADWATER $(if $(DATA),DATA)
.PHONY: $(goals)
$(firstword $(goals)):
	+@$(call in_house,recipes/resolve.sh) $(RECIPE) $(R) '$(goals)' $(MAKE) --no-print-directory -f $(call in_house,recipes/stages.mk) \
	  $(foreach variable,$(variables),$(variable)='$($(variable))')
$(foreach goal,$(wordlist 2,$(words $(goals)),$(goals)),$(eval $(goal): $(firstword $(goals)) ;))
else
# What the programs of a target warn of stands beside it, as TARGET.TOOL.messages.json; report shows it.
export HEADWATER_MESSAGES = $(if $(filter %/report.md,$@),,$@)

.PHONY: report inputs
report: $(R)/report.md
	@cat $<

# What the recipe needs, as variables: set, folder, seed, train, validation, test, their numbers of lines, columns, summaries, csv,
# stage_COLUMN, task.
include $(R)/recipe.mk
include $(R)/prepared.mk
P := $(W)/prepared/$(basename $(notdir $(RECIPE)))-$(prepared)
# What becomes a file, here or there, is written in the run's own folder first: another run may be making the same file of P. By these names
# resolve.sh knows what a command that was killed has left.
draft_of = $(R)/$(drafts)$(subst /,-,$(patsubst $(P)/%,%,$(patsubst $(R)/%,%,$(1))))
draft = $(call draft_of,$@)

# --- Data -------------------------------------------------------------------------------------------------------------------

# Files of P follow from its name, which follows from what the data hold: the age of a data file means nothing. A data file that
# changed since its contents were looked at is not taken.
unchanged = $(call in_house,recipes/resolve.sh) --unchanged $(R) $(DATA)

# Lines of columns, each checked and without what other systems leave at their ends, or made of CSV files by the names that the recipe
# gives. The files of all parts, before anything is learned.
whole_lines_of = $(if $(csv),$(P)/csv/$(1).tsv,$(P)/lines/$(1))
# With data.test_fraction those of train are split first; the share that is held out is a file of this name.
held_out := $(if $(test_fraction),:held-out)
test := $(or $(test),$(held_out))
lines_of = $(if $(and $(held_out),$(filter $(train) $(held_out),$(1))),$(P)/split/$(if $(filter $(held_out),$(1)),test,train).tsv,$(whole_lines_of))
all_lines := $(if $(columns),$(foreach file,$(sort $(train) $(validation) $(test) $(tokenizer_text)),$(call lines_of,$(file))))
# What to do besides where a tool refuses: make hands on none of the options that its message may advise, and the file that it names may
# be one that was made of the user's.
or_say = || { status=$$?; echo 'recipe: $(1)' >&2; exit $$status; }
csv_by_hand = where that names an option: make the lines yourself (vectorize --csv --recipe $(RECIPE) ... $(DATA)/$* > FILE.tsv), and name FILE.tsv in a recipe without data.csv_columns
own_lines = line N of $(call whole_lines_of,FILE) is $(if $(csv),record,line) N of $(DATA)/FILE$(if $(held_out),; $(call lines_of,$(train)) has lines of it in the same order)
$(P)/csv/%.tsv: | $(DATA)/%
	@mkdir -p $(@D)
	$(bin)/vectorize$(quietly) --csv --recipe $(R)/recipe.yaml $(DATA)/$* > $(draft)$(call or_say,$(csv_by_hand))
	@$(unchanged) $*
	mv $(draft) $@
$(P)/lines/%: | $(DATA)/%
	@mkdir -p $(@D)
	@trap 'rm -f $(draft)' EXIT; \
	LC_ALL=C awk -v columns='$(columns)' $(if $(filter $*,$(train) $(validation) $(test)),,-v plain=1) -f $(call in_house,recipes/lines.awk) $(DATA)/$* > $(draft); \
	$(unchanged) $*; mv $(draft) $@

ifneq ($(held_out),)
$(P)/split/train.tsv: $(call whole_lines_of,$(train))
	@mkdir -p $(@D)
	$(bin)/vectorize$(quietly) --split $(P)/split/test.tsv $(if $(split_by_source),--split-by $(field_source),$(addprefix --column ,$(field_label))) --validation-fraction $(test_fraction) -o $@ $<
$(P)/split/test.tsv: | $(P)/split/train.tsv ;
endif

# That each label of every part has examples to learn from, and as many labels as the model has classes.
labelled := $(if $(field_label),$(foreach file,$(sort $(train) $(validation) $(test)),$(call lines_of,$(file))))
$(R)/labels.checked: $(R)/recipe.yaml $(R)/prepared.mk $(labelled) | $(all_lines)
	$(bin)/vectorize -q --learn labels --recipe $< --column $(field_label) $(addprefix --check ,$(labelled)) -o $@ $(call lines_of,$(train))$(call or_say,$(own_lines))
checked := $(all_lines) $(if $(labelled),$(R)/labels.checked)

# A part of the examples: all lines, or so many, spread evenly over the file.
define part_rule
$(P)/$(1).tsv: $(call lines_of,$($(1))) | $(checked)
ifeq ($($(1)_examples),0)
	@[ $$< -ef $$@ ] || { rm -f $$(draft); ln $$< $$(draft) 2>/dev/null || cp $$< $$(draft); mv $$(draft) $$@; }
else
	awk -v wanted=$($(1)_examples) -v lines="$$$$(wc -l < $$<)" 'wanted >= lines || int(NR * wanted / lines) > int((NR - 1) * wanted / lines)' $$< > $$(draft)
	mv $$(draft) $$@
endif
endef
parts := $(foreach part,train validation test,$(if $($(part)),$(part)))
$(foreach part,$(parts),$(eval $(call part_rule,$(part))))

# --- Tokenizers, terms, labels ----------------------------------------------------------------------------------------------

learning_text := $(call lines_of,$(or $(tokenizer_text),$(train)))
# A text of its own for this need not have columns; cut takes a line without them whole.
column_of_text = $(if $(filter $(tokenizer_text),$(train)),,cut -f$(1) $(learning_text) |)
text_or_input = $(if $(filter $(tokenizer_text),$(train)),--column $(1) $(learning_text))

# The tokenizer of a column; one file where both sides share it, learned from their columns together. Those of the model that a run
# begins with are there before this (resolve.sh): files, or the folder of a published model without its weights.
tokenizer = $(P)/$(if $(filter model,$(given)),model,$(if $(shared_tokenizer),tokenizer,$(1)).json)
both_columns = $(field_source),$(field_target)
ifeq ($(given),)
$(P)/tokenizer.json: $(learning_text) | $(checked)
ifeq ($(tokenizer_text),$(train))
	$(bin)/tokenize$(quietly) --recipe $(R)/recipe.yaml -o $@ --columns $(both_columns) $(learning_text)
else
	cut -f$(both_columns) $(learning_text) | tr '\t' '\n' | $(bin)/tokenize$(quietly) --recipe $(R)/recipe.yaml -o $@
endif
$(P)/%.json: $(learning_text) | $(checked)
	$(call column_of_text,$(field_$*)) $(bin)/tokenize$(quietly) --recipe $(R)/recipe.yaml --side $* -o $@ $(call text_or_input,$(field_$*))
$(P)/terms.tsv: $(P)/source.json $(learning_text)
	$(call column_of_text,$(field_source)) $(bin)/tokenize$(quietly) --tokenizer $(P)/source.json $(call text_or_input,$(field_source)) \
	  | $(bin)/vectorize$(quietly) --learn ngrams --recipe $(R)/recipe.yaml -o $@
endif
$(P)/labels.txt: $(call lines_of,$(train)) | $(checked)
	$(bin)/vectorize$(quietly) --learn labels --column $(field_label) -o $@ $<

# --- Ids: a column of a part goes through one of these pipes ----------------------------------------------------------------

needs_tokens = $(call tokenizer,$(1))
needs_terms = $(P)/$(1).json $(P)/terms.tsv
needs_labels = $(P)/labels.txt
pipe_tokens = $(bin)/tokenize$(quietly) --tokenizer $(call tokenizer,$(1)) $(text_lines) --column $(field_$(1)) $(2) | $(bin)/vectorize$(quietly) --tokenizer $(call tokenizer,$(1)) --recipe $(R)/recipe.yaml --side $(1)
pipe_terms = $(bin)/tokenize$(quietly) --tokenizer $(P)/$(1).json --column $(field_$(1)) $(2) | $(bin)/vectorize$(quietly) --terms $(P)/terms.tsv --recipe $(R)/recipe.yaml
pipe_labels = $(bin)/vectorize$(quietly) --labels $(P)/labels.txt --column $(field_$(1)) $(2)

define ids_rule
$(P)/$(1).$(2).ids: $(P)/$(1).tsv $(call needs_$(stage_$(2)),$(2))
	$(call pipe_$(stage_$(2)),$(2),$$<) > $$(draft)
	mv $$(draft) $$@
endef
# Lines with more ids on a side than data.max_tokens are left out, and their number is said.
define keep_short
awk -F '\t' -v most=$(max_tokens) '{ for (i = 1; i <= NF; ++i) if (split($$i, id, " ") > most) { ++out; next } print } \
  END { if (out) text = "$(1): " out " of " NR " examples have a side of more than " most " tokens; they are left out"; \
    if (out) print "recipe: " text | "cat 1>&2"; \
    printf "{\"version\": 1, \"warnings\": [%s]}\n", out ? "\"" text "\"" : "" > (ENVIRON["HEADWATER_MESSAGES"] ".recipe.messages.json") }'
endef
define part_ids_rule
$(P)/$(1).ids: $(columns:%=$(P)/$(1).%.ids)
	paste $$^ $(if $(filter-out 0,$(max_tokens)),| $(subst $$,$$$$,$(call keep_short,$(1)))) > $$(draft)
	mv $$(draft) $$@
endef
# All lines as one long text: a file of ids.
define stream_rule
$(P)/$(1).safetensors: $(P)/$(1).tsv $(call needs_tokens,source)
	$(call pipe_tokens,source,$$<) --output dataset -o $$@
endef
id_parts := $(if $(columns),$(filter-out test,$(parts)))
ids_suffix := $(if $(stream),safetensors,ids)
ifneq ($(stream),)
$(foreach part,$(id_parts),$(eval $(call stream_rule,$(part))))
else
$(foreach part,$(id_parts),$(eval $(call part_ids_rule,$(part)))$(foreach column,$(columns),$(eval $(call ids_rule,$(part),$(column)))))
endif

# --- The model: its table of expected and reached figures is what train writes to standard output ---------------------------

stages := $(foreach column,$(columns),$(stage_$(column)))
tokenized := $(foreach column,$(columns),$(if $(filter tokens terms,$(stage_$(column))),$(column)))
label_file := $(if $(filter labels,$(stages)),$(P)/labels.txt)
term_file := $(if $(filter terms,$(stages)),$(P)/terms.tsv)
# Files that train reads as they are, where the examples have no columns: what they hold is in prepared.mk.
train_files := $(if $(columns),$(P)/train.$(ids_suffix),$(DATA)/$(train))
test_file := $(if $(columns),,$(if $(test),$(DATA)/$(test)))
validation_files := $(if $(validation),$(if $(columns),$(P)/validation.$(ids_suffix),$(DATA)/$(validation)))

train_command = $(bin)/train$(quietly) --recipe $(R)/recipe.yaml $(foreach side,$(tokenized),--$(side)-tokenizer $(call tokenizer,$(side))) \
  $(if $(label_file),--labels $(label_file) --labels-as ids) $(addprefix --terms ,$(term_file)) $(addprefix --validation ,$(validation_files)) $(addprefix --test ,$(test_file)) \
  -o $(R)/model $(if $(OVERWRITE),--overwrite) $(if $(ALLOW_EMPTY),--allow-empty) $(Q) $(train_files)
# Where train refuses to touch the model that is there, all that this command has replaced comes back. The table of a run that diverged is
# shown all the same.
define train_failed
{ status=$$?; cat $$part >&2; \
  if [ $(R)/model/messages.json -nt $$part ]; then \
    HEADWATER_MESSAGES= $(bin)/report $(R) --html -o $(R)/report.html 2> /dev/null || true; \
    [ ! -e $(R)/report.html ] || echo 'recipe: $(R)/report.html shows how far it came' >&2; \
  elif [ $$status -le 2 ] && [ ! -s $$part ] && [ -d $(R)/model/checkpoints ] && [ -z "$$(find $(R)/model/checkpoints -newer $$part)" ]; then \
    rm -f $(R)/*.messages.json; $(call in_house,recipes/resolve.sh) --bring-back $(R); \
  fi; \
  exit $$status; }
endef
is_silent = $(findstring s,$(filter-out ---%,$(firstword -$(MAKEFLAGS))))
# What was prepared stands beside the model, too.
prepared_files = $(sort $(filter-out $(P)/model,$(foreach side,$(tokenized),$(call tokenizer,$(side)))) $(label_file) $(term_file) $(if $(columns),$(parts:%=$(P)/%.tsv) $(train_files) $(validation_files)))
link_here = for file in $(1); do [ $$file -ef $(R)/$${file\#\#*/} ] || ln -f $$file $(R) 2>/dev/null || cp $$file $(R); done
inputs := $(sort $(foreach side,$(tokenized),$(call tokenizer,$(side)))) $(label_file) $(term_file) $(if $(columns),$(train_files) $(validation_files))
# All that runs may share. resolve.sh has it made before anything else, by one command at a time.
inputs: $(inputs) $(if $(columns),$(parts:%=$(P)/%.tsv))
# What a command replaces of a run is kept until its model is made (resolve.sh).
replaced := .headwater-replaced
replace = mkdir -p $(R)/$(replaced); for file in $(1); do [ ! -f $$file ] || mv $$file $(R)/$(replaced); done
# The memory and the time that such a run takes, as train measures them before it begins. Where it refuses its work, it says so below.
$(R)/plan.txt: $(R)/recipe.yaml $(R)/prepared.mk $(inputs) | $(if $(columns),$(parts:%=$(P)/%.tsv))
	@$(call replace,$@); HEADWATER_MESSAGES= $(filter-out --overwrite,$(train_command)) --dry-run --quiet > $(draft) 2> /dev/null && mv $(draft) $@ || rm -f $(draft)

# The milliseconds in which a model writes so many texts of the test, spread evenly, and is loaded.
define time_of
time_of() { \
  cut -f$(field_source) $(P)/test.tsv | awk -v wanted=$$2 -v lines=$$lines 'int(NR * wanted / lines) > int((NR - 1) * wanted / lines)' > $(draft).sample; \
  begin=$$(date +%s%N); HEADWATER_MESSAGES= $(write_$(task)) --quiet $$1 $(Q) $(draft).sample > /dev/null; echo $$((($$(date +%s%N) - begin) / 1000000)); }; \
time_of_all() { few=$$(time_of $$1 8); many=$$(time_of $$1 72); rm $(draft).sample; echo $$((many > few ? (many - few) * lines / 64 * $(ways) : 0)); }
endef
# How long training and the test will take, said before they begin if that is a minute or more, or if a thousand texts are written. A text is read in
# no more time than a step takes for it. A model that has learned one step from a few examples writes until its texts are as long as they may be.
writes_test = $(filter $(R)/test.hypotheses,$(scores))
define forecast_all
[ -n '$(QUIET)' ] || [ ! -s $(R)/plan.txt ] || ( \
  size_of() { stat -Lc %s "$$1" 2> /dev/null || echo 0; }; $(time_of); \
  lines=$(if $(writes_test),$$(wc -l < $(P)/test.tsv),0); written=0; drawn=$(call draft_of,drawn); \
  if [ $$lines -ge 1000 ]; then \
    head -n 64 $(P)/train.ids > $$drawn.ids; \
    HEADWATER_MESSAGES= $(bin)/train --quiet --recipe $(R)/recipe.yaml --max-steps 1 $(foreach side,$(tokenized),--$(side)-tokenizer $(call tokenizer,$(side))) \
      $(if $(validation),--validation $$drawn.ids) --allow-empty -o $$drawn $(Q) $$drawn.ids > /dev/null 2>&1 && written=$$(time_of_all $$drawn); \
    rm -rf $$drawn $$drawn.ids; \
  fi; \
  test=$(if $(test),$$(size_of $(or $(test_file),$(P)/test.tsv)),0); train=$$(size_of $(if $(columns),$(P)/train.tsv,$(train_files))); \
  awk -F '\t' -v lines=$$lines -v written=$$written -v ways=$(ways) -v test=$$test -v train=$$train -v times=$(words test $(orders)) ' \
    function text(m) { return m <= 1 ? "a minute" : sprintf("%.*f minutes", m < 10, m) } \
    { value[$$1] = $$2 } \
    END { m = value["minutes"]; t = written / 60000 + (train > 0 ? times * value["milliseconds_a_step"] * value["steps_an_epoch"] * test / train / 60000 : 0); \
      if (m == "" || (m < 1 && t < 1 && lines < 1000)) exit; \
      printf "recipe: training takes about %s, without validation%s%s\n", text(m), test ? "; the test takes at most about " text(t) : "", \
        lines ? " (" lines " texts are written" (ways > 1 ? " " ways " times" : "") ")" : "" }' $(R)/plan.txt >&2 )
endef
# What was reported of another recipe, or of other data, goes; it comes back where train refuses to touch the model that it is of. What was
# prepared stands beside the model once that is made of it.
.PHONY: FORCE
$(R)/table.txt: $(R)/recipe.yaml $(R)/prepared.mk $(inputs) $(if $(OVERWRITE),FORCE) | $(if $(columns),$(parts:%=$(P)/%.tsv)) $(R)/plan.txt
	@$(call replace,$(R)/report.md $(R)/*.messages.json); $(call link_here,$$(find $(P) -name '*.messages.json' 2> /dev/null))
	@$(if $(if $(OVERWRITE),,$(wildcard $(R)/model/checkpoints/latest)),,$(forecast_all) || true)
	$(if $(is_silent),,$(info $(strip $(train_command))))
	@part=$(draft); trap 'rm -f $$part' EXIT; $(train_command) > $$part || $(train_failed); $(call link_here,$(prepared_files)); mv $$part $@; rm -rf $(R)/$(replaced)

# --- Scores on the test data, by the task of the model ----------------------------------------------------------------------

# Whatever is made of P depends on its name, too: it may be one that is older than this run.
$(R)/test.sources: $(R)/prepared.mk $(P)/test.tsv
	cut -f$(field_source) $(P)/test.tsv > $(draft)
	mv $(draft) $@
$(R)/test.references: $(R)/prepared.mk $(P)/test.tsv
	cut -f$(field_target) $(P)/test.tsv > $(draft)
	mv $(draft) $@
# A summary or a translation is short; what a language model is asked for is kept free of its positions.
write_translation = $(bin)/translate$(quietly)
write_language_modeling = $(bin)/generate$(quietly) --max-new-tokens 40
# How long all texts of the test will take, each way in which they are written, by the model itself.
ways_translation := $(words hypotheses $(if $(filter-out 1,$(num_beams)),greedy) $(if $(filter-out 1 2,$(keep)),means))
ways := $(if $(summaries),$(words greedy beam),$(or $(ways_$(task)),1))
define forecast
lines=$$(wc -l < $<); [ -n '$(QUIET)' ] || [ $$lines -lt 1000 ] || { \
  $(time_of); awk -v ms=$$(time_of_all $(R)/model) -v lines=$$lines -v ways=$(ways) 'BEGIN { m = ms / 60000; \
    printf "recipe: the test has %d texts, which are written %s: about %.*f minutes\n", lines, ways == 1 ? "once" : ways " times", m < 10, m < 0.1 ? 0.1 : m }' >&2; }
endef
$(R)/test.hypotheses: $(R)/test.sources $(R)/table.txt
	@$(forecast)
	$(write_$(task)) $(R)/model $(Q) $< > $(draft)
	mv $(draft) $@
# As the tokenizer sees them: standardised, joined again.
$(R)/test.standardized: $(R)/test.references $(call tokenizer,target)
	$(bin)/tokenize$(quietly) --tokenizer $(call tokenizer,target) $< | $(bin)/tokenize$(quietly) --tokenizer $(call tokenizer,target) --decode > $(draft)
	mv $(draft) $@
# With beams the same greedily; four beams beside greedy summaries.
$(R)/test.greedy: $(R)/test.sources $(R)/table.txt
	$(bin)/translate --quiet --num-beams 1 $(R)/model $(Q) $< > $(draft)
	mv $(draft) $@
$(R)/test.beam: $(R)/test.sources $(R)/table.txt
	$(write_$(task)) --quiet --num-beams 4 $(R)/model $(Q) $< > $(draft)
	mv $(draft) $@
# And by the mean of the checkpoints that the recipe keeps; an empty file where training has left one alone.
# The target stands last: where it is, the others are.
means := $(if $(filter-out 1,$(num_beams)),$(R)/test.mean-beam) $(R)/test.mean-greedy
write_mean = $(bin)/translate --quiet --num-beams $(1) $(call draft_of,mean) $(Q) $< > $(call draft_of,$(2))
$(R)/test.mean-greedy: $(R)/test.sources $(R)/table.txt
	@mean=$(call draft_of,mean); trap 'rm -rf $$mean' EXIT; rm -rf $$mean; \
	last=$$(find $(R)/model/checkpoints -mindepth 1 -maxdepth 1 -name '[0-9]*' | wc -l); \
	if [ $$last -gt $(keep) ]; then last=$(keep); fi; \
	for file in $(notdir $(means)); do : > $(call draft_of,$$file); done; \
	if [ $$last -gt 1 ]; then \
	  $(bin)/convert --average $(R)/model --last $$last --output $$mean > /dev/null; \
	  $(call write_mean,1,$@); \
	  $(if $(filter-out 1,$(num_beams)),$(call write_mean,$(num_beams),$(R)/test.mean-beam);) \
	fi; \
	for file in $(notdir $(means)); do mv $(call draft_of,$$file) $(R)/$$file; done
# The sentences that the source of an experiment translated, where data/SET has some.
sentences := $(and $(set),$(wildcard $(subst $(space),\ ,$(house))data/$(set)/sentences.txt))
$(R)/sentences.sources: $(if $(house),,$(sentences))
	cp $(call in_house,data/$(set)/sentences.txt) $@
$(R)/sentences.hypotheses: $(R)/sentences.sources $(R)/table.txt
	$(write_$(task)) --quiet $(R)/model $(Q) $< > $(draft)
	mv $(draft) $@
# What evaluate reads of the test data: text and label, pairs, text, or the file as it is.
test_columns = paste $(foreach column,$(1),<(cut -f$(field_$(column)) $(P)/test.tsv)) |
test_translation = $(call test_columns,source target)
test_classification = $(call test_columns,source $(if $(field_target),target) label)
test_masked_language_modeling = $(call test_columns,source)
test_language_modeling = $(call test_columns,source $(if $(field_target),target))
# The test is translated once, above. Over padded positions too where the recipe expects such figures.
measures_of_pairs := --metric loss,accuracy,perplexity $(reference_measure)
evaluate_options = $(if $(filter translation,$(task)),$(measures_of_pairs),--recipe $(R)/recipe.yaml)
# A picture holds 500 labels at most; id2label has a line for each.
confusion = $$(awk '/"id2label"/ { n = 1; next } n && /^ *}/ { exit n > 501 } n { ++n }' $(R)/model/config.json 2> /dev/null && echo --confusion $(R)/confusion.svg)
confusion_options = $(if $(filter classification image_classification,$(task)),$(confusion))
$(R)/test.txt: $(R)/recipe.yaml $(R)/prepared.mk $(if $(test_file),,$(P)/test.tsv) $(R)/table.txt
	$(test_$(task)) $(bin)/evaluate$(quietly) $(R)/model $(evaluate_options) $(confusion_options) $(Q) $(test_file) > $(draft)
	mv $(draft) $@

# The same texts with their tokens in another order, cut before as any text is.
define order_rule
$(R)/test.$(1).txt: $(P)/test.tsv $(R)/table.txt
	@trap 'rm -f $$(draft).ids $$(draft).labels' EXIT; \
	$(call pipe_tokens,source,$$<) --quiet --order $(1) > $$(draft).ids; cut -f$(field_label) $$< > $$(draft).labels; \
	paste $$(draft).ids $$(draft).labels | $(bin)/evaluate $(R)/model --ids --labels-as names --quiet --metric loss,accuracy $(Q) > $$(draft)
	mv $$(draft) $$@
endef
$(foreach order,$(if $(test),$(orders)),$(eval $(call order_rule,$(order))))

texts := $(R)/test.sources $(R)/test.hypotheses $(R)/test.references $(R)/test.txt
scores_translation := $(texts) $(R)/test.standardized $(if $(filter-out 1,$(num_beams)),$(R)/test.greedy) \
  $(if $(filter-out 1 2,$(keep)),$(R)/test.mean-greedy) $(if $(sentences),$(R)/sentences.hypotheses)
scores_classification := $(R)/test.txt $(orders:%=$(R)/test.%.txt)
scores_language_modeling := $(if $(field_target),$(texts) $(if $(sentences),$(R)/sentences.hypotheses),$(R)/test.txt)
scores_masked_language_modeling := $(R)/test.txt
scores_image_classification := $(R)/test.txt
scores_summary := $(texts) $(R)/test.beam
scores := $(if $(test),$(scores_$(if $(summaries),summary,$(task))))

# Where it looked: of the first sentences of the set, or of the first test text, or of some images. A model without attention has no picture, nor has
# one whose rows of padding would make it too large to look at.
first_words = head -n 1 $(P)/test.tsv | cut -f$(field_$(1)) | cut -d ' ' -f 1-20
first_text = $(if $(and $(filter classification,$(task)),$(field_target)),paste <($(call first_words,source)) <($(call first_words,target)) |,$(call first_words,source) |)
text_of_attention = $(if $(sentences),head -n 4 $(R)/sentences.sources |,$(first_text))
attention_translation = $(text_of_attention) $(bin)/attn-dump $(R)/model --kind cross --mean --format svg
attention_classification = $(text_of_attention) $(bin)/attn-dump $(R)/model --mean --format svg
attention_language_modeling = $(attention_classification)
attention_masked_language_modeling = $(attention_classification)
attention_image_classification = $(bin)/attn-dump $(R)/model --view rollout --first 16 --format svg $(test_file)
draw_attention = { $(attention_$(task)) $(Q) -q -o $(R)/attention.svg && [ "$$(wc -c < $(R)/attention.svg)" -le 2000000 ] || rm -f $(R)/attention.svg; } 2> /dev/null

# The learning curve is drawn where an epoch has ended, beside what the source of the recipe printed (sources/), which is of its full scale.
source_curves = "$$(dirname $(or $(wildcard $(RECIPE)),$(call in_house,recipes/$(RECIPE).yaml)))/sources/$(basename $(notdir $(RECIPE))).csv"
$(R)/report.md: $(R)/table.txt $(R)/plan.txt $(scores)
	@$(if $(columns),,$(unchanged))
	@if [ $(SCALE) = full ] && [ -f $(source_curves) ]; then cp $(source_curves) $(R)/source.csv; else rm -f $(R)/source.csv; fi
	@$(bin)/report --curves $(R)/model -o $(R)/curve.svg --title $(notdir $(R)) 2> /dev/null || true
	@$(if $(test),$(draw_attention))
	@$(bin)/report $(R) --html -o $(R)/report.html
	@$(bin)/report $(R) -o $@
endif
