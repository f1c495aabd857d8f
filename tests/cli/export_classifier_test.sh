#!/bin/bash
# A classifier of texts that reads special tokens goes to BERT's layout and back: the same figures; training goes on from it, and in transformers,
# where Python has it, the same probabilities, of a model that transformers saved, too.
#   export_classifier_test.sh BIN     BIN: the folder of the tools; PYTHON: the interpreter, python3 where it is not given
# shellcheck source=SCRIPTDIR/export_setup.sh
. "$(dirname "$0")/export_setup.sh"

# A text is good, bad or neither by its words; some are longer than the model, one is empty.
awk 'BEGIN {
  srand(4)
  split("good fine great", good, " "); split("bad poor dull", bad, " "); split("film story actor scene", other, " ")
  for (i = 0; i < 120; ++i) {
    text = ""
    for (j = 0; j < 2 + int(rand() * 16); ++j) text = text other[1 + int(rand() * 4)] " "
    if (i % 3 == 0) text = text good[1 + int(rand() * 3)]
    if (i % 3 == 1) text = bad[1 + int(rand() * 3)] " " text
    print text "\t" (i % 3 == 0 ? "good" : i % 3 == 1 ? "bad" : "none")
  }
}' | sed 's/ *\t/\t/' > texts.tsv
cut -f1 texts.tsv > texts
cat > r.yaml << 'RECIPE'
name: r
data: {columns: [source, label]}
source_tokenizer: {kind: wordpiece, size: 60}
model: {kind: classifier, width: 24, heads: 4, feed_forward_width: 40, encoder_layers: 2, length: 14, norm: post, norm_epsilon: 1.0e-12, activation: gelu, dropout: 0.1,
  segments: 2, embedding_norm: true, special_tokens: template, pooling: first, pooler: true, head: softmax, initialization: normal}
training: {epochs: 4, batch_sequences: 8, optimizer: {kind: adam, learning_rate: 3.0e-3}}
RECIPE
tokenize --recipe r.yaml -q -o t.json texts
grep -q '"TemplateProcessing"' t.json || fail 'a recipe with special tokens learns their template'
vectorize --learn labels --column 2 -q -o labels texts.tsv
tokenize -t t.json texts | vectorize -t t.json --recipe r.yaml -q > text.ids
[ "$(awk '{ if (NF > n) n = NF } END { print n }' text.ids)" = 12 ] || fail 'room for [CLS] and [SEP]'
cut -f2 texts.tsv | paste text.ids - > set.ids
train --recipe r.yaml --tokenizer t.json --labels labels -q --validation set.ids -o model set.ids > log
# What training measured after its best epoch, evaluate measures of the texts.
evaluate model texts.tsv -q --json > model.json
awk -F '[:,}]' '/"metric":"loss"/ { for (i = 1; i < NF; ++i) if ($i == "\"score\"") print $(i + 1) }' model.json > loss
awk -F '\t' 'NR == FNR { loss = $1; next } $1 == "validation_loss" { found = 1; d = $2 - loss; if (d < -6e-5 || d > 6e-5) exit 1 } END { if (!found) exit 1 }' loss <(tr -s ' ' '\t' < log) ||
  fail "another loss of ids than of texts: $(cat loss log)"

convert model -o hf
same_settings model hf
[ "$(cd hf && echo *)" = 'config.json model.safetensors recipe.yaml tokenizer.json tokenizer_config.json' ] || fail 'the files of the export'
inspect model | sed -n 1,8p > layers
inspect hf | sed -n 1,8p | cmp - layers || fail 'other layers after the way there and back'
evaluate hf texts.tsv -q --json | cmp - model.json || fail 'other figures after the way there and back'
classify model --all -q texts > ours
classify hf --all -q texts | cmp - ours || fail 'other probabilities after the way there and back'
cp -r hf nameless && sed -i '/"architectures"/,/\]/d' nameless/config.json
classify nameless --all -q texts | cmp - ours || fail 'other probabilities where the tensors alone say which model it is'
attn-dump model -q --format csv texts > model.csv
attn-dump hf -q --format csv texts | cmp - model.csv || fail 'other attention'
convert hf -o again
for file in model.safetensors config.json tokenizer.json; do cmp "hf/$file" "again/$file" || fail "an export of an export has another $file"; done

