#!/bin/bash
# A language model with attention to a window: a stream of 100,000 tokens through generate and evaluate takes the memory of a short one, and
# weights outside the window are 0 in a dump, those inside add up to 1.
#   window_test.sh BIN     BIN: the folder of the tools. Exit status 77: skipped (sanitizers need memory of their own; no /proc)
set -euo pipefail
export LC_ALL=C
bin=$1
PATH=$1:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
fail() { # WHAT
  echo "FAILED: $1" >&2
  exit 1
}
for _ in {1..300}; do printf 'abc cab bca aab '; done >text
cat >r.yaml <<'RECIPE'
name: window
data: {columns: [source], examples: lines}
source_tokenizer: {kind: byte_bpe, size: 257}
model: {kind: language_model, width: 8, heads: 2, feed_forward_width: 16, layers: 1, positions: rotary, length: 32, attention_window: 16}
training: {epochs: 1, batch_sequences: 4, max_steps: 4}
RECIPE
fold -w 32 text >lines
echo >>lines
tokenize --recipe r.yaml --quiet -o t.json lines
tokenize -t t.json lines | vectorize --recipe r.yaml --tokenizer t.json >lines.ids
train --recipe r.yaml --tokenizer t.json --quiet -o model lines.ids >table

head -c 30 text | attn-dump model --quiet |
  awk -F, 'NR > 1 { if ($5 - $6 >= 16 || $6 > $5) { if ($NF != 0) bad = 1; ++outside } else sum[$4, $5] += $NF }
    END { for (row in sum) { ++rows; d = sum[row] - 1; if (d > 1e-5 || d < -1e-5) bad = 1 }; print bad + 0, outside, rows }' >seen
[ "$(cat seen)" = '0 '$((2 * (30 * 29 / 2 + 14 * 15 / 2)))' 60' ] || fail "a dump has weights outside the window, or they do not add up: $(cat seen)"

if grep -q '__asan_init\|__tsan_init' "$bin/generate" || [ ! -r /proc/self/status ]; then
  echo 'skipped: a sanitizer has memory of its own, or there is no /proc'
  exit 77
fi
# Greatest resident memory in KiB.
peak_of() { # OUTPUT PROGRAM...
  local output=$1 process now most=0
  shift
  "$@" >"$output" &
  process=$!
  while now=$(awk '/^VmHWM:/ { print $2 }' "/proc/$process/status" 2>gone) && [ -n "$now" ]; do
    most=$now
    sleep 0.02
  done
  wait "$process" || fail "$1 ended with status $?"
  echo "$most"
}
printf a >prompt
short=$(peak_of written generate model --prompt-file prompt --max-new-tokens 20000 --min-new-tokens 20000 --quiet)
long=$(peak_of written generate model --prompt-file prompt --max-new-tokens 100000 --min-new-tokens 100000 --quiet)
echo "generate: $short KiB for 20,000 tokens, $long for 100,000"
[ "$(wc -c <written)" -gt 100000 ] || fail 'generate wrote less than was asked'
# The text itself is as many bytes more.
[ "$long" -lt $((short + 2048)) ] || fail 'the memory of generate grows with the text'
for count in 4 20; do for ((i = 0; i < count; ++i)); do cat text; done >stream.$count; done
short=$(peak_of score evaluate model --stride 16 stream.4 --quiet)
long=$(peak_of score evaluate model --stride 16 stream.20 --quiet)
echo "evaluate: $short KiB for 19,200 tokens, $long for 96,000"
grep -q '95,999' score || fail "evaluate measured less than was asked: $(cat score)"
[ "$long" -lt $((short + 4096)) ] || fail 'the memory of evaluate grows with the text'
