#!/bin/bash
# Memory that runs out is an error with one line, and the checkpoint before it stays good: every EVERY-th allocation of a resumed run fails,
# once, and with all after it; then the address space is limited.
#   out_of_memory.sh FAILING_NEW      the library of failing_new.cpp
# BIN: the folder of the tools (build/bin). EVERY: 211; 1 takes a quarter of an hour. Exit status 77: skipped (sanitizers have their own new).
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${BIN:-$here/../../build/bin}" && pwd)
failing_new=$(realpath "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=SCRIPTDIR/experiment.sh
. "$here/experiment.sh"
if grep -q '__asan_init\|__tsan_init' "$bin/train"; then
  echo 'skipped: a sanitizer has its own operator new'
  exit 77
fi
make_experiment
head -n 20 "$tmp/train.ids" >"$tmp/few.ids"
sed 's/epochs: 3, batch_sequences: 16, log_every: 10/epochs: 2, batch_sequences: 8, log_every: 1/; s/every_steps: 25/every_steps: 2/' "$tmp/recipe.yaml" >"$tmp/tiny.yaml"
set_experiment "$tmp/tiny.yaml" "$tmp/few.ids" "$tmp/few.ids" "$tmp/source.json" "$tmp/target.json"

train_in "$tmp/begun"
expected=$(hash_of "$tmp/begun")
newest=$(readlink "$tmp/begun/checkpoints/latest")
rm -r "$tmp/begun/checkpoints/$newest" # it was stopped before it
rm -r "$tmp/begun/checkpoints/latest"
fresh() {
  rm -rf "$tmp/model"
  cp -a "$tmp/begun" "$tmp/model"
}
# What must hold of a run that has ended with $status: $1 says how its memory ended.
inspect() {
  case $status in
    0) ;; # it did without
    1)
      [ "$(wc -l <"$tmp/stderr")" = 1 ] || fail "$1: $(cat "$tmp/stderr")"
      grep -q '^train: .*out of memory ' "$tmp/stderr" || fail "$1: $(cat "$tmp/stderr")"
      ;;
    *) fail "$1: status $status: $(cat "$tmp/stderr")" ;;
  esac
  train_in "$tmp/model" --threads 1
  [ "$(hash_of "$tmp/model")" = "$expected" ] || fail "$1: the run that goes on ends with other bits"
}

export NEW_COUNT=$tmp/count
fresh
LD_PRELOAD=$failing_new "${command[@]}" --threads 2 -o "$tmp/model" "${operands[@]}" >/dev/null
allocations=$(cat "$NEW_COUNT")
[ "$allocations" -gt 1000 ] || fail "only $allocations allocations: are they counted?"
runs=0 failed=0
for ((n = 1; n <= allocations; n += ${EVERY:-211})); do
  for on in '' 1; do
    fresh
    status=0
    (
      [ -z "$on" ] || export NEW_FAILS_ON=1
      NEW_FAILS_AT=$n LD_PRELOAD=$failing_new exec "${command[@]}" --threads 2 -o "$tmp/model" "${operands[@]}"
    ) >/dev/null 2>"$tmp/stderr" || status=$?
    runs=$((runs + 1)) failed=$((failed + (status == 1)))
    inspect "allocation $n of $allocations fails${on:+, and all after it}"
  done
done
[ $((failed * 4)) -gt $((runs * 3)) ] || fail "only $failed of $runs runs noticed"
echo "$failed of $runs runs ended for want of memory, each with its line; all went on to $expected"

# The least address space in which the program starts at all, and up from there.
least=20000
until (ulimit -v $least && "$bin/train" --version) >/dev/null 2>&1; do least=$((least + 10000)); done
failed=0 status=1
for ((kib = least; status != 0; kib += kib / 8)); do
  fresh
  status=0
  (
    ulimit -v $kib
    exec "${command[@]}" --threads 2 -o "$tmp/model" "${operands[@]}"
  ) >/dev/null 2>"$tmp/stderr" || status=$?
  failed=$((failed + (status == 1)))
  inspect "ulimit -v $kib"
done
[ $failed -gt 0 ] || fail 'no limit on the address space was too small'
echo "$failed limits on the address space were too small, and said so; $((kib / 1024)) MiB are enough"
