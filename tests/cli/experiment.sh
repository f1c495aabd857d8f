# shellcheck shell=bash disable=SC2154
# A small made-up experiment for scripts that train. They set: bin, the folder of the tools; tmp, a folder to work in.
# SCALE, EPOCHS: of the recipe.

# What scripts that stop runs begin with, in place of their own bin and tmp: `running` is a run to be killed when they end.
begin_with_moments() {
  bin=$(cd "${BIN:-$here/../../build/bin}" && pwd)
  tmp=$(mktemp -d)
  running=
  trap end_moments EXIT
  RANDOM=${SEED:-$$}
  echo "random moments of SEED=${SEED:-$$}"
}
# A background child that a signal reaches before its exec is still this script; the folder is not its to remove.
end_moments() {
  [ "$BASHPID" = $$ ] || return 0
  [ -z "$running" ] || kill -9 "$running" 2>/dev/null || :
  rm -rf "$tmp"
}

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

# The log without the columns seconds, tokens_per_second and waiting_share, and the weights and optimizer state of the newest and the best checkpoint.
hash_of() {
  cmp "$1/model.safetensors" "$1/checkpoints/best/model.safetensors" >&2 || fail "model.safetensors is not the best"
  (cd "$1/checkpoints" && sha256sum latest/model.safetensors latest/optimizer.safetensors best/model.safetensors && sed 's/,[^,]*,[^,]*,[^,]*$//' ../log.csv) |
    sha256sum | cut -c 1-16
}

# A number of seconds between 0 and $1 milliseconds.
random_moment() {
  local milliseconds=$((RANDOM * 32768 + RANDOM))
  milliseconds=$((milliseconds % $1))
  printf '%d.%03d' $((milliseconds / 1000)) $((milliseconds % 1000))
}
