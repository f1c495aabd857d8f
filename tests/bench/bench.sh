#!/bin/bash
# Kernels and whole training steps of this build, and of PyTorch beside them where PEER_PYTHON names a Python that has torch.
#
#   [PEER_PYTHON=python] tests/bench/bench.sh [ROW...]      rows: kernels A1 A2 A2P B C D1 D2 E F FA S N1 NL NG; none: all
#   tests/bench/bench.sh --check [ROW...]                   says whether the rows are known and torch is there; nothing needs to be built
#
# ROUNDS (5): ours and theirs run alternately so often. STEPS: timed steps a round (by the row). BATCH: examples of a step of ours (by the row).
# BIN, THREADS as in the Makefile.
# JSON: file for the same figures (build/bench.json). One table on standard output. Compare only within one run on one idle machine.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
bin=${BIN:-build/bin} rounds=${ROUNDS:-5} threads=${THREADS:-2} python=${PEER_PYTHON:-} json=${JSON:-build/bench.json}
[ "$threads" != 0 ] || threads=2
is_check=
if [ "${1-}" = --check ]; then
  is_check=1
  shift
fi
[ $# -gt 0 ] || set -- kernels A1 A2 A2P B C D1 D2 E F FA S N1 NL NG
if [ -n "$python" ] && ! "$python" -c 'import torch' 2>/dev/null; then
  echo "bench.sh: $python has no torch (PEER_PYTHON=python names one that has)" >&2
  exit 1
fi
peer_of() {
  case $1 in A1 | A2 | A2P) echo a_torch.py ;; B | S) echo b_torch.py ;; C | E) echo ce_torch.py ;; D1 | D2) echo d_torch.py ;; F | FA) echo f_torch.py ;; N1 | NL | NG) echo n_torch.py ;; esac
}
for name; do
  if [ "$name" != kernels ] && [ -z "$(peer_of "$name")" ]; then
    echo "bench.sh: unknown row $name (there are: kernels A1 A2 A2P B C D1 D2 E F FA S N1 NL NG)" >&2
    exit 2
  fi
done
[ -z "$is_check" ] || exit 0

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

