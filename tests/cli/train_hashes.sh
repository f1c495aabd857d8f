#!/bin/bash
# One experiment, one hash: training ends with the same model and log on any number of threads, with every code path, after kill -9 at random
# moments and after SIGTERM.
#   train_hashes.sh                                                               a small made-up experiment
#   train_hashes.sh RECIPE IDS VALIDATION_IDS SOURCE_TOKENIZER TARGET_TOKENIZER   a given one
# BIN: the folder of the tools (build/bin). THREADS: numbers of threads (1 2 3 8). RUNS: runs of each kind (2). KILLS: how many (10).
# SEED: of the random moments. SCALE: full or quick. EPOCHS: instead of the recipe's. Prints the hash of each run; status 1 where two differ.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=SCRIPTDIR/experiment.sh
. "$here/experiment.sh"
begin_with_moments

# compare DIRECTORY WHAT: with the first run; then the directory goes.
compare() {
  local hash
  hash=$(hash_of "$1")
  echo "$hash  $2"
  [ "$hash" = "${expected:=$hash}" ] || fail "$2: hash $hash, the first run's is $expected"
  rm -rf "$1"
}

if [ $# = 0 ]; then
  make_experiment
elif [ $# = 5 ]; then
  set_experiment "$@"
else
  echo "usage: $0 [RECIPE IDS VALIDATION_IDS SOURCE_TOKENIZER TARGET_TOKENIZER]" >&2
  exit 2
fi

train_in "$tmp/first" --threads 1
[ "$(wc -l <"$tmp/first/log.csv")" -gt 3 ] || fail 'the log has no rows'
compare "$tmp/first" "one thread, $milliseconds ms"

for isa in avx512 avx2 portable; do
  if ! "${command[@]}" --isa $isa --dry-run "${operands[@]}" >"$tmp/log" 2>&1; then
    if [ $isa = portable ] || ! grep -q "$isa" "$tmp/log"; then fail "--isa $isa"; fi
    echo "                  --isa $isa is not available: skipped"
    continue
  fi
  for threads in ${THREADS:-1 2 3 8}; do
    for run in $(seq "${RUNS:-2}"); do
      train_in "$tmp/model" --threads "$threads" --isa $isa
      compare "$tmp/model" "--isa $isa --threads $threads, run $run"
    done
  done
done

# start_and_stop SIGNAL DIRECTORY THREADS: the moment lies in the first part of the run; sets `status`.
start_and_stop() {
  "${command[@]}" --threads "$3" --output "$2" "${operands[@]}" >"$tmp/log" 2>&1 &
  running=$!
  sleep "$(random_moment $((milliseconds / 2 + 50)))"
  kill "-$1" "$running" 2>/dev/null || :
  status=0
  wait "$running" 2>/dev/null || status=$?
  running=
}

killed=0 runs=0
while [ "$killed" -lt "${KILLS:-10}" ]; do
  runs=$((runs + 1))
  status=137 here_killed=0
  while [ "$status" = 137 ]; do
    if [ "$killed" -ge "${KILLS:-10}" ] || [ "$here_killed" -ge 5 ]; then
      train_in "$tmp/model" --threads 2
      status=0
    else
      start_and_stop KILL "$tmp/model" $((1 + RANDOM % 3))
      [ "$status" != 137 ] || killed=$((killed + 1)) here_killed=$((here_killed + 1))
    fi
  done
  [ "$status" = 0 ] || fail "a run after kill -9 ended with status $status"
  compare "$tmp/model" "killed $here_killed times and resumed"
  [ "$runs" -lt 100 ] || fail 'runs end before they are killed'
done

stopped=0 runs=0
while [ "$stopped" -lt 3 ]; do
  runs=$((runs + 1))
  [ "$runs" -lt 60 ] || fail 'runs end before SIGTERM reaches them'
  start_and_stop TERM "$tmp/model" 2
  if [ "$status" = 143 ]; then
    # Before the first step the signal ends the run as it ends any program.
    ! grep -q 'train: saved' "$tmp/log" || stopped=$((stopped + 1))
  else
    [ "$status" = 0 ] || fail "a run stopped by SIGTERM ended with status $status"
    compare "$tmp/model" 'finished before SIGTERM'
  fi
done
train_in "$tmp/model" --threads 1
compare "$tmp/model" "stopped by SIGTERM and resumed"
echo "all runs agree: $expected"
