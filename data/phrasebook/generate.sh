#!/bin/sh
# Writes train.tsv, validation.tsv, heldout.tsv and alignment.tsv into DIR (this folder by default) from lexicon.txt.
#
#   data/phrasebook/generate.sh [DIR]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C
. "$here/../common.sh"
at_most 1 $#
out=${1:-$here}
awk -v out="$tmp" -f "$here/generate.awk" "$here/lexicon.txt"
for part in train validation heldout alignment; do
  cp "$tmp/$part.tsv" "$out/$part.tsv.$$.part"
  mv -f "$out/$part.tsv.$$.part" "$out/$part.tsv"
done
