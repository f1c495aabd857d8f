#!/bin/sh
# ted-pt-en: sentences of TED talks in Portuguese and English, lower-cased and with spaces around punctuation, to train.tsv,
# validation.tsv and test.tsv (portuguese<TAB>english).
#
#   data/prepare-ted-pt-en.sh [DATA]     DATA: the data root, data/cache by default
#
# The official split (Qi et al., NAACL 2018): 51,785 training, 1,193 validation and 1,803 test pairs. Copies of the set have them in
# different orders, so each part is sorted by its bytes. A mirror without training pairs gives the other two, and an error.
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 1 $#
data=${1:-$data_root}
raw=$data/raw/ted-pt-en
# The two files of training pairs stand last in sets.txt: without them the others are there.
status=0
"$here/fetch.sh" ted-pt-en "$data" 2>"$tmp/fetched" || status=$?
if [ $status = 0 ] || [ -z "${HEADWATER_DATA-}" ] || [ -e "${HEADWATER_DATA-}/ted-pt-en/train.pt.xz" ] || [ ! -e "$raw/test.en" ]; then
  cat "$tmp/fetched" >&2
  [ $status = 0 ] || exit $status
fi
for part in train validation test; do
  if [ ! -f "$raw/$part.en" ] || [ ! -f "$raw/$part.pt" ]; then continue; fi
  pairs_of "$raw/$part.pt" "$raw/$part.en" >"$tmp/unsorted"
  sort "$tmp/unsorted" >"$tmp/$part.tsv"
done
publish_pinned ted-pt-en validation.tsv test.tsv
if [ $status != 0 ]; then
  fail "the training pairs cannot be had from $HEADWATER_DATA: validation and test are in $data/ted-pt-en; without HEADWATER_DATA the whole set comes from $(url_of ted-pt-en) (131 MB)"
fi
# No pin is known for these; their number is (a test has a set of its own).
count=$(wc -l <"$tmp/train.tsv")
wanted=51785
[ -n "${HEADWATER_SETS-}" ] || [ "$count" -eq $wanted ] || fail "ted-pt-en/train.tsv: $count pairs, $wanted are known"
publish_pinned ted-pt-en train.tsv
"$here/overlap.sh" "$data/ted-pt-en"
