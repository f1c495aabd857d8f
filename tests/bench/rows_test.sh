#!/bin/bash
# Every row of the benchmarks that need no peer once, small: that they run, not how fast.
#   rows_test.sh BIN steps       BIN: the folder of the programs. Rows of bench.sh, startup.sh and window.sh, which need them and steps_bench
#   rows_test.sh BIN programs    those of the other benchmarks (cmake -DHEADWATER_BENCH=ON)
#   rows_test.sh BIN kernels     those of kernels_bench, whose sizes are the recipes': 40 s of the processor
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  exit 1
}
# Of a table on standard input: so many rows, with numbers above 0 in the columns from the given one on.
positive_rows() { # ROWS FIRST-COLUMN WHAT
  awk -F '\t' -v first="$2" '{ print; for (i = first; i <= NF; ++i) if (!($i > 0)) exit 1 }' >"$tmp/table" || fail "$3: $(tail -n 1 "$tmp/table")"
  [ "$(wc -l <"$tmp/table")" = "$1" ] || fail "$3: $(wc -l <"$tmp/table") rows, not $1"
}

if [ "$2" = kernels ]; then
  "$bin/kernels_bench" --threads 2 --benchmark_format=csv --benchmark_min_time=0 >"$tmp/kernels" 2>"$tmp/words" || fail 'kernels_bench'
  [ "$(grep -c manual_time "$tmp/kernels")" -ge 150 ] || fail 'the rows of kernels_bench'
  ! grep -E 'nan|inf|ERROR' "$tmp/kernels" || fail 'a row of kernels_bench'
  echo 'every kernel runs'
  exit
fi

if [ "$2" = steps ]; then
  rows=$(sed -n 's/^\[ \$# -gt 0 \] || set -- kernels //p' tests/bench/bench.sh)
  [ "$(wc -w <<<"$rows")" -ge 14 ] || fail 'the rows of bench.sh'
  # shellcheck disable=SC2086 # a word each
  BIN=$bin ROUNDS=1 STEPS=1 BATCH=2 THREADS=2 JSON=$tmp/bench.json tests/bench/bench.sh $rows >"$tmp/steps" || fail 'bench.sh'
  for row in $rows; do
    awk -F '\t' -v row="$row" '$1 == row && $2 == "median"' "$tmp/steps" | cut -f1-5 | positive_rows 1 3 "row $row"
  done
  BIN=$bin tests/bench/startup.sh 1 | tail -n +2 | positive_rows 26 3 startup.sh
  BIN=$bin THREADS=2 tests/bench/window.sh 16 64 | tail -n +2 | positive_rows 1 99 window.sh
  echo 'every row of a learning step runs'
  exit
fi

for type in float32 int8; do
  for columns in '1 1' '8 1' '1 4' '8 4'; do
    # shellcheck disable=SC2086 # two words
    "$bin/decoding_bench" $columns 2 0.01 $type | positive_rows 1 1 "decoding_bench $columns $type"
  done
done
head -n 300 tests/golden/reference/scores/ref >"$tmp/text"
for task in learn-bytes learn-wordpiece learn-metaspace learn-unigram; do
  "$bin/tokenizers_bench" $task name 300 "$tmp/text" 2 | cut -f6 | positive_rows 1 1 "tokenizers_bench $task"
done
for tokenizer in bpe-bytelevel wordpiece unigram; do
  "$bin/tokenizers_bench" encode name tests/golden/reference/tokenizers/$tokenizer.tokenizer.json "$tmp/text" 1 | cut -f6 |
    positive_rows 1 1 "tokenizers_bench encode $tokenizer"
done
"$bin/attention_scaling" 2 0 512 | positive_rows 6 1 attention_scaling
"$bin/attention_scaling" 2 64 1024 | positive_rows 2 1 'attention_scaling with a window'
"$bin/bandwidth_bench" 2 | positive_rows 1 1 bandwidth_bench
echo 'every row runs'
