#!/bin/bash
# headwater run: recipes by their name and by their file, from data to report; many settings; what fails; signals.
#   headwater_test.sh BIN     BIN: the folder of the tools
# shellcheck disable=SC2015 # what stands after "||" ends the test
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
# What is exported must not reach the stages.
export MAKEFLAGS=-n SCALE=quick SEED=7 SET=model.width=3 OVERWRITE=1 THREADS=x RECIPE=none BIN=/nowhere DATA=/nowhere MODELS=/nowhere HEADWATER=x
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  tail -n 40 "$tmp/err" "$tmp/out" 2>/dev/null || true
  exit 1
}
headwater() { "$bin/headwater" "$@" >"$tmp/out" 2>"$tmp/err"; }
status_of() { "$@" && echo 0 || echo $?; }
# An installation as headwater sees it, in a folder with a space: programs, recipes and scripts, nothing of the repository beside.
prefix="$tmp/my prefix"
mkdir -p "$prefix/bin" "$prefix/share/headwater" "$prefix/libexec/headwater"
cp "$bin/headwater" "$prefix/bin"
cp -r "$root/recipes" "$root/data" "$prefix/share/headwater"
rm -rf "$prefix/share/headwater/data/cache"
for page in "$root"/tools/*.md; do
  program=$(basename "$page" .md)
  [ "$program" = headwater ] || ln -s "$bin/$program" "$prefix/bin/$program"
  ln -s "../../bin/$program" "$prefix/libexec/headwater/$program"
done
bin=$prefix/bin
mkdir "$tmp/work"
cd "$tmp/work"

# --- By its name ---------------------------------------------------------------------------------------------------------------

mkdir phrasebook # a folder of that name is no recipe
headwater run phrasebook --scale quick training.epochs=1 || fail 'a recipe by its name'
run=models/recipes/phrasebook-quick-training.epochs-1
[ -s $run/model/model.safetensors ] || fail 'a model'
tail -n "$(wc -l <$run/report.md)" "$tmp/out" | cmp -s - $run/report.md || fail 'the report goes to standard output'
grep -q '^  epochs: 1$' $run/recipe.yaml || fail 'the key that was set'
[ -s data/cache/phrasebook/train.tsv ] || fail 'the data root is data/cache of the current folder'
before=$(find $run -name model.safetensors -printf '%T@ %p\n' | sort)
headwater run phrasebook --scale quick training.epochs=1 -q || fail 'a finished run once more'
[ "$before" = "$(find $run -name model.safetensors -printf '%T@ %p\n' | sort)" ] || fail 'a finished run was made again'

# --- One's own: each kind of starter on a tiny file ----------------------------------------------------------------------------

mkdir mine
awk 'BEGIN { split("nought one two three four five six seven eight nine", digit, " "); split("null eins zwei drei vier fuenf sechs sieben acht neun", other, " ")
  for (i = 0; i < 400; ++i) { n = i * 7919 % 1000; a = int(n / 100) + 1; b = int(n / 10) % 10 + 1; c = n % 10 + 1
    print digit[a] " " digit[b] " " digit[c] "\t" other[a] " " other[b] " " other[c] > "mine/pairs.tsv"
    print digit[a] " " digit[b] " " digit[c] "\t" (n % 2 ? "odd" : "even") > "mine/texts.tsv"
    print "It is " digit[a] " and " digit[b] ", then " digit[c] "." > "mine/text.txt"; print "It is " digit[a] " and " digit[b] ", then " digit[c] "." > "mine/texts.txt" } }'
printf '\0\0\010\4\0\0\0\50\0\0\0\40\0\0\0\40\0\0\0\3' >images.idx
awk 'BEGIN { for (i = 0; i < 40 * 32 * 32 * 3; ++i) printf "%c", 65 + int(i / 3072) % 2 * 40 + i % 7 }' >>images.idx
{ printf '\0\0\010\1\0\0\0\50'; awk 'BEGIN { for (i = 0; i < 20; ++i) printf "ab" }' | tr ab '\0\1'; } >labels.idx
"$bin/vectorize" -q --images images.idx --image-labels labels.idx -o mine/images.safetensors
for kind in translation classification language-model masked-lm images; do
  headwater new $kind -o mine/$kind.yaml || fail "headwater new $kind"
  sizes=
  case $kind in translation | language-model | masked-lm) sizes=source_tokenizer.size=300 ;; esac
  # shellcheck disable=SC2086 # no size, no word
  headwater run mine/$kind.yaml --scale quick $sizes || fail "the starter of $kind"
  [ -s "models/recipes/$kind-quick${sizes:+-source_tokenizer.size-300}/report.md" ] || fail "the report of $kind"
done

# --- Many settings --------------------------------------------------------------------------------------------------------------

cat >mine/sweep.yaml <<'RECIPE'
data: {train: texts.tsv, columns: [source, label], test_fraction: 0.1, validation_fraction: 0.1}
source_tokenizer: {size: 20}
model: {kind: classifier, width: 8, heads: 2, feed_forward_width: 8, length: 3}
training: {epochs: 1, batch_sequences: 16, optimizer: {kind: adam, learning_rate: 1.0e-2}}
RECIPE
# shellcheck disable=SC2054 # the commas are meant
sweep=(run mine/sweep.yaml --array model.width=8,16 --array seed=1,2 -j 2)
headwater "${sweep[@]}" || fail 'an array'
for name in sweep-model.width-8 sweep-model.width-16 sweep-seed-2-model.width-8 sweep-seed-2-model.width-16; do
  [ -s models/recipes/$name/report.md ] && [ -s models/recipes/$name.log ] || fail "the run $name"
  grep -q "^headwater: $name: done in [0-9]* s$" "$tmp/err" || fail "what is said of $name"
  grep -q "^$name\( [*]\)*  *[0-9]" "$tmp/out" || fail "$name in the table"
done
[ "$(wc -l <"$tmp/out")" = 7 ] && tail -n 1 "$tmp/out" | grep -q '^[*] The best' || fail 'a table of four runs, and which is the best'
cp "$tmp/out" "$tmp/table"
headwater "${sweep[@]}" || fail 'an array once more'
[ "$(grep -c ': finished before$' "$tmp/err")" = 4 ] && [ "$(wc -l <"$tmp/err")" = 4 ] && cmp -s "$tmp/out" "$tmp/table" || fail 'finished runs are skipped'
headwater run mine/sweep.yaml --array model.width=8,16,24 -q || fail 'a longer array, after the shorter one'
[ ! -s "$tmp/err" ] && [ "$(wc -l <"$tmp/out")" = 6 ] || fail '--quiet'

# One that fails: the others go on, its log is named, the rest is done by the same command.
mkdir -p models/recipes/sweep-model.width-32
echo in the way >models/recipes/sweep-model.width-32/model
[ "$(status_of headwater run mine/sweep.yaml --array model.width=32,40)" = 1 ] || fail 'the status where one fails'
grep -q '^headwater: sweep-model.width-32: failed (models/recipes/sweep-model.width-32.log): ..' "$tmp/err" &&
  grep -q '^headwater: not all of the 2 runs were reached (the same command goes on with those that are missing)$' "$tmp/err" || fail 'what is said of the one that fails'
grep -q '^sweep-model.width-40 ' "$tmp/out" && ! grep -q '^sweep-model.width-32 ' "$tmp/out" || fail 'the others go on'
rm models/recipes/sweep-model.width-32/model
headwater run mine/sweep.yaml --array model.width=32,40 || fail 'the same command when nothing is in the way'
grep -q '^headwater: sweep-model.width-40: finished before$' "$tmp/err" && grep -q '^sweep-model.width-32 ' "$tmp/out" || fail 'it goes on with what is missing'

# A list of recipes: a row for each but those whose model is missing, with its keys; the command's come first.
sed 's/^model: .*/model: {kind: linear, encoder: models\/recipes\/bert-imdb\/model}/; /source_tokenizer/d; /^training/d' mine/sweep.yaml >mine/vectors.yaml
sed 's/^model: .*/model: {kind: bag_of_words, width: 8}/' mine/sweep.yaml >mine/bag.yaml
sed 's/^training: {/training: {init_from: gone, /' mine/sweep.yaml >mine/tuned.yaml
printf '%s\n' '# What: four methods' 'sweep.yaml # the first' bag.yaml '' data.train_examples=100 vectors.yaml tuned.yaml data.split_by=source >mine/methods.runs
headwater run mine/methods.runs data.train_examples=120 || fail 'a list of recipes'
keys=data.split_by-source-data.train_examples-120
grep -qx "headwater: vectors-$keys: left out: models/recipes/bert-imdb/model: no such model" "$tmp/err" && grep -qx "headwater: tuned-$keys: left out: gone: no such model" "$tmp/err" || fail 'what is said of models that are missing'
[ "$(wc -l <"$tmp/out")" = 5 ] && grep -q "^sweep-$keys\( [*]\)* " "$tmp/out" && grep -q "^bag-$keys\( [*]\)* " "$tmp/out" && tail -n 1 "$tmp/out" | grep -q '^[*] The best' || fail 'the table of a list, and which is the best'
headwater run mine/methods.runs data.train_examples=120 -q && [ ! -s "$tmp/err" ] || fail 'a list once more'
printf 'vectors.yaml\n' >mine/none.runs
[ "$(status_of headwater run mine/none.runs)" = 1 ] && [ "$(tail -n 1 "$tmp/err")" = 'headwater: no recipe of the list can run (the models that they begin with are missing)' ] || fail 'a list of which nothing can run'
printf 'training.epochs=1\n' >mine/none.runs
[ "$(status_of headwater run mine/none.runs)" = 2 ] && [ "$(cat "$tmp/err")" = 'headwater: mine/none.runs: names no recipe (one a line: a name, or FILE.yaml)' ] || fail 'a list without a recipe'
# What is wrong in a list has the line there.
for fault in '1: mine/nowhere.yaml: no such file|nowhere.yaml' '3: mine/nowhere.yaml: no such file|sweep.yaml\n# the other\nnowhere.yaml' \
  '2: no recipe is called "phrasbook"; did you mean "phrasebook"?|sweep.yaml\nphrasbook' '2: no recipe is called "--all"*|sweep.yaml\n--all' \
  '2: "mine/methods.runs" is a list itself (name its recipes here)|sweep.yaml\nmethods.runs' '1: "imdb-methods" is a list itself (name its recipes here)|imdb-methods' \
  '2: two runs would be called sweep (name each recipe once)|sweep.yaml\nsweep.yaml' '3: the key seed is set twice (once is enough)|sweep.yaml\nseed=2\nseed=3' \
  '2: seed: *|sweep.yaml\nseed=x' '1: training.epoch=1: *|training.epoch=1\nsweep.yaml' '2: model.width=x: *|sweep.yaml\nmodel.width=x'; do
  # shellcheck disable=SC2059 # lines
  printf "${fault#*|}\n" >mine/none.runs
  [ "$(status_of headwater run mine/none.runs)" = 2 ] || fail "the status of a list with ${fault#*|}"
  # shellcheck disable=SC2053 # a pattern
  [[ $(cat "$tmp/err") == "headwater: mine/none.runs:"${fault%%|*} ]] || fail "a list with ${fault#*|}"
