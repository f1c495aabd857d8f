#!/bin/sh
# How many test sources also stand in training, and the test lines that do not.
#
#   data/overlap.sh DIR     reads DIR/train.tsv and DIR/test.tsv; writes DIR/test-unseen.tsv, DIR/test-unseen.lines (their
#                           line numbers in test.tsv, from 1) and DIR/overlap.txt (the report, printed as well)
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 1 $#
[ $# -eq 1 ] || wrong "which folder? (data/overlap.sh DIR)"
for file in train.tsv test.tsv; do
  [ -f "$1/$file" ] || fail "$1/$file: no such file (prepare the set first)"
done
awk -F '\t' -v dir="$tmp" '
  BEGIN { printf "" > (dir "/test-unseen.tsv"); printf "" > (dir "/test-unseen.lines") }
  FILENAME == ARGV[1] { known[$1] = 1; next }
  $1 in known { ++seen; next }
  { print > (dir "/test-unseen.tsv"); print FNR > (dir "/test-unseen.lines") }
  END { printf "%d of %d test sources (%.1f %%) also stand in training; %d do not\n", seen, FNR, FNR ? 100 * seen / FNR : 0, FNR - seen }
' "$1/train.tsv" "$1/test.tsv" >"$tmp/overlap.txt"
for file in test-unseen.tsv test-unseen.lines overlap.txt; do publish "$tmp/$file" "$1/$file"; done
cat "$tmp/overlap.txt"
