#!/bin/bash
# A recipe of one long text, through `make recipe`: where test and validation are the same file, their figures are the same.
#   stream_recipe_test.sh BIN     BIN: the folder of the tools
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

# A program text of short, empty and long lines.
awk 'BEGIN { for (i = 0; i < 400; ++i) { n = i * 7919 % 1000
  if (i % 7 == 0) print ""
  else if (i % 11 == 0) print "for (int i" n " = 0; i" n " < " n "; ++i" n ") sum += value[i" n "] * weight[i" n "] + bias[" n % 10 "];"
  else print "  x" n % 10 " = y" n % 7 ";" } }' >"$tmp/mine/code.txt"
head -n 300 "$tmp/mine/code.txt" >"$tmp/mine/train.txt"
tail -n 100 "$tmp/mine/code.txt" >"$tmp/mine/held.txt"
recipe() { # NAME DATA-KEYS
  cat >"$tmp/mine/$1.yaml" <<RECIPE
data: {train: train.txt, validation: held.txt, test: held.txt, columns: [source], $2}
source_tokenizer: {kind: byte_bpe, size: 300}
model: {kind: language_model, width: 16, heads: 2, feed_forward_width: 16, length: 12}
training: {epochs: 1, batch_sequences: 16, optimizer: {kind: adam, learning_rate: 1.0e-2}}
expected:
  - {metric: test_perplexity, value: 300, compare: at_most}
RECIPE
}
loss_of() { sed -n 's/.*"metric":"'"$1"'","score":\([0-9.]*\).*/\1/p' "$2"; }
same() { # WHAT ONE OTHER: as far as floats go
  awk -v one="$2" -v other="$3" 'BEGIN { d = one - other; exit !(one > 0 && d * d < 1e-16 * one * one) }' || fail "$1: $2 and $3"
}
measure() { "$bin/evaluate" "$tmp/models/recipes/$name/model" -q --threads 1 --metric loss --json "$@" >"$tmp/figures" 2>"$tmp/log" || fail "evaluate $*"; loss_of loss "$tmp/figures"; }

recipe blocks 'examples: blocks'
recipe blocks-with-ends 'examples: blocks, line_ends: true'
recipe overlapping 'examples: blocks, stride: 5, line_ends: true'
recipe random 'examples: random, epoch_examples: 64'
for name in blocks blocks-with-ends overlapping random; do
  "${make[@]}" recipe "RECIPE=$tmp/mine/$name.yaml" >"$tmp/log" 2>&1 || fail "the recipe $name"
  grep -qx 'epoch *training loss *validation loss *perplexity' "$tmp/models/recipes/$name/report.md" || fail "$name: the columns of the epochs"
  grep -q '^test_perplexity  *<= 300 .* ok$' "$tmp/models/recipes/$name/report.md" || fail "$name: the expectation"
  trained=$(awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } $at["validation_loss"] != "" { print $at["validation_loss"] }' "$tmp/models/recipes/$name/model/log.csv" | tail -n 1)
  # What the report shows, without its unit; then the number itself.
  shown=$(awk '$1 == "loss" { print $2; exit }' "$tmp/models/recipes/$name/test.txt")
  [ "$shown" = "$(printf '%.4f' "$trained")" ] || fail "$name: validation has $trained, the test of the same file $shown"
  same "$name: evaluate on the text" "$trained" "$(measure "$tmp/mine/held.txt")"
  same "$name: from standard input" "$trained" "$(measure - <"$tmp/mine/held.txt")"
  same "$name: evaluate on the ids" "$trained" "$(measure "$tmp/models/recipes/$name/validation.safetensors")"
  same "$name: one sequence at a time" "$trained" "$(measure --batch 1 "$tmp/mine/held.txt")"
done
# Of overlapping windows bits count a token in the first one that predicts it: as --stride does, where no window is shorter.
recipe overlapping-characters 'examples: blocks, stride: 5, line_ends: true'
sed -i 's/^source_tokenizer: .*/source_tokenizer: {kind: byte_bpe, size: 257}/' "$tmp/mine/overlapping-characters.yaml"
"${make[@]}" recipe "RECIPE=$tmp/mine/overlapping-characters.yaml" >"$tmp/log" 2>&1 || fail 'the recipe overlapping-characters'
{ head -c 212 "$tmp/mine/code.txt" && echo; } >"$tmp/mine/whole.txt"
bits() { "$bin/evaluate" "$tmp/models/recipes/overlapping-characters/model" -q --threads 1 --metric bits_per_byte --json "$@" "$tmp/mine/whole.txt" >"$tmp/figures" 2>"$tmp/log" || fail "evaluate $*"; loss_of bits_per_byte "$tmp/figures"; }
same 'bits of overlapping windows' "$(bits)" "$(bits --stride 5)"
[ "$(bits)" != "$(bits --stride 12)" ] || fail 'bits without regard to what is given'
# With line ends each file as it is says the same of tokens of bytes, whose line ends are cut from everything else.
name=blocks-with-ends
[ "$(measure --lines "$tmp/mine/held.txt")" != "$(measure "$tmp/mine/held.txt")" ] || fail 'lines are measured as one text'
# A file that has nothing is named before anything is learned.
printf '\n \n' >"$tmp/mine/nothing.txt"
recipe untested 'examples: blocks'
sed -i 's/test: held.txt/test: nothing.txt/' "$tmp/mine/untested.yaml"
! "${make[@]}" recipe "RECIPE=$tmp/mine/untested.yaml" >"$tmp/log" 2>&1 || fail 'a test file that has nothing'
grep -q "^headwater: $tmp/mine/nothing.txt: there is nothing in it (" "$tmp/log" || fail 'what is said of a test file that has nothing'
[ ! -e "$tmp/models/recipes/untested/model" ] || fail 'training before the files are looked at'
echo 'all checks of recipes of one long text passed'
