#!/bin/bash
# A recipe at SCALE=quick through the Makefile: every stage, a report at the end, and nothing left to do the second time.
#   recipe_test.sh BIN [RECIPE]     BIN: the folder of the tools; RECIPE: phrasebook. With another recipe its data is prepared
#                                   from HEADWATER_DATA; status 77 (skipped) where that is not set.
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd) recipe=${2:-phrasebook}
cd "$(dirname "$0")/../.."
if [ "$recipe" != phrasebook ] && [ -z "${HEADWATER_DATA-}" ]; then
  echo 'skipped: HEADWATER_DATA is not set (the folder of a mirror of the public data)'
  exit 77
fi
unset MAKEFLAGS MAKELEVEL MFLAGS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  cat "$tmp/log"
  exit 1
}
run=$tmp/models/recipes/$recipe-quick
report=$run/report.txt
make=(make --no-print-directory "BIN=$bin" "DATA=$tmp/data" "MODELS=$tmp/models")
begin=$(date +%s)
"${make[@]}" "$report" >"$tmp/log" 2>&1 || fail "$recipe at SCALE=quick"
seconds=$(($(date +%s) - begin))
grep -q 'exactly right: [0-9]* of [0-9]*' "$report" || fail 'no count of exact translations in the report'
grep -q 'BLEU' "$report" || fail 'no BLEU in the report'
[ -s "$run/model/model.safetensors" ] || fail 'no model'
[ "$(wc -l <"$run/test.hypotheses")" = "$(wc -l <"$run/test.references")" ] ||
  fail 'translations and references differ in number'
"${make[@]}" --question "$report" >"$tmp/log" 2>&1 || fail 'the second make finds something to do'
cat "$report"
data/table.sh "$tmp/models/recipes" "$recipe-quick" || fail 'the table of all runs says that something was missed'
echo "$recipe at SCALE=quick: all stages in $seconds s"
