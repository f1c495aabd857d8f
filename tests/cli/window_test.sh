#!/bin/bash
# A language model with attention to a window: a stream of 100,000 tokens through generate and evaluate takes the memory of a short one, and
# weights outside the window are 0 in a dump, those inside add up to 1.
#   window_test.sh BIN     BIN: the folder of the tools. Exit status 77: skipped (sanitizers need memory of their own; it cannot be measured)
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

# The number of the system call getrusage, which has a program's greatest resident memory.
case $(uname -m) in
  x86_64) getrusage=98 ;;
  aarch64) getrusage=165 ;;
  *) getrusage= ;;
esac
if grep -q '__asan_init\|__tsan_init' "$bin/generate" || [ -z "$getrusage" ] || ! type perl >/dev/null 2>&1; then
  echo 'skipped: a sanitizer has memory of its own, or it cannot be measured here'
  exit 77
fi
# Greatest resident memory in KiB.
peak_of() { # OUTPUT PROGRAM...
  perl -e 'my $number = shift; open STDOUT2, ">&", STDOUT; open STDOUT, ">", shift; system(@ARGV) == 0 or exit 1;
    my $usage = "\0" x 144; syscall($number, -1, $usage) == 0 or exit 1; print STDOUT2 unpack("x32 q", $usage), "\n"' "$getrusage" "$@"
}
# What a text of SHORT takes and one of LONG tokens, at most MORE KiB apart.
check_constant() { # WHAT SHORT LONG MORE
  local short long
  short=$("peak_of_$1" "$2")
  long=$("peak_of_$1" "$3")
  echo "$1: $short KiB for $2 tokens, $long for $3"
  [ "$long" -lt $((short + $4)) ] || fail "the memory of $1 grows with the text"
}
printf a >prompt
peak_of_generate() { # TOKENS
  peak_of written generate model --prompt-file prompt --max-new-tokens "$1" --min-new-tokens "$1" --quiet
}
check_constant generate 20000 100000 2048
[ "$(wc -c <written)" -gt 100000 ] || fail 'generate wrote less than was asked'
peak_of_evaluate() { # TOKENS
  for ((i = 0; i < $1; i += 4800)); do cat text; done >stream
  peak_of score evaluate model --stride 16 stream --quiet
}
check_constant evaluate 19200 96000 4096
grep -q '95,999' score || fail "evaluate measured less than was asked: $(cat score)"
