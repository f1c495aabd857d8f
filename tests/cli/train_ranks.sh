#!/bin/bash
# One run on several ranks, by mpirun: the hash of one process for 1, 2, 4 and 8 ranks of 1 and 2 threads, with accumulation, of a translator,
# a language model and a model of images; stopped by a signal to mpirun, or killed with one of its ranks, and resumed on another number of ranks.
#   train_ranks.sh
# BIN: the folder of the tools (build/bin). KILLS: how many (2). SEED: of the random moments. Status 77: no mpirun, or built without MPI.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=SCRIPTDIR/experiment.sh
. "$here/experiment.sh"
command -v mpirun >/dev/null || { echo 'no mpirun: skipped'; exit 77; }
[ -e "${BIN:-$here/../../build/bin}/headwater_mpi.so" ] || { echo 'built without MPI: skipped'; exit 77; }
begin_with_moments

# More ranks than processors, no binding of theirs, and as root where the tests are.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent='' OMPI_MCA_orte_tmpdir_base=$tmp
# Ranks that outnumber the processors must not wait in a loop.
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0
on_ranks=(mpirun --quiet --oversubscribe --bind-to none -n)

# compare DIRECTORY WHAT: with the run of one process; then the directory goes.
compare() {
  local hash
  hash=$(hash_of "$1")
  echo "$hash  $2"
  [ "$hash" = "$expected" ] || fail "$2: hash $hash, that of one process is $expected"
  rm -rf "$1"
}

# run_on RANKS DIRECTORY OPTION...: until the end.
run_on() {
  local ranks=$1 directory=$2
  shift 2
  "${on_ranks[@]}" "$ranks" "${command[@]}" "$@" --output "$directory" "${operands[@]}" >"$tmp/log" 2>&1 ||
    fail "$ranks ranks $* ended with status $?"
}

# all_ranks WHAT: the command on 1 to 8 ranks.
all_ranks() {
  train_in "$tmp/whole" --threads 1
  expected=$(hash_of "$tmp/whole")
  echo "$expected  $1, one process"
  rm -rf "$tmp/whole"
  run_on 2 "$tmp/model" --threads 2
  compare "$tmp/model" "$1, 2 ranks of 2 threads"
  run_on 4 "$tmp/model" --threads 1
  compare "$tmp/model" "$1, 4 ranks"
  run_on 8 "$tmp/model" --threads 1
  compare "$tmp/model" "$1, 8 ranks"
}

make_experiment
all_ranks translator
run_on 1 "$tmp/model" --threads 2
compare "$tmp/model" 'translator, mpirun -n 1'
# Accumulation is part of the recipe, not of the bits.
run_on 2 "$tmp/model" --threads 1 --set training.accumulate=2
compare "$tmp/model" 'translator, 2 ranks in 2 parts each'

# What is said: once, by one rank.
"${on_ranks[@]}" 4 "${command[@]/--quiet/--no-such-option}" -o "$tmp/none" "${operands[@]}" >"$tmp/log" 2>&1 && fail 'a wrong option was taken'
[ "$(grep -c '^train: ' "$tmp/log")" = 1 ] || fail 'a wrong option is not told once'
"${on_ranks[@]}" 3 "${command[@]}" -o "$tmp/none" "${operands[@]}" >"$tmp/log" 2>&1 && fail '3 ranks were taken'
grep -q '^train: mpirun started 3 ranks; a batch has 8 shards' "$tmp/log" || fail '3 ranks are not told'
"${on_ranks[@]}" 2 "${command[@]}" -o "$tmp/none" - <"$tmp/train.ids" >"$tmp/log" 2>&1 && fail 'standard input was taken'
grep -q '^train: mpirun gives standard input to one' "$tmp/log" || fail 'standard input is not told'
[ ! -e "$tmp/none" ] || fail 'a run that was refused left a directory'
mkdir "$tmp/alone"
cp "$bin/train" "$tmp/alone/train"
"${on_ranks[@]}" 2 "$tmp/alone/train" "${command[@]:1}" -o "$tmp/none" "${operands[@]}" >"$tmp/log" 2>&1 && fail 'two runs went side by side'
grep -q '^train: mpirun started several processes, but this program was built without MPI' "$tmp/log" || fail 'a build without MPI is not told'

# Ranks that were given different things: one line, before a step in which sizes must agree.
# unequal WHAT OPTION...: rank 1 has these options besides.
unequal() {
  local what=$1 status=0
  shift
  "${on_ranks[@]}" 1 "${command[@]}" --threads 1 -o "$tmp/none" "${operands[@]}" : \
    -n 1 "${command[@]}" --threads 1 -o "$tmp/none" "$@" >"$tmp/log" 2>&1 || status=$?
  [ "$status" = 1 ] || fail "$what: status $status: $(cat "$tmp/log")"
  [ "$(grep -c '^train: ' "$tmp/log")" = 1 ] || fail "$what: not one line: $(cat "$tmp/log")"
  grep -q "^train: rank 1 has $what than rank 0 (give all ranks the same command and the same files)\$" "$tmp/log" ||
    fail "$what: $(cat "$tmp/log")"
  ! grep -qiE 'MPI_ABORT|MPI_ERR|Segmentation|signal' "$tmp/log" || fail "$what: $(cat "$tmp/log")"
  rm -rf "$tmp/none"
}
for change in width=24 encoder_layers=3 length=9 feed_forward_width=40; do unequal 'another recipe' --set "model.$change" "${operands[@]}"; done
unequal 'another recipe' --seed 5 "${operands[@]}"
unequal 'another command' --overwrite "${operands[@]}"
unequal 'another command' "${operands[@]}" "${operands[@]}"
sed 's/^\([0-9]*\) \([0-9]*\)/\2 \1/' "$tmp/train.ids" >"$tmp/other.ids"
unequal 'other examples' "$tmp/other.ids"

