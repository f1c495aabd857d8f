#!/bin/bash
# A recipe at SCALE=quick through make recipe-NAME: every stage, a report at the end, and nothing left to do the second time.
#   recipe_test.sh BIN [RECIPE [made|real [SHARED]]]     BIN: the folder of the tools; RECIPE: phrasebook. Another recipe's data is prepared
#                                          from HEADWATER_DATA (status 77, skipped, where that is not set), or, with "made", a small set
#                                          that is made up here. SHARED: a folder for prepared data, which the recipes on one set share
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd) recipe=${2:-phrasebook} kind=${3:-real}
cd "$(dirname "$0")/../.."
if [ "$recipe" != phrasebook ] && [ "$kind" = real ] && [ -z "${HEADWATER_DATA-}" ]; then
  echo 'skipped: HEADWATER_DATA is not set (the folder of a mirror of the public data)'
  exit 77
fi
shared=${4-}
unset MAKEFLAGS MAKELEVEL MFLAGS BIN DATA MODELS SCALE SEED THREADS OVERWRITE WERROR
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  cat "$tmp/log"
  exit 1
}

# shellcheck source=tests/cli/made_data.sh
. tests/cli/made_data.sh
# shellcheck source=tests/cli/bits.sh
. tests/cli/bits.sh
value() { value_of "$recipe" "$1"; }
number_of() { model_number_of "$recipe" "$1"; }
task=$(task_of "$recipe")
# The recipe whose model this one begins with, or is taught by, and the key that names it.
needed=$("$bin/train" --recipe "recipes/$recipe.yaml" --scale quick --print-recipe |
  sed -n 's,^  init_from: models/recipes/\(.*\)/model$,training.init_from \1,p; s,^  teacher: models/recipes/\(.*\)/model$,data.teacher \1,p')
key=${needed% *} first=${needed#* }
if [ "$kind" = made ]; then
  for name in $first $recipe; do make_data "$name" "$tmp/data" 1000 200 2000; done
fi

data=$tmp/data
if [ "$kind" = real ] && [ -n "$(value set)" ]; then
  set_name=$(value set)
  [ -z "$shared" ] || data=$shared
  mkdir -p "$data"
  exec 9>"$data/$set_name.lock"
  flock 9
  # Prepared by an earlier test, of the same mirror and scripts.
  ready=$data/$set_name.ready
  if [ "$(cat "$ready" 2>/dev/null)" != "${HEADWATER_DATA-}" ] || [ -n "$(find data/*.sh data/pins.sha256 data/sets.txt -newer "$ready")" ]; then
    # A mirror may lack a set, or its training pairs.
    "data/prepare-$set_name.sh" "$data" >"$tmp/log" 2>&1 9>&- || {
      grep -qE 'no such file|cannot be had' "$tmp/log" || fail "data of $recipe"
      echo "skipped: $(tail -n 1 "$tmp/log")"
      exit 77
    }
    echo "${HEADWATER_DATA-}" >"$ready"
  fi
  exec 9>&-
fi

run=$tmp/models/recipes/$recipe-quick
report=$run/report.md
stages=(make --no-print-directory -o tools-present SCALE=quick "BIN=$bin" "DATA=$data" "MODELS=$tmp/models")
make=("${stages[@]}" "recipe-$recipe")
if [ -n "$first" ]; then
  ! "${make[@]}" >"$tmp/log" 2>&1 || fail "$recipe runs without the model that it needs"
  grep -q "^headwater: recipes/$recipe.yaml: $key: $tmp/models/recipes/$first-quick/model: no such model (make recipe-$first SCALE=quick MODELS=$tmp/models makes it)$" "$tmp/log" || fail "what is said of the model that $recipe needs"
  "${stages[@]}" "recipe-$first" >"$tmp/log" 2>&1 || fail "$first at SCALE=quick, for $recipe"
fi
begin=$(date +%s)
"${make[@]}" >"$tmp/log" 2>&1 || fail "$recipe at SCALE=quick"
seconds=$(($(date +%s) - begin))
case $task in
  classification)
    grep -q '^accuracy  *[01]\.[0-9]* ' "$report" || fail 'no accuracy on the test set in the report'
    grep -q '^neg  *[01]\.' "$report" || fail 'no precision of a class in the report'
    for order in $(value test_orders); do
      grep -q "^$order  *[0-9.]*  *[01]\.[0-9]*$" "$report" || fail "no figures of the test in the order $order"
    done
    ;;
  image_classification)
    for metric in accuracy top5_accuracy; do grep -q "^$metric  *[01]\.[0-9]* " "$report" || fail "no $metric on the test set in the report"; done
    [ "$(sed -n '/^class  *precision/,/^$/p' "$report" | grep -c '^..*  *[01]\.[0-9]* ')" = "$(number_of classes)" ] || fail 'no precision of a class in the report'
    ;;
  translation)
    grep -q 'exactly right: [0-9]* of [0-9]*' "$report" || fail 'no count of exact translations in the report'
    # Against the references as they are, lower-cased, and, where that is another text, as the tokenizer sees them: the last without
    # a signature.
    kinds=3
    ! cmp -s "$run/test.references" "$run/test.standardized" || kinds=2
    for score in BLEU chrF2; do
      [ "$(grep -c "^$score " "$report")" -ge $kinds ] || fail "$score is not against $kinds kinds of references in the report"
    done
    [ "$(sed -n '/as the tokenizer sees them/,$p' "$report" | sed '/^loss /,$d' | grep -c nrefs:)" = 0 ] ||
      grep -q 'test without the sources' "$report" || fail 'a signature of references that were changed'
    for word in source reference translation; do
      [ "$(grep -c "^$word  " "$report")" = 20 ] || fail "no 20 samples with their $word"
    done
    grep -qE '^end in repetitions: [0-9]+ of 20 of these; [0-9]+ of [0-9]+ of the test set$' "$report" || fail 'how many end in repetitions'
    grep -qE '^(## test without the|test) sources (of|that also stand in training)' "$report" || fail 'nothing about sources that stand in training'
    [ "$(wc -l <"$run/test.hypotheses")" = "$(wc -l <"$run/test.references")" ] ||
      fail 'translations and references differ in number'
    ;;
  language_modeling)
    [ "$(sed -n '/^epoch  *training loss/,/^$/p' "$report" | grep -cE '^ +[0-9]+( +[-0-9.]+){3,4}$')" -ge 1 ] || fail 'no row of an epoch in the report'
    if [ -n "$(value test)" ]; then grep -q '^perplexity  *[0-9]' "$report" || fail 'no perplexity on the test set in the report'; fi
    if [ -e "$run/test.hypotheses" ]; then
      for score in BLEU chrF2; do grep -q "^$score " "$report" || fail "no $score of what it translated"; done
    fi
    prompts=$("$bin/train" --recipe "recipes/$recipe.yaml" --scale quick --print-recipe | sed -n 's/^ *prompts: \[\(.*\)\]$/\1/p')
    if [ -n "$prompts" ]; then
      epochs=$("$bin/train" --recipe "recipes/$recipe.yaml" --scale quick --print-recipe | sed -n 's/^  epochs: //p')
      [ "$(cut -f1 "$run/model/samples.tsv" | sort -u | wc -l)" = "$epochs" ] || fail 'no sample of each epoch'
    fi
    ;;
  masked_language_modeling)
    [ "$(sed -n 's/^validation_accuracy  *\([01]\.[0-9]*\) .*/\1/p' "$report" | wc -l)" = 1 ] || fail 'no accuracy of hidden tokens in the report'
    for key in next_sentence span_boundary; do
      ! grep -q "^  $key: true" "$run/recipe.yaml" || head -n 1 "$run/model/log.csv" | grep -q ",validation_${key}_loss" || fail "no loss of $key in log.csv"
    done
    ;;
  summary)
    for row in 'the model' 'the model, 4 beams' 'first sentence of the text' 'its first 12 words'; do
      grep -qE "^$row   *(0|1)\.[0-9]{4} +(0|1)\.[0-9]{4} +(0|1)\.[0-9]{4} " "$report" || fail "no ROUGE of $row"
    done
    grep -qE '^the model is above the first sentences in [0-3] of 3, with 4 beams in [0-3] of 3$' "$report" || fail 'nothing about the first sentences'
    grep -q '^loss  *[0-9]' "$report" || fail 'no loss on the test set in the report'
    for word in source reference summary; do
      [ "$(grep -c "^$word  " "$report")" = 20 ] || fail "no 20 samples with their $word"
    done
    [ "$(wc -l <"$run/test.hypotheses")" = "$(wc -l <"$run/test.references")" ] || fail 'summaries and references differ in number'
    ;;
  *) fail "no test of a recipe whose task is $task" ;;
