#!/bin/sh
# The table that ends `make recipes`: what was expected of each run and what it reached.
#
#   data/table.sh WORK RUN...     reads WORK/RUN/table.txt (of train) and WORK/RUN/test.txt (of evaluate); a run without a
#                                 report.txt has failed
#
# State: ok, missed (one of its expectations, which has a line of its own), ran (nothing was expected), failed. A column without an
# entry is left out. Status 1 where one was missed or failed.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
[ $# -ge 2 ] || wrong 'which runs? (data/table.sh WORK RUN...)'
work=$1
shift
for run; do
  if [ ! -f "$work/$run/report.txt" ]; then
    printf '%s\t\t\t\t\t\tfailed\n' "$run"
    continue
  fi
  tables=$work/$run/table.txt
  [ ! -f "$work/$run/test.txt" ] || tables="$tables $work/$run/test.txt"
  # Columns stand two spaces or more apart. First the run's figures, sizes and speed: metric, value, details; after an empty line
  # its expectations: metric, expected, reached, state.
  # shellcheck disable=SC2086 # one or two files
  awk -F '   *' -v run="$run" '
    FNR == 1 || NF == 0 { judged = 0 }
    $1 == "metric" { judged = $2 == "expected"; next }
    !judged { if (!($1 in size)) size[$1] = $2; next }
    /^-/ { next }
    $1 == "parameters" && $4 == "ok" { right_size = 1; next }
    { wanted[++count] = $1 " " $2; reached[count] = $3; state[count] = $4 }
    END {
      if (count == 0) { count = 1; wanted[1] = right_size ? "parameters" : ""; reached[1] = right_size ? size["parameters"] : ""; state[1] = right_size ? "ok" : "ran" }
      for (i = 1; i <= count; ++i) {
        if (i == 1) printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", run, wanted[i], reached[i], size["parameters"], size["seconds_an_epoch"], size["tokens_a_second"], state[i]
        else printf "\t%s\t%s\t\t\t\t%s\n", wanted[i], reached[i], state[i]
      }
    }' $tables
done | awk -F '\t' '
  BEGIN { cell[0, 1] = "recipe"; cell[0, 2] = "expected"; cell[0, 3] = "reached"; cell[0, 4] = "parameters"; cell[0, 5] = "s/epoch"; cell[0, 6] = "tokens/s"; cell[0, 7] = "state" }
  { for (c = 1; c <= 7; ++c) cell[NR, c] = $c; bad += $7 == "missed" || $7 == "failed" }
  END {
    for (c = 1; c <= 7; ++c) for (r = 1; r <= NR; ++r) if (length(cell[r, c]) > width[c]) width[c] = length(cell[r, c])
    for (c = 1; c <= 7; ++c) if (width[c] && length(cell[0, c]) > width[c]) width[c] = length(cell[0, c])
    for (r = 0; r <= NR; ++r) {
      line = ""
      for (c = 1; c <= 7; ++c) if (width[c]) line = line sprintf((c >= 3 && c <= 6 ? "%" : "%-") width[c] "s  ", cell[r, c])
      sub(/ +$/, "", line)
      print line
      if (r == 0) { gsub(/./, "-", line); print line }
    }
    exit bad > 0
  }'
