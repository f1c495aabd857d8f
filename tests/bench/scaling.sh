#!/bin/bash
# How cost grows: time a token and memory an example of training for 1,000 to 1,000,000 made-up sentence pairs, and the time of attention
# against the length, of a window too. Prints three tables.
#
#   tests/bench/scaling.sh [ROUNDS [MOST]]    3 rounds, 1000000 sentences; BIN, BUILD and THREADS as in the Makefile
#
# The other tables need attention_scaling (cmake -DHEADWATER_BENCH=ON).
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
rounds=${1:-3} most=${2:-1000000}
build=${BUILD:-build}
bin=${BIN:-$build/bin} threads=${THREADS:-2}
[ "$threads" != 0 ] || threads=2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

words=5000
cat >"$tmp/recipe.yaml" <<END
name: scaling
seed: 1
data: {train: none, columns: [source, target], validation_fraction: 0.1}
source_tokenizer: {kind: word, size: $words}
target_tokenizer: {kind: word, size: $words}
model: {kind: encoder_decoder, width: 64, heads: 4, feed_forward_width: 256, encoder_layers: 1, decoder_layers: 1, length: 24}
training: {epochs: 1, batch_sequences: 64}
END
seq 10 $((words - 1)) | sed 's/^/w/' >"$tmp/words"
"$bin/tokenize" --learn word --size $words -o "$tmp/source.json" --quiet "$tmp/words"
"$bin/tokenize" --learn word --size $words --start-end -o "$tmp/target.json" --quiet "$tmp/words"

# Lengths 4 to 20, the same ones over and over, so that every size has the same mean.
pairs() {
  awk -v count="$1" -v words=$words 'BEGIN {
    srand(1)
    for (i = 0; i < count; ++i) {
      n = 4 + i % 17; source = ""; target = "2"
      for (k = 0; k < n; ++k) { id = 4 + int(rand() * (words - 20)); source = source (k ? " " : "") id; target = target " " id }
      print source "\t" target " 3"
    }
  }'
}

sizes=()
for size in 1000 10000 100000 1000000; do
  [ "$size" -gt "$most" ] || sizes+=("$size")
done
for size in "${sizes[@]}"; do pairs "$size" >"$tmp/$size.ids"; done
for ((round = 1; round <= rounds; ++round)); do
  for size in "${sizes[@]}"; do
    epochs=$((size < 20000 ? 20000 / size : 1))
    "$bin/train" --recipe "$tmp/recipe.yaml" --epochs $epochs --source-tokenizer "$tmp/source.json" --target-tokenizer "$tmp/target.json" \
      --threads "$threads" --benchmark-steps 100 --quiet "$tmp/$size.ids" |
      awk -F '\t' -v size="$size" '{ value[$1] = $2 }
        END { printf "%d\t%.2f\t%d\n", size, 1e6 / value["useful_tokens_per_second"], value["peak_resident_bytes"] }' >>"$tmp/steps"
  done
done
printf 'sentences\tmicroseconds a token (median)\tleast\tmost\tpeak memory MiB\tbytes a sentence beyond ids, since the size before\n'
last_bytes=0 last_size=0
for size in "${sizes[@]}"; do
  ids=$(head -n "$size" "$tmp/$size.ids" | wc -w)
  awk -v size="$size" '$1 == size' "$tmp/steps" | sort -k2n | awk -v size="$size" -v ids="$ids" -v last_bytes="$last_bytes" \
    -v last_size="$last_size" -v last_ids="${last_ids:-0}" '
    { time[NR] = $2; if (!bytes || $3 < bytes) bytes = $3 }
    END {
      printf "%d\t%.2f\t%.2f\t%.2f\t%.0f\t", size, time[int((NR + 1) / 2)], time[1], time[NR], bytes / 1048576
      if (last_size && size >= 1000000) printf "%.1f\n", (bytes - last_bytes - 4 * (ids - last_ids)) / (size - last_size); else print "-"
      print bytes > "/dev/stderr"
    }' 2>"$tmp/bytes"
  last_bytes=$(cat "$tmp/bytes") last_size=$size last_ids=$ids
done

bench=$build/bin/attention_scaling
[ -x "$bench" ] || {
  echo "scaling.sh: no $bench (cmake -DHEADWATER_BENCH=ON makes it): no table of attention" >&2
  exit 0
}
printf '\nlength\tsum of squared lengths\tattention, microseconds\tnanoseconds a pair\n'
"$bench" "$threads"
printf '\nlength\tattention to all, microseconds\tto a window of 256\ttimes\n'
"$bench" "$threads" 256
