#!/bin/bash
# Every command of recipes/language-model.md as it is typed there, in a scratch folder, on a small text: files are where the page says, no
# command fails, and the model leaves for GPT-2's layout.
#   language_model_page_test.sh BIN     BIN: the folder of the tools
# shellcheck disable=SC2015,SC2154 # what stands after "||" ends the test; page_setup.sh assigns
# shellcheck source=SCRIPTDIR/page_setup.sh
. "$(dirname "$0")/page_setup.sh"

read_page language-model.md 3 's/size: 4000/size: 400/; s/width: 192/width: 48/; s/feed_forward_width: 768/feed_forward_width: 96/; s/length: 128/length: 64/;
  s/epochs: 10/epochs: 2/; s/warmup_steps: 100/warmup_steps: 10/'
head -n 1500 "$root/data/phrasebook/train.tsv" | cut -f1 | sed '7s/ /\t/' >text.txt
run_page

[ "$(cat train.txt validation.txt test.txt | cmp - whole.txt && wc -l <whole.txt)" = 1500 ] || fail 'the parts are the text'
[ "$(wc -l <train.txt)" = 1350 ] && [ "$(wc -l <test.txt)" = 75 ] || fail 'the sizes of the parts'
run=models/recipes/writer
[ "$(grep -c perplexity "$tmp/out")" -ge 2 ] || fail 'its score'
grep -qx "Export: fits the layouts: gpt2" "$tmp/out" || fail 'inspect says that it can be exported'
[ "$(wc -l <written.txt)" = 3 ] && [ "$(sort -u written.txt | wc -l)" = 3 ] || fail 'three texts'
are_rows_whole attention.csv || fail 'rows of attention sum to 1'
for file in curve.svg attention.svg $run/curve.svg; do grep -q '<svg' "$file" || fail "$file"; done
[ -s "$run/model/samples.tsv" ] || fail 'samples'
for options in '' '--multiline --stride 64'; do
  # shellcheck disable=SC2086 # several options
  "$bin/evaluate" -q hf $options test.txt --json >"$tmp/exported"
  # shellcheck disable=SC2086
  "$bin/evaluate" -q $run/model $options test.txt --json | cmp - "$tmp/exported" || fail "other figures of what was exported: $options"
done
[ "$(find models/recipes -name model.safetensors -path '*init_from*' | wc -l)" -ge 1 ] || fail 'the run that goes on from another'
echo 'language-model.md: every command ran'
