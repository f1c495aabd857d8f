#!/bin/bash
# A translator with one table goes to Hugging Face's layout and back: the same bytes of translation; in transformers, where Python has
# it, the same loss and the same greedy translations.
#   export_test.sh BIN     BIN: the folder of the tools; PYTHON: the interpreter, python3 where it is not given
# shellcheck source=SCRIPTDIR/export_setup.sh
. "$(dirname "$0")/export_setup.sh"

# Numbers in two languages, one vocabulary for both.
awk 'BEGIN { split("one two three four five six seven eight nine", en, " "); split("uno dos tres cuatro cinco seis siete ocho nueve", es, " ")
  for (i = 0; i < 600; ++i) { n = i * 7919 % 1000 + 1000; a = b = ""
    for (j = 2; j <= 2 + i % 3; ++j) { d = substr(n, j, 1); if (d > 0) { a = a " " en[d]; b = es[d] " " b } }
    if (a != "") print substr(a, 2) "\t" b } }' | sed 's/ $//' > pairs.tsv
tr '\t' '\n' < pairs.tsv | tokenize --learn word --standardize none --size 30 --start-end -q -o joint.json
cut -f1 pairs.tsv | tokenize -t joint.json -q | vectorize -q -t joint.json --length 8 > en.ids
cut -f2 pairs.tsv | tokenize -t joint.json -q | vectorize -q -t joint.json --length 8 --start --end > es.ids
cat > r.yaml << 'RECIPE'
name: r
data: {columns: [source, target]}
source_tokenizer: {size: 24}
target_tokenizer: {size: 24}
model: {width: 32, heads: 4, feed_forward_width: 64, encoder_layers: 2, decoder_layers: 2, norm_epsilon: 1.0e-5, activation: silu, positions: sinusoidal_halves,
  scale_embedding: true, share_embeddings: all, initialization: vaswani, length: 8}
training: {epochs: 4, batch_sequences: 16, optimizer: {kind: adam, learning_rate: 3.0e-3}}
RECIPE
tokens=(--source-tokenizer joint.json --target-tokenizer joint.json)
paste en.ids es.ids | train --recipe r.yaml "${tokens[@]}" -q -o model > log
cut -f1 pairs.tsv | translate model -q > ours
[ "$(sort -u ours | wc -l)" -gt 20 ] || fail 'the model has learnt nothing'

convert model -o hf
same_settings model hf
[ "$(cd hf && echo *)" = 'config.json generation_config.json model.safetensors recipe.yaml source-tokenizer.json target-tokenizer.json tokenizer.json tokenizer_config.json' ] ||
  fail 'the files of the export'
cut -f1 pairs.tsv | translate hf -q > theirs
cmp ours theirs || fail 'other translations after the way there and back'
inspect model | sed -n 1,10p > layers
inspect hf | sed -n 1,10p | cmp - layers || fail 'other layers after the way there and back'
evaluate model pairs.tsv -q --json > model.json
evaluate hf pairs.tsv -q --json | cmp - model.json || fail 'other figures after the way there and back'
[ "$(echo 'one two' | attn-dump hf -q --format csv | wc -l)" -gt 50 ] || fail 'no attention of an exported model'
convert hf -o again
cmp hf/model.safetensors again/model.safetensors || fail 'an export of an export is another file'
refused 'hf: is there already' 1 convert model -o hf
refused 'r.yaml' 1 convert r.yaml -o other
[ ! -e other ] || fail 'a folder was left'

# The same for CTranslate2's converter, whose translations begin with zeros: a token stands for these, and the decoder's first position has
# what the start token adds.
convert model --layout ctranslate2 -o ct
[ "$(cd ct && echo *)" = 'config.json generation_config.json model.safetensors recipe.yaml tokenizer.json tokenizer_config.json' ] ||
  fail 'the files for CTranslate2'
refused "name the model that it was made of" 1 translate ct pairs.tsv

# Every setting that the layout cannot say is named.
while read -r key value; do
  paste en.ids es.ids | train --recipe r.yaml --set "model.$key=$value" --set training.max_steps=1 "${tokens[@]}" -q -o "model-$key" > log
  refused "model.$key is $value, which Marian's layout cannot say" 1 convert "model-$key" -o other
  [ ! -e other ] || fail 'a folder was left'
done << 'KEYS'
norm pre
norm_epsilon 0.001
positions learned
head_width 5
KEYS
paste en.ids es.ids | train --recipe r.yaml --set model.share_embeddings=none --set training.max_steps=1 "${tokens[@]}" -q -o model-two > log
refused "model.share_embeddings is none, which CTranslate2's layout cannot say" 1 convert model-two --layout ctranslate2 -o other
cut -f2 pairs.tsv | tokenize --learn word --standardize none --size 30 --start-end -q -o es.json
refused 'are two vocabularies' 2 train --recipe r.yaml --source-tokenizer joint.json --target-tokenizer es.json -q -o other en.ids

