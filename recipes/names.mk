# Paths that the Makefile and stages.mk can name: a rule of make cannot have a file with a space or with a character that means something
# to make or to the shell. Said before anything is done.
#   $(call must_be_plain,VARIABLE...)

empty :=
space := $(empty) $(empty)
tab := $(empty)	$(empty)
define newline


endef
special := : ; $$ % \# ' " ` \ & | ( ) < > * ? [ ] { } ! =
special_in = $(firstword $(foreach c,$(special),$(findstring $(c),$($(1)))))
blank_in = $(findstring $(space),$($(1)))$(findstring $(tab),$($(1)))$(findstring $(newline),$($(1)))
refuse = $(error $(1)="$($(1))" has $(2), which make cannot name; take another path, or a link to this one)
# What SET="training.epochs=3 model.width=64" adds to the name of a run: -training.epochs-3-model.width-64.
set_suffix = $(addprefix -,$(subst /,-,$(subst =,-,$(subst $(space),-,$(strip $(SET))))))
# Its words that are no KEY=VALUE, as where spaces stand around the "=".
not_set = $(strip $(foreach word,$(SET),$(if $(findstring =,$(word)),$(filter =%,$(word)),$(word))))
must_be_plain_set = $(if $(not_set),$(error SET="$(SET)": "$(firstword $(not_set))" is no KEY=VALUE, which has no spaces (SET='training.epochs=3 model.width=64' sets two keys)))$(if $(call special_in,set_suffix),$(error SET="$(SET)" has the character $(call special_in,set_suffix), which a run's folder cannot have in its name; take train --set, or write it into a recipe))
must_be_plain = $(foreach v,$(1),$(if $(call blank_in,$(v)),$(call refuse,$(v),a space))$(if $(call special_in,$(v)),$(call refuse,$(v),the character $(call special_in,$(v)))))
