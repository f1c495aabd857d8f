#!/bin/sh
# Twenty translations or summaries of a run with source and reference, and how many of what it wrote end in repetitions.
#
#   data/samples.sh BIN WORK TRAIN [summary]     folders of the tools and of the run; the training examples
#
# Where data/SET has the sentences that the source of an experiment translated, those; else test lines, spread evenly.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
[ $# -eq 3 ] || [ $# -eq 4 ] || wrong "$# operands, wanted are 3 or 4 (--help says which)"
bin=$1 work=$2 train=$3 written=${4:-translation}
value() { sed -n "s/^$1 := //p" "$work/recipe.mk"; }

sentences=$here/$(value set)/sentences.txt
found=0
if [ "$written" = translation ] && [ -n "$(value set)" ] && [ -f "$sentences" ]; then
  # The first reference of each in the test set, else in the others. A recipe that turns the columns round has none.
  set -- "$work/test.tsv"
  [ ! -f "$work/validation.tsv" ] || set -- "$@" "$work/validation.tsv"
  awk -F '\t' -v from="$(value field_source)" -v to="$(value field_target)" '
    FILENAME == ARGV[1] { wanted[FNR] = $0; is_wanted[$0] = 1; lines = FNR; next }
    FNR == 1 { ++part }
    $from in is_wanted && !($from in reference) {
      reference[$from] = $to
      where[$from] = FILENAME ~ /\/test.tsv$/ ? "" : FILENAME ~ /\/validation.tsv$/ ? "  (of the validation set)" : "  (of the training set)"
    }
    END { for (i = 1; i <= lines; ++i) print reference[wanted[i]] where[wanted[i]] }
  ' "$sentences" "$@" "$train" >"$tmp/references"
  found=$(grep -c . "$tmp/references" || true)
fi
if [ "$found" -gt 0 ]; then
  title="the sentences of data/$(value set)/sentences.txt"
  cp "$sentences" "$tmp/sources"
  "$bin/translate" -q "$work/model" "$sentences" >"$tmp/hypotheses"
else
  title='test lines, spread evenly'
  for kind in sources references hypotheses; do
    awk -v wanted=20 -v lines="$(wc -l <"$work/test.$kind")" '
      wanted >= lines || int(NR * wanted / lines) > int((NR - 1) * wanted / lines)' "$work/test.$kind" >"$tmp/$kind"
  done
fi

printf 'samples: %s\n' "$title"
paste "$tmp/sources" "$tmp/references" "$tmp/hypotheses" |
  awk -F '\t' -v written="$written" '{ printf "source       %s\nreference    %s\n%-11s  %s\n", $1, $2, written, $3 }'
# One to four words that stand three times in a row at the end.
repeating() { # FILE
  awk '{
    line = $0
    gsub(/[.!?,;]+( |$)/, " ", line)
    words = split(line, word, " ")
    hit = 0
    for (n = 1; n <= 4 && !hit; ++n) {
      if (words < 3 * n) break
      hit = 1
      for (i = 0; i < 2 * n; ++i) if (word[words - i] != word[words - i - n]) { hit = 0; break }
    }
    hits += hit
  } END { printf "%d of %d", hits, NR }' "$1"
}
printf 'end in repetitions: %s of these; %s of the test set\n' "$(repeating "$tmp/hypotheses")" "$(repeating "$work/test.hypotheses")"
