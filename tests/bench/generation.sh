#!/bin/bash
# Greedy generation with language models of random weights in GPT-2's layout, ours and that of Hugging Face's transformers with its KV cache,
# on the same weights, run alternately on this machine; prints each round, and the ratios with their spread. A token of a batch of one reads every
# weight but the table of positions once: the share of memory's bandwidth is that of those reads, the bandwidth measured before and after ours.
#
#   PEER_PYTHON=python tests/bench/generation.sh [ROUNDS [TOKENS [SHAPE...]]]    3 rounds of 128 new tokens, shapes small and gpt2; BIN, BUILD and THREADS as in the Makefile
#
# COMPUTE_TYPE=int8 is that of ours. PEER_PYTHON names a Python that has transformers, tokenizers and torch. Ours is the program generate: the time of 8 tokens, which is that of
# loading the model and reading the prompts, is taken from the time of TOKENS + 8; so is theirs. bandwidth_bench (cmake -DHEADWATER_BENCH=ON) reads
# memory. Run nothing else meanwhile.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
. tests/bench/peers.sh
build=${BUILD:-build}
rounds=${1:-3} tokens=${2:-128} bin=${BIN:-$build/bin} python=${PEER_PYTHON:-python3} threads=${THREADS:-2}
shift $(($# < 2 ? $# : 2))
shapes=${*:-small gpt2}
[ "$threads" != 0 ] || threads=2
[ -x "$bin/generate" ] || {
  echo "generation.sh: no $bin/generate (make builds it)" >&2
  exit 1
}
[ -x "$build/bin/bandwidth_bench" ] || {
  echo "generation.sh: no $build/bin/bandwidth_bench (cmake -DHEADWATER_BENCH=ON makes it)" >&2
  exit 1
}
need_packages transformers tokenizers torch
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
peer() {
  "$python" tests/bench/peers/generation_transformers.py --threads "$threads" --tokens "$tokens" "$@" 2>"$tmp/words" || {
    cat "$tmp/words" >&2
    exit 1
  }
}
prompts() { # BATCH: the prompts of the peer, as words
  awk -v batch="$1" 'BEGIN { for (b = 0; b < batch; ++b) { line = ""; for (i = 0; i < 16; ++i) line = line (i ? " " : "") "w" (7 * i + 13 * b + 1) % 10000; print line } }'
}
# Seconds of N new tokens for each prompt of the batch.
seconds() { # SHAPE BATCH N
  local begin end
  begin=$(date +%s%N)
  prompts "$2" | "$bin/generate" "$tmp/$1" --max-new-tokens "$3" --batch "$2" --threads "$threads" --compute-type "${COMPUTE_TYPE:-float32}" -q >"$tmp/text"
  end=$(date +%s%N)
  [ "$(wc -w <"$tmp/text")" = $(($2 * $3)) ] || {
    echo "generation.sh: generate wrote $(wc -w <"$tmp/text") words, not $(($2 * $3))" >&2
    exit 1
  }
  echo $((end - begin))
}
bandwidth() { "$build/bin/bandwidth_bench" "$threads"; }
# Bytes of weights that a token reads: the file without the table of positions.
weights() { # SHAPE
  local positions=$((1024 * 768))
  [ "$1" = gpt2 ] || positions=$((512 * 384))
  echo $(($(stat -c %s "$tmp/$1/model.safetensors") - 4 * positions))
}
printf 'round\tshape\tbatch\tours tokens/s\ttransformers tokens/s\tratio\tGB/s of weights\tGB/s of memory\tshare\n'
for shape in $shapes; do
  mkdir "$tmp/$shape"
  peer --model "$tmp/$shape" --shape "$shape" --make
  for ((round = 1; round <= rounds; ++round)); do
    for batch in 1 16; do
      seconds "$shape" "$batch" 8 >"$tmp/warm" # the file is in memory then
      before=$(bandwidth)
      first=$(seconds "$shape" "$batch" 8) all=$(seconds "$shape" "$batch" $((tokens + 8)))
      after=$(bandwidth)
      peer --model "$tmp/$shape" --shape "$shape" --batch "$batch" >"$tmp/theirs"
      awk -F '\t' -v round="$round" -v shape="$shape" -v n="$((batch * tokens))" -v ns="$((all - first))" -v before="$before" -v after="$after" \
        -v steps="$tokens" -v bytes="$(weights "$shape")" '
        { ours = n * 1e9 / ns; read = bytes * steps / ns; memory = before > after ? before : after
          printf "%d\t%s\t%d\t%.1f\t%.1f\t%.2f\t%.1f\t%.1f\t%.0f %%\n", round, shape, $1, ours, $2, ours / $2, read, memory, 100 * read / memory }' \
        "$tmp/theirs" | tee -a "$tmp/rounds"
    done
  done
done
for shape in $shapes; do
  for batch in 1 16; do
    awk -v shape="$shape" -v batch="$batch" '$2 == shape && $3 == batch { print $6 }' "$tmp/rounds" | print_ratios "$shape, batch $batch"
  done
done
