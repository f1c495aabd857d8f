#!/bin/bash
# The same bits on two kinds of processors: tokenizers, ids, models, optimizer states, logs and answers, file by file, of this machine's
# programs and of those for 64-bit ARM under qemu-user. Small models of every kind, which together run every family of kernels.
#   same_hashes.sh BIN AARCH64          BIN: this machine's programs; AARCH64: the build folder of make aarch64-unit
# Prints the hash of each model's weights and optimizer state; status 1 where a file differs.
set -euo pipefail
export LC_ALL=C
house=$(cd "$(dirname "$0")/../.." && pwd)
bin=$(cd "$1" && pwd) aarch64=$(cd "$2" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1" >&2
  exit 1
}

mkdir "$tmp/here.bin" "$tmp/aarch64.bin" "$tmp/here" "$tmp/aarch64"
for program in tokenize vectorize train translate generate classify evaluate embed attn-dump; do
  [ -x "$bin/$program" ] || fail "$bin/$program: no such program"
  ln -s "$bin/$program" "$tmp/here.bin/$program"
  printf '#!/bin/sh\nexec "%s" "%s" "%s" "$@"\n' "$house/tests/aarch64/emulate.sh" "$aarch64/sysroot" "$aarch64/bin/$program" >"$tmp/aarch64.bin/$program"
  chmod +x "$tmp/aarch64.bin/$program"
done
is_for_aarch64() { "$1/train" --version | grep -q aarch64; }
is_for_aarch64 "$tmp/aarch64.bin" || fail "$aarch64/bin/train is not for aarch64"
! is_for_aarch64 "$tmp/here.bin" || fail "$bin/train is for aarch64, too: nothing would be compared"

# recipe NAME COLUMNS TOKENIZERS MODEL [TRAINING]: NAME.yaml; TRAINING: more keys, each after a comma.
recipe() {
  printf '%s\n' "name: $1" "data: {columns: [$2]}" "$3" "model: {width: 24, length: 12, $4}" \
    "training: {epochs: 2, batch_sequences: 32, log_every: 4${5-}}" >"$1.yaml"
}
# learn NAME OPTION... DATA: the model NAME.
learn() {
  train --recipe "$1.yaml" -q -o "$@" >/dev/null
  sed -i 's/,[^,]*,[^,]*,[^,]*$//' "$1/log.csv" # without seconds, tokens a second and the share of waiting
}
# ids TOKENIZER OPTION... TEXTS
ids() { tokenize -q -t "$1" "${@: -1}" | vectorize -q -t "$1" --length 12 "${@:2:$#-2}"; }

