#!/bin/bash
# The session of the README as it is typed there, in a scratch folder: each line says how long it takes, all of them under five minutes,
# and nothing is left in the repository. Then the manners of the pipe.
#   session_test.sh BIN          BIN: the folder of the tools. With the recipe's cut-down version, on the embedded phrasebook
#   session_test.sh BIN full     as it stands, on the data that HEADWATER_DATA names: the translations are those of the README, and the seconds
#                                of each line are printed
# shellcheck disable=SC2015,SC2016,SC2034,SC2154 # what stands after "||" ends the test; the variables of the session are its own
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd) kind=${2:-quick}
root=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
export TMPDIR=$tmp
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  exit 1
}

sed -n '/^## A session/,/^## The programs/p' "$root/README.md" | sed -n '/^```sh$/,/^```$/p' | sed '1d; $d' >"$tmp/typed"
sed -n '/^[^#]/p' "$tmp/typed" >"$tmp/lines"
sed -n 's/^# //p' "$tmp/typed" >"$tmp/expected"
[ "$(wc -l <"$tmp/lines")" = 11 ] && [ -s "$tmp/expected" ] || fail 'the README has another session now; look at this test again'
! grep -vE '  # [0-9.]+ s( |,|$)' "$tmp/lines" || fail 'a line does not say how long it takes'
sed -E 's/.*  # ([0-9.]+) s.*/\1/' "$tmp/lines" | awk '{ sum += $1 } END { print "# the README says " sum " s"; exit sum > 300 }' ||
  fail 'the session takes more than five minutes'

# The tools are BIN's; they are built.
sed "/^make build /d; s|\$PWD/build/bin|\$bin|; s|-o model |>table &|" "$tmp/lines" >"$tmp/session"
if [ "$kind" = quick ]; then
  sed -i 's/--recipe "$recipe"/& --scale quick/; s/| train /&--quiet --epochs 4 /' "$tmp/session"
  sed -i 's|^"$prepare" \. .*|mkdir spa-eng; cp "$root/data/phrasebook/train.tsv" spa-eng|' "$tmp/session"
elif [ -z "${HEADWATER_DATA-}" ]; then
  fail 'HEADWATER_DATA is not set (the folder of a mirror of the public data)'
fi
top_of() { ls -A "$1" "$1/data" "$1/recipes"; }
top_of "$root" >"$tmp/before"
cd "$root"
# Half of the processor's time tells more than the clock on two cores that do other work as well.
TIMEFORMAT='# %R s; processor %U + %S s'
while IFS= read -r line <&3; do
  [ -n "$line" ] || continue
  printf '$ %s\n' "$line" >&2
  time eval "$line" >"$tmp/translation" # what the last one prints stays
done 3<"$tmp/session"
case $PWD in "$tmp"/?*) ;; *) fail "the session works in $PWD" ;; esac
top_of "$root" | cmp - "$tmp/before" || fail 'the session leaves something in the repository'
[ "$(wc -l <"$tmp/translation")" = "$(wc -l <"$tmp/expected")" ] && grep -q . "$tmp/translation" || fail 'a line out for each line in'
[ "$kind" = quick ] || cmp "$tmp/translation" "$tmp/expected" || fail 'the translations are not those of the README'
examples=$(wc -l <spa-eng/train.tsv)
[ "$(wc -l <en.ids)" = "$examples" ] && [ "$(wc -l <es.ids)" = "$examples" ] || fail 'an id line for each line'

awk -F , 'NR > 1 { sum[$4, $5] += $NF; if (!(($4, $5) in seen)) { seen[$4, $5] = 1; ++rows } }
  END { for (row in sum) if (sum[row] < 0.99999 || sum[row] > 1.00001) { print "a row sums to " sum[row]; exit 1 }; exit rows == 0 }' attention.csv ||
  fail 'rows of attention sum to 1'

# A reader that goes away ends the writer quietly, with status 141 (SIGPIPE).
status=0
awk 'BEGIN { for (i = 0; i < 200000; ++i) print "the red house" }' >long
{ tokenize --tokenizer en.json long 2>words | head -n 1 >line; } || status=$?
tokenize --tokenizer en.json --decode line >text
[ "$(cat text)" = 'the red house' ] && [ ! -s words ] || fail "head -n 1: $(cat words)"
[ "$status" = 141 ] || fail "head -n 1: status $status, expected 141"
# A full disk is an error with a line.
if [ -w /dev/full ]; then
  status=0
  echo 'the red house' | translate model >/dev/full 2>words || status=$?
  [ "$status" = 1 ] && [ "$(wc -l <words)" = 1 ] || fail "/dev/full: status $status, $(cat words)"
fi
# A stage that died leaves lines with an empty side: an error of train.
status=0
paste en.ids /dev/null | train --scale "$kind" --recipe "$recipe" --source-tokenizer en.json --target-tokenizer es.json -o dead 2>words || status=$?
[ "$status" = 1 ] && [ "$(wc -l <words)" = 1 ] || fail "a dead stage: status $status, $(cat words)"
[ ! -e dead/model.safetensors ] || fail 'a dead stage leaves a model'
echo 'the session of the README runs as typed'