done
printf '\xef\xbb\xbfsweep.yaml\r\ndata.train_examples=120\r\n' >mine/none.runs
headwater run mine/none.runs || fail 'a list that begins with a byte-order mark'
[ "$(status_of headwater run --all mine/sweep.yaml)" = 2 ] &&
  [ "$(cat "$tmp/err")" = 'headwater: --all runs every recipe of ours, beside which only KEY=VALUE may stand, not "mine/sweep.yaml"' ] || fail '--all and a recipe'

# One that diverges: the table says why.
[ "$(status_of headwater run mine/sweep.yaml --array training.optimizer.kind=sgd --array training.optimizer.learning_rate=0.01,1000)" = 1 ] || fail 'the status where one diverges'
grep -q '^run .* failed$' "$tmp/out" && grep -q 'learning_rate-1000 .*  step [0-9]*: the ' "$tmp/out" || fail 'the reason of one that diverges'
grep -q 'The run failed: step [0-9]*: the ' models/recipes/sweep-training.optimizer.kind-sgd-training.optimizer.learning_rate-1000/report.html || fail 'the page of one that diverges'

# --- Anew, with texts that are empty, on so many threads ------------------------------------------------------------------------

sed 's/texts.tsv/odd.tsv/' mine/sweep.yaml >mine/odd.yaml
cp mine/texts.tsv mine/odd.tsv
odd=models/recipes/odd/model
headwater run mine/odd.yaml --threads 1 || fail 'a run on one thread'
grep -q '/train .*--threads 1 ' "$tmp/out" || fail '--threads 1 reaches train'
cp $odd/model.safetensors "$tmp/first"
before=$(find $odd -name model.safetensors -printf '%T@ %p\n' | sort)
headwater run mine/odd.yaml --threads 3 --overwrite || fail 'a finished run anew'
grep -q '/train .*--overwrite .*--threads 3 ' "$tmp/out" || fail '--overwrite and --threads 3 reach train'
[ "$before" != "$(find $odd -name model.safetensors -printf '%T@ %p\n' | sort)" ] || fail 'a finished run was not made anew'
cmp -s $odd/model.safetensors "$tmp/first" || fail 'the same model on three threads'
for ((i = 0; i < 20; ++i)); do printf '...\todd\n'; done >>mine/odd.tsv
[ "$(status_of headwater run mine/odd.yaml)" = 1 ] || fail 'other data under a finished run, and texts that are empty'
grep -q '^train: .* an empty column, .*, --allow-empty leaves them out)$' "$tmp/err" || fail 'what is said of texts that are empty'
[ "$(status_of headwater run mine/odd.yaml --allow-empty)" = 1 ] || fail 'other data under a finished run'
grep -q '^train: .* (give the same data, or start anew with --overwrite)$' "$tmp/err" || fail 'what is said of other data'
headwater run mine/odd.yaml --allow-empty --overwrite || fail 'texts that are empty are left out, of a run anew'
! cmp -s $odd/model.safetensors "$tmp/first" || fail 'a model of other data'