# Every file that this writes into the current folder is compared.
work() {
  local name form image blocks='heads: 2, feed_forward_width: 40'
  # 600 sentences of the phrasebook, each tenth of them, and some to be translated.
  sed -n '1~10p' "$house/data/phrasebook/train.tsv" >pairs.tsv
  cut -f1 pairs.tsv >english
  cut -f2 pairs.tsv >spanish
  head -n 30 "$house/data/phrasebook/heldout.tsv" | cut -f1 >sources
  awk '{ print (/\?$/ ? "question" : /[.]$/ ? "statement" : "call") }' english >names

  tokenize --learn word --size 200 -q -o words.json english
  tokenize --learn word --size 300 --lower unicode --start-end -q -o palabras.json spanish
  tokenize --learn bpe --size 300 --start-end -q -o bpe.json english spanish
  tokenize --learn unigram --size 200 -q -o unigram.json english
  tokenize --learn byte_bpe --size 320 -q -o bytes.json english
  tokenize --learn wordpiece --size 200 --template bert -q -o pieces.json english
  for name in words unigram bytes pieces; do ids $name.json english >$name.ids; done
  for name in palabras bpe; do ids $name.json --start --end spanish >$name.ids; done
  ids bpe.json english >bpe-source.ids
  vectorize --learn labels -q -o labels.txt names
  vectorize --labels labels.txt -q names >labels.ids

  echo 'translator: attention'
  recipe attention source,target 'target_tokenizer: {size: 300}' "$blocks, encoder_layers: 2, decoder_layers: 2, dropout: 0.1, attention_dropout: 0.1" \
    ', optimizer: {kind: adam, learning_rate: 2.0e-3}, r_drop: 1, schedule: {kind: cosine, warmup_steps: 5}'
  paste words.ids palabras.ids >attention.ids
  learn attention --source-tokenizer words.json --target-tokenizer palabras.json attention.ids
  translate -q attention sources >attention.lines
  translate -q attention --num-beams 4 --json sources >attention-beams.json
  translate -q attention --compute-type int8 sources >attention-int8.lines
  attn-dump -q attention --kind cross <<<'the house is red .' >attention.csv

  echo 'translator: GRU with additive attention'
  recipe gru source,target 'target_tokenizer: {kind: bpe, size: 300}' 'mixing: gru, additive_attention: true, dropout: 0.1' \
    ', label_smoothing: 0.1, ema_decay: 0.9, optimizer: {kind: sgd, learning_rate: 0.5, momentum: 0.9, global_clipnorm: 1}'
  paste bpe-source.ids bpe.ids >gru.ids
  learn gru --source-tokenizer bpe.json --target-tokenizer bpe.json gru.ids
  translate -q gru sources >gru.lines

  echo 'translator: SSRU'
  recipe ssru source,target 'target_tokenizer: {size: 300}' "$blocks, mixing: ssru, positions: sinusoidal_tensor2tensor, dropout: 0.1"
  learn ssru --source-tokenizer words.json --target-tokenizer palabras.json attention.ids
  translate -q ssru sources >ssru.lines

  echo 'language model: rotary positions, a window'
  recipe rotary source 'source_tokenizer: {kind: byte_bpe, size: 320}' \
    "kind: language_model, $blocks, layers: 2, norm: pre, positions: rotary, activation: gelu_tanh, attention_window: 5, tie_embeddings: true, dropout: 0.1" \
    ', accumulate: 2, optimizer: {kind: adamw, weight_decay: 0.1}'
  learn rotary --tokenizer bytes.json bytes.ids
  generate -q rotary --max-new-tokens 8 sources >rotary.lines
  generate -q rotary --max-new-tokens 8 --temperature 0.8 --top-p 0.9 --compute-type int8 --json sources >rotary.json
  evaluate -q rotary english >rotary.table

  echo 'language model: LSTM'
  recipe lstm source 'source_tokenizer: {kind: unigram, size: 200}' 'kind: language_model, mixing: lstm, layers: 1'
  learn lstm --tokenizer unigram.json unigram.ids
  generate -q lstm --max-new-tokens 8 sources >lstm.lines

  echo 'masked language model: spans'
  recipe masked source 'source_tokenizer: {kind: wordpiece, size: 200}' "kind: masked_lm, $blocks, activation: gelu, span_boundary: true"
  echo 'masking: {unit: span}' >>masked.yaml
  learn masked --tokenizer pieces.json pieces.ids
  sed 's/ [a-z]*/ [MASK]/' sources | generate -q masked --fill-mask >masked.lines

  # Classifiers: every mixing, pooling, activation and form of positions.
  paste words.ids labels.ids >classes.ids
  while IFS='|' read -r name model; do
    echo "classifier: $name"
    recipe "$name" source,label 'source_tokenizer: {size: 200}' "kind: classifier, $model"
    learn "$name" --tokenizer words.json --labels labels.txt --labels-as ids classes.ids
    classify -q "$name" sources >"$name.lines"
    embed -q "$name" sources >"$name.vectors"
  done <<'MODELS'
encoder|heads: 2, feed_forward_width: 40, positions: sinusoidal, pooling: first, activation: silu, norm: pre, attention_dropout: 0.1
plain|heads: 2, feed_forward_width: 40, mixing: plain_attention, padding: pooled, attention_dropout: 0.1
fourier|feed_forward_width: 40, mixing: fourier, pooling: mean, activation: gelu
mlp|feed_forward_width: 40, mixing: mlp, mixing_width: 20, padding: attended
convolution|feed_forward_width: 40, mixing: convolution, kernel_size: 5, pooling: max
states|mixing: lstm, bidirectional: true, pooling: max
gates|mixing: gru, pooling: last, dropout: 0.2
MODELS

  echo 'bag of words'
  tokenize -q -t words.json english >english.tokens
  vectorize --learn tf-idf --ngrams 2 --size 300 -q -o terms.tsv english.tokens
  vectorize --terms terms.tsv -q english.tokens | paste - labels.ids >bags
  printf '%s\n' 'name: bag' 'data: {columns: [source, label]}' 'model: {kind: bag_of_words, width: 16, output_dropout: 0.5}' \
    'terms: {ngrams: 2, size: 300, output: tf-idf}' 'training: {epochs: 2}' >bag.yaml
  learn bag --tokenizer words.json --terms terms.tsv --labels labels.txt --labels-as ids bags
  classify -q bag sources >bag.lines

  echo 'images'
  awk 'BEGIN {
    printf "%c%c%c%c%c%c%c%c", 0, 0, 8, 4, 0, 0, 0, 96; printf "%c%c%c%c%c%c%c%c%c%c%c%c", 0, 0, 0, 12, 0, 0, 0, 12, 0, 0, 0, 3
    for (i = 0; i < 96; ++i) for (k = 0; k < 432; ++k) printf "%c", (i % 3 * 60 + i * k % 61 + k % 7) % 256
  }' >images.idx
  awk 'BEGIN { printf "%c%c%c%c%c%c%c%c", 0, 0, 8, 1, 0, 0, 0, 96; for (i = 0; i < 96; ++i) printf "%c", i % 3 }' >labels.idx
  vectorize -q --images images.idx --image-labels labels.idx -o images
  while IFS='|' read -r name model; do
    printf '%s\n' "name: $name" "model: {kind: vision, width: 24, feed_forward_width: 32, image_height: 16, image_width: 16, channels: 3, patch_size: 4, classes: 3, $model}" \
      'training: {epochs: 2, batch_sequences: 16}' >"$name.yaml"
    echo "images: $name"
    learn "$name" images
  done <<'MODELS'
