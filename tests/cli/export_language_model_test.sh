#!/bin/bash
# A language model with one table goes to GPT-2's layout and back: the same figures; in transformers, where Python has it, the same
# logits, and a model that transformers saved has the same figures here.
#   export_language_model_test.sh BIN     BIN: the folder of the tools; PYTHON: the interpreter, python3 where it is not given
# shellcheck source=SCRIPTDIR/export_setup.sh
. "$(dirname "$0")/export_setup.sh"

awk 'BEGIN { split("One two, three; four five: six seven (eight) nine.", w, " ")
  for (i = 0; i < 300; ++i) { n = i * 7919 % 1000 + 1000; t = ""; for (j = 2; j <= 4; ++j) t = t " " w[1 + substr(n, j, 1) % 9]; print substr(t, 2) } }' > text
cat > r.yaml << 'RECIPE'
name: r
data: {columns: [source], train: text}
source_tokenizer: {kind: byte_bpe, size: 300}
model: {kind: language_model, width: 32, heads: 4, feed_forward_width: 48, layers: 2, norm: pre, norm_epsilon: 1.0e-5, activation: gelu_tanh,
  tie_embeddings: true, output_bias: false, initialization: normal, length: 24, dropout: 0.1}
training: {epochs: 2, batch_sequences: 16, optimizer: {kind: adam, learning_rate: 3.0e-3}}
RECIPE
tokenize --recipe r.yaml -q -o t.json text
tokenize -t t.json -q text | vectorize -q -t t.json --recipe r.yaml > text.ids
train --recipe r.yaml --tokenizer t.json -q -o model text.ids > log

convert model -o hf
same_settings model hf
# A run of a recipe that begins with a published model has the tokenizer of that model, whatever words its own text has.
sed 's/One/Eleven/; s/two/twelve/' text > later
sed 's/train: text/train: later, validation_fraction: 0.1/; s/epochs: 2/epochs: 1/' r.yaml > later.yaml
headwater run later.yaml training.init_from=published -q > log || fail 'a run that begins with a published model'
cmp models/recipes/later-training.init_from-published/model/tokenizer.json published/tokenizer.json || fail 'another tokenizer than that of the published model'
[ "$(cd hf && echo *)" = 'config.json generation_config.json model.safetensors recipe.yaml tokenizer.json tokenizer_config.json' ] || fail 'the files of the export'
inspect model | sed -n 1,8p > layers
inspect hf | sed -n 1,8p | cmp - layers || fail 'other layers after the way there and back'
evaluate model text -q --json > model.json
evaluate hf text -q --json | cmp - model.json || fail 'other figures after the way there and back'
for m in model hf; do head -n 2 text | attn-dump "$m" -q --format csv > "$m.csv"; done
[ "$(wc -l < hf.csv)" -gt 50 ] || fail 'no attention of an exported model'
cmp model.csv hf.csv || fail 'other attention after the way there and back'
convert hf -o again
cmp hf/model.safetensors again/model.safetensors || fail 'an export of an export is another file'
refused 'hf: is there already' 1 convert model -o hf

# Every setting that the layout cannot say is named.
while read -r key value; do
  train --recipe r.yaml --set "model.$key=$value" --set training.max_steps=1 --tokenizer t.json -q -o "model-$key-$value" text.ids > log
  refused "model.$key is $value, which GPT-2's layout cannot say" 1 convert "model-$key-$value" -o other
  [ ! -e other ] || fail 'a folder was left'
done << 'KEYS'
norm post
positions sinusoidal
positions rotary
scale_embedding true
output_bias true
head_width 5
KEYS

# Damaged directories: one line each.
# shellcheck disable=SC2034 # broken reads it
read_broken=(evaluate broken text)
broken 'has no tokenizer.json' rm tokenizer.json tokenizer_config.json
broken 'model.safetensors' rm model.safetensors
broken 'model.safetensors' truncate -s 1000 model.safetensors
broken 'config.json' truncate -s 100 config.json
broken '"n_head" is 5' sed -i 's/"n_head": 4/"n_head": 5/' config.json
broken 'config.json asks for [32, 50]' sed -i 's/"n_inner": 48/"n_inner": 50/' config.json
broken 'h.2.' sed -i 's/"n_layer": 2/"n_layer": 3/' config.json
broken '"activation_function" is "mish"' sed -i 's/"gelu_new"/"mish"/' config.json
broken 'config.json has rows for 200' sed -i 's/"vocab_size": 300/"vocab_size": 200/' config.json
broken 'model_type' sed -i 's/"model_type": "gpt2"/"model_type": "gptj"/' config.json

has_modules transformers torch || {
  echo "skipped: $python has no transformers or torch"
  exit 77
}
cat > compare.py << 'PYTHON'
import json, torch
from safetensors.torch import save_model
from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel
torch.set_num_threads(1)
def loss_of(model, tokenizer):
    limit = model.config.n_positions
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for line in open("text"):
            batch = tokenizer(line.rstrip("\n"), return_tensors="pt")  # all of it, as people call a model
            ids = batch.input_ids[:, :limit + 1]
            logits = model(**{name: values[:, :limit][:, :ids.shape[1] - 1] for name, values in batch.items()}).logits
            loss += torch.nn.functional.cross_entropy(logits[0], ids[0, 1:], reduction="sum").item()
            tokens += ids.shape[1] - 1
    return loss / tokens
def check(ours, theirs):
    figures = {row["metric"]: row["score"] for row in map(json.loads, open(ours)) if "metric" in row}
    assert abs(theirs - figures["loss"]) < 1e-4, (theirs, figures["loss"])
tokenizer = AutoTokenizer.from_pretrained("hf")
import sys
if sys.argv[1] == "save":
    ours = GPT2LMHeadModel.from_pretrained("hf").eval()
    check("model.json", loss_of(ours, tokenizer))
    save_model(ours, "alone/model.safetensors")
    torch.manual_seed(5)
    other = GPT2LMHeadModel(GPT2Config(vocab_size=304, n_positions=30, n_embd=24, n_layer=3, n_head=3, initializer_range=0.2,
        tie_word_embeddings=False, activation_function="gelu", bos_token_id=0, eos_token_id=0)).eval()
    other.save_pretrained("theirs")
    tokenizer.backend_tokenizer.model.save("theirs")
    json.dump(loss_of(other, tokenizer), open("theirs.loss", "w"))
else:
    check("theirs.json", json.load(open("theirs.loss")))
PYTHON
cp -r hf alone
in_transformers save 'transformers says otherwise'
# That function keeps one of a table with two names, lm_head.weight.
evaluate alone text -q --json | cmp - model.json || fail 'other figures of a file that safetensors.torch.save_model wrote'
# Saved there, with the tokenizer's vocab.json and merges.txt.
if [ ! -e theirs/vocab.json ] || [ ! -e theirs/merges.txt ]; then fail 'no vocab.json and merges.txt'; fi
evaluate theirs text -q --json > theirs.json
in_transformers read 'transformers says otherwise of its own model'
