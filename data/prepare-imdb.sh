#!/bin/sh
# imdb: 50,000 film reviews to train.tsv, validation.tsv and test.tsv (text<TAB>neg or pos).
#
#   data/prepare-imdb.sh [DATA [SEED]]     DATA: the data root, data/cache by default; SEED: 1 by default
#
# The 25,000 of the official training set are split by line and seed: 5,000 validation, 20,000 training; the official test set stays
# whole. Seed 1 goes to DATA/imdb, another one to DATA/imdb-seed-SEED. All three are shuffled, so that the head of a file is a fair
# sample of it; validation.lines records which lines of the raw file (from 1) are held out.
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 2 $#
data=${1:-$data_root}
seed=${2:-1}
case $seed in
  '' | *[!0-9]* | 0* | ??????????*) wrong "seed \"$seed\" is not a whole number from 1 to 999999999" ;;
esac
"$here/fetch.sh" imdb "$data"
set_name=imdb
[ "$seed" = 1 ] || set_name=imdb-seed-$seed

shuffle() { # RAW SEED HELD-OUT HELD-OUT-NAME OTHERS-NAME: the first of the shuffled lines are held out
  awk -v lines="$(wc -l <"$1")" -v seed="$2" -f "$here/shuffled.awk" >"$tmp/order"
  awk -F '\t' -v held_out="$3" -v first="$tmp/$4" -v others="$tmp/$5" '
    FILENAME == ARGV[1] { example[FNR] = $4 "\t" ($1 == 1 ? "pos" : "neg"); next }
    { print example[$1] > (FNR <= held_out ? first : others) }' "$1" "$tmp/order"
}
held_out=5000
[ "$(wc -l <"$data/raw/imdb/train.tsv")" -gt $held_out ] || held_out=$(($(wc -l <"$data/raw/imdb/train.tsv") / 5)) # the small sets of tests
shuffle "$data/raw/imdb/test.tsv" 1 0 none test.tsv
shuffle "$data/raw/imdb/train.tsv" "$seed" $held_out validation.tsv train.tsv
head -n $held_out "$tmp/order" | sort -n >"$tmp/validation.lines"

mkdir -p "$data/$set_name"
for file in validation.lines validation.tsv test.tsv train.tsv; do
  if [ -z "$(pin_of "$set_name/$file")" ]; then
    note "$set_name/$file: nothing is pinned for seed $seed"
  else
    verify "$tmp/$file" "$set_name/$file" || fail "$set_name/$file: SHA-256 is $(hash_of "$tmp/$file"), pinned is $(pin_of "$set_name/$file") (does awk compute with doubles?)"
  fi
  publish "$tmp/$file" "$data/$set_name/$file"
done
