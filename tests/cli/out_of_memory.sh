#!/bin/bash
# Memory that runs out is an error with one line, and the checkpoint before it stays good: every EVERY-th allocation of a resumed run fails,
# once, and with all after it; then the address space is limited. Then every tool with threads, under 40 limits on the address space and
# where the system starts no more threads. At the end every program where the address space has hardly room to start, and under limits on the stack.
#   out_of_memory.sh FAILING_NEW FAILING_THREADS      the libraries of failing_new.cpp and failing_threads.cpp
# BIN: the folder of the tools (build/bin). EVERY: 211; 1 takes a quarter of an hour. Exit status 77: skipped (sanitizers have their own new).
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${BIN:-$here/../../build/bin}" && pwd)
failing_new=$(realpath "$1")
failing_threads=$(realpath "$2")
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
      grep -qE '^train: (.*out of memory |cannot start 2 threads: )' "$tmp/stderr" || fail "$1: $(cat "$tmp/stderr")"
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

# Every tool with more threads than the limit has room for: done, or one line of its own and status 1; never an abort, a library's words or
# an error that asks to be reported.
cd "$tmp"
head -n 100 pairs.tsv >few.tsv
cut -f1 few.tsv >few.source
for _ in {1..20}; do cat few.source; done >many.source
cut -f1 pairs.tsv | sed 's/ .*//' | "$bin/vectorize" --learn labels -q -o first.labels
paste <(cut -f1 all.ids) <(cut -f1 pairs.tsv | sed 's/ .*//' | "$bin/vectorize" --labels first.labels) >labelled.ids
cat >classifier.yaml <<'RECIPE'
name: first
data: {columns: [source, label]}
source_tokenizer: {size: 30}
model: {kind: classifier, width: 8, heads: 2, feed_forward_width: 16, length: 8, head: softmax, classes: 20}
training: {epochs: 1, batch_sequences: 64}
RECIPE
"$bin/train" -q -r classifier.yaml --tokenizer source.json --labels first.labels -o classifier labelled.ids >/dev/null 2>log || fail 'the classifier'
# one_line WHAT: of the tool that has ended with $status.
one_line() {
  [ "$status" != 0 ] || return 0
  if [ "$status" != 1 ] || [ "$(wc -l <stderr)" != 1 ] || ! grep -q "^$tool: " stderr || grep -q 'internal error' stderr; then
    fail "$tool, $1: status $status: $(cat stderr)"
  fi
}
total=0 ended=0 unstarted=0
while read -r tool arguments; do
  read -ra arguments <<<"$arguments"
  until (ulimit -v $least && "$bin/$tool" --version) >/dev/null 2>&1; do least=$((least + 10000)); done
  kib=$least
  for ((limit = 0; limit < 44; ++limit, kib += kib / 16)); do
    status=0
    (
      ulimit -v $kib
      exec "$bin/$tool" --threads 8 "${arguments[@]}"
    ) >/dev/null 2>stderr </dev/null || status=$?
    [ "$status" != 0 ] || : >stderr # words are not errors
    one_line "ulimit -v $kib"
    total=$((total + 1)) ended=$((ended + (status == 1)))
    unstarted=$((unstarted + $(grep -c 'cannot start 8 threads: .*; try --threads 1$' stderr || true)))
    rm -rf new-model
  done
  [ "$status" = 0 ] || fail "$tool: $kib KiB are not enough: $(cat stderr)"
  for ((from = 1; from <= 8; ++from)); do
    status=0
    THREADS_FAIL_FROM=$from LD_PRELOAD=$failing_threads "$bin/$tool" --threads 8 "${arguments[@]}" >/dev/null 2>stderr </dev/null || status=$?
    [ "$from" != 8 ] || [ "$tool" = train ] || [ "$status" = 0 ] || fail "$tool: needs more than 7 threads of the system"
    [ "$from" = 8 ] || [ "$status" = 1 ] || fail "$tool: ended with $status without its thread $from"
    [ "$from" = 8 ] || grep -q "^$tool: cannot start 8 threads: .*; try --threads 1$" stderr || fail "$tool, thread $from: $(cat stderr)"
    [ "$status" != 0 ] || : >stderr
    one_line "thread $from of the system is not started"
    rm -rf new-model
  done
done <<'TOOLS'
tokenize -q -t source.json many.source
tokenize -q --learn word --size 30 -o learned.json many.source
vectorize -q -t source.json --length 8 many.source
translate -q model few.source
classify -q classifier many.source
evaluate -q model few.tsv
attn-dump -o dump.csv model few.source
train -q -r classifier.yaml --tokenizer source.json --labels first.labels -o new-model labelled.ids
TOOLS
[ "$unstarted" -gt 0 ] || fail 'no limit was too small for 8 threads'
echo "$ended of $total runs of all tools under a limit ended with their line, $unstarted of them for want of threads"

# Every program, with little more address space than the system needs to load it, where even a static object or the stack may find no room; and
# with a small stack. It does its work, or says a line; what the system itself cannot load, it says with 127.
cat >lm.yaml <<'RECIPE'
name: lm
data: {columns: [source]}
source_tokenizer: {size: 30}
model: {kind: language_model, width: 8, heads: 2, feed_forward_width: 16, length: 8, layers: 1}
training: {epochs: 1, batch_sequences: 64}
RECIPE
cut -f1 labelled.ids >lm.ids
"$bin/train" -q -r lm.yaml --tokenizer source.json -o lm lm.ids >/dev/null 2>log || fail 'the language model'
# limited WHAT: of a program that has ended with $status.
limited() {
  if [ "$status" = 127 ] && [ "$(wc -l <stderr)" = 1 ] && grep -q 'error while loading shared libraries\|cannot allocate TLS' stderr; then return 0; fi
  if [ "$status" = 0 ]; then
    done_runs=$((done_runs + 1))
    return 0
  fi
  one_line "$1"
  said=$((said + 1))
}
said=0 done_runs=0
while read -r tool arguments; do
  read -ra arguments <<<"$arguments"
  kib=20000
  until (ulimit -v $kib && "$bin/$tool" --version) >/dev/null 2>&1; do kib=$((kib + 10000)); done
  for ((limit = kib - 11000; limit < kib + 6000; limit += ${STEP:-237})); do
    status=0
    (
      ulimit -v $limit
      exec "$bin/$tool" "${arguments[@]}"
    ) >/dev/null 2>stderr </dev/null || status=$?
    limited "ulimit -v $limit"
    rm -rf new-model
  done
  for limit in 32 48 64 96 128 192 256; do
    status=0
    (
      ulimit -s $limit
      exec "$bin/$tool" "${arguments[@]}"
    ) >/dev/null 2>stderr </dev/null || status=$?
    limited "ulimit -s $limit"
    rm -rf new-model
  done
done <<'PROGRAMS'
tokenize -q -t source.json many.source
tokenize -q --learn unigram --size 300 -o learned.json many.source
vectorize -q -t source.json --length 8 many.source
translate -q model few.source
generate -q lm --max-new-tokens 3 few.source
classify -q classifier many.source
evaluate -q model few.tsv
embed -q classifier few.source
attn-dump -o dump.csv model few.source
inspect lm
inspect lm.yaml
report lm
report --runs lm model
convert --average lm lm -o new-model
headwater recipes
train -q -r lm.yaml --tokenizer source.json -o new-model lm.ids
PROGRAMS
[ $((said * done_runs)) -gt 0 ] || fail "$said lines, $done_runs runs: are the limits those that matter?"
echo "$said runs of all programs under a limit that is hardly one ended with their line, $done_runs did their work"
