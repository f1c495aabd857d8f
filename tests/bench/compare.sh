#!/bin/bash
# Row C's training step, ours and PyTorch's, run alternately on this machine; prints each round, and the ratios with their spread.
#
#   PEER_PYTHON=python tests/bench/compare.sh [ROUNDS [STEPS]]    5 rounds of 30 steps; PEER_PYTHON: a Python that has torch
#
# Needs the ids of recipe-spa-eng (made when missing). BIN, DATA, MODELS and THREADS as in the Makefile. Compare only within one run
# on one idle machine: machines and moments differ.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
rounds=${1:-5} steps=${2:-30}
bin=${BIN:-build/bin} data=${DATA:-data/cache} python=${PEER_PYTHON:-python3} threads=${THREADS:-2}
[ "$threads" != 0 ] || threads=2
"$python" -c 'import torch' 2>/dev/null || {
  echo "compare.sh: $python has no torch (PEER_PYTHON=python names one that has)" >&2
  exit 1
}
models=${MODELS:-models}
work=$models/recipes/spa-eng
make --no-print-directory BIN="$bin" DATA="$data" MODELS="$models" "$work/train.ids" "$work/validation.ids" >&2

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
printf 'round\tours tokens/s\tms a step\tMiB\tPyTorch tokens/s\tms a step\tMiB\tspeed ratio\tmemory ratio\n'
for ((round = 1; round <= rounds; ++round)); do
  "$bin/train" --recipe "$work/recipe.yaml" --source-tokenizer "$work/source.json" --target-tokenizer "$work/target.json" \
    --validation "$work/validation.ids" --threads "$threads" --benchmark-steps "$steps" --quiet "$work/train.ids" >"$tmp/ours"
  "$python" tests/bench/peers/spa_eng_torch.py --ids "$work/train.ids" --threads "$threads" --steps "$steps" >"$tmp/theirs" 2>"$tmp/words" || {
    cat "$tmp/words" >&2
    exit 1
  }
  awk -F '\t' -v round="$round" '
    { value[FILENAME == ARGV[1], $1] = $2 }
    END {
      o = value[1, "useful_tokens_per_second"]; t = value[0, "useful_tokens_per_second"]
      om = value[1, "peak_resident_bytes"] / 1048576; tm = value[0, "peak_resident_bytes"] / 1048576
      printf "%d\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.2f\t%.2f\n", round, o, value[1, "milliseconds_a_step"], om, t, value[0, "milliseconds_a_step"], tm, o / t, om / tm
    }' "$tmp/ours" "$tmp/theirs" | tee -a "$tmp/rounds"
done
for column in 8 9; do
  cut -f"$column" "$tmp/rounds" | sort -n | awk -v what="$([ $column = 8 ] && echo speed || echo memory)" '
    { x[NR] = $1 } END { printf "%s ratio: median %.2f, %.2f to %.2f over %d rounds\n", what, (x[int((NR + 1) / 2)] + x[int((NR + 2) / 2)]) / 2, x[1], x[NR], NR }'
done
