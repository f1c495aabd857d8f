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
# A directory that cannot be read gets one line: the command breaks a copy of the export hf, in it; the array read_broken has the command that reads it.
broken() { # WHAT COMMAND...
  local what=$1
  shift
  rm -rf broken
  cp -r hf broken
  (cd broken && "$@")
  # shellcheck disable=SC2154 # the tests say how
  refused "$what" 1 "${read_broken[@]}"
}
in_transformers() { # STEP WHAT: compare.py STEP, which fails where transformers says otherwise
  HF_HUB_OFFLINE=1 "$python" compare.py "$1" 2> err || {
    tail -n 3 err
    fail "$2"
  }
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
