#!/bin/bash
# Every command of recipes/bert.md as it is typed there, in a scratch folder, on small files: files are where the page says, no command
# fails, and the classifier begins with the encoder of the model that has read.
#   bert_page_test.sh BIN     BIN: the folder of the tools
# shellcheck disable=SC2015,SC2154 # what stands after "||" ends the test; page_setup.sh assigns
# shellcheck source=SCRIPTDIR/page_setup.sh
. "$(dirname "$0")/page_setup.sh"

read_page bert.md 4 's/size: 8192/size: 500/; s/width: 128/width: 32/; s/feed_forward_width: 512/feed_forward_width: 64/; s/heads: 4/heads: 2/; s/encoder_layers: 4/encoder_layers: 2/;
  s/length: 128/length: 32/; s/epochs: [0-9]*$/epochs: 2/; s/warmup_steps: 500/warmup_steps: 20/'
head -n 1500 "$root/data/phrasebook/train.tsv" | cut -f1 | sed '7s/ /\t/' >texts.txt
awk -v OFS=, 'BEGIN { print "id,text,label" } n < 250 && match($0, /red|green|white|black|new|old/) { printf "%d,\"%s\",%s\n", ++n, $0, substr($0, RSTART, RLENGTH) }' texts.txt >table.csv
run_page

[ "$(wc -l <few.tsv)" -gt 150 ] && [ "$(wc -l <test.tsv)" -gt 15 ] || fail 'columns'
[ "$(cat read.txt watch.txt | cmp - unlabelled.txt && sort unlabelled.txt | uniq -d | wc -l)" = 0 ] || fail 'the texts that are read'
grep -q 'tensors taken (.*embedding.tokens, encoder.0-1.\*), none dropped' "$tmp/words" || fail 'which tensors were taken'
[ "$(wc -l <filled.txt)" = "$(wc -l <masked.txt)" ] && [ "$(awk -F ' ' 'NF != 8' filled.txt | wc -l)" = 0 ] || fail 'filled masks'
grep -q '^perplexity ' "$tmp/out" || fail 'its score'
[ "$(grep -c '^accuracy ' "$tmp/out")" -ge 1 ] || fail 'the score of the classifier'
[ "$(find models/recipes -name model.safetensors -path '*few*/model/*' | wc -l)" -ge 2 ] || fail 'with and without what was read'
[ "$(wc -l <next.tsv)" -gt 5 ] && sort -c -s -t '	' -k 2,2g next.tsv || fail 'the least sure first'
[ -s vectors.npy ] && grep -q '<svg' curves.svg || fail 'vectors and curves'
echo 'bert.md: every command ran'