# Damaged directories: one line each.
# shellcheck disable=SC2034 # broken reads it
read_broken=(translate broken pairs.en)
head -n 2 pairs.tsv | cut -f1 > pairs.en
broken 'has no tokenizer.json' rm tokenizer.json source-tokenizer.json
broken 'model.safetensors' rm model.safetensors
broken 'model.safetensors' truncate -s 1000 model.safetensors
broken 'config.json' truncate -s 100 config.json
broken '"d_model" is 31' sed -i 's/"d_model": 32/"d_model": 31/' config.json
broken 'config.json asks for [48, 32]' sed -i 's/_ffn_dim": 64/_ffn_dim": 48/' config.json
broken 'model.decoder.layers.2' sed -i 's/"decoder_layers": 2/"decoder_layers": 3/' config.json
broken '"normalize_before" is true' sed -i 's/"normalize_before": false/"normalize_before": true/' config.json
broken '"activation_function" is "mish"' sed -i 's/"silu"/"mish"/' config.json
broken '"max_length" is 0' sed -i 's/"max_length": [0-9]*/"max_length": 0/' generation_config.json
broken 'model_type' sed -i 's/"model_type": "marian"/"model_type": "mbart"/' config.json

has_modules transformers torch || {
  echo "skipped: $python has no transformers or torch"
  exit 77
}
cat > compare.py << 'PYTHON'
import json, sys, torch
from safetensors.torch import save_model
from transformers import AutoTokenizer, MarianMTModel, PreTrainedTokenizerFast
torch.set_num_threads(1)
source, target = AutoTokenizer.from_pretrained(sys.argv[1]), PreTrainedTokenizerFast(tokenizer_file="hf/target-tokenizer.json")
model = MarianMTModel.from_pretrained(sys.argv[1]).eval()
if sys.argv[1] == "hf":
    save_model(model, "alone/model.safetensors")
start, end = model.config.decoder_start_token_id, model.config.eos_token_id
loss, tokens, different = 0.0, 0, 0
with torch.no_grad():
    for pair, ours in zip(open("pairs.tsv"), open("ours")):
        en, es = pair.rstrip("\n").split("\t")
        ids = source(en, return_tensors="pt").input_ids
        labels = target(es).input_ids + [end]
        logits = model(input_ids=ids, decoder_input_ids=torch.tensor([[start] + labels[:-1]])).logits
        loss += torch.nn.functional.cross_entropy(logits[0], torch.tensor(labels), reduction="sum").item()
        tokens += len(labels)
        if tokens < 400:
            theirs = model.generate(ids)[0].tolist()[1:]
            different += target.decode([i for i in theirs if i != end]) != ours.rstrip("\n")
figures = {row["metric"]: row["score"] for row in map(json.loads, open("model.json")) if "metric" in row}
# The layout for CTranslate2 lacks rows without a token, to which the model gives a little probability.
assert sys.argv[1] == "ct" or abs(loss / tokens - figures["loss"]) < 1e-4, (loss / tokens, figures["loss"])
assert different == 0, different
PYTHON
cp -r hf alone
in_transformers hf 'transformers says otherwise'
in_transformers ct 'transformers says otherwise of the layout for CTranslate2'
# That function keeps one of a table with four names, lm_head.weight.
cut -f1 pairs.tsv | translate alone -q | cmp ours - || fail 'other translations of a file that safetensors.torch.save_model wrote'

has_modules ctranslate2 || {
  echo "skipped: $python has no ctranslate2"
  exit 77
}
HF_HUB_OFFLINE=1 "$python" -m ctranslate2.converters.transformers --model ct --output_dir for-ctranslate2 > /dev/null 2> err || {
  tail -n 3 err
  fail "CTranslate2's converter refuses the model"
}
cat > compare.py << 'PYTHON'
import ctranslate2
from transformers import AutoTokenizer
texts = AutoTokenizer.from_pretrained("ct")
translator = ctranslate2.Translator("for-ctranslate2", intra_threads=1, inter_threads=1)
sources = [texts.convert_ids_to_tokens(texts.encode(line.split("\t")[0])) for line in open("pairs.tsv")]
found = translator.translate_batch(sources, beam_size=1, max_decoding_length=8)
theirs = [texts.decode(texts.convert_tokens_to_ids(one.hypotheses[0])) for one in found]
ours = open("ours").read().splitlines()
different = sum(a != b for a, b in zip(ours, theirs, strict=True))
assert different == 0, different
PYTHON
in_transformers all 'CTranslate2 translates otherwise'
