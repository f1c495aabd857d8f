#!/bin/bash
# Translating a text with a trained translator, ours and CTranslate2's with the same weights in float32, greedy and with 4 beams, sentences
# 1 and 64 at a time, run alternately on this machine; prints each round in sentences a second, and the ratios with their spread.
#
#   PEER_PYTHON=python tests/bench/translation.sh MODEL TEXT [ROUNDS]    3 rounds; BIN and THREADS as in the Makefile
#
# MODEL is one that `convert MODEL` writes in Marian's layout; TEXT has a sentence a line. Ours is the whole program translate, from
# text to text; of the peer only its search is timed, with the model loaded and the tokens made. Where the peer's sentences come one at a time,
# the first 1,000 lines are enough for both. COMPUTE_TYPE=int8 is that of ours. Run nothing else meanwhile.
set -euo pipefail
export LC_ALL=C
[ $# -ge 2 ] || {
  echo "usage: PEER_PYTHON=python tests/bench/translation.sh MODEL TEXT [ROUNDS]" >&2
  exit 2
}
model=$(realpath "$1") text=$(realpath "$2") rounds=${3:-3}
cd "$(dirname "$0")/../.."
. tests/bench/peers.sh
bin=${BIN:-build/bin} python=${PEER_PYTHON:-python3} threads=${THREADS:-2} compute_type=${COMPUTE_TYPE:-float32}
[ "$threads" != 0 ] || threads=2
need_packages ctranslate2 tokenizers torch transformers
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$bin/convert" "$model" -o "$tmp/exported"
cp "$text" "$tmp/64"
head -n 1000 "$text" >"$tmp/1"
: >"$tmp/rounds"
printf 'round\tbatch\tbeams\tours sentences/s\tCTranslate2 sentences/s\tratio\ttexts that differ\n'
for ((round = 1; round <= rounds; ++round)); do
  for column in '1 1' '64 1' '1 4' '64 4'; do
    read -r batch beams <<<"$column"
    lines=$(wc -l <"$tmp/$batch")
    begin=$(date +%s%N)
    "$bin/translate" "$model" --batch "$batch" --num-beams "$beams" --threads "$threads" --compute-type "$compute_type" -q <"$tmp/$batch" >"$tmp/ours"
    end=$(date +%s%N)
    "$python" tests/bench/peers/translation_ctranslate2.py "$tmp/exported" "$tmp/converted" "$tmp/$batch" --batch "$batch" --beams "$beams" \
      --threads "$threads" --output "$tmp/theirs" >"$tmp/seconds" 2>"$tmp/words" || {
      cat "$tmp/words" >&2
      exit 1
    }
    differ=$(paste -d '\n' "$tmp/ours" "$tmp/theirs" | awk 'NR % 2 { ours = $0; next } $0 != ours { ++n } END { print n + 0 }')
    awk -v round="$round" -v batch="$batch" -v beams="$beams" -v lines="$lines" -v ours=$((end - begin)) -v differ="$differ" \
      '{ printf "%d\t%d\t%d\t%.0f\t%.0f\t%.2f\t%d of %d\n", round, batch, beams, lines * 1e9 / ours, lines / $1, $1 * 1e9 / ours, differ, lines }' "$tmp/seconds" |
      tee -a "$tmp/rounds"
  done
done
for column in '1 1' '64 1' '1 4' '64 4'; do
  read -r batch beams <<<"$column"
  awk -v batch="$batch" -v beams="$beams" '$2 == batch && $3 == beams { print $6 }' "$tmp/rounds" | print_ratios "batch $batch, beams $beams"
done
