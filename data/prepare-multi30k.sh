#!/bin/sh
# multi30k: 31,014 English descriptions of images and their German translations to train.tsv, validation.tsv and test.tsv
# (english<TAB>german).
#
#   data/prepare-multi30k.sh [DATA]     DATA: the data root, data/cache by default
#
# Task 1, raw: cased and not tokenized. The official split: 29,000 training, 1,014 validation and 1,000 test pairs (flickr 2016). Blanks
# at the ends of a side are dropped, and a run of white space with a TAB inside becomes one space (one line has one).
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 1 $#
data=${1:-$data_root}
"$here/fetch.sh" multi30k "$data"
raw=$data/raw/multi30k
for part in train validation test; do
  pairs_of "$raw/$part.en" "$raw/$part.de" >"$tmp/$part.tsv"
done
publish_pinned multi30k validation.tsv test.tsv train.tsv
"$here/overlap.sh" "$data/multi30k"
