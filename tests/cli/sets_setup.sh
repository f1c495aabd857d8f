# shellcheck shell=sh
# What the tests of sets of texts begin with: a scratch folder, check and prepare. Sourced.
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
command -v xz >/dev/null || { echo 'skipped: no xz'; exit 77; }
failures=0
check() { # WHAT COMMAND...
  what=$1
  shift
  "$@" || {
    echo "failed: $what"
    sed 's/^/  /' "$tmp/words"
    failures=$((failures + 1))
  }
}
prepare() { # SET: its exit status
  status=0
  "$root/data/prepare-$1.sh" "$tmp/data" >"$tmp/out" 2>"$tmp/words" || status=$?
  echo $status
}
