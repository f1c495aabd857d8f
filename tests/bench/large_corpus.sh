#!/bin/bash
# Training on a file of ids that is larger than memory may be: the most memory that `train` has at once, mapped pages of the file counted.
#   large_corpus.sh BIN [GIGABYTES [MEBIBYTES [STEPS]]]     BIN: the folder of the tools; the size of the file, made up here (10); the
#                                                         memory that must do (1024); steps to train (200)
# The file is sparse: it takes no disk, but each page of it that is read takes memory like any other. With DENSE=1 it is written in full.
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd) gigabytes=${2:-10} most=${3:-1024} steps=${4:-200}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

# 10^9 bytes are half as many ids of two bytes.
ids=$((gigabytes * 500000000))
header='{"__metadata__":{"format":"pt"},"ids":{"dtype":"U16","shape":['$ids'],"data_offsets":[0,'$((2 * ids))']}}'
printf '\370\001\0\0\0\0\0\0%-504s' "$header" >ids.safetensors
if [ -n "${DENSE-}" ]; then
  # Bytes of 0 and 1: ids of 0, 1, 256 and 257.
  (yes "$(printf 'abbabaabbbababbaab')" || true) | tr 'ab\n' '\001\000\000' | head -c $((2 * ids)) >>ids.safetensors
else
  truncate -s $((512 + 2 * ids)) ids.safetensors
fi
[ "$(wc -c <ids.safetensors)" = $((512 + 2 * ids)) ]

echo 'some text' >text
"$bin/tokenize" -q --learn byte_bpe --size 257 -o t.json text
cat >recipe.yaml <<'YAML'
name: large-corpus
data: {columns: [source], examples: blocks}
source_tokenizer: {kind: byte_bpe, size: 257}
model: {kind: language_model, width: 32, heads: 2, layers: 2, length: 256}
training: {epochs: 1, batch_sequences: 16, optimizer: {kind: adam}}
YAML
# The same text for validation, of which the benchmark does nothing.
head -c $((512 + 2 * 500)) /dev/zero >v.safetensors
printf '\370\001\0\0\0\0\0\0%-504s' '{"__metadata__":{"format":"pt"},"ids":{"dtype":"U16","shape":[500],"data_offsets":[0,1000]}}' |
  dd of=v.safetensors conv=notrunc status=none
begin=$(date +%s)
"$bin/train" -r recipe.yaml --tokenizer t.json --validation v.safetensors --threads "${THREADS:-0}" --benchmark-steps "$steps" ids.safetensors >result
seconds=$(($(date +%s) - begin))
peak=$(($(sed -n 's/^peak_resident_bytes\t//p' result) >> 20))
echo "$gigabytes GB of ids: $steps steps of 16 windows of 256, $seconds s in all; at most $peak MiB resident, $most allowed"
[ "$peak" -le "$most" ]
