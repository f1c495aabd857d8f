#!/bin/bash
# Decoding of a random translator (width 128, 4 + 4 layers, 10,000 words; 20 source and 24 target tokens), ours and CTranslate2's, in
# float32 unless told otherwise, greedy and with 4 beams, run alternately on this machine; prints each round, and the ratios with their spread.
#
#   PEER_PYTHON=python tests/bench/decoding.sh [ROUNDS [SECONDS]]    5 rounds of 3 seconds; BUILD and THREADS as in the Makefile
#
# COMPUTE_TYPE=int8 is that of ours, PEER_COMPUTE_TYPE=int8 that of the peer.
# PEER_PYTHON names a Python that has ctranslate2, transformers and torch; ours is decoding_bench (cmake -DHEADWATER_BENCH=ON). The
# peer's threads wait in loops: run nothing else meanwhile.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
. tests/bench/peers.sh
rounds=${1:-5} seconds=${2:-3}
bench=${BUILD:-build}/bin/decoding_bench python=${PEER_PYTHON:-python3} threads=${THREADS:-2}
[ "$threads" != 0 ] || threads=2
compute_type=${COMPUTE_TYPE:-float32} peer_compute_type=${PEER_COMPUTE_TYPE:-float32}
[ -x "$bench" ] || {
  echo "decoding.sh: no $bench (cmake -DHEADWATER_BENCH=ON makes it)" >&2
  exit 1
}
need_packages ctranslate2 transformers torch
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
printf 'round\tbatch\tbeams\tours tokens/s\tCTranslate2 tokens/s\tratio\n'
for ((round = 1; round <= rounds; ++round)); do
  for column in '1 1' '64 1' '1 4' '64 4'; do
    read -r batch beams <<<"$column"
    "$bench" "$batch" "$beams" "$threads" "$seconds" "$compute_type" >"$tmp/ours"
    "$python" tests/bench/peers/decoding_ctranslate2.py --model "$tmp/model" --batch "$batch" --beams "$beams" --threads "$threads" --seconds "$seconds" \
      --compute-type "$peer_compute_type" >"$tmp/theirs" 2>"$tmp/words" || {
      cat "$tmp/words" >&2
      exit 1
    }
    paste "$tmp/ours" "$tmp/theirs" | awk -F '\t' -v round="$round" '{ printf "%d\t%d\t%d\t%.0f\t%.0f\t%.2f\n", round, $1, $2, $3, $7, $3 / $7 }' |
      tee -a "$tmp/rounds"
  done
done
for column in '1 1' '64 1' '1 4' '64 4'; do
  read -r batch beams <<<"$column"
  awk -v batch="$batch" -v beams="$beams" '$2 == batch && $3 == beams { print $6 }' "$tmp/rounds" | print_ratios "batch $batch, beams $beams"
done
