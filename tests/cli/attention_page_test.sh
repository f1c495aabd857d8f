#!/bin/bash
# The page of attn-dump --format html in a real browser: it opens without an error, keys and clicks change what it shows, hostile texts stay
# text, nothing is fetched; of texts, of a translator, of images. Skipped where there is no chromedriver or no Python.
#   attention_page_test.sh BIN     BIN: the folder of the tools; PYTHON: the interpreter, python3 where it is not given
# shellcheck source=SCRIPTDIR/export_setup.sh
. "$(dirname "$0")/export_setup.sh"
here=$(cd "$OLDPWD" && cd "$(dirname "$0")" && pwd)

for _ in 1 2 3 4 5 6 7 8; do printf 'the red house\tla casa roja\na cat\tun gato\n'; done > all.tsv
cut -f1 all.tsv | tokenize --learn word --standardize none --size 20 -q -o en.json
cut -f2 all.tsv | tokenize --learn word --standardize none --size 20 --start-end -q -o es.json
cut -f1 all.tsv | tokenize -t en.json -q | vectorize -q -t en.json --length 130 > en.ids
cut -f2 all.tsv | tokenize -t es.json -q | vectorize -q -t es.json --length 130 --start --end > es.ids
printf '%s\n' 'name: r' 'model: {width: 8, heads: 2, feed_forward_width: 16, length: 130, encoder_layers: 3, decoder_layers: 2}' 'training: {epochs: 1}' > r.yaml
paste en.ids es.ids | train --recipe r.yaml --source-tokenizer en.json --target-tokenizer es.json -q -o translator > log
printf '%s\n' 'the red house' $'</script><script>document.title="ran"</script> \u202E<img src=x onerror=document.title="ran"> 👩‍🚀' 'a cat' > texts
attn-dump translator -q --format html -o texts.html texts
for _ in {1..30}; do printf 'the red house cat '; done | attn-dump translator -q --target 'un gato' -o long.html
attn-dump translator -q --format html texts | cmp - texts.html || fail 'other bytes on standard output'

(printf '\0\0\010\003\0\0\0\004\0\0\0\010\0\0\0\010'; for _ in 1 2 3 4; do printf 'one image of 64 bytes, which is grey, and says nothing at all, eh'; done) | head -c 272 > images.idx
printf '\0\0\010\001\0\0\0\004\0\001\0\001' > labels.idx
vectorize -q --images images.idx --image-labels labels.idx -o set
printf '%s\n' 'name: v' 'model: {kind: vision, layers: 2, width: 8, heads: 2, feed_forward_width: 8, image_height: 8, image_width: 8, patch_size: 4, classes: 2}' 'training: {epochs: 1}' > v.yaml
train --recipe v.yaml -q -o vision set > log
attn-dump vision -q --format html -o images.html set

refused 'no tokens, so html has no weights to hold' 1 attn-dump translator --format html -o none.html <(echo)
refused '--format html is not of --view heads' 2 attn-dump translator --format html --view heads texts
[ ! -e none.html ] || fail 'a page of nothing'

{ command -v chromedriver && command -v "$python"; } > /dev/null || {
  echo 'skipped: no chromedriver, or no Python'
  exit 77
}
"$python" "$here/attention_page_browser.py" "$PWD" || fail 'the page in a browser'
echo 'pages of attention: opened, clicked, looked at'
