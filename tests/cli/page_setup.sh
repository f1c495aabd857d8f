# shellcheck shell=bash disable=SC2016 # backquotes are meant as they are
# What the tests of the pages in recipes/ begin with: every command of a page is run as it is typed there, the blocks one after the other in
# one shell, in the scratch folder $tmp/mine, with the tools of BIN ($1); fail. Sourced with BIN as $1.
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
unset MAKEFLAGS MAKELEVEL MFLAGS DATA MODELS SCALE SEED SET THREADS OVERWRITE RECIPE
export BIN="$bin"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  tail -n 5 "$tmp/words"
  exit 1
}
mkdir "$tmp/mine"
cd "$tmp/mine"
: >"$tmp/words"

# The commands of a page go to $tmp/session, with what makes the model small; there must be so many that build or run a recipe.
read_page() { # PAGE NUMBER SED-COMMANDS
  sed -n '/^```sh$/,/^```$/p' "$root/recipes/$1" | sed '/^```/d' >"$tmp/typed"
  [ "$(grep -c '^make\|^headwater run' "$tmp/typed")" = "$2" ] || fail 'the page has other commands now; look at this test again'
  sed "/^make build\$/d; s|^export PATH=.*|export PATH=\"$bin:\$PATH\"|; $3" "$tmp/typed" >"$tmp/session"
}
# What they print goes to $tmp/out.
run_page() {
  (
    set -euo pipefail
    # shellcheck disable=SC1091 # cut out of the page
    . "$tmp/session"
  ) >"$tmp/out" 2>"$tmp/words" || fail 'a command of the page'
}
are_rows_whole() { # CSV of attn-dump: the columns of example, layer, head and query are so many; weights are the last column
  awk -F , 'NR > 1 { sum[$1, $2, $3, $4, $5] += $NF } END { for (row in sum) { ++rows; if (sum[row] < 0.9999 || sum[row] > 1.0001) exit 1 } exit rows == 0 }' "$1"
}