# --- What fails, and signals ----------------------------------------------------------------------------------------------------

printf 'a text without a label\n' >mine/texts.tsv
[ "$(status_of headwater run mine/sweep.yaml seed=5)" = 1 ] || fail 'the status of data that are wrong'
grep -q 'texts.tsv:1' "$tmp/err" && [ "$(tail -n 1 "$tmp/err")" = 'headwater: sweep-seed-5: failed; the lines above say why' ] || fail 'what is said of data that are wrong'
# Columns in the wrong order, by the key of the recipe and not by an option of the program that notices.
for ((i = 0; i < 30; ++i)); do printf 'text %d\t%s\n' "$i" "$((i % 2))"; done >mine/swapped.tsv
printf '%s\n' 'data: {train: swapped.tsv, columns: [label, source], validation_fraction: 0.2, test_fraction: 0.2}' \
  'model: {kind: classifier, width: 8, heads: 2, layers: 1, length: 3, classes: 2}' >mine/swapped.yaml
[ "$(status_of headwater run mine/swapped.yaml)" = 1 ] &&
  grep -q '^vectorize: .*(is column 1, which data.columns names, the column of labels?)$' "$tmp/err" || fail 'what is said of columns in the wrong order'
rm mine/texts.tsv
[ "$(status_of headwater run mine/sweep.yaml seed=6)" = 1 ] && grep -q '^headwater: .*texts.tsv: no such file$' "$tmp/err" || fail 'data that are not there'

