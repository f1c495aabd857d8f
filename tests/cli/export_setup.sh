# shellcheck shell=bash
# What the tests of export begin with: the tools in PATH, $python, a scratch folder, fail and refused. Sourced with BIN as $1.
set -euo pipefail
export LC_ALL=C.UTF-8
PATH=$(cd "$1" && pwd):$PATH
has_modules_py=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/has_modules.py
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
# The recipe of a published directory has the settings of the model that it was made of, and is one that train reads.
same_settings() { # MODEL EXPORT
  rm -rf published
  cp -r "$2" published
  rm published/recipe.yaml
  inspect "$1" --print-recipe | sed -n '/^model:/,/^[a-z_]*:/ { /^  resizing:/d; /^  /p; }' > settings # an export resizes
  inspect published --print-recipe > published.yaml
  sed -n '/^model:/,/^[a-z_]*:/ { /^  resizing:/d; /^  /p; }' published.yaml | diff settings - || fail "other settings of the model in the recipe of $2"
  train --recipe published.yaml --print-recipe | cmp -s - <(grep -v '^#' published.yaml) || fail "the recipe of $2 is none"
}
has_modules() { # NAME...: Python has these modules
  "$python" "$has_modules_py" "$@"
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
