#!/bin/bash
# Every command of recipes/translator.md as it is typed there, in a scratch folder, on a small set: files are where the page says, and no
# command fails.
#   translator_test.sh BIN     BIN: the folder of the tools
# shellcheck disable=SC1091,SC2015,SC2016 # the session is cut out of the page; what stands after "||" ends the test
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
unset MAKEFLAGS MAKELEVEL MFLAGS DATA MODELS SCALE SEED SET THREADS OVERWRITE RECIPE
export BIN="$bin"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  tail -n 5 "$tmp/words"
  exit 1
}
page=$root/recipes/translator.md

# The blocks of the page, one after the other in one shell; the tools are BIN's, and they are built. The set is small, and so is the model.
sed -n '/^```sh$/,/^```$/p' "$page" | sed '/^```/d' >"$tmp/typed"
[ "$(grep -c '^make' "$tmp/typed")" = 3 ] || fail 'the page has other commands now; look at this test again'
sed "/^make build\$/d; s|^export headwater=.*|export headwater='$root' PATH=\"$bin:\$PATH\"|
  s/width: 256/width: 32/; s/feed_forward_width: 1024/feed_forward_width: 64/; s/warmup_steps: 500/warmup_steps: 20/" "$tmp/typed" >"$tmp/session"
mkdir "$tmp/mine"
cd "$tmp/mine"
# An empty side, a TAB inside, and a held-out source that stands in training.
{ head -n 1500 "$root/data/phrasebook/train.tsv"; printf 'empty\t\n'; } | cut -f1 | sed '7s/ /\t/' >source.txt
{ head -n 1500 "$root/data/phrasebook/train.tsv"; printf 'empty\t\n'; } | cut -f2 >target.txt
sed -i '40s/.*/the train./' source.txt
sed -i '41s/.*/the train./' source.txt
(
  set -euo pipefail
  . "$tmp/session"
) >"$tmp/out" 2>"$tmp/words" || fail 'a command of the page'

[ "$(wc -l <pairs.tsv)" = 1500 ] && [ "$(awk -F '\t' 'NF != 2' pairs.tsv | wc -l)" = 0 ] || fail 'pairs'
[ "$(cut -f1 test.tsv | grep -cxFf <(cut -f1 train.tsv))" = 0 ] || fail 'a test source stands in training'
[ "$(wc -l <test.tsv)" -ge 60 ] && [ "$(wc -l <test.tsv)" -lt 75 ] || fail 'the test set'
run=models/recipes/translator
[ "$(grep -c '^BLEU ' "$tmp/out")" -ge 4 ] || fail 'scores'
grep -q 'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:' "$tmp/out" || fail 'a signature'
# The report's, that of the kept translations and that of the model are one.
scores=$(grep '^BLEU' "$tmp/out" | tail -n 5 | head -n 3 | awk '{ print $2 }' | sort -u)
[ "$(printf '%s\n' "$scores" | wc -l)" = 1 ] || fail "scores that differ: $scores"
[ "$(wc -l <beams.txt)" = "$(wc -l <test.tsv)" ] || fail 'beam search: a line out for each line in'
[ "$(wc -l <translated.txt)" = "$(wc -l <source.txt)" ] || fail 'a line out for each line in'
awk -F , 'NR > 1 { sum[$4, $5] += $NF } END { for (row in sum) { ++rows; if (sum[row] < 0.9999 || sum[row] > 1.0001) exit 1 } exit rows == 0 }' attention.csv || fail 'rows of attention sum to 1'
for file in curve.svg attention.svg $run/curve.svg; do grep -q '<svg' "$file" || fail "$file"; done
[ -s "$run/samples.txt" ] || fail 'samples'
[ "$(find models/recipes -name model.safetensors -path '*init_from*' | wc -l)" -ge 1 ] || fail 'the run that goes on from another'
echo 'translator.md: every command ran'
