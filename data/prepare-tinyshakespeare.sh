#!/bin/sh
# tinyshakespeare: 40,000 lines of Shakespeare's plays, one text, to train.txt (the first 90 % of its bytes) and validation.txt (the rest).
#
#   data/prepare-tinyshakespeare.sh [DATA]     DATA: the data root, data/cache by default
#
# The customary split, which falls inside a line: the two files joined are the text again.
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 1 $#
data=${1:-$data_root}
"$here/fetch.sh" tinyshakespeare "$data"
raw=$data/raw/tinyshakespeare/input.txt
train=$(($(wc -c <"$raw") * 9 / 10))
head -c "$train" "$raw" >"$tmp/train.txt"
tail -c "+$((train + 1))" "$raw" >"$tmp/validation.txt"
publish_pinned tinyshakespeare validation.txt train.txt