for signal in INT TERM; do
  mkdir "signal-$signal"
  env --default-signal=INT "$bin/headwater" run phrasebook training.epochs=100000 training.checkpoint.every_steps=1000000 --models "signal-$signal" >"$tmp/out" 2>"$tmp/err" &
  child=$!
  log=
  for ((i = 0; i < 600; ++i)); do
    log=$(find "signal-$signal" -name log.csv | head -n 1)
    [ -z "$log" ] || [ "$(wc -l <"$log")" -lt 2 ] || break
    sleep 0.1
  done
  [ -n "$log" ] || fail "nothing to interrupt by $signal"
  kill -s $signal $child
  status=0
  wait $child || status=$?
  [ $status = $((128 + $(kill -l $signal))) ] || fail "the status after SIG$signal: $status"
  [ -n "$(find "$(dirname "$log")/checkpoints" -mindepth 1 -maxdepth 1 -name '[0-9]*')" ] || fail "train saves where headwater is ended by SIG$signal"
  if ! command -v pgrep >/dev/null; then
    echo 'skipped: whether something goes on, for want of pgrep (procps)'
  elif pgrep -f "signal-$signal/recipes" >/dev/null; then
    fail "something goes on after SIG$signal"
  fi
done
echo 'runs by name and file, starters, arrays, runs anew, failures, signals'
