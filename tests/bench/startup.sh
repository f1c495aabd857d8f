#!/bin/bash
# Milliseconds that each tool takes to say --help and --version: the median and the least of 20 runs after a first one.
#
#   tests/bench/startup.sh [RUNS]    BIN as in the Makefile
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
runs=${1:-20} bin=${BIN:-build/bin}
printf 'tool\toption\tmedian ms\tleast ms\n'
for tool in tokenize vectorize train translate generate evaluate classify attn-dump embed inspect convert report headwater; do
  for option in --help --version; do
    "$bin/$tool" $option >/dev/null
    for ((run = 0; run < runs; ++run)); do
      begin=${EPOCHREALTIME/./}
      "$bin/$tool" $option >/dev/null
      echo $((${EPOCHREALTIME/./} - begin))
    done | sort -n | awk -v tool="$tool" -v option=$option '{ x[NR] = $1 / 1000 }
      END { printf "%s\t%s\t%.1f\t%.1f\n", tool, option, (x[int((NR + 1) / 2)] + x[int((NR + 2) / 2)]) / 2, x[1] }'
  done
done
