#!/bin/sh
# --help of every script of data/ and recipes/: the head of the script on standard output, and nothing done; an option that is not there, and
# more operands than there are, are wrong use.
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/empty" "$tmp/home"
cp -r "$root/data" "$tmp/home/data"
cp -r "$root/recipes" "$tmp/home/recipes"
rm -rf "$tmp/home/data/cache"
(cd "$tmp/home" && find . | sort) >"$tmp/before"
failures=0
check() { # WHAT COMMAND...
  what=$1
  shift
  "$@" || {
    echo "failed: $what"
    sed 's/^/  /' "$tmp/out" "$tmp/words"
    failures=$((failures + 1))
  }
}
status_of() {
  status=0
  (cd "$tmp/empty" && PATH="$tmp/no-network:$PATH" "$@") >"$tmp/out" 2>"$tmp/words" </dev/null || status=$?
  echo $status
}
# Nothing is fetched here.
mkdir "$tmp/no-network"
for program in curl wget; do printf '#!/bin/sh\necho "%s was called"\nexit 1\n' $program >"$tmp/no-network/$program"; done
chmod +x "$tmp/no-network"/*
unset HEADWATER_DATA

count=0
for script in "$tmp/home"/data/*.sh "$tmp"/home/data/phrasebook/*.sh "$tmp"/home/recipes/*.sh; do
  [ -x "$script" ] || continue # common.sh
  count=$((count + 1))
  name=${script#"$tmp/home/"}
  for option in --help -h; do
    check "$name $option is no error" [ "$(status_of "$script" $option)" = 0 ]
    check "$name $option says how to call it" grep -qE "^ +([A-Z_]+=[^ ]+ )*$name" "$tmp/out"
    check "$name $option says what it is for" grep -qE '^[^ #].{20}' "$tmp/out"
    check "$name $option is no comment" [ "$(grep -c '^#\|shellcheck' "$tmp/out")" = 0 ]
    check "$name $option is silent on standard error" [ ! -s "$tmp/words" ]
  done
  check "$name: an unknown option is wrong use" [ "$(status_of "$script" --nonsense)" = 2 ]
  check "$name: it is named" grep -qx "${script##*/}: unknown option --nonsense (--help says what there is)" "$tmp/words"
  check "$name: too many operands are wrong use" [ "$(status_of "$script" 1 2 3 4 5 6 7)" = 2 ]
  check "$name: in one line" [ "$(wc -l <"$tmp/words")" = 1 ]
done
check 'all scripts were found' [ $count -ge 11 ]
(cd "$tmp/home" && find . | sort) >"$tmp/after"
check 'nothing was done' cmp "$tmp/before" "$tmp/after"
check 'nowhere' [ -z "$(ls "$tmp/empty")" ]
[ "$failures" = 0 ] && echo 'every script of data/ and recipes/ says how it is called'
exit $((failures > 0))
