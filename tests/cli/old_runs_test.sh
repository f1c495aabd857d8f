#!/bin/bash
# Runs that each release has left (tests/golden/runs/VERSION) are read by this version: their models give the answers that they gave, and
# training goes on with the bits that it had.
#
#   old_runs_test.sh BIN                 BIN: the folder of the programs
#   old_runs_test.sh BIN --make FOLDER   writes the runs of this version to FOLDER, for a release
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
PATH=$bin:$PATH
root=$(cd "$(dirname "$0")/../.." && pwd)
runs=$root/tests/golden/runs
made=${3:+$(mkdir -p "$3" && cd "$3" && pwd)}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

{ printf 'the red house\tla casa roja\na red house\tuna casa roja\nthe cat\tel gato\na cat\tun gato\n' && printf 'the red cat\tel gato rojo\n'; } >pairs.tsv
{ printf 'a fine film and a good story\tpos\na bad film\tneg\ngood good fun\tpos\na dull bad story\tneg\n' && printf 'no fun at all\tneg\n'; } >reviews.tsv
for _ in 1 2 3 4; do cat pairs.tsv; done >many-pairs.tsv
for _ in 1 2 3 4; do cat reviews.tsv; done >many-reviews.tsv
# 16 images of 4 x 4 grey pixels of two classes (IDX).
{ printf '\0\0\10\3\0\0\0\20\0\0\0\4\0\0\0\4' && for i in 0 1 2 3 4 5 6 7; do for v in 20 310; do for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do printf '%b' "\0$v"; done; printf '%b' "\0$i"; done; done; } >images.idx
{ printf '\0\0\10\1\0\0\0\20' && for _ in 1 2 3 4 5 6 7 8; do printf '\0\1'; done; } >labels.idx
vectorize -q --images images.idx --image-labels labels.idx -o images.safetensors

tail='training: {epochs: 1, batch_sequences: 8, log_every: 1, optimizer: {kind: adamw, learning_rate: 1.0e-2}}'
width='width: 8, length: 12'
declare -A model=(
  [translator]="{kind: encoder_decoder, $width, heads: 2, feed_forward_width: 16, share_embeddings: target_output}"
  [recurrent]="{kind: encoder_decoder, mixing: gru, $width, embedding_width: 4, positions: none, bidirectional: true, additive_attention: true, encoder_layers: 1, decoder_layers: 1}"
  [classifier]="{kind: classifier, $width, heads: 2, feed_forward_width: 16, encoder_layers: 1}"
  [language_model]="{kind: language_model, $width, heads: 2, feed_forward_width: 16, layers: 2}"
  [masked_lm]="{kind: masked_lm, $width, heads: 2, feed_forward_width: 16, encoder_layers: 2}"
  [bag]='{kind: bag_of_words, width: 4}'
  [vision]='{kind: vision, image_height: 4, image_width: 4, channels: 1, patch_size: 2, width: 8, heads: 2, feed_forward_width: 16, layers: 1}'
)
kinds=(translator recurrent classifier language_model masked_lm bag vision)

ids() { # TOKENIZER COLUMN FILE [OPTION...]
  tokenize -q -t "$1" --column "$2" "$3" | vectorize -q -t "$1" --length 12 "${@:4}"
}

# RUN [OPTION...]: trains in that folder with what lies beside it: tokenizers, labels, terms.
train_kind() {
  local run=$1 kind=${1##*/}
  shift
  local train=(train -q -r "$kind.yaml" -o "$run" "$@")
  case $kind in
    translator | recurrent)
      paste <(ids "$kind.en.json" 1 many-pairs.tsv) <(ids "$kind.es.json" 2 many-pairs.tsv --start --end) |
        "${train[@]}" --source-tokenizer "$kind.en.json" --target-tokenizer "$kind.es.json"
      ;;
    classifier)
      paste <(ids classifier.json 1 many-reviews.tsv) <(vectorize -q --labels labels.txt --column 2 many-reviews.tsv) |
        "${train[@]}" --tokenizer classifier.json --labels labels.txt --labels-as ids
      ;;
    bag)
      paste <(tokenize -q -t bag.json --column 1 many-reviews.tsv | vectorize -q --terms terms.tsv) <(vectorize -q --labels labels.txt --column 2 many-reviews.tsv) |
        "${train[@]}" --tokenizer bag.json --labels labels.txt --labels-as ids --terms terms.tsv
      ;;
    language_model) ids language_model.json 1 many-reviews.tsv --start --end | "${train[@]}" --tokenizer language_model.json ;;
    masked_lm) ids masked_lm.json 1 many-reviews.tsv | "${train[@]}" --tokenizer masked_lm.json ;;
    vision) "${train[@]}" images.safetensors ;;
  esac >"$tmp/table"
}