steps_of() { # about as long for each row
  case $1 in A1 | D1 | S) echo 20 ;; B) echo 3 ;; D2) echo 2 ;; *) echo 8 ;; esac
}
# One line a kernel: name, GFLOP/s, GB/s, shares of peak and roofline, microseconds, PyTorch's, the ratio.
kernels() {
  "$bin/kernels_bench" --threads "$threads" --benchmark_format=csv --benchmark_min_time=0.1 >"$tmp/kernels.csv" 2>"$tmp/kernels.words" || {
    cat "$tmp/kernels.words" >&2
    exit 1
  }
  grep 'FMA peak' "$tmp/kernels.words"
  : >"$tmp/kernels.peer"
  [ -z "$python" ] || "$python" tests/bench/peers/kernels_torch.py --threads "$threads" >"$tmp/kernels.peer"
  awk -v json="$tmp/kernels.json" -v peak="$(sed -n 's/^fma_peak_gflops: //p' "$tmp/kernels.words")" \
    -v read="$(sed -n 's/^read_gigabytes_per_second: //p' "$tmp/kernels.words")" '
    FILENAME == ARGV[1] { split($0, f, "\t"); theirs[f[1]] = f[2]; next }
    /^name,/ { for (n = split($0, f, ","); n > 0; --n) { gsub(/"/, "", f[n]); at[f[n]] = n }
      printf "%-42s %9s %7s %7s %9s %11s %11s %7s\n", "kernel", "GFLOP/s", "GB/s", "peak %", "roofline %", "us", "PyTorch us", "times"
      printf "  \"kernels\": {\"fma_peak_gflops\": %s, \"read_gigabytes_per_second\": %s, \"results\": [", peak, read > json
      next }
    /manual_time/ {
      split($0, f, ","); name = f[1]; gsub(/"/, "", name); sub(/\/manual_time$/, "", name); us = f[at["real_time"]]
      peer = (name in theirs) ? sprintf("%11.1f %7.2f", theirs[name], theirs[name] / us) : sprintf("%11s %7s", "", "")
      printf "%-42s %9.1f %7.1f %7.1f %9.1f %11.1f %s\n", name, f[at["GFLOP/s"]], f[at["GB/s"]], f[at["peak_%"]], f[at["roofline_%"]], us, peer
      printf "%s\n    {\"name\": \"%s\", \"microseconds\": %s, \"gflops\": %s, \"gigabytes_per_second\": %s, \"share_of_peak\": %.4f, \"share_of_roofline\": %.4f, \"peer_microseconds\": %s}",
        count++ ? "," : "", name, us, f[at["GFLOP/s"]], f[at["GB/s"]], f[at["peak_%"]] / 100, f[at["roofline_%"]] / 100, (name in theirs) ? theirs[name] : "null" > json
    }
    END { printf "\n  ]}" > json }' "$tmp/kernels.peer" "$tmp/kernels.csv"
}

# One line a round, then the medians.
row() {
  local name=$1 steps round
  steps=${STEPS:-$(steps_of "$name")}
  : >"$tmp/rounds"
  : >"$tmp/waits"
  for ((round = 1; round <= rounds; ++round)); do
    "$bin/steps_bench" "$name" --steps "$steps" ${BATCH:+--batch "$BATCH"} --threads "$threads" >"$tmp/ours" || exit 1
    sed -n 's/^waiting_share\t//p' "$tmp/ours" >>"$tmp/waits"
    : >"$tmp/theirs"
    [ -z "$python" ] || "$python" "tests/bench/peers/$(peer_of "$name")" "$name" --steps "$steps" --threads "$threads" >"$tmp/theirs" 2>"$tmp/words" || {
      cat "$tmp/words" >&2
      exit 1
    }
    # Fields that PyTorch does not fill are empty.
    awk -F '\t' -v row="$name" -v round="$round" '
      { value[FILENAME == ARGV[1], $1] = $2 }
      function mib(which) { return value[which, "peak_resident_bytes"] / 1048576 }
      END {
        o = value[1, "useful_tokens_per_second"]
        printf "%s\t%d\t%.0f\t%.1f\t%.0f\t%.1f", row, round, o, value[1, "milliseconds_a_step"], mib(1), 100 * value[1, "share_of_peak"]
        if ((0, "useful_tokens_per_second") in value) {
          t = value[0, "useful_tokens_per_second"]
          printf "\t%.0f\t%.1f\t%.0f\t%.2f\t%.2f", t, value[0, "milliseconds_a_step"], mib(0), o / t, mib(1) / mib(0)
        }
        printf "\n"
      }' "$tmp/ours" "$tmp/theirs" | tee -a "$tmp/rounds"
  done
  awk -F '\t' -v row="$name" -v json="$tmp/rows.json" '
    function sorted(column,  i, j, t) {
      for (i = 1; i <= NR; ++i) s[i] = value[i, column] + 0
      for (i = 2; i <= NR; ++i) for (j = i; j > 1 && s[j - 1] > s[j]; --j) { t = s[j]; s[j] = s[j - 1]; s[j - 1] = t }
      return (s[int((NR + 1) / 2)] + s[int((NR + 2) / 2)]) / 2
    }
    { for (i = 1; i <= NF; ++i) value[NR, i] = $i; columns = NF }
    END {
      keys = "row round tokens_per_second milliseconds_a_step peak_mib share_of_peak_percent peer_tokens_per_second peer_milliseconds_a_step peer_peak_mib speed_ratio memory_ratio"
      split(keys, key, " ")
      line = row "\tmedian"
      for (i = 3; i <= columns; ++i) line = line "\t" sprintf(i == 10 || i == 11 ? "%.2f" : (i == 4 || i == 6 || i == 8 ? "%.1f" : "%.0f"), sorted(i))
      if (columns > 6) { sorted(10); line = line "\t(" sprintf("%.2f to %.2f", s[1], s[NR]) ")" }
      print line
      printf "    {\"row\": \"%s\", \"rounds\": [", row >> json
      for (r = 1; r <= NR; ++r) {
        printf "%s{", (r > 1 ? ", " : "") >> json
        for (i = 3; i <= columns; ++i) printf "%s\"%s\": %s", (i > 3 ? ", " : ""), key[i], value[r, i] >> json
        printf "}" >> json
      }
      printf "], \"median\": {" >> json
      for (i = 3; i <= columns; ++i) printf "%s\"%s\": %.2f", (i > 3 ? ", " : ""), key[i], sorted(i) >> json
      printf "}}\n" >> json
    }' "$tmp/rounds"
  case $name in
    D*) awk -v row="$name" '{ line = line sprintf(" %.2f", 100 * $1) } END { print row "\twaiting for images, % of each round:" line }' "$tmp/waits" ;;
  esac
}

: >"$tmp/rows.json"
has_head=
for name; do
  if [ "$name" = kernels ]; then
    kernels
  else
    [ -n "$has_head" ] || printf 'row\tround\ttokens/s\tms a step\tMiB\tpeak %%\tPyTorch tokens/s\tms a step\tMiB\tspeed\tmemory\n'
    has_head=1
    row "$name"
  fi
done
{
  printf '{\n  "threads": %d,\n  "rounds": %d' "$threads" "$rounds"
  if [ -f "$tmp/kernels.json" ]; then
    printf ',\n'
    cat "$tmp/kernels.json"
  fi
  printf ',\n  "rows": [\n'
  sed '$!s/$/,/' "$tmp/rows.json"
  printf '  ]\n}\n'
} >"$json.part"
mv "$json.part" "$json"