esac
epochs=': [0-9]* epoch'
! grep -qx '  kind: linear' "${report%/*}/recipe.yaml" || epochs='$' # it is solved
for line in "training  *\(less than \)*[0-9].* s$epochs" 'speed  *[0-9].* \(tokens\|images\)/s' 'parameters  *[0-9]' 'memory  *[0-9].* MiB'; do
  sed -n '/^## what it cost$/,/^## files$/p' "$report" | grep -q "^$line" || fail "what it cost: $line"
done
sed -n '/^## files$/,$p' "$report" | sed '1,3d; /^```$/d' >"$tmp/files"
while IFS= read -r file; do [ -e "$file" ] || fail "$file: listed, but not there"; done <"$tmp/files"
for file in recipe.yaml model curve.svg report.md report.html; do grep -qxF "$run/$file" "$tmp/files" || fail "$file is not listed"; done
grep -q '<svg' "$run/curve.svg" || fail 'no learning curve'
grep -q '<figcaption>Loss: training' "$run/report.html" || fail 'no page for browsers'
[ -s "$run/model/model.safetensors" ] || fail 'no model'
"$bin/report" --runs "$run" --csv >"$tmp/runs" || fail 'no table of runs'
[ "$(sed -n '2s/.*,//p' "$tmp/runs")" = "$(sed -n 's/^parameters *\([0-9,]*\).*/\1/p' "$run/table.txt" | head -n 1 | tr -d ,)" ] || fail "parameters in the table of runs: $(cat "$tmp/runs")"
head -n 1 "$tmp/runs" | grep -q ',test_[a-z]' || [ -z "$(value test)" ] || fail "no figure of the test in the table of runs: $(cat "$tmp/runs")"
"${make[@]}" >"$tmp/log" 2>&1 || fail 'the second make'
cmp -s "$tmp/log" "$report" || fail 'the second make finds something to do'
cat "$report"
# Bits are pinned of public data, not of a test's stand-in for them.
if [ "$kind" = real ] && [ -z "${HEADWATER_PINS-}" ]; then check_bits "$recipe" real "$run/model" >"$tmp/log" || fail 'the bits'; fi
"$bin/report" --expected "$run" || fail 'the table of all runs says that something was missed'
echo "$recipe at SCALE=quick: all stages in $seconds s"
