#!/bin/sh
# spa-eng: 118,964 English-Spanish pairs to train.tsv, validation.tsv and test.tsv (english<TAB>spanish).
#
#   data/prepare-spa-eng.sh [DATA]     DATA: the data root, data/cache by default; seed 1
#
# The split is by line and seed: 15 % validation, 15 % test, the rest training; each part keeps the order of the lines.
# validation.lines and test.lines record which lines of the raw file (from 1) went where.
# For a translator that is to be used, not compared: train-large.tsv is train.tsv and then validation.tsv, but for the 2,000 lines of
# validation-small.tsv, which are spread evenly over validation.tsv. The test set is the same.
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 1 $#
data=${1:-$data_root}
"$here/fetch.sh" spa-eng "$data"
raw=$data/raw/spa-eng/spa.txt

lines=$(wc -l <"$raw")
awk -v lines="$lines" -v seed=1 -f "$here/shuffled.awk" >"$tmp/order"
awk -v part="$((lines * 15 / 100))" -v dir="$tmp" '
  FILENAME == ARGV[1] { if (FNR <= part) role[$1] = "validation"; else if (FNR <= 2 * part) role[$1] = "test"; next }
  { name = FNR in role ? role[FNR] : "train"; print > (dir "/" name ".tsv"); if (name != "train") print FNR > (dir "/" name ".lines") }
' "$tmp/order" "$raw"
cp "$tmp/train.tsv" "$tmp/train-large.tsv"
awk -v lines="$(wc -l <"$tmp/validation.tsv")" -v kept=2000 -v dir="$tmp" '
  { print >> (dir (int(NR * kept / lines) > int((NR - 1) * kept / lines) ? "/validation-small.tsv" : "/train-large.tsv")) }
' "$tmp/validation.tsv"

mkdir -p "$data/spa-eng"
for file in validation.lines test.lines validation.tsv test.tsv train.tsv validation-small.tsv train-large.tsv; do
  verify "$tmp/$file" "spa-eng/$file" || fail "spa-eng/$file: SHA-256 is $(hash_of "$tmp/$file"), pinned is $(pin_of "spa-eng/$file") (does awk compute with doubles?)"
  publish "$tmp/$file" "$data/spa-eng/$file"
done
"$here/overlap.sh" "$data/spa-eng"
