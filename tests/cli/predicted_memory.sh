#!/bin/bash
# What `train --dry-run` says of memory, and what the run then takes at its peak: within a tenth of each other.
#   predicted_memory.sh
# The tables of the model are small: rows that no example has stay untouched, and take no memory.
# BIN: the folder of the tools (build/bin). Exit status 77: skipped (sanitizers need memory of their own; no /proc).
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${BIN:-$here/../../build/bin}" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=SCRIPTDIR/experiment.sh
. "$here/experiment.sh"
if grep -q '__asan_init\|__tsan_init' "$bin/train" || [ ! -r /proc/self/status ]; then
  echo 'skipped: a sanitizer has memory of its own, or there is no /proc'
  exit 77
fi
make_experiment

for optimizer in rmsprop adamw; do
  cat >"$tmp/large.yaml" <<RECIPE
name: large
model: {width: 512, heads: 8, feed_forward_width: 8192, length: 8, dropout: 0.1, output_dropout: 0.2}
source_tokenizer: {size: 1000}
target_tokenizer: {size: 1000}
training: {epochs: 1, max_steps: 4, batch_sequences: 256, checkpoint: {every_steps: 2}, optimizer: {kind: $optimizer}}
RECIPE
  set_experiment "$tmp/large.yaml" "$tmp/train.ids" "$tmp/validation.ids" "$tmp/source.json" "$tmp/target.json"
  predicted=$(($("${command[@]}" --dry-run "${operands[@]}" | awk -F '\t' '$1 == "bytes" { print $2 }') / 1024))
  rm -rf "$tmp/model"
  "${command[@]}" -o "$tmp/model" "${operands[@]}" >"$tmp/log" 2>&1 &
  process=$!
  reached=0
  while now=$(awk '/^VmHWM:/ { print $2 }' "/proc/$process/status" 2>/dev/null) && [ -n "$now" ]; do
    reached=$now
    sleep 0.02
  done
  wait "$process" || fail "the run ended with status $?"
  echo "$optimizer: $predicted KiB predicted, $reached KiB at the peak"
  difference=$((reached > predicted ? reached - predicted : predicted - reached))
  [ $((difference * 10)) -le "$predicted" ] || fail "$optimizer: that is $((difference * 100 / predicted)) % apart, promised are 10"
done
