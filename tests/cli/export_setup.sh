# shellcheck shell=bash
# What the tests of export begin with: the tools in PATH, $python, a scratch folder, fail and refused. Sourced with BIN as $1.
set -euo pipefail
export LC_ALL=C.UTF-8
PATH=$(cd "$1" && pwd):$PATH
# shellcheck disable=SC2034 # the tests read it
python=${PYTHON:-python3}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
fail() {
  echo "failed: $1"
  exit 1
}
refused() { # WHAT STATUS COMMAND...: one line on standard error that holds WHAT
  local what=$1 status=$2 got=0
  shift 2
  "$@" > out 2> err || got=$?
  { [ "$got" = "$status" ] && [ "$(wc -l < err)" = 1 ] && grep -qF -- "$what" err && [ ! -s out ]; } || {
    cat err
    fail "status $got of: $*"
  }
}
