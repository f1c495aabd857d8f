#!/bin/bash
# make demo: learns to translate the embedded phrasebook, translates sentences with unseen combinations, and shows in the attention
# where the words came from. Every command is shown before it runs.
#   BIN=build/bin recipes/demo.sh [DIR]     DIR: where everything goes, models/demo by default
set -euo pipefail
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")/../data" && pwd)
# shellcheck source=data/common.sh
. "$here/common.sh"
at_most 1 $#
need_tools
tools=$(CDPATH='' cd "$tools_folder" && pwd)
bin=$tools
[ ! "$here/../build/bin" -ef "$bin" ] || bin=build/bin
dir=${1:-models/demo}
if ! [ . -ef "$here/.." ]; then # the commands are those that are typed in the folder above this one
  case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
  cd "$here/.."
fi
export PATH="$tools:$PATH"
book=data/phrasebook
mkdir -p "$dir"
d=$(printf %q "$dir") # as it is typed

say() { printf '\n# %s\n' "$1"; }
run() { printf '$ %s\n' "$1"; eval "$1"; }

say 'What it learns from: 6,022 pairs of English and Spanish, in which "red" and "house" never meet'
run "head -n 300 $book/train.tsv | tail -n 4"

say 'Tokenizers, then ids: text goes through pipes'
for side in 'source 1' 'target 2'; do
  read -r side column <<<"$side"
  run "cut -f$column $book/train.tsv | tokenize --recipe recipes/phrasebook.yaml --side $side -o $d/$side.json"
  for part in train validation; do
    run "cut -f$column $book/$part.tsv | tokenize --tokenizer $d/$side.json | vectorize --recipe recipes/phrasebook.yaml --side $side --tokenizer $d/$side.json > $d/$part.$side.ids"
  done
done
run "paste $d/validation.source.ids $d/validation.target.ids > $d/validation.ids"

say 'Training'
begin=$(date +%s)
run "paste $d/train.source.ids $d/train.target.ids | train --recipe recipes/phrasebook.yaml --source-tokenizer $d/source.json --target-tokenizer $d/target.json --validation $d/validation.ids -o $d/model --overwrite"
printf '# took %d seconds\n' $(($(date +%s) - begin))

say 'Translation of the 500 held-out sentences, each with a noun and an adjective that never met in training'
run "cut -f1 $book/heldout.tsv | translate $d/model > $d/translations.txt"
run "cut -f2 $book/heldout.tsv | tokenize --tokenizer $d/target.json | tokenize --tokenizer $d/target.json --decode > $d/references.txt"
paste <(cut -f1 "$book/heldout.tsv") "$dir/translations.txt" "$dir/references.txt" |
  awk -F '\t' 'NR % 50 == 1 { printf "  %-46s %s%s\n", $1, $2, $2 == $3 ? "" : "   (should be: " $3 ")" }'
paste "$dir/translations.txt" "$dir/references.txt" |
  awk -F '\t' -v least=0.9 '{ right += $1 == $2 } END {
    printf "# %d of %d sentences exactly right (%.1f %%)\n", right, NR, 100 * right / NR; exit right < least * NR }'

say 'Where it looked: attention weights of decoder layer 0 over the English words'
run "echo 'the red house.' | attn-dump $d/model --kind cross --layer 0 > $d/attention.csv"
run "head -n 5 $d/attention.csv"
run "echo 'the red house.' | attn-dump $d/model --kind cross --layer 0 --mean --format svg -o $d/attention.svg"
printf 'largest mean weight in the row that predicts each word:\n'
awk -F , 'NR > 1 { sum[$5, $8] += $NF; if (!($5 in word)) word[$5] = $9; if (!($8 in seen)) { seen[$8] = 1; key[++keys] = $8 }; if ($5 > last) last = $5; if ($4 > head) head = $4 }
  END { for (q = 0; q <= last; ++q) { best = 1; for (k = 2; k <= keys; ++k) if (sum[q, key[k]] > sum[q, key[best]]) best = k
    printf "  %-8s <- %-8s %.2f\n", word[q], key[best], sum[q, key[best]] / (head + 1) } }' "$dir/attention.csv"

say 'The same for all 441 held-out noun phrases: does the largest weight lie on the word that is translated?'
run "cut -f1 $book/alignment.tsv > $d/alignment.en; cut -f2 $book/alignment.tsv > $d/alignment.es"
run "attn-dump $d/model $d/alignment.en --target $d/alignment.es --kind cross --layer 0 | awk -v least=0.8 -f $book/alignment.awk $book/alignment.tsv -"

cat <<END

# Try it:   echo 'where are the red houses?' | $(printf %q "$bin")/translate $d/model
# Picture:  $d/attention.svg      Model: $d/model
END