# RUN: what its model says.
answers() {
  case ${1##*/} in
    translator | recurrent)
      cut -f1 pairs.tsv | translate -q --scores "$1"
      evaluate -q --metric loss "$1" pairs.tsv
      ;;
    classifier | bag)
      cut -f1 reviews.tsv | classify -q --top 2 "$1"
      evaluate -q --metric loss "$1" reviews.tsv
      ;;
    language_model) printf 'a\nno fun\n' | generate -q --max-new-tokens 5 --scores "$1" ;;
    masked_lm) printf 'a [MASK] film\n' | generate -q --fill-mask "$1" ;;
    vision) evaluate -q --metric loss "$1" images.safetensors ;;
  esac
  [ "${1##*/}" = bag ] || [ "${1##*/}" = vision ] || cut -f1 reviews.tsv | embed -q "$1" | head -n 2
}

hash_of() { (cd "$1/checkpoints/latest" && sha256sum model.safetensors optimizer.safetensors); } # RUN

# RUN: what its files were made of, under the names that train_kind wants.
take_parts() {
  local kind=${1##*/}
  case $kind in
    translator | recurrent) cp "$1/source-tokenizer.json" "$kind.en.json" && cp "$1/target-tokenizer.json" "$kind.es.json" ;;
    vision) ;;
    *) cp "$1/tokenizer.json" "$kind.json" ;;
  esac
  [ "$kind" != bag ] || cp "$1/terms.tsv" terms.tsv
  cp "$1/recipe.yaml" "$kind.yaml"
}
vectorize -q --learn labels --column 2 -o labels.txt reviews.tsv

if [ -n "$made" ]; then
  for kind in "${kinds[@]}"; do
    columns='[source]'
    case $kind in
      translator | recurrent)
        columns='[source, target]'
        cut -f1 pairs.tsv | tokenize -q --learn byte_bpe --size 270 -o "$kind.en.json"
        cut -f2 pairs.tsv | tokenize -q --learn word --start-end -o "$kind.es.json"
        ;;
      classifier) columns='[source, label]' && cut -f1 reviews.tsv | tokenize -q --learn unigram --size 40 -o "$kind.json" ;;
      bag) columns='[source, label]' && cut -f1 reviews.tsv | tokenize -q --learn word -o "$kind.json" &&
        cut -f1 reviews.tsv | tokenize -q -t "$kind.json" | vectorize -q --learn ngrams --size 20 -o terms.tsv ;;
      language_model) cut -f1 reviews.tsv | tokenize -q --learn bpe --size 40 --start-end -o "$kind.json" ;;
      masked_lm) cut -f1 reviews.tsv | tokenize -q --learn wordpiece --size 60 --template bert -o "$kind.json" ;;
      vision) columns='' ;;
    esac
    {
      echo "name: $kind"
      [ "$kind" != language_model ] || columns="$columns, examples: lines"
      [ -z "$columns" ] || echo "data: {columns: $columns}"
      case $kind in
        translator | recurrent) echo 'source_tokenizer: {kind: byte_bpe, size: 270}' && echo 'target_tokenizer: {size: 20}' ;;
        classifier) echo 'source_tokenizer: {kind: unigram, size: 40}' ;;
        language_model) echo 'source_tokenizer: {kind: bpe, size: 40}' ;;
        masked_lm) echo 'source_tokenizer: {kind: wordpiece, size: 60}' ;;
        bag) echo 'terms: {size: 20}' ;;
      esac
      echo "model: ${model[$kind]}"
      echo "$tail"
    } >"$kind.yaml"
    train_kind "$made/$kind"
    rm -f "$made/$kind/.lock"
    answers "$made/$kind" >"$made/$kind.answers"
    cp -a "$made/$kind" "$tmp/$kind"
    train_kind "$tmp/$kind" --epochs 3
    hash_of "$tmp/$kind" >"$made/$kind.resumed"
  done
  exit
fi

failures=0 read=0
for release in "$runs"/*/; do
  for kind in "${kinds[@]}"; do
    run=$release$kind
    [ -d "$run" ] || continue # a kind that came later
    read=$((read + 1))
    if ! answers "$run" | diff "$run.answers" - >"$tmp/difference"; then
      echo "failed: $run: other answers" && cat "$tmp/difference" && failures=$((failures + 1))
    fi
    rm -rf "${tmp:?}/$kind"
    cp -a "$run" "$tmp/$kind"
    take_parts "$run"
    if ! train_kind "$tmp/$kind" --epochs 3 || ! hash_of "$tmp/$kind" | diff "$run.resumed" - >"$tmp/difference"; then
      echo "failed: $run: training goes on otherwise" && cat "$tmp/difference" && failures=$((failures + 1))
    fi
  done
done
[ $read -ge 7 ] || { echo "failed: $read runs in $runs, seven or more are wanted" && exit 1; }
[ "$failures" = 0 ] && echo 'all runs of earlier releases are read'
exit $((failures > 0))
