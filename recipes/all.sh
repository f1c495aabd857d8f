#!/bin/bash
# Runs recipes of this folder one after the other, each after the one whose model it begins with, and ends with a page of all and one table of
# what was expected and reached. First it says what each takes, and which cannot run because data are missing.
#
#   recipes/all.sh MAKE...     MAKE: make with the stages, which RECIPE=FILE and the goal are added to
#
# BIN, MODELS, DATA, SCALE, SEED and SET of the environment are those of the Makefile. Status 1 if a recipe did not run or missed what it expects.
set -euf -o pipefail
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")/../data" && pwd)
# shellcheck source=data/common.sh
. "$here/common.sh"
script=recipes
case ${1-} in
  *make) ;;
  *) wrong 'wanted is a command of make (--help says more)' ;;
esac
BIN=${BIN:?} MODELS=${MODELS:-models} scale=${SCALE:-full}
data=${DATA:-data/cache}
runs=$MODELS/recipes
quick=''
[ "$scale" != quick ] || quick=-quick
# What the names of runs end with, as stages.mk has it.
suffix=$([ "${SEED:-1}" = 1 ] || echo "-seed-$SEED")$quick
for word in ${SET-}; do suffix=$suffix-${word//[=\/]/-}; done

# --- What there is ----------------------------------------------------------------------------------------------------------

unset need sets missing
declare -A need sets
names=$(find recipes -maxdepth 1 -name '*.yaml' | sed 's,.*/,,; s,\.yaml$,,' | sort)
for name in $names; do
  "$BIN/train" --recipe "recipes/$name.yaml" --scale "$scale" --print-recipe >"$tmp/recipe.yaml"
  need[$name]=$(recipe_of_run "$(first_weights_of "$tmp/recipe.yaml")")
  need[$name]=${need[$name]:-$(recipe_of_run "$(encoder_of "$tmp/recipe.yaml")")}
  sets[$name]=$(sed -n 's,^  \(train\|tokenizer_text\): "\{0\,1\}\([^/"]*\)/.*,\2,p' "$tmp/recipe.yaml" | sort -u)
done
# One after what it needs.
order=''
put() { # NAME
  case " $order " in *" $1 "*) return 0 ;; esac
  [ -z "${need[$1]}" ] || put "${need[$1]}"
  order="$order $1"
}
for name in $names; do put "$name"; done

# Why the data of a set cannot be had; nothing where they can. Whether a server answers is not asked.
missing_of() { # SET
  case $1 in
    phrasebook) ;;
    debian-descriptions)
      if [ -n "${HEADWATER_DATA-}" ]; then
        [ -f "$HEADWATER_DATA/$1/en.tsv.xz" ] || echo "$HEADWATER_DATA/$1/en.tsv.xz: no such file"
      else
        command -v apt-get >/dev/null || echo 'no apt-get here'
      fi
      ;;
    *)
      [ -n "${HEADWATER_DATA-}" ] || return 0
      # shellcheck disable=SC2016 # as it stands in the script
      fetched=$(sed -n 's,^"$here/fetch.sh" \([a-z0-9-]*\) .*,\1,p' "$here/prepare-$1.sh") # imdb-texts is made of imdb
      { grep "^$fetched|" "$sets_file" || :; } | while IFS='|' read -r _ raw path _; do
        if [ ! -f "$HEADWATER_DATA/$path" ] && [ ! -f "$data/raw/$fetched/$raw" ]; then
          echo "$HEADWATER_DATA/$path: no such file"
          break
        fi
      done
      ;;
  esac
}
is_there() { [ -d "$data/$1" ] && [ -n "$(find "$data/$1" -maxdepth 1 -name 'train*')" ]; } # SET
declare -A missing=()
for set_name in $(printf '%s\n' "${sets[@]}" | sort -u); do
  is_there "$set_name" || missing[$set_name]=$(missing_of "$set_name")
done
minutes_of() { # NAME: as its head says; nothing where nobody has measured it
  sed -n 's/^# Takes: *\([0-9.]*\) \(second\|minute\|hour\)s*\( .*\)*$/\1 \2/p' "recipes/$1.yaml" |
    awk '{ print $1 * ($2 == "hour" ? 60 : $2 == "second" ? 1 / 60 : 1) }'
}
in_words() { awk -v minutes="$1" 'BEGIN { if (minutes <= 1) print "a minute"; else if (minutes < 120) printf "%.0f minutes\n", minutes; else printf "%.0f hours\n", minutes / 60 }'; }
total=0 unmeasured=0 cannot=''
for name in $order; do
  minutes=0.25
  [ -n "$quick" ] || minutes=$(minutes_of "$name")
  why=''
  for set_name in ${sets[$name]}; do why=${why:-${missing[$set_name]-}}; done
  [ -z "${need[$name]}" ] || case " $cannot " in *" ${need[$name]} "*) why=${why:-${need[$name]} cannot run} ;; esac
  line="recipes: $name: ${minutes:+$(in_words "$minutes")}"
  [ -n "$minutes" ] || line="recipes: $name: not measured"
  if [ -s "$runs/$name$suffix/report.md" ] && [ -z "${OVERWRITE-}" ]; then
    line="$line; finished before"
  elif [ -n "$why" ]; then
    cannot="$cannot $name"
    line="$line; cannot run: $why"
  elif [ -n "$minutes" ]; then
    total=$(awk -v a="$total" -v b="$minutes" 'BEGIN { print a + b }')
  else
    unmeasured=$((unmeasured + 1))
  fi
  echo "$line" >&2
done
count() { echo $#; }
# shellcheck disable=SC2086 # names
note "$(count $order) recipes, one after the other: about $(in_words "$total") on two cores$([ $unmeasured = 0 ] || echo ", and $unmeasured that nobody has measured")$([ -z "$cannot" ] || echo "; $(count $cannot) cannot run, as their data are missing")"

# --- All of them ------------------------------------------------------------------------------------------------------------

status=0 number=0
for name in $order; do
  number=$((number + 1))
  # shellcheck disable=SC2086 # names
  note "$name ($number of $(count $order))"
  case " $cannot " in
    *" $name "*)
      status=1
      note "$name cannot run; its data are missing"
      continue
      ;;
  esac
  # With another seed, or with keys that are set, what it needs is not one of these runs.
  if [ -n "${need[$name]}" ] && [ ! -e "$runs/${need[$name]}$quick/model" ]; then
    note "$name begins with the run ${need[$name]}$quick"
    SEED='' SET='' "$@" "RECIPE=recipes/${need[$name]}.yaml" SEED= SET= report >/dev/null || note "${need[$name]} failed"
  fi
  "$@" "RECIPE=recipes/$name.yaml" report || {
    status=1
    note "$name failed; the others go on"
  }
done
folders=''
for name in $order; do folders="$folders $runs/$name$suffix"; done
# shellcheck disable=SC2086 # folders without blanks
"$BIN/report" $folders --html --title recipes -o "$runs/report.html" || note "the page of all, $runs/report.html, has runs that failed"
# shellcheck disable=SC2086 # the same
"$BIN/report" --expected $folders || status=1
exit $status
