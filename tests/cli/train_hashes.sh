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
bin=$(cd "${BIN:-$here/../../build/bin}" && pwd)
tmp=$(mktemp -d)
running=
# A background child that a signal reaches before its exec is still this script; the folder is not its to remove.
clean_up() {
  [ "$BASHPID" = $$ ] || return 0
  [ -z "$running" ] || kill -9 "$running" 2>/dev/null || :
  rm -rf "$tmp"
}
trap clean_up EXIT
RANDOM=${SEED:-$$}
echo "random moments of SEED=${SEED:-$$}"

fail() {
  echo "failed: $1" >&2
  [ ! -s "$tmp/log" ] || tail -n 5 "$tmp/log" >&2
  exit 1
}

# Sentences of invented words; the target is the source backwards, so that there is something to learn.
make_experiment() {
  awk 'BEGIN {
    srand(7)
    for (i = 0; i < 1500; ++i) {
      n = 1 + int(rand() * 7); source = target = ""
      for (j = 0; j < n; ++j) { word = substr("abcdefghijklmnopqrst", 1 + int(rand() * 20), 1) "o"; source = source " " word; target = word " " target }
      print substr(source, 2) "\t" target
    }
  }' >"$tmp/pairs.tsv"
  cut -f1 "$tmp/pairs.tsv" | "$bin/tokenize" --learn word --size 30 -q -o "$tmp/source.json"
  cut -f2 "$tmp/pairs.tsv" | "$bin/tokenize" --learn word --size 30 --start-end -q -o "$tmp/target.json"
  paste <(cut -f1 "$tmp/pairs.tsv" | "$bin/tokenize" -t "$tmp/source.json" | "$bin/vectorize" -t "$tmp/source.json" --length 8) \
    <(cut -f2 "$tmp/pairs.tsv" | "$bin/tokenize" -t "$tmp/target.json" | "$bin/vectorize" -t "$tmp/target.json" --length 8 --start --end) \
    >"$tmp/all.ids"
  head -n 1300 "$tmp/all.ids" >"$tmp/train.ids"
  tail -n 200 "$tmp/all.ids" >"$tmp/validation.ids"
  cat >"$tmp/recipe.yaml" <<'RECIPE'
name: hashes
model: {width: 32, heads: 2, feed_forward_width: 48, length: 8, dropout: 0.1, output_dropout: 0.2}
source_tokenizer: {size: 40}
target_tokenizer: {size: 40}
training: {epochs: 3, batch_sequences: 16, log_every: 10, checkpoint: {every_steps: 25}}
RECIPE
  set_experiment "$tmp/recipe.yaml" "$tmp/train.ids" "$tmp/validation.ids" "$tmp/source.json" "$tmp/target.json"
}

set_experiment() {
  command=("$bin/train" --recipe "$1" --validation "$3" --source-tokenizer "$4" --target-tokenizer "$5" --quiet)
  [ -z "${SCALE-}" ] || command+=(--scale "$SCALE")
  [ -z "${EPOCHS-}" ] || command+=(--epochs "$EPOCHS")
  operands=("$2")
}

# train_in DIRECTORY OPTION...: until the end. `milliseconds` becomes what the fastest whole run took: moments to stop at lie before it.
milliseconds=1000000
train_in() {
  local directory=$1 begin took is_new=1
  [ ! -e "$1" ] || is_new=0
  shift
  begin=$(date +%s%N)
  "${command[@]}" "$@" --output "$directory" "${operands[@]}" >"$tmp/log" 2>&1 || fail "train $* ended with status $?"
  took=$((($(date +%s%N) - begin) / 1000000))
  [ $is_new = 0 ] || [ $took -ge $milliseconds ] || milliseconds=$took
}

# The log without the columns seconds and tokens_per_second, and the weights and optimizer state of the newest and the best checkpoint.
hash_of() {
  cmp "$1/model.safetensors" "$1/checkpoints/best/model.safetensors" >&2 || fail "model.safetensors is not the best"
  (cd "$1/checkpoints" && sha256sum latest/model.safetensors latest/optimizer.safetensors best/model.safetensors && sed 's/,[^,]*,[^,]*$//' ../log.csv) |
    sha256sum | cut -c 1-16
}

# compare DIRECTORY WHAT: with the first run; then the directory goes.
compare() {
  local hash
  hash=$(hash_of "$1")
  echo "$hash  $2"
  [ "$hash" = "${expected:=$hash}" ] || fail "$2: hash $hash, the first run's is $expected"
  rm -rf "$1"
}

# A number of seconds between 0 and $1 milliseconds.
random_moment() {
  local milliseconds=$((RANDOM * 32768 + RANDOM))
  milliseconds=$((milliseconds % $1))
  printf '%d.%03d' $((milliseconds / 1000)) $((milliseconds % 1000))
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
    grep -q "$isa" "$tmp/log" || fail "--isa $isa"
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
  [ "$status" = 0 ] || fail "a run behind kill -9 ended with status $status"
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
