#!/bin/bash
# Encoding and learning beside tiktoken, SentencePiece and Hugging Face's tokenizers: the same vocabulary and text, one after the other, on one
# thread and on two; prints MB/s, MB a second of processor time, the ids, their sum and the peak memory, and below the ratios.
#
#   HEADWATER_DATA=MIRROR PEER_PYTHON=python tests/bench/tokenizers.sh [MEGABYTES]    8 MB of IMDB; BUILD as in the Makefile
#
# PEER_PYTHON names a Python with those of the three that shall take part; ours is tokenizers_bench (cmake -DHEADWATER_BENCH=ON). A ratio
# is ours over the fastest peer of the same task and threads; that of processor time bears other programs on the machine better.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
megabytes=${1:-8} bench=${BUILD:-build}/bin/tokenizers_bench python=${PEER_PYTHON:-python3} data=${HEADWATER_DATA:-}
[ -x "$bench" ] || {
  echo "tokenizers.sh: no $bench (cmake -DHEADWATER_BENCH=ON makes it)" >&2
  exit 1
}
[ -d "${data:-.}/tokenizers" ] || {
  echo "tokenizers.sh: HEADWATER_DATA names no mirror with tokenizers/ (data/README.md)" >&2
  exit 1
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
text=$tmp/text peers=tests/bench/peers/tokenizers_peers.py
xz -dc "$data/imdb/train.tsv.xz" | cut -f4 | shuf --random-source=<(yes) | awk -v most="$megabytes" '{ n += length + 1 } n > most * 1e6 { exit } 1' >"$text" || [ -s "$text" ]
gpt2=$data/tokenizers/gpt2 bert=$data/tokenizers/bert-base-uncased
printf 'task\twho\tthreads\tMB/s\tMB/cpu-s\tids\tsum\tpeak MiB\n'
{
  for threads in 1 2; do
    "$bench" encode 'encode gpt2' "$gpt2" "$text" $threads
    "$python" $peers encode 'encode gpt2' tiktoken "$gpt2" "$text" $threads
    "$python" $peers encode 'encode gpt2' tokenizers "$gpt2" "$text" $threads
    "$bench" encode 'encode bert' "$bert/vocab.txt" "$text" $threads
    "$python" $peers encode 'encode bert' tokenizers "$bert" "$text" $threads
    "$bench" learn-bytes 'learn byte-level BPE 10000' 10000 "$text" $threads
    "$python" $peers learn-bytes 'learn byte-level BPE 10000' tokenizers 10000 "$text" $threads
    "$bench" learn-wordpiece 'learn WordPiece 10000' 10000 "$text" $threads
    "$python" $peers learn-wordpiece 'learn WordPiece 10000' tokenizers 10000 "$text" $threads
    "$bench" learn-metaspace 'learn BPE 8000' 8000 "$text" $threads
    "$bench" learn-unigram 'learn unigram 8000' 8000 "$text" $threads
    for kind in bpe unigram; do
      name="learn $kind 8000"
      "$python" $peers learn-$kind "${name/bpe/BPE}" sentencepiece 8000 "$text" $threads "$tmp/$kind"
      [ ! -e "$tmp/$kind.model" ] || "$bench" encode "encode $kind 8000" "$tmp/$kind.model" "$text" $threads
      [ ! -e "$tmp/$kind.model" ] || "$python" $peers encode "encode $kind 8000" sentencepiece "$tmp/$kind.model" "$text" $threads
    done
  done
} | tee "$tmp/rows"
awk -F '\t' '
  $2 == "ours" { ours[$1 "\t" $3] = $4; cpu[$1 "\t" $3] = $5; next }
  $4 > best[$1 "\t" $3] { best[$1 "\t" $3] = $4; who[$1 "\t" $3] = $2 }
  $5 > best_cpu[$1 "\t" $3] { best_cpu[$1 "\t" $3] = $5 }
  END {
    for (key in ours) if (key in best) {
      split(key, part, "\t")
      printf "%s, %s threads: %.1f times %s (%.1f by processor time)\n", part[1], part[2], ours[key] / best[key], who[key], cpu[key] / best_cpu[key]
    }
  }' "$tmp/rows" | sort
