#!/bin/bash
# make recipes: every recipe of recipes/ in the order in which they need each other, from nothing, cut down, on sets that are made up; what
# it says before it starts; and that every run has the bits of tests/golden/bits.tsv.
#   recipes_test.sh BIN     BIN: the folder of the tools
# shellcheck disable=SC2015 # what stands after "||" ends the test
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
unset MAKEFLAGS MAKELEVEL MFLAGS BIN DATA MODELS SCALE SEED SET THREADS OVERWRITE ALLOW_EMPTY HEADWATER_DATA
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  grep -v '^headwater: [a-z0-9-]* ([0-9]* of' "$tmp/log" | tail -n 60
  exit 1
}
mkdir "$tmp/house"
cp -r Makefile recipes data "$tmp/house"
rm -rf "$tmp/house/data/cache"
# shellcheck source=tests/cli/made_data.sh
. tests/cli/made_data.sh
# shellcheck source=tests/cli/bits.sh
. tests/cli/bits.sh
all=$(cd recipes && printf '%s\n' *.yaml | sed 's/\.yaml$//')
for name in $all; do [ "$name" = phrasebook ] || make_data "$name" "$tmp/data" 250 60 40; done
cd "$tmp/house"
make_recipes() { make --no-print-directory -o tools-present "BIN=$bin" recipes "$@" >"$tmp/log" 2>&1; }

# A mirror without anything: what cannot run is said first, and is not tried. One step of the one that can.
mkdir "$tmp/mirror"
! HEADWATER_DATA=$tmp/mirror make_recipes "MODELS=$tmp/none" SET=training.max_steps=1 || fail 'recipes without data are no success'
for line in 'phrasebook: a minute' "bert-imdb: 60 minutes; cannot run: $tmp/mirror/imdb/train.tsv.xz: no such file" "bert-imdb-finetune: 2 minutes; cannot run: $tmp/mirror/imdb/train.tsv.xz: no such file" \
  "imdb-vectors: not measured; cannot run: $tmp/mirror/imdb/train.tsv.xz: no such file"; do
  [ "$(grep -nxF "headwater: $line" "$tmp/log" | cut -d: -f1)" -lt "$(grep -n ' (1 of ' "$tmp/log" | cut -d: -f1)" ] || fail "what is said first: $line"
done
grep -q "^headwater: $(wc -w <<<"$all") recipes, one after the other: about a minute on two cores; $(($(wc -w <<<"$all") - 1)) cannot run, as their data are missing$" "$tmp/log" || fail 'how long all take'
[ -s "$tmp/none/recipes/phrasebook-training.max_steps-1/report.md" ] && [ "$(find "$tmp/none/recipes" -name report.md | wc -l)" = 1 ] || fail 'those that can run'

# All of them.
make_recipes "DATA=$tmp/data" "MODELS=$tmp/models" SCALE=quick || fail 'make recipes'
number=0
for name in $all; do
  [ -s "$tmp/models/recipes/$name-quick/report.md" ] || fail "no report of $name"
  number=$((number + 1))
done
[ "$(grep -c "^headwater: .* ([0-9]* of $number)$" "$tmp/log")" = $number ] || fail 'each recipe once'
place() { grep -nE "^headwater: $1 \([0-9]+ of" "$tmp/log" | cut -d: -f1; }
[ "$(place bert-imdb)" -lt "$(place bert-imdb-finetune)" ] || fail 'a recipe before the one whose model it begins with'
! grep -q "cannot run" "$tmp/log" || fail 'recipes whose data are there'
[ -s "$tmp/models/recipes/report.html" ] || fail 'a page of all'
# Again: nothing to do.
make_recipes "DATA=$tmp/data" "MODELS=$tmp/models" SCALE=quick || fail 'make recipes once more'
[ "$(grep -c '; finished before$' "$tmp/log")" = $number ] && ! grep -q '^train: ' "$tmp/log" || fail 'make recipes does finished runs again'

# The bits of all of them; the phrasebook is part of the repository. No row is left of a recipe that has gone.
differing=0
for name in $all; do
  data=made
  [ "$name" != phrasebook ] || data=real
  check_bits "$name" $data "$tmp/models/recipes/$name-quick/model" || differing=$((differing + 1))
done
: >"$tmp/log"
[ $differing = 0 ] || fail "$differing of $number recipes have other bits"
[ "$(sed 1d "$bits_file" | cut -f1 | sort -u)" = "$(sort <<<"$all")" ] || fail 'tests/golden/bits.tsv has rows of other recipes'

# Other bits are noticed, and written under another version only.
cp "$bits_file" "$tmp/pinned"
pinned=$tmp/pinned bits_file=$tmp/bits.tsv
check_phrasebook() { check_bits phrasebook real "$tmp/models/recipes/phrasebook-quick/model" >>"$tmp/log"; }
for column in 4 5 6; do # model, optimizer, log
  awk -F '\t' -v OFS='\t' -v column=$column '$1 == "phrasebook" { $column = "other" } { print }' "$pinned" >"$bits_file"
  cp "$bits_file" "$tmp/before"
  ! HEADWATER_WRITE_BITS='' check_phrasebook || fail 'other bits pass'
  ! HEADWATER_WRITE_BITS=1 check_phrasebook && cmp -s "$bits_file" "$tmp/before" || fail 'other bits are written under the same version'
  awk -F '\t' -v OFS='\t' '$1 == "phrasebook" { $3 = 0 } { print }' "$tmp/before" >"$bits_file"
  ! HEADWATER_WRITE_BITS='' check_phrasebook || fail 'bits of another version pass'
  HEADWATER_WRITE_BITS=1 check_phrasebook && cmp -s "$bits_file" "$pinned" || fail 'bits are not written under a new version'
done
echo "make recipes: all $number in order, with the bits of version $(sed -n 2p "$pinned" | cut -f3)"
