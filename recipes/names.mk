# Paths that the Makefile and stages.mk can name: a rule of make cannot have a file with a space or with a character that means something
# to make or to the shell. Said before anything is done.
#   $(call must_be_plain,VARIABLE...)
# Nor can it have a SEED, a SCALE or a number of THREADS that train would refuse, of which the first two become part of a folder's name.

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
# What of SEED and THREADS is no digit, and SCALE where it is no word of ours.
without = $(if $(1),$(call without,$(wordlist 2,10,$(1)),$(subst $(firstword $(1)),,$(2))),$(2))
not_digits = $(call without,0 1 2 3 4 5 6 7 8 9,$(1))
not_whole = $(or $(call blank_in,$(1)),$(call not_digits,$($(1))),$(filter 0%,$(filter-out 0,$($(1)))))
must_be_whole = $(foreach v,$(1),$(if $(call not_whole,$(v)),$(error $(v)="$($(v))" is no whole number ($(v)=3; decimal, without leading zeros))))
must_be_scale = $(if $(or $(call blank_in,SCALE),$(filter-out full quick,$(SCALE))),$(error SCALE="$(SCALE)" is neither full nor quick))
must_be_plain = $(foreach v,$(1),$(if $(call blank_in,$(v)),$(call refuse,$(v),a space))$(if $(call special_in,$(v)),$(call refuse,$(v),the character $(call special_in,$(v)))))