# Training goes on from it, with a head for other labels.
sed 's/\tnone$/\tbad/' set.ids > two.ids
printf 'good\nbad\n' > two
train --recipe r.yaml --tokenizer t.json --labels two --init-from hf --drop 'head.*' -q --set training.epochs=1 --validation two.ids -o tuned two.ids > log 2> said || { cat said; fail 'init-from'; }

# Every setting that the layout cannot say is named.
while read -r key value; do
  train --recipe r.yaml --tokenizer t.json --labels labels --set "model.$key=$value" --set training.max_steps=1 -q --validation set.ids -o "model-$key" set.ids > log
  refused "model.$key is $value, which " 1 convert "model-$key" -o other
done << 'KEYS'
norm pre
segments 0
embedding_norm false
pooling mean
pooler false
special_tokens none
padding pooled
KEYS
tokenize --learn wordpiece --size 60 -q -o plain.json texts
refused 'puts no special tokens around a text' 1 train --recipe r.yaml --tokenizer plain.json --labels labels -q --validation set.ids -o other set.ids

# DistilBERT has no segments and another pooler, RoBERTa one segment and its positions behind the padding's.
for layout in distilbert roberta; do
  keys=(--set model.segments=1)
  [ $layout = roberta ] || keys=(--set model.segments=0 --set model.pooler_activation=relu)
  train --recipe r.yaml --tokenizer t.json --labels labels --set training.epochs=1 "${keys[@]}" -q --validation set.ids -o "$layout" set.ids > log
  convert "$layout" -o "$layout-hf"
  grep -q "\"model_type\": \"$layout\"" "$layout-hf/config.json" || fail "$layout: the layout that was written"
  classify "$layout" --all -q texts > "$layout-ours"
  classify "$layout-hf" --all -q texts | cmp - "$layout-ours" || fail "$layout: other probabilities after the way there and back"
done

# Damaged directories: one line each.
# shellcheck disable=SC2034 # broken reads it
read_broken=(classify broken texts)
broken '"num_attention_heads" is 5' sed -i 's/"num_attention_heads": 4/"num_attention_heads": 5/' config.json
broken '"type_vocab_size"' sed -i 's/"type_vocab_size": 2/"type_vocab_size": 3/' config.json
broken 'of "bert" are read BertForSequenceClassification' sed -i 's/"BertForSequenceClassification"/"BertForTokenClassification"/' config.json
broken 'has no tokenizer.json, no vocab.txt' rm tokenizer.json

has_modules transformers torch || {
  echo "skipped: $python has no transformers or torch"
  exit 77
}
cat > compare.py << 'PYTHON'
import sys, torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, BertConfig, BertForSequenceClassification
torch.set_num_threads(1)
texts = open("texts").read().split("\n")[:-1]
def check(ours, folder):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    rows = [[float(x) for x in line.split("\t")[-3:]] for line in open(ours)]
    assert len(rows) == len(texts)
    for text, row in zip(texts, rows):
        with torch.no_grad():
            batch = tokenizer(text, return_tensors="pt", truncation=True, max_length=tokenizer.model_max_length)
            theirs = torch.softmax(model(**batch).logits[0], -1).tolist()
        assert max(abs(a - b) for a, b in zip(row, theirs)) < 1e-5, (text, row, theirs)
if sys.argv[1] == "save":
    check("ours", "hf")
    for layout in ["distilbert", "roberta"]:
        check(layout + "-ours", layout + "-hf")
    torch.manual_seed(5)
    tokenizer = AutoTokenizer.from_pretrained("hf")
    other = BertForSequenceClassification(BertConfig(vocab_size=len(tokenizer), hidden_size=18, num_hidden_layers=3, num_attention_heads=3, intermediate_size=30,
        max_position_embeddings=14, initializer_range=0.3, num_labels=3))
    other.save_pretrained("theirs")
    tokenizer.save_pretrained("theirs")
else:
    check("of_theirs", "theirs")
PYTHON
in_transformers save 'transformers says otherwise'
classify theirs --all -q texts > of_theirs
in_transformers read 'transformers says otherwise of its own model'