vision|heads: 2, normalization: standardized, resizing: bilinear, random_flip: horizontal_and_vertical, random_rotation: 0.1, random_zoom_height: 0.2, random_zoom_width: 0.2, random_crop_padding: 2
mixer|mixing: mlp, pooling: mean, resizing: bilinear, activation: gelu
patches|mixing: convolution, pooling: mean, resizing: bilinear
MODELS
  evaluate -q vision images >vision.table
  # PNG and JPEG through the libraries of each processor.
  for form in jpeg png; do
    for image in "$house/tests/fuzz/corpus/$form"/good_rgb*; do cp "$image" "${image##*/}.$form"; done
  done
  printf '%s\n' good_rgb*.* | embed -q vision >pictures.vectors
}

for side in here aarch64; do
  begin=$(date +%s)
  ( # not before "||", where a program that fails would not end it
    cd "$tmp/$side"
    PATH=$tmp/$side.bin:$PATH
    work
  )
  echo "$side: $(($(date +%s) - begin)) s"
done
diff -rq --no-dereference "$tmp/here" "$tmp/aarch64" || fail 'files differ'
cd "$tmp/here"
for model in */checkpoints; do
  (cd "$model/latest" && sha256sum model.safetensors optimizer.safetensors) | sha256sum | sed "s|-|${model%/*}|"
done
echo "all agree: $(find . -type f | wc -l) files of $(find . -maxdepth 2 -name checkpoints | wc -l) models"
