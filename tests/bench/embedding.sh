#!/bin/bash
# Vectors of sentences, ours and those of sentence-transformers (PyTorch) with the same model, run alternately on this machine; prints each round
# in sentences a second, by the clock and by the seconds of the processor (which other programs on the machine do not lengthen), and the ratios
# with their spread; the least cosine of both, and of bytes with floats.
#
#   PEER_PYTHON=python tests/bench/embedding.sh MODEL TEXT [ROUNDS]    3 rounds; BIN and THREADS as in the Makefile
#
# MODEL is a directory of sentence-transformers, TEXT has a sentence a line. Ours is the whole program embed, from text to npy, with its
# start; of the peer the encoding alone is timed, at the fastest of four batch sizes. Run nothing else meanwhile.
set -euo pipefail
export LC_ALL=C
[ $# -ge 2 ] || {
  echo "usage: PEER_PYTHON=python tests/bench/embedding.sh MODEL TEXT [ROUNDS]" >&2
  exit 2
}
model=$(realpath "$1") text=$(realpath "$2") rounds=${3:-3}
cd "$(dirname "$0")/../.."
. tests/bench/peers.sh
begin_beside_peer sentence_transformers
lines=$(wc -l <"$text")
TIMEFORMAT='%R %U %S'
printf 'round\tproducts\tours sentences/s\tpeer (batch)\tratio\tby processor seconds\tratio\n'
for ((round = 1; round <= rounds; ++round)); do
  for type in float32 int8; do
    { time "$bin/embed" "$model" -q --threads "$threads" --compute-type "$type" --format npy -o "$tmp/$type.npy" "$text"; } 2>"$tmp/$type"
  done
  OMP_NUM_THREADS=$threads "$python" tests/bench/peers/embedding_sentence_transformers.py "$model" "$text" --threads "$threads" --output "$tmp/peer.npy" >"$tmp/peer" 2>"$tmp/words" || {
    cat "$tmp/words" >&2
    exit 1
  }
  for type in float32 int8; do
    awk -v round="$round" -v type="$type" -v lines="$lines" 'NR == FNR { clock = $1; busy = $2; batch = $3; next }
      { own = $2 + $3
        printf "%d\t%s\t%.0f\t%.0f (%d)\t%.2f\t%.0f beside %.0f\t%.2f\n", round, type, lines / $1, lines / clock, batch, clock / $1, lines / own, lines / busy, busy / own }' "$tmp/peer" "$tmp/$type" |
      tee -a "$tmp/rounds"
  done
done
for type in float32 int8; do
  awk -F '\t' -v type="$type" '$2 == type { print $5 }' "$tmp/rounds" | print_ratios "$type, clock"
  awk -F '\t' -v type="$type" '$2 == type { print $7 }' "$tmp/rounds" | print_ratios "$type, processor"
done
"$python" - "$tmp" <<'PYTHON'
import sys
import numpy
ours, bytes, peer = (numpy.load(f"{sys.argv[1]}/{name}.npy") for name in ("float32", "int8", "peer"))
def cosines(a, b): return (a * b).sum(1) / numpy.linalg.norm(a, axis=1) / numpy.linalg.norm(b, axis=1)
print(f"largest distance of a number from the peer's {abs(ours - peer).max():.1e}; least cosine with the peer {cosines(ours, peer).min():.6f}, of int8 with float32 {cosines(ours, bytes).min():.4f}")
PYTHON
