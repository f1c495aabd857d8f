#!/bin/bash
# Fine-tuning a published encoder with few labels, ours and Hugging Face's transformers with the same settings (finetuning.yaml), run
# alternately on this machine: accuracy on the test texts and seconds of training for each seed, and the ratio of times.
#
#   PEER_PYTHON=python tests/bench/finetuning.sh MODEL TRAIN TEST [SEED...]    seeds 1 2 3; BIN and THREADS as in the Makefile
#
# MODEL is a directory in the layout of BertModel with 6 layers of width 384 (all-MiniLM-L6-v2); TRAIN and TEST have a text, a tab and
# its label a line. Ours is the whole program train without validation, from ids to the saved model; of the peer only its steps are
# timed. Run nothing else meanwhile.
set -euo pipefail
export LC_ALL=C
[ $# -ge 3 ] || {
  echo "usage: PEER_PYTHON=python tests/bench/finetuning.sh MODEL TRAIN TEST [SEED...]" >&2
  exit 2
}
model=$(realpath "$1") train=$(realpath "$2") test=$(realpath "$3")
shift 3
seeds=${*:-1 2 3}
cd "$(dirname "$0")/../.."
. tests/bench/peers.sh
begin_beside_peer torch transformers
recipe=tests/bench/finetuning.yaml
"$bin/vectorize" -q --learn labels --column 2 -o "$tmp/labels.txt" "$train"
"$bin/tokenize" -q --tokenizer "$model" --column 1 "$train" | "$bin/vectorize" -q --tokenizer "$model" --recipe $recipe >"$tmp/texts"
"$bin/vectorize" -q --labels "$tmp/labels.txt" --column 2 "$train" | paste "$tmp/texts" - >"$tmp/train.ids"
quietly() { # COMMAND...: what it says is shown where it fails
  "$@" 2>"$tmp/words" || {
    cat "$tmp/words" >&2
    exit 1
  }
}
: >"$tmp/rounds"
printf 'seed\tours accuracy\ttransformers accuracy\tours seconds\ttransformers seconds\tratio\n'
for seed in $seeds; do
  begin=$(date +%s%N)
  quietly "$bin/train" -q -r $recipe --tokenizer "$model" --labels "$tmp/labels.txt" --labels-as ids --init-from "$model" --seed "$seed" \
    --set data.validation_fraction=0 --threads "$threads" -o "$tmp/ours-$seed" "$tmp/train.ids" >"$tmp/table"
  end=$(date +%s%N)
  ours=$("$bin/evaluate" -q "$tmp/ours-$seed" --threads "$threads" "$test" | awk '$1 == "accuracy" { print $2 }')
  quietly "$python" tests/bench/peers/finetuning_transformers.py --model "$model" --train "$train" --test "$test" --labels "$tmp/labels.txt" \
    --seed "$seed" --threads "$threads" >"$tmp/theirs"
  awk -v seed="$seed" -v ours="$ours" -v time=$((end - begin)) \
    '{ printf "%d\t%.4f\t%.4f\t%.1f\t%.1f\t%.2f\n", seed, ours, $1, time / 1e9, $2, $2 * 1e9 / time }' "$tmp/theirs" | tee -a "$tmp/rounds"
done
awk '{ a += $2; b += $3; c += $2 * $2; d += $3 * $3 } END { n = NR; m = n > 1 ? n - 1 : 1
  printf "accuracy: ours %.4f (standard deviation %.4f), transformers %.4f (%.4f)\n", a / n, sqrt((c - a * a / n) / m), b / n, sqrt((d - b * b / n) / m) }' "$tmp/rounds"
awk '{ print $6 }' "$tmp/rounds" | print_ratios "seconds"