# start RANKS: in the background, sets `running`.
start() {
  "${on_ranks[@]}" "$1" "${command[@]}" --threads 1 --output "$tmp/model" "${operands[@]}" >"$tmp/log" 2>&1 &
  running=$!
}

# A rank that is killed ends the run; another number goes on.
killed=0 tries=0 ranks=(4 2 8)
while [ "$killed" -lt "${KILLS:-2}" ]; do
  tries=$((tries + 1))
  [ $tries -lt 40 ] || fail 'runs end before they are killed'
  start "${ranks[killed % 3]}"
  sleep "0.$((RANDOM % 10))"
  ids=$(pgrep -P "$running" -x train | sort -n | tail -n 1 || :)
  if [ -z "$ids" ] || ! [ -e "$tmp/model/checkpoints/latest" ]; then
    [ -n "$ids" ] || { wait "$running" || :; running=; rm -rf "$tmp/model"; continue; }
    sleep 0.3
  fi
  kill -9 "$ids" 2>/dev/null || :
  begin=$(date +%s)
  status=0
  wait "$running" 2>/dev/null || status=$?
  running=
  [ $(($(date +%s) - begin)) -lt 10 ] || fail 'the other ranks waited for one that was killed'
  if [ $status = 0 ]; then
    compare "$tmp/model" 'finished before it was killed'
  else
    killed=$((killed + 1))
  fi
done
run_on 2 "$tmp/model" --threads 2
compare "$tmp/model" "killed and resumed on other numbers of ranks"

# A signal that mpirun passes on saves.
stopped=0 tries=0
while [ $stopped = 0 ]; do
  tries=$((tries + 1))
  [ $tries -lt 40 ] || fail 'runs end before a signal reaches them'
  start 4
  sleep "0.$((3 + RANDOM % 7))"
  kill -USR1 "$running" 2>/dev/null || :
  wait "$running" 2>/dev/null || :
  running=
  if grep -q '^train: saved; the same command resumes' "$tmp/log"; then
    stopped=1
  elif [ -e "$tmp/model/model.safetensors" ] && ! grep -q USR1 "$tmp/log"; then
    rm -rf "$tmp/model"
  fi
done
run_on 8 "$tmp/model" --threads 1
compare "$tmp/model" 'stopped by SIGUSR1 to mpirun, resumed on 8 ranks'

# A language model.
cut -f1 "$tmp/train.ids" >"$tmp/text.ids"
cut -f1 "$tmp/validation.ids" >"$tmp/text-validation.ids"
cat >"$tmp/lm.yaml" <<'RECIPE'
name: ranks-lm
model: {kind: language_model, width: 32, heads: 2, feed_forward_width: 48, length: 8, layers: 1, dropout: 0.1}
data: {columns: [source]}
source_tokenizer: {size: 40}
training: {epochs: 2, batch_sequences: 20, log_every: 10}
RECIPE
command=("$bin/train" --recipe "$tmp/lm.yaml" --validation "$tmp/text-validation.ids" --tokenizer "$tmp/source.json" --quiet)
operands=("$tmp/text.ids")
all_ranks 'language model'

# A model of images.
idx() { # idx HEADER COUNT BASE SPAN: so many bytes from BASE on
  printf %b "$1"
  awk -v n="$2" -v base="$3" -v span="$4" 'BEGIN { srand(5); for (i = 0; i < n; ++i) printf "%c", base + int(rand() * span) }'
}
idx '\0\0\010\003\0\0\0\226\0\0\0\010\0\0\0\010' 9600 1 120 >"$tmp/images.idx"
idx '\0\0\010\001\0\0\0\226' 150 1 3 >"$tmp/labels.idx"
"$bin/vectorize" -q --images "$tmp/images.idx" --image-labels "$tmp/labels.idx" -o "$tmp/images.safetensors"
cat >"$tmp/vit.yaml" <<'RECIPE'
name: ranks-vit
model: {kind: vision, image_height: 8, image_width: 8, channels: 1, patch_size: 4, classes: 4, width: 16, heads: 2, feed_forward_width: 32, layers: 1, dropout: 0.1}
data: {validation_fraction: 0.2}
training: {epochs: 3, batch_sequences: 20, log_every: 5}
RECIPE
command=("$bin/train" --recipe "$tmp/vit.yaml" --quiet)
operands=("$tmp/images.safetensors")
all_ranks 'model of images'
echo 'all runs agree'
