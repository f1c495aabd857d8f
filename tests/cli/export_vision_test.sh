#!/bin/bash
# A model of images goes to ViT's layout and back: the same figures; in transformers, where Python has it, the same loss of the same images
# by the image processor that was written, and a model that transformers saved has the same figures here.
#   export_vision_test.sh BIN     BIN: the folder of the tools; PYTHON: the interpreter, python3 where it is not given
# shellcheck source=SCRIPTDIR/export_setup.sh
. "$(dirname "$0")/export_setup.sh"

# Records of CIFAR-10: a label of one byte, then 3,072 printable ones; a label has a colour of its own.
for i in $(seq 0 39); do
  # shellcheck disable=SC2059 # the label is a byte
  printf "\\00$((i % 5))"
  awk -v i="$i" 'BEGIN { srand(i); for (j = 0; j < 3072; ++j) printf "%c", 33 + int(rand() * 40) + (j < 1024 ? 10 * (i % 5) : 0) }'
done > images.bin
printf 'red\ngreen\nblue\nwhite\nblack\n' > names
vectorize -q --images images.bin --labels names -o set
cat > r.yaml << 'RECIPE'
name: r
model: {kind: vision, image_height: 32, image_width: 32, channels: 3, normalization: standardized, patch_size: 8, width: 24, heads: 4,
  feed_forward_width: 40, norm: pre, norm_epsilon: 1.0e-12, activation: gelu, dropout: 0.1, layers: 2, classes: 5, initialization: normal}
training: {epochs: 2, batch_sequences: 8, optimizer: {kind: adam, learning_rate: 3.0e-3}}
RECIPE
train --recipe r.yaml -q -o model set > log

convert model -o hf
same_settings model hf
[ "$(cd hf && echo *)" = 'config.json model.safetensors preprocessor_config.json recipe.yaml' ] || fail 'the files of the export'
inspect model | sed -n 1,8p > layers
inspect hf | sed -n 1,8p | cmp - layers || fail 'other layers after the way there and back'
evaluate model set -q --json > model.json
evaluate hf set -q --json | cmp - model.json || fail 'other figures after the way there and back'
convert hf -o again
for file in model.safetensors config.json preprocessor_config.json; do
  cmp "hf/$file" "again/$file" || fail "an export of an export has another $file"
done
refused 'hf: is there already' 1 convert model -o hf

# Every setting that the layout cannot say is named.
while read -r key value; do
  train --recipe r.yaml --set "model.$key=$value" --set training.max_steps=1 -q -o "model-$key" set > log
  refused "model.$key is $value, which " 1 convert "model-$key" -o other
  [ ! -e other ] || fail 'a folder was left'
done << 'KEYS'
norm post
positions none
head_width 5
pooling flatten
has_second_activation true
head_widths [16]
resizing crop
KEYS

# Damaged directories: one line each.
# shellcheck disable=SC2034 # broken reads it
read_broken=(evaluate broken set)
broken 'model.safetensors' rm model.safetensors
broken 'model.safetensors' truncate -s 1000 model.safetensors
broken 'config.json' truncate -s 100 config.json
broken '"num_attention_heads" is 5' sed -i 's/"num_attention_heads": 4/"num_attention_heads": 5/' config.json
broken 'config.json asks for [50, 24]' sed -i 's/"intermediate_size": 40/"intermediate_size": 50/' config.json
broken 'layer.2.' sed -i 's/"num_hidden_layers": 2/"num_hidden_layers": 3/' config.json
broken '"hidden_act" is "mish"' sed -i 's/"gelu"/"mish"/' config.json
broken 'its labels are not those of' sed -i 's/"white"/"grey"/' config.json
broken '"id2label"' sed -i 's/"4": "black"/"5": "black"/' config.json
broken 'model_type' sed -i 's/"model_type": "vit"/"model_type": "deit"/' config.json
broken 'preprocessor_config.json:' truncate -s 100 preprocessor_config.json
broken 'preprocessor_config.json: "rescale_factor"' sed -i 's/"rescale_factor": .*,/"rescale_factor": -1,/' preprocessor_config.json
broken 'preprocessor_config.json: "image_std" has 1 numbers' sed -i '/"image_std"/{n;N;N;s/,.*//;}' preprocessor_config.json

has_modules transformers torch PIL || {
  echo "skipped: $python has no transformers, torch or PIL"
  exit 77
}
cat > compare.py << 'PYTHON'
import json, sys, numpy, torch
from transformers import AutoImageProcessor, ViTConfig, ViTForImageClassification
torch.set_num_threads(1)
names = open("names").read().split()
records = numpy.fromfile("images.bin", numpy.uint8).reshape(-1, 3073)
labels = torch.tensor(records[:, 0].astype(numpy.int64))
images = list(records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
def loss_of(folder):
    processor = AutoImageProcessor.from_pretrained(folder, use_fast=False)
    model = ViTForImageClassification.from_pretrained(folder).eval()
    assert [model.config.id2label[i] for i in range(5)] == names
    with torch.no_grad():
        logits = model(processor(images, return_tensors="pt").pixel_values).logits
    return torch.nn.functional.cross_entropy(logits, labels).item()
def check(ours, folder):
    figures = {row["metric"]: row["score"] for row in map(json.loads, open(ours)) if "metric" in row}
    theirs = loss_of(folder)
    assert abs(theirs - figures["loss"]) < 1e-4, (theirs, figures["loss"])
if sys.argv[1] == "save":
    check("model.json", "hf")
    torch.manual_seed(5)
    other = ViTForImageClassification(ViTConfig(hidden_size=18, num_hidden_layers=3, num_attention_heads=3, intermediate_size=30, image_size=32,
        patch_size=16, initializer_range=0.3, id2label=dict(enumerate(names)), label2id={n: i for i, n in enumerate(names)}))
    torch.nn.init.normal_(other.vit.embeddings.cls_token)
    torch.nn.init.normal_(other.vit.embeddings.position_embeddings)
    other.save_pretrained("theirs")
    processor = AutoImageProcessor.from_pretrained("hf", use_fast=False)
    processor.image_mean, processor.image_std = [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]
    processor.save_pretrained("theirs")
else:
    check("theirs.json", "theirs")
PYTHON
in_transformers save 'transformers says otherwise'
evaluate theirs set -q --json > theirs.json
in_transformers read 'transformers says otherwise of its own model'
