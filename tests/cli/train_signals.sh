#!/bin/bash
# What a run owes to who ends it, and to a second run that comes to its directory.
# - SIGINT, SIGTERM and SIGHUP at random moments: train ends by that signal, saved; resumed to its end it has the bits of a run that nobody
#   stopped. - The first signal is answered at once, while a long step goes on; a second one ends the run within 100 ms. - Of two runs that
#   start on one directory, one fails and names the other.
#   train_signals.sh
# BIN: the folder of the tools (build/bin). SIGNALS: how many random ones (12). RACES: how many (100). SEED: of the random moments.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${BIN:-$here/../../build/bin}" && pwd)
tmp=$(mktemp -d)
running=()
clean_up() {
  [ "$BASHPID" = $$ ] || return 0
  [ ${#running[@]} = 0 ] || kill -9 "${running[@]}" 2>/dev/null || :
  rm -rf "$tmp"
}
trap clean_up EXIT
RANDOM=${SEED:-$$}
echo "random moments of SEED=${SEED:-$$}"
set -m # or the children would ignore SIGINT
# shellcheck source=SCRIPTDIR/experiment.sh
. "$here/experiment.sh"
make_experiment

now() { echo $(($(date +%s%N) / 1000000)); }
# wait_for TEXT FILE: until it stands there.
wait_for() {
  local tries=0
  until grep -q "$1" "$2" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 50000 ] || fail "nobody says \"$1\""
    sleep 0.002
  done
}
# start DIRECTORY LOG: sets `process`.
start() {
  "${command[@]}" --output "$1" "${operands[@]}" >"$2" 2>&1 &
  process=$!
  running+=("$process")
}
# lines_of_log DIRECTORY: how many lines its log.csv has.
lines_of_log() { { wc -l <"$1/log.csv"; } 2>/dev/null || echo 0; }
# end_of PROCESS: sets `status`.
end_of() {
  status=0
  wait -f "$1" 2>/dev/null || status=$?
}

train_in "$tmp/whole" --threads 1
expected=$(hash_of "$tmp/whole")

declare -A status_of=([INT]=130 [TERM]=143 [HUP]=129)
names=(INT TERM HUP)
saved=0 sent=0
while [ $sent -lt "${SIGNALS:-12}" ]; do
  name=${names[sent % 3]}
  sent=$((sent + 1))
  rm -f "$tmp/log"
  start "$tmp/model" "$tmp/log"
  # A busy machine moves the beginning of training: every second signal waits for it, the others come at any moment of the run.
  if [ $((sent % 2)) = 0 ]; then
    before=$(lines_of_log "$tmp/model")
    until [ "$(lines_of_log "$tmp/model")" != "$before" ] || ! kill -0 "$process" 2>/dev/null; do sleep 0.002; done
  else
    sleep "$(random_moment $((milliseconds + 20)))"
  fi
  kill "-$name" "$process" 2>/dev/null || :
  end_of "$process"
  if [ $status = "${status_of[$name]}" ]; then
    # Before the first step the signal ends the run as it ends any program.
    if grep -q 'stopping after this step' "$tmp/log"; then
      grep -q 'train: saved; the same command resumes' "$tmp/log" || fail "SIG$name: stopped, and does not say that it saved"
      saved=$((saved + 1))
    fi
  else
    [ $status = 0 ] || fail "SIG$name: status $status"
  fi
  # Every third run is stopped three times before it may end.
  if [ $((sent % 3)) = 0 ]; then
    train_in "$tmp/model" --threads 2
    [ "$(hash_of "$tmp/model")" = "$expected" ] || fail "resumed after SIG$name: hash $(hash_of "$tmp/model"), the whole run's is $expected"
    rm -rf "$tmp/model"
  fi
done
[ $saved -gt $((sent / 5)) ] || fail "only $saved of $sent signals met a training run"
echo "$sent signals, $saved of them in training: all resumed to $expected"

# Two runs on one directory: the one that comes second says who has it. The winner is killed or stopped, and the directory goes on.
sed 's/epochs: 3/epochs: 100000/' "$tmp/recipe.yaml" >"$tmp/endless.yaml"
set_experiment "$tmp/endless.yaml" "$tmp/train.ids" "$tmp/validation.ids" "$tmp/source.json" "$tmp/target.json"
command+=(--threads 1)
for ((race = 1; race <= ${RACES:-100}; ++race)); do
  start "$tmp/race" "$tmp/log.1"
  one=$process
  start "$tmp/race" "$tmp/log.2"
  other=$process
  status=0
  wait -f -n "$one" "$other" 2>/dev/null || status=$?
  if kill -0 "$one" 2>/dev/null; then winner=$one log=$tmp/log.2; else winner=$other log=$tmp/log.1; fi
  kill -0 "$winner" 2>/dev/null || fail "race $race: both ended"
  [ $status = 1 ] || fail "race $race: the loser's status is $status"
  [ "$(cat "$log")" = "train: $tmp/race/.lock: in use by process $winner" ] || fail "race $race: process $winner has it, the loser says: $(cat "$log")"
  if [ $((race % 2)) = 0 ]; then kill -9 "$winner"; else kill -TERM "$winner"; fi
  end_of "$winner"
done
echo "${RACES:-100} races: every loser named the winner"

# A step that takes seconds.
for name in "${names[@]}"; do
  sed 's/width: 32/width: 512/; s/feed_forward_width: 48/feed_forward_width: 4096/; s/batch_sequences: 16/batch_sequences: 1300/' "$tmp/recipe.yaml" >"$tmp/slow.yaml"
  set_experiment "$tmp/slow.yaml" "$tmp/train.ids" "$tmp/validation.ids" "$tmp/source.json" "$tmp/target.json"
  best=100000
  for _ in 1 2 3; do # the machine may be busy
    rm -rf "$tmp/slow"
    start "$tmp/slow" "$tmp/log"
    wait_for step "$tmp/slow/log.csv" # its header: training begins
    begin=$(now)
    kill "-$name" "$process"
    wait_for 'stopping after this step' "$tmp/log"
    answered=$(($(now) - begin))
    sleep 0.05
    kill -0 "$process" 2>/dev/null || fail "SIG$name: the step is over after $(($(now) - begin)) ms; it should be longer"
    begin=$(now)
    kill "-$name" "$process"
    end_of "$process"
    took=$(($(now) - begin))
    [ $status = "${status_of[$name]}" ] || fail "second SIG$name: status $status"
    [ "$answered" -gt "$took" ] && took=$answered
    [ "$took" -lt "$best" ] && best=$took
    [ "$best" -gt 100 ] || break
  done
  [ "$best" -le 100 ] || fail "SIG$name: answered or ended after $best ms, not within 100"
done
echo 'a second signal ends a run within 100 ms'
