#!/bin/bash
# A new recipe is one YAML file: dropped into recipes/ it runs through `make recipe-NAME`, in a folder of the user's own through
# `make recipe RECIPE=FILE`, on files beside it. Nothing else is touched.
#   own_recipe_test.sh BIN     BIN: the folder of the tools
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
unset MAKEFLAGS MAKELEVEL MFLAGS BIN DATA MODELS SCALE SEED THREADS OVERWRITE WERROR
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  cat "$tmp/log"
  exit 1
}

# The top level as a user has it, without building: the tools are BIN's.
mkdir "$tmp/house"
cp -r Makefile recipes data "$tmp/house"
rm -rf "$tmp/house/data/cache"

# Two columns of the user's own, the label first: numbers in words, even or odd.
mkdir "$tmp/mine"
awk 'BEGIN { split("nought one two three four five six seven eight nine", digit, " ")
  for (i = 0; i < 1200; ++i) { n = i * 7919 % 1000; print (n % 2 ? "odd" : "even") "\t" digit[int(n / 100) + 1] " " digit[int(n / 10) % 10 + 1] " " digit[n % 10 + 1] } }' \
  >"$tmp/mine/numbers.tsv"
head -n 1000 "$tmp/mine/numbers.tsv" >"$tmp/mine/train.tsv"
tail -n 200 "$tmp/mine/numbers.tsv" >"$tmp/mine/test.tsv"
cat >"$tmp/mine/parity.yaml" <<'RECIPE'
# No validation file: a share of the training examples is held out.
data: {train: train.tsv, test: test.tsv, columns: [label, source], validation_fraction: 0.1}
source_tokenizer: {size: 20}
model: {kind: classifier, width: 16, heads: 2, feed_forward_width: 16, length: 3}
training: {epochs: 6, batch_sequences: 16, optimizer: {kind: adam, learning_rate: 1.0e-2}}
expected:
  - {metric: test_accuracy, value: 0.9, compare: at_least}
RECIPE
make=(make --no-print-directory -C "$tmp/house" -o tools-present "BIN=$bin" "MODELS=$tmp/models")
"${make[@]}" recipe "RECIPE=$tmp/mine/parity.yaml" >"$tmp/log" 2>&1 || fail 'a recipe in a folder of its own'
grep -q '^test_accuracy	>= 0.9	.*	ok$' "$tmp/models/recipes/parity/report.txt" || fail 'the expectation of the recipe'

# The same as one of the repository's, on data below the data root.
mkdir "$tmp/data"
cp -r "$tmp/mine" "$tmp/data/numbers"
sed 's|train: train.tsv, test: test.tsv|train: numbers/train.tsv, test: numbers/test.tsv, test_examples: 100|' "$tmp/mine/parity.yaml" \
  >"$tmp/house/recipes/dropped-in.yaml"
"${make[@]}" recipe-dropped-in "DATA=$tmp/data" >"$tmp/log" 2>&1 || fail 'a recipe dropped into recipes/'
grep -q '^accuracy .* over 100 samples' "$tmp/models/recipes/dropped-in/report.txt" || fail 'the number of test examples'
"${make[@]}" recipe-dropped-in "DATA=$tmp/data" >"$tmp/log" 2>&1 || fail 'the second time'
! grep -q 'train --recipe' "$tmp/log" || fail 'the second make trains again'
"${make[@]}" help | grep 'make recipe ' >/dev/null || fail 'make help does not say how'

# A language model: one column, judged by the test texts.
cut -f2 "$tmp/mine/train.tsv" >"$tmp/mine/texts.txt"
cut -f2 "$tmp/mine/test.tsv" >"$tmp/mine/test-texts.txt"
cat >"$tmp/mine/numbers.yaml" <<'RECIPE'
data: {train: texts.txt, test: test-texts.txt, columns: [source], validation_fraction: 0.1}
source_tokenizer: {size: 20}
model: {kind: language_model, width: 16, heads: 2, feed_forward_width: 16, length: 3}
training: {epochs: 2, batch_sequences: 16, optimizer: {kind: adam, learning_rate: 1.0e-2}}
expected:
  - {metric: test_perplexity, value: 11, compare: at_most}
RECIPE
"${make[@]}" recipe "RECIPE=$tmp/mine/numbers.yaml" >"$tmp/log" 2>&1 || fail 'a recipe of a language model'
grep -q '^test_perplexity	<= 11	.*	ok$' "$tmp/models/recipes/numbers/report.txt" || fail 'the perplexity of the language model'

# Images of two kinds, bright above or below; files that make reads as they are.
images() { # COUNT NAME: 4x4 pixels
  {
    printf '\0\0\010\003\0\0\0'; printf '%b' "\\0$(printf '%03o' "$1")"; printf '\0\0\0\004\0\0\0\004'
    for ((i = 0; i < $1; ++i)); do
      if ((i % 3)); then printf '\360\360\360\360\360\360\360\360\0\0\0\0\0\0\0\0'; else printf '\0\0\0\0\0\0\0\0\360\360\360\360\360\360\360\360'; fi
    done
  } >"$tmp/images.idx"
  {
    printf '\0\0\010\001\0\0\0'; printf '%b' "\\0$(printf '%03o' "$1")"
    for ((i = 0; i < $1; ++i)); do if ((i % 3)); then printf '\001'; else printf '\0'; fi; done
  } >"$tmp/labels.idx"
  "$bin/vectorize" --images "$tmp/images.idx" --image-labels "$tmp/labels.idx" -q -o "$tmp/mine/$2"
}
images 200 train.safetensors
images 50 test.safetensors
cat >"$tmp/mine/halves.yaml" <<'RECIPE'
data: {train: train.safetensors, test: test.safetensors, validation_fraction: 0.1}
model: {kind: vision, image_height: 4, image_width: 4, patch_size: 2, classes: 2, width: 16, heads: 2, feed_forward_width: 16, norm: pre}
training: {epochs: 8, batch_sequences: 8, optimizer: {kind: adam, learning_rate: 3.0e-3}}
expected:
  - {metric: test_accuracy, value: 0.99, compare: at_least}
RECIPE
"${make[@]}" recipe "RECIPE=$tmp/mine/halves.yaml" >"$tmp/log" 2>&1 || fail 'a recipe of images'
grep -q '^test_accuracy	>= 0.99	.*	ok$' "$tmp/models/recipes/halves/report.txt" || fail 'the accuracy on images'

# A name that a shell would take apart.
sed 's|train: train.tsv|train: "tr ain.tsv"|' "$tmp/mine/parity.yaml" >"$tmp/mine/bad.yaml"
"${make[@]}" recipe "RECIPE=$tmp/mine/bad.yaml" >"$tmp/log" 2>&1 && fail 'a path with a space was taken'
grep -q 'data.train: "tr ain.tsv" has a character that make cannot name' "$tmp/log" || fail 'the message for such a path'

# A file that is not there.
"${make[@]}" recipe "RECIPE=$tmp/mine/none.yaml" >"$tmp/log" 2>&1 && fail 'a recipe that is not there'
grep -q "^recipe: $tmp/mine/none.yaml: no such file$" "$tmp/log" || fail 'the message for a recipe that is not there'

echo 'own recipes: all stages ran'
