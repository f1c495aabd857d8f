#!/bin/sh
# imdb-texts: the texts of all 50,000 film reviews to train.tsv, validation.tsv and test.tsv (one text a line), for language models.
#
#   data/prepare-imdb-texts.sh [DATA]     DATA: the data root, data/cache by default
#
# The reviews of both official parts, shuffled by seed 1: 2,500 validation, 2,500 test and 45,000 training texts.
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 1 $#
data=${1:-$data_root}
"$here/fetch.sh" imdb "$data"
raw=$data/raw/imdb
cat "$raw/train.tsv" "$raw/test.tsv" >"$tmp/all"
lines=$(wc -l <"$tmp/all")
held_out=2500
[ "$lines" -gt 10000 ] || held_out=$((lines / 10)) # the small sets of tests
awk -v lines="$lines" -v seed=1 -f "$here/shuffled.awk" >"$tmp/order"
awk -F '\t' -v held_out="$held_out" -v folder="$tmp" '
  FILENAME == ARGV[1] { text[FNR] = $4; next }
  { print text[$1] > (folder "/" (FNR <= held_out ? "validation" : FNR <= 2 * held_out ? "test" : "train") ".tsv") }' "$tmp/all" "$tmp/order"
publish_pinned imdb-texts validation.tsv test.tsv train.tsv
