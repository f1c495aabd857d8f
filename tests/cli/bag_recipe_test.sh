#!/bin/bash
# A bag of words over weighted terms: a text of unknown words is counted in training, validation and test alike, a text without a
# word in the test alone, which is said.
#   bag_recipe_test.sh BIN     BIN: the folder of the tools
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
unset MAKEFLAGS MAKELEVEL MFLAGS BIN DATA MODELS SCALE SEED SET THREADS OVERWRITE WERROR
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  cat "$tmp/log"
  exit 1
}
mkdir "$tmp/house" "$tmp/mine"
cp -r Makefile recipes data "$tmp/house"
rm -rf "$tmp/house/data/cache"
make=(make --no-print-directory -C "$tmp/house" -o tools-present "BIN=$bin" "MODELS=$tmp/models" THREADS=1)

awk 'BEGIN { for (i = 0; i < 60; ++i) { print "red rose\twarm"; print "blue sea\tcold" } }' >"$tmp/mine/train.tsv"
# One text in eleven has no term of the table: more than the 1 % of empty lines that end a run.
awk 'BEGIN { for (i = 0; i < 50; ++i) { print "red rose\twarm"; print "blue sea\tcold" } for (i = 0; i < 10; ++i) print "xyzzy plugh\tcold" }' \
  >"$tmp/mine/held.tsv"
cat >"$tmp/mine/bag.yaml" <<'RECIPE'
data: {train: train.tsv, validation: held.tsv, test: held.tsv, columns: [source, label]}
source_tokenizer: {kind: word}
terms: {size: 100, output: sublinear-tf-idf}
model: {kind: bag_of_words, width: 4}
training: {epochs: 2, batch_sequences: 8, optimizer: {kind: adam, learning_rate: 1.0e-1}}
expected:
  - {metric: test_accuracy, value: 0.5, compare: at_least}
RECIPE
"${make[@]}" recipe "RECIPE=$tmp/mine/bag.yaml" >"$tmp/log" 2>&1 || fail 'a recipe whose texts have no known term'
run=$tmp/models/recipes/bag
! grep -q 'empty' "$tmp/log" || fail 'a text of unknown words is no empty one'
# The same file, the same loss as far as floats go: in validation and by evaluate.
trained=$(awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } $at["validation_loss"] != "" { print $at["validation_loss"] }' "$run/model/log.csv" | tail -n 1)
loss() { "$bin/evaluate" "$run/model" --threads 1 --metric loss --json "$1" 2>"$tmp/log" | sed -n 's/.*"metric":"loss","score":\([0-9.]*\).*/\1/p'; }
measured=$(loss "$tmp/mine/held.tsv")
awk -v one="$trained" -v other="$measured" 'BEGIN { d = one - other; exit !(one > 0 && d * d < 1e-14 * one * one) }' ||
  fail "validation has $trained, evaluate on the same file $measured"
! grep -q 'without a token' "$tmp/log" || fail 'a text of unknown words called empty'
{
  cat "$tmp/mine/held.tsv"
  printf '...\tcold\n'
} >"$tmp/mine/with-nothing.tsv"
loss "$tmp/mine/with-nothing.tsv" >"$tmp/figure"
grep -q '1 line without a token counted in the figures' "$tmp/log" || fail 'a line without a token is said'
# A run that begins with this model has its words and terms, whatever its own data have.
sed 's/rose/tulip/' "$tmp/mine/train.tsv" >"$tmp/mine/later.tsv"
sed '/^expected/,$d; s/train: train.tsv/train: later.tsv/' "$tmp/mine/bag.yaml" >"$tmp/mine/later.yaml"
"${make[@]}" recipe "RECIPE=$tmp/mine/later.yaml" "SET=training.init_from=$run/model" >"$tmp/log" 2>&1 || fail 'a run that begins with a bag of words'
for file in terms.tsv tokenizer.json; do
  cmp "$run/model/$file" "$(dirname "$(find "$tmp/models/recipes" -path '*/later-*/report.md')")/model/$file" || fail "another $file than that of the model"
done
echo 'all checks of bags of words passed'
