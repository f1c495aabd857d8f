#!/bin/bash
# Every command of recipes/classifier.md as it is typed there, in a scratch folder, on a small CSV file: files are where the page says, and no
# command fails.
#   classifier_page_test.sh BIN     BIN: the folder of the tools
# shellcheck disable=SC2015,SC2154 # what stands after "||" ends the test; page_setup.sh assigns
# shellcheck source=SCRIPTDIR/page_setup.sh
. "$(dirname "$0")/page_setup.sh"

read_page classifier.md 3 's/size: 20000/size: 400/; s/width: 64/width: 16/; s/feed_forward_width: 128/feed_forward_width: 32/; s/epochs: 10/epochs: 4/; s/learning_rate: 1.0e-3/learning_rate: 1.0e-2/'
# The colour of the first thing that has one; a line end inside a text, a text that stands twice, one without words.
head -n 1500 "$root/data/phrasebook/train.tsv" | cut -f1 | awk -v OFS=, '
  BEGIN { print "id,text,label" }
  match($0, /red|green|white|black|new|old/) { label = substr($0, RSTART, RLENGTH); if (++n == 3) sub(/ /, "\r\n"); printf "%d,\"%s\",%s\n", n, $0, label; last = label }
  END { printf "0,\"%s\",%s\n0,\" \",%s\n", "twice", last, last; printf "0,\"%s\",%s\n", "twice", last }' >table.csv
run_page

[ "$(wc -l <labelled.tsv)" -gt 200 ] && [ "$(awk -F '\t' 'NF != 2' labelled.tsv | wc -l)" = 0 ] || fail 'columns'
[ "$(cut -f1 all.tsv | sort | uniq -d | wc -l)" = 0 ] && [ "$(grep -c '^twice	' all.tsv)" = 1 ] || fail 'texts that stand twice'
[ "$(cut -f2 test.tsv | sort -u | wc -l)" = "$(cut -f2 all.tsv | sort -u | wc -l)" ] || fail 'a label is not tested'
run=models/recipes/labels
[ "$(grep -c '^accuracy ' "$tmp/out")" -ge 1 ] || fail 'its score'
[ "$(wc -l <answers.tsv)" = "$(wc -l <test.tsv)" ] || fail 'a line out for each line in'
awk -F '\t' '{ right += $2 == $3 } END { exit right * 2 < NR }' <(paste test.tsv answers.tsv) || fail 'it has learnt nothing'
[ "$(wc -l <errors.tsv)" = "$(paste test.tsv answers.tsv | awk -F '\t' '$2 != $3' | wc -l)" ] || fail 'errors.tsv'
[ "$(wc -l <attention.csv)" -gt 4 ] || fail 'its attention'
for file in curve.svg attention.svg $run/curve.svg; do grep -q '<svg' "$file" || fail "$file"; done
echo 'classifier.md: every command ran'
