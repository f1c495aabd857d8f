#!/bin/bash
# No load of a model opens a file of its directory twice: what was compared with the manifest is what is used.
#   opened_once.sh BIN     BIN: the folder of the tools
# Exit status 77: skipped (no strace, or it may not trace).
set -euo pipefail
export LC_ALL=C.UTF-8
PATH=$(cd "$1" && pwd):$PATH
command -v strace > /dev/null || { echo 'skipped: no strace here'; exit 77; }
strace -f -qq -e trace=openat -o /dev/null true 2> /dev/null || { echo 'skipped: ptrace is not allowed here'; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

seq 1 40 | sed 's/\(.\)/\1 /g; s/^/n /' > text
awk '{ print $0 "\t" (NR % 2 ? "odd" : "even") }' text > labelled
tokenize --learn word --standardize none --size 30 --start-end -q -o t.json text
tokenize -t t.json -q text | vectorize -q -t t.json --length 7 > ids
tokenize -t t.json -q text | vectorize -q -t t.json --length 7 --start --end > ends
printf 'even\nodd\n' > names
vectorize -q --learn ngrams --size 30 -o terms.tsv <(tokenize -t t.json -q text)
vectorize -q --terms terms.tsv <(tokenize -t t.json -q text) > bags
for i in 0 1 2 3; do printf '%b' "\\0$((i % 2))"; head -c 3072 /dev/zero | tr '\0' "$i"; done > images.bin
vectorize -q --images images.bin --labels names -o set
size='width: 8, heads: 2, feed_forward_width: 12'
echo "{data: {columns: [source, target]}, source_tokenizer: {size: 30}, target_tokenizer: {size: 30}, training: {max_steps: 2}, model: {$size,
  encoder_layers: 1, decoder_layers: 1, norm_epsilon: 1.0e-5, positions: sinusoidal_halves, length: 8}}" > translator.yaml
echo "{data: {columns: [source]}, source_tokenizer: {size: 30}, training: {max_steps: 2}, model: {kind: language_model, $size, layers: 1, norm: pre,
  output_bias: false, length: 8}}" > language.yaml
echo "{data: {columns: [source, label]}, source_tokenizer: {size: 30}, training: {max_steps: 2}, model: {kind: classifier, $size, length: 8}}" > classifier.yaml
echo "{data: {columns: [source, label]}, source_tokenizer: {size: 30}, terms: {size: 30}, training: {max_steps: 2}, model: {kind: bag_of_words}}" > bag.yaml
echo "{training: {max_steps: 2}, model: {kind: vision, $size, layers: 1, norm: pre, image_height: 32, image_width: 32, channels: 3, patch_size: 8}}" > vision.yaml
paste ids ends | train -q -r translator.yaml --source-tokenizer t.json --target-tokenizer t.json -o translator > /dev/null
train -q -r language.yaml --tokenizer t.json -o language ids > /dev/null
paste ids <(cut -f2 labelled) | train -q -r classifier.yaml --tokenizer t.json --labels names --labels-as names -o classifier > /dev/null
paste bags <(cut -f2 labelled) | train -q -r bag.yaml --tokenizer t.json --terms terms.tsv --labels names --labels-as names -o bag > /dev/null
train -q -r vision.yaml -o vision set > /dev/null
tokenize --learn wordpiece --size 60 --template bert -q -o bert.json text
tokenize -t bert.json -q text | vectorize -q -t bert.json --length 6 > bert.ids
bert="$size, length: 8, norm_epsilon: 1.0e-12, activation: gelu, segments: 2, embedding_norm: true"
echo "{data: {columns: [source]}, source_tokenizer: {kind: wordpiece, size: 60}, training: {max_steps: 2}, model: {kind: masked_lm, $bert}}" > masked.yaml
echo "{data: {columns: [source, label]}, source_tokenizer: {kind: wordpiece, size: 60}, training: {max_steps: 2}, model: {kind: classifier, $bert,
  special_tokens: template, pooling: first, pooler: true, head: softmax}}" > judge.yaml
train -q -r masked.yaml --tokenizer bert.json -o masked bert.ids > /dev/null
paste bert.ids <(cut -f2 labelled) | train -q -r judge.yaml --tokenizer bert.json --labels names --labels-as names -o judge > /dev/null
for model in translator language vision masked judge; do convert "$model" -o "$model-published"; done
# Without "architectures" the tensors say which model it is.
cp -r masked-published guessed && sed -i '/"architectures"/,/\]/d' guessed/config.json

loads=0
lines='n 1\nn 2\n'
once() { # MODEL COMMAND...: runs it on the lines; no file below the directory MODEL is opened twice
  local model=$1
  shift
  printf '%b' "$lines" | strace -f -qq -e trace=openat -o trace "$@" > /dev/null 2> err || { cat err; echo "failed: $*"; exit 1; }
  awk -F'"' -v model="$model/" 'index($2, model) == 1 && !/ENOENT|O_DIRECTORY/ { print $2 }' trace | sort > opened
  [ -s opened ] || { echo "failed: $* opened nothing of $model"; exit 1; }
  [ -z "$(uniq -d opened)" ] || { uniq -dc opened; echo "failed: opened twice by $*"; exit 1; }
  loads=$((loads + 1))
}
for model in translator translator-published; do
  once $model translate -q $model
  once $model attn-dump -q $model
  once $model evaluate -q $model <(paste text text)
done
for model in language language-published; do
  once $model generate -q $model
  once $model attn-dump -q $model
  once $model evaluate -q $model text
done
for model in classifier bag; do
  once $model classify -q $model
  once $model evaluate -q $model labelled
done
once classifier attn-dump -q classifier
once judge-published classify -q judge-published
once judge-published evaluate -q judge-published labelled
once judge-published attn-dump -q judge-published
for model in masked-published guessed; do
  lines='n [MASK]\n' once $model generate -q --fill-mask $model
  once $model evaluate -q $model text
done
once judge-published embed -q judge-published
for model in vision vision-published; do
  once $model classify -q $model set
  once $model attn-dump -q $model set
  once $model evaluate -q $model set
done
for model in translator language classifier bag vision; do
  once $model inspect $model
  once $model inspect --tensors $model/checkpoints/latest
  rm -rf mean
  once $model convert --average $model --last 1 -o mean
done
for model in translator language vision translator-published language-published vision-published; do
  rm -rf export
  once $model convert $model -o export
done
once classifier train -q -r classifier.yaml --tokenizer t.json --labels names --init-from classifier --drop 'head.*' -o again <(paste ids <(cut -f2 labelled))
echo "$loads loads open each file once"
