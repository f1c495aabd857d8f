#!/bin/sh
# The table that ends `make recipes`: what was expected of each run and what it reached.
#
#   data/table.sh WORK RUN...     reads WORK/RUN/table.txt (of train) and WORK/RUN/test.txt (of evaluate); a run without a
#                                 report.txt has failed
#
# State: ok, missed (one of its expectations, which has a line of its own), ran (nothing was expected), failed. Status 1 where one
# was missed or failed.
set -eu
export LC_ALL=C
[ $# -ge 2 ] || { echo 'table.sh: which runs? (data/table.sh WORK RUN...)' >&2; exit 2; }
work=$1
shift
for run; do
  if [ ! -f "$work/$run/report.txt" ]; then
    printf '%s\t\t\t\t\t\tfailed\n' "$run"
    continue
  fi
  tables=$work/$run/table.txt
  [ ! -f "$work/$run/test.txt" ] || tables="$tables $work/$run/test.txt"
  # Lines of four columns: metric, expected, reached, state; without an expectation they are the run's sizes and speed.
  # shellcheck disable=SC2086 # one or two files
  awk -F '\t' -v run="$run" '
    NF != 4 || $1 == "metric" { next }
    $2 == "" { size[$1] = $3; next }
    $1 == "parameters" && $4 == "ok" { right_size = 1; next }
    { wanted[++count] = $1 " " $2; reached[count] = $3; state[count] = $4 }
    END {
      if (count == 0) { count = 1; wanted[1] = right_size ? "parameters" : "-"; reached[1] = right_size ? size["parameters"] : "-"; state[1] = right_size ? "ok" : "ran" }
      for (i = 1; i <= count; ++i) {
        if (i == 1) printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", run, wanted[i], reached[i], size["parameters"], size["seconds an epoch"], size["tokens a second"], state[i]
        else printf "\t%s\t%s\t\t\t\t%s\n", wanted[i], reached[i], state[i]
      }
    }' $tables
done | awk -F '\t' '
  BEGIN { cell[0, 1] = "recipe"; cell[0, 2] = "expected"; cell[0, 3] = "reached"; cell[0, 4] = "parameters"; cell[0, 5] = "s/epoch"; cell[0, 6] = "tokens/s"; cell[0, 7] = "state" }
  { for (c = 1; c <= 7; ++c) cell[NR, c] = $c; bad += $7 == "missed" || $7 == "failed" }
  END {
    for (c = 1; c <= 7; ++c) for (r = 0; r <= NR; ++r) if (length(cell[r, c]) > width[c]) width[c] = length(cell[r, c])
    for (r = 0; r <= NR; ++r) {
      line = ""
      for (c = 1; c <= 7; ++c) line = line sprintf((c >= 3 && c <= 6 ? "%" : "%-") width[c] "s  ", cell[r, c])
      sub(/ +$/, "", line)
      print line
      if (r == 0) { gsub(/./, "-", line); print line }
    }
    exit bad > 0
  }'
