#!/bin/bash
# What attention to a window costs beside attention to all: time and memory of a training step on one text of so many tokens, and of writing as
# many, by a language model of two blocks. Prints a table: a row a length.
#
#   tests/bench/window.sh [W [LENGTH...]]    256, lengths 2048, 8192, 32768; BIN, BUILD and THREADS as in the Makefile
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
bin=${BIN:-${BUILD:-build}/bin} threads=${THREADS:-2}
[ "$threads" != 0 ] || threads=2
window=${1:-256}
[ $# -lt 2 ] && lengths=(2048 8192 32768) || lengths=("${@:2}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

recipe() { # LENGTH WINDOW
  cat <<END
name: window
data: {train: none, columns: [source], examples: lines}
source_tokenizer: {kind: byte_bpe, size: 257}
model: {kind: language_model, width: 64, heads: 2, feed_forward_width: 128, layers: 2, norm: pre, positions: rotary, length: $1, attention_window: $2}
training: {epochs: 6, batch_sequences: 1, checkpoint: {keep: 1}}
END
}

# Its greatest resident memory in MiB and its seconds, of a program with its standard output to FILE.
measured() { # FILE PROGRAM...
  local file=$1 most=0 now begin process
  shift
  begin=$(date +%s.%N)
  "$@" >"$file" &
  process=$!
  while now=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$process/status" 2>"$tmp/gone") && [ -n "$now" ]; do
    most=$now
    sleep 0.02
  done
  wait "$process"
  awk -v begin="$begin" -v end="$(date +%s.%N)" -v most="$most" 'BEGIN { printf "%.1f\t%.1f\n", most / 1024, end - begin }'
}

printf 'abcdefghijklmnopqrstuvwxyz \n' >"$tmp/letters"
printf a >"$tmp/prompt"
"$bin/tokenize" --learn byte_bpe --size 257 -o "$tmp/t.json" --quiet "$tmp/letters"
printf 'length\tstep, all, ms\tMiB\tstep, window %s, ms\tMiB\twriting, all, MiB\ts\twriting, window, MiB\ts\n' "$window"
for length in "${lengths[@]}"; do
  awk -v n=$((length + 1)) 'BEGIN { srand(1); for (i = 0; i < n; ++i) printf "%s%d", i ? " " : "", 1 + int(rand() * 256); print "" }' >"$tmp/ids"
  for w in 0 "$window"; do
    recipe "$length" "$w" >"$tmp/recipe.yaml"
    "$bin/train" --recipe "$tmp/recipe.yaml" --tokenizer "$tmp/t.json" --threads "$threads" --benchmark-steps 3 --quiet "$tmp/ids" >"$tmp/steps.$w"
    # One that sees a window writes on beyond its length.
    recipe $((w > 0 ? 2 * w : length)) "$w" >"$tmp/recipe.yaml"
    "$bin/train" --recipe "$tmp/recipe.yaml" --tokenizer "$tmp/t.json" --threads "$threads" --max-steps 1 --quiet -o "$tmp/model.$w" "$tmp/ids" >"$tmp/words"
    measured "$tmp/written" "$bin/generate" "$tmp/model.$w" --prompt-file "$tmp/prompt" --max-new-tokens $((length - 1)) --min-new-tokens $((length - 1)) --quiet >"$tmp/writing.$w"
    rm -r "$tmp/model.$w"
  done
  printf '%d' "$length"
  for w in 0 "$window"; do
    awk -F '\t' '{ value[$1] = $2 } END { printf "\t%.0f\t%.1f", value["milliseconds_a_step"], value["peak_resident_bytes"] / 1048576 }' "$tmp/steps.$w"
  done
  printf '\t%s\t%s\n' "$(cat "$tmp/writing.0")" "$(cat "$tmp/writing.$window")"
done
