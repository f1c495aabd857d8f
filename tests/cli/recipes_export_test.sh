#!/bin/bash
# recipes/README.md says which recipes can be exported, and why not: what inspect says of each. The lines with SET there make models that
# fit.
#   recipes_export_test.sh BIN     BIN: the folder of the tools
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../recipes"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  exit 1
}
for recipe in *.yaml; do
  last=$("$bin/inspect" "$recipe" | grep -m 1 '^Export: ' || true)
  layout='none yet' keys=
  if [[ $last == Export:* ]]; then
    layout=$(sed -E "s/^Export: (fits the layouts: |does not fit )([a-z0-9-]+).*/\\2/; s/marian/Marian's/; s/gpt2/GPT-2's/; s/vit/ViT's/; s/bert/BERT's/" <<<"$last")
    keys=$({ grep -oE '(: |[)], )[a-z_]+ ' <<<"${last#*not fit}" || true; } | grep -oE '[a-z_]+' | paste -s -d ' ' -)
    [[ $last == *'not fit'* ]] || keys=
  fi
  printf '%s|%s|%s\n' "${recipe%.yaml}" "$layout" "$keys"
done | sort >"$tmp/inspect"
sed -n '/^## Which models can be exported/,/^## Results/p' README.md >"$tmp/section"
# A row has several recipes: `a`, `b` | layout | `key`, `key`.
sed -n 's/^| \(`.*\) |$/\1/p' "$tmp/section" | awk -F ' [|] ' '{ gsub(/[`,]/, ""); gsub(/ +$/, "", $3); n = split($1, name, " "); for (i = 1; i <= n; ++i) print name[i] "|" $2 "|" $3 }' |
  sort >"$tmp/page"
diff "$tmp/page" "$tmp/inspect" >"$tmp/differences" || {
  cat "$tmp/differences"
  fail 'the table of recipes/README.md (<) is not what inspect says (>)'
}
grep '^make recipe-' "$tmp/section" >"$tmp/typed"
[ "$(wc -l <"$tmp/typed")" -ge 3 ] || fail 'lines with SET'
while IFS= read -r line; do
  read -r _ recipe set <<<"$line"
  read -ra words <<<"${set:5:-1}"
  changes=()
  for word in "${words[@]}"; do changes+=(--set "$word"); done
  "$bin/train" --recipe "${recipe#recipe-}.yaml" "${changes[@]}" --print-recipe | "$bin/inspect" - | grep '^Export: fits ' > "$tmp/fits" || fail "$line"
done <"$tmp/typed"
echo 'what recipes/README.md says of export holds'
