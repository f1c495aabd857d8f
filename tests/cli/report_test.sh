#!/bin/bash
# The parts of a report that need no training: samples with their references, translations that end in repetitions, and what a run cost.
# A stand-in translates.
# shellcheck disable=SC2016 # $3 is for the stand-in
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
check() { # WHAT COMMAND...
  local what=$1
  shift
  "$@" || {
    echo "failed: $what"
    sed 's/^/  /' "$tmp/out"
    failures=$((failures + 1))
  }
}
mkdir "$tmp/bin" "$tmp/run" "$tmp/house"
printf '#!/bin/sh\nsed "s/^/es: /" "$3"\n' >"$tmp/bin/translate" # -q MODEL FILE
chmod +x "$tmp/bin/translate"
cp "$root"/data/*.sh "$root"/data/*.awk "$tmp/house"
mkdir "$tmp/house/toy"
samples() { "$tmp/house/samples.sh" "$tmp/bin" "$tmp/run" "$tmp/run/train.tsv" >"$tmp/out"; }

# The sentences of a set: references from the test set first, then validation, then training; one of them is nowhere.
printf 'a\nb\nc\nd\n' >"$tmp/house/toy/sentences.txt"
printf 'a\tA of train\nb\tB of train\nc\tC of train\n' >"$tmp/run/train.tsv"
printf 'a\tA of validation\nb\tB of validation\n' >"$tmp/run/validation.tsv"
printf 'a\tA of test\na\tA again\n' >"$tmp/run/test.tsv"
printf 'set := toy\nfield_source := 1\nfield_target := 2\n' >"$tmp/run/recipe.mk"
printf 'x\nx\n' | tee "$tmp/run/test.sources" "$tmp/run/test.references" >"$tmp/run/test.hypotheses"
samples
cat >"$tmp/wanted" <<'TEXT'
samples: the sentences of data/toy/sentences.txt
source       a
reference    A of test
translation  es: a
source       b
reference    B of validation  (of the validation set)
translation  es: b
source       c
reference    C of train  (of the training set)
translation  es: c
source       d
reference    
translation  es: d
end in repetitions: 0 of 4 of these; 0 of 2 of the test set
TEXT
check 'the sentences of a set' cmp "$tmp/wanted" "$tmp/out"
# Columns the other way round: the sentences are those of the target.
printf 'set := toy\nfield_source := 2\nfield_target := 1\n' >"$tmp/run/recipe.mk"
samples
check 'a recipe that reads the other column has test lines' grep -qx 'samples: test lines, spread evenly' "$tmp/out"

# Test lines: twenty of forty, every second; all where there are fewer.
seq 40 | tee "$tmp/run/test.sources" "$tmp/run/test.references" >"$tmp/run/test.hypotheses"
printf 'set :=\nfield_source := 1\nfield_target := 2\n' >"$tmp/run/recipe.mk"
samples
check 'twenty test lines' [ "$(grep -c '^source ' "$tmp/out")" = 20 ]
check 'spread evenly' [ "$(sed -n 's/^translation  //p' "$tmp/out" | tr '\n' ' ')" = "$(seq 2 2 40 | tr '\n' ' ')" ]

# What ends in repetitions: up to four words, three times, whatever the punctuation between them.
cat >"$tmp/run/test.hypotheses" <<'TEXT'
the end of the end of the end
la la la.
he said that, he said that, he said that.
one two three four one two three four one two three four
no no, I said no
la la
a b a b

one
it is la la la here
TEXT
head -n 10 "$tmp/run/test.hypotheses" | tee "$tmp/run/test.sources" >"$tmp/run/test.references"
samples
check 'endings that repeat' grep -qx 'end in repetitions: 3 of 10 of these; 3 of 10 of the test set' "$tmp/out"
# Summaries have their own word, and never the sentences of a set, which are for translators.
printf 'set := toy\nfield_source := 1\nfield_target := 2\n' >"$tmp/run/recipe.mk"
"$tmp/house/samples.sh" "$tmp/bin" "$tmp/run" "$tmp/run/train.tsv" summary >"$tmp/out"
check 'summaries by their word' [ "$(grep -c '^summary      ' "$tmp/out")" = 10 ]
check 'summaries of test lines' grep -qx 'samples: test lines, spread evenly' "$tmp/out"
# What they are compared with: first sentences, whole or cut.
printf 'One, two 2.5 three. Four\nno end\nIs it? Yes\n' >"$tmp/texts"
awk -f "$root/data/lead.awk" "$tmp/texts" >"$tmp/out"
check 'first sentences' [ "$(tr '\n' '|' <"$tmp/out")" = 'One, two 2.5 three.|no end|Is it?|' ]
awk -v words=2 -f "$root/data/lead.awk" "$tmp/texts" >"$tmp/out"
check 'two words of them' [ "$(tr '\n' '|' <"$tmp/out")" = 'One, two|no end|Is it?|' ]

# Costs: seconds of each epoch, also of one that goes on after a checkpoint.
cat >"$tmp/table.txt" <<'TABLE'
metric                  value  details
-------------------  --------  -------------------------
validation_loss        0.2711  of the best epoch, 2 of 3
parameters            650,689
seconds_an_epoch       1234.5
tokens_a_second       340,000

metric           expected  reached  state
---------------  --------  -------  -----
validation_loss  <= 1         0.27  ok
TABLE
printf 'recipe\tx\nparameters\t650689\nbytes\t1610612736\n' >"$tmp/plan.txt"
cat >"$tmp/log.csv" <<'LOG'
step,epoch,tokens,loss,accuracy,learning_rate,gradient_norm,validation_loss,validation_accuracy,reference_loss,reference_accuracy,seconds,tokens_per_second
100,1,1,1,1,1,1,,,,,500.25,1
200,1,1,1,1,1,1,1,1,,,1000.5,1
300,2,1,1,1,1,1,1,1,,,1000,1
400,3,1,1,1,1,1,1,1,,,1000,1
LOG
awk -F , -v table="$tmp/table.txt" -v plan="$tmp/plan.txt" -f "$root/data/cost.awk" "$tmp/log.csv" >"$tmp/out"
cat >"$tmp/wanted" <<'TEXT'
training       3,000.5 s: 3 epochs; 2,000.5 s to the best one, 2
speed          340,000 tokens/s, read and predicted
parameters     650,689
memory         1,536 MiB: parameters and gradients, optimizer, a step
TEXT
check 'what a run cost' cmp "$tmp/wanted" "$tmp/out"
awk -F , -v table="$tmp/table.txt" -v plan="$tmp/plan.txt" -v patches=49 -f "$root/data/cost.awk" "$tmp/log.csv" >"$tmp/out"
check 'the speed of a model of images' grep -qx 'speed          6,939 images/s, of 49 patches each' "$tmp/out"

[ "$failures" = 0 ] && echo 'reports: all checks passed'
exit $((failures > 0))
