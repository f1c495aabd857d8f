#!/bin/bash
# The session of the README as it is typed there, from the first tokenizer to the attention table: on the embedded phrasebook, and
# with the recipe's cut-down version. Then the manners of the pipe.
#   session_test.sh BIN     BIN: the folder of the tools
# shellcheck disable=SC2015 # what stands after "||" ends the test
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH="$bin:$PATH"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  exit 1
}

sed -n '/^## A session/,/^## /p' "$root/README.md" | sed -n '/^cut -f1 train.tsv | tokenize --learn/,/^echo .* | attn-dump/p' >"$tmp/session"
[ "$(grep -c . "$tmp/session")" = 7 ] || fail 'the README has another session now; look at this test again'
sed -i 's/train --recipe/train --quiet --scale quick --recipe/; s/-o models.spa-eng$/& >table/' "$tmp/session"
cd "$tmp"
ln -s "$root/recipes" recipes
cp "$root/data/phrasebook/train.tsv" .
(
  set -x
  # shellcheck disable=SC1091
  . ./session >translation
)
[ "$(wc -l <translation)" = 1 ] && [ -s translation ] || fail 'one line in, one line out'
[ "$(wc -l <en.ids)" = "$(wc -l <train.tsv)" ] && [ "$(wc -l <es.ids)" = "$(wc -l <train.tsv)" ] || fail 'an id line for each line'

awk -F , 'NR > 1 { sum[$4, $5] += $NF; if (!(($4, $5) in seen)) { seen[$4, $5] = 1; ++rows } }
  END { for (row in sum) if (sum[row] < 0.99999 || sum[row] > 1.00001) { print "a row sums to " sum[row]; exit 1 }; exit rows == 0 }' attention.csv ||
  fail 'rows of attention sum to 1'

# A reader that goes away ends the writer quietly, with status 141 (SIGPIPE).
status=0
awk 'BEGIN { for (i = 0; i < 200000; ++i) print "the red house" }' >long
{ tokenize --tokenizer en.json long 2>words | head -n 1 >line; } || status=$?
[ "$(cat line)" = 'the red house' ] && [ ! -s words ] || fail "head -n 1: $(cat words)"
[ "$status" = 141 ] || fail "head -n 1: status $status, expected 141"
# A full disk is an error with a line.
if [ -w /dev/full ]; then
  status=0
  echo 'the red house' | translate models/spa-eng >/dev/full 2>words || status=$?
  [ "$status" = 1 ] && [ "$(wc -l <words)" = 1 ] || fail "/dev/full: status $status, $(cat words)"
fi
# A stage that died leaves lines with an empty side: an error of train.
status=0
paste en.ids /dev/null | train --scale quick --recipe recipes/spa-eng.yaml --source-tokenizer en.json --target-tokenizer es.json -o models/dead 2>words || status=$?
[ "$status" = 1 ] && [ "$(wc -l <words)" = 1 ] || fail "a dead stage: status $status, $(cat words)"
[ ! -e models/dead/model.safetensors ] || fail 'a dead stage leaves a model'
echo 'the session of the README runs as typed'
