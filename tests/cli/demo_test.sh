#!/bin/bash
# make demo, after the build: it ends well, and what the README shows of it is what comes out, the picture to the byte.
#   demo_test.sh BIN     BIN: the folder of the tools
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=$(cd "$1" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  cat "$tmp/log"
  exit 1
}
BIN=$bin "$root/recipes/demo.sh" "$tmp/demo" >"$tmp/log" 2>&1 || fail 'the demo'
grep -q '^both  *441 of 441 ' "$tmp/log" || fail 'the attention of 441 phrases'
phrase=$(sed -n "s,^[$] echo '\([^']*\)' | build/bin/translate models/demo/model$,\1,p" "$root/README.md")
[ "$(sed -n "/^[$] echo '$phrase'/{n;p}" "$root/README.md")" = "$("$bin/translate" "$tmp/demo/model" <<<"$phrase")" ] ||
  fail 'the translation in the README'
grep -qF "echo '$phrase' | build/bin/attn-dump models/demo/model --kind cross --mean --format svg -o attention.svg" "$root/README.md" ||
  fail 'the README has another command now; look at this test again'
"$bin/attn-dump" "$tmp/demo/model" --kind cross --mean --format svg -o "$tmp/attention.svg" <<<"$phrase"
cmp "$tmp/attention.svg" "$root/tools/attn-dump.svg" || fail 'the picture in the README'
echo 'the demo ends as the README shows it'
