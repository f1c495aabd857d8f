#!/bin/bash
# A masked language model goes to BERT's layout and back, or to DistilBERT's or RoBERTa's: the same words, figures and attention; in transformers,
# where Python has it, the same hidden states and logits, of models that transformers saved, too.
#   export_masked_lm_test.sh BIN     BIN: the folder of the tools; PYTHON: the interpreter, python3 where it is not given
# shellcheck source=SCRIPTDIR/export_setup.sh
. "$(dirname "$0")/export_setup.sh"

awk 'BEGIN {
  srand(4)
  split("good fine great bad poor dull", what, " "); split("film story actor scene", who, " ")
  for (i = 0; i < 150; ++i) print "the " who[1 + int(rand() * 4)] " is a " what[1 + int(rand() * 6)] " " who[1 + int(rand() * 4)]
}' > texts
cat > r.yaml << 'RECIPE'
name: r
data: {columns: [source]}
source_tokenizer: {kind: wordpiece, size: 60}
model: {kind: masked_lm, width: 24, heads: 4, feed_forward_width: 40, encoder_layers: 2, length: 14, norm: post, norm_epsilon: 1.0e-12, activation: gelu, dropout: 0.1,
  segments: 2, embedding_norm: true, initialization: normal}
training: {epochs: 4, batch_sequences: 8, optimizer: {kind: adam, learning_rate: 3.0e-3}}
RECIPE
tokenize --recipe r.yaml -q -o t.json texts
tokenize -t t.json texts | vectorize -t t.json --recipe r.yaml -q > ids
train --recipe r.yaml --tokenizer t.json -q --validation ids -o model ids > log
sed 's/film/[MASK]/; s/good/[MASK]/; s/a bad/a [MASK]/; 1~2s/^the/[MASK]/' texts | grep '\[MASK\]' > masked

convert model -o hf
same_settings model hf
[ "$(cd hf && echo *)" = 'config.json model.safetensors recipe.yaml tokenizer.json tokenizer_config.json' ] || fail 'the files of the export'
grep -q '"BertForMaskedLM"' hf/config.json || fail 'the architecture of the export'
generate model --fill-mask --json -q masked > ours
generate hf --fill-mask --json -q masked | cmp - ours || fail 'other words after the way there and back'
cp -r hf nameless && sed -i '/"architectures"/,/\]/d' nameless/config.json
generate nameless --fill-mask --json -q masked | cmp - ours || fail 'other words where the tensors alone say which model it is'
evaluate model -q --json texts > model.json
evaluate hf -q --json texts | cmp - model.json || fail 'other figures after the way there and back'
attn-dump model -q --format csv masked > model.csv
attn-dump hf -q --format csv masked | cmp - model.csv || fail 'other attention'
inspect model | grep -v '^Export' > layers
inspect hf | grep -v '^Export' | head -n 8 | cmp - <(head -n 8 layers) || fail 'other layers after the way there and back'
convert hf -o again
for file in model.safetensors config.json tokenizer.json; do cmp "hf/$file" "again/$file" || fail "an export of an export has another $file"; done

# Every setting that the layout cannot say is named.
while read -r key value more; do
  # shellcheck disable=SC2086 # several words
  train --recipe r.yaml --tokenizer t.json --set "model.$key=$value" $more --set training.max_steps=1 -q --validation ids -o "model-$key" ids > log
  refused "model.$key is $value, which " 1 convert "model-$key" -o other
done << 'KEYS'
norm pre
embedding_norm false
span_boundary true --set masking.unit=span
KEYS

# Without segments it is DistilBERT, with one RoBERTa, whose positions stand behind the padding's.
for layout in distilbert roberta; do
  segments=0
  [ $layout = distilbert ] || segments=1
  train --recipe r.yaml --tokenizer t.json --set model.segments=$segments -q --validation ids -o $layout ids > log
  convert $layout -o $layout-hf
  grep -q "\"model_type\": \"$layout\"" $layout-hf/config.json || fail "$layout: the layout that was written"
  generate $layout --fill-mask --json -q masked > $layout-ours
  generate $layout-hf --fill-mask --json -q masked | cmp - $layout-ours || fail "$layout: other words after the way there and back"
done

# Damaged directories: one line each.
# shellcheck disable=SC2034 # broken reads it
read_broken=(generate broken --fill-mask masked)
broken '"num_attention_heads" is 5' sed -i 's/"num_attention_heads": 4/"num_attention_heads": 5/' config.json
broken '"type_vocab_size"' sed -i 's/"type_vocab_size": 2/"type_vocab_size": 3/' config.json
broken '"position_embedding_type"' sed -i 's/"absolute"/"relative_key"/' config.json
broken '"tie_word_embeddings"' sed -i 's/^{/{"tie_word_embeddings": false,/' config.json
broken 'of "bert" are read BertForSequenceClassification, BertModel, BertForMaskedLM, BertForPreTraining' sed -i 's/"BertForMaskedLM"/"BertForQuestionAnswering"/' config.json
broken 'has no tokenizer.json, no vocab.txt' rm tokenizer.json
broken 'has no special token [MASK]' sed -i 's/\[MASK\]/[MUSK]/g' tokenizer.json
broken 'cls.predictions.bias' sed -i 's/cls.predictions.bias/cls.predictions.bios/' model.safetensors

has_modules transformers torch || {
  echo "skipped: $python has no transformers or torch"
  exit 77
}
cat > compare.py << 'PYTHON'
import json, sys, torch
from transformers import (AutoTokenizer, BertConfig, BertForMaskedLM, BertForPreTraining, DistilBertConfig, DistilBertForMaskedLM, RobertaConfig,
    RobertaForMaskedLM)
torch.set_num_threads(1)
lines = open("masked").read().split("\n")[:-1]
def check(ours, folder, kind):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = kind.from_pretrained(folder).eval()
    mask = tokenizer.convert_tokens_to_ids("[MASK]")
    rows = [json.loads(line) for line in open(ours)]
    assert len(rows) == len(lines) > 100
    for row in rows:
        with torch.no_grad():
            batch = tokenizer(row["text"], return_tensors="pt")
            out = model(**batch)
            logits = out.prediction_logits if kind is BertForPreTraining else out.logits
        at = (batch["input_ids"][0] == mask).nonzero().flatten()
        assert len(at) == len(row["masks"]), row
        for place, found in zip(at, row["masks"]):
            theirs = torch.softmax(logits[0, place], -1)
            for word in found["words"]: assert abs(theirs[word["id"]].item() - word["probability"]) < 1e-5, (row, word)
            best = max(w["probability"] for w in found["words"])
            assert abs(best - max(p for i, p in enumerate(theirs.tolist()) if i not in tokenizer.all_special_ids)) < 1e-5, row
if sys.argv[1] == "save":
    check("ours", "hf", BertForMaskedLM)
    check("distilbert-ours", "distilbert-hf", DistilBertForMaskedLM)
    check("roberta-ours", "roberta-hf", RobertaForMaskedLM)
    torch.manual_seed(5)
    tokenizer = AutoTokenizer.from_pretrained("hf")
    sizes = dict(vocab_size=len(tokenizer), hidden_size=18, num_hidden_layers=3, num_attention_heads=3, intermediate_size=30, initializer_range=0.3)
    bert = BertConfig(**sizes, max_position_embeddings=14)
    distilbert = DistilBertConfig(vocab_size=len(tokenizer), dim=18, n_layers=3, n_heads=3, hidden_dim=30, max_position_embeddings=14, initializer_range=0.3)
    roberta = RobertaConfig(**sizes, max_position_embeddings=15 + tokenizer.pad_token_id, type_vocab_size=1, pad_token_id=tokenizer.pad_token_id)
    for kind, config in ((BertForMaskedLM, bert), (BertForPreTraining, bert), (DistilBertForMaskedLM, distilbert), (RobertaForMaskedLM, roberta)):
        other = kind(config)
        other.save_pretrained(kind.__name__)
        segments = ["token_type_ids"] if kind in (BertForMaskedLM, BertForPreTraining) else []
        tokenizer.model_input_names = ["input_ids", "attention_mask"] + segments
        tokenizer.save_pretrained(kind.__name__)
elif sys.argv[1] == "written":
    # What convert writes of a pretrained model, transformers reads with the same numbers.
    a, b = (BertForPreTraining.from_pretrained(f).state_dict() for f in ("BertForPreTraining", "written"))
    assert a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)
else:
    for kind in (BertForMaskedLM, BertForPreTraining, DistilBertForMaskedLM, RobertaForMaskedLM): check(f"of_{kind.__name__}", kind.__name__, kind)
PYTHON
in_transformers save 'transformers says otherwise'
for kind in BertForMaskedLM BertForPreTraining DistilBertForMaskedLM RobertaForMaskedLM; do generate $kind --fill-mask --json -q masked > of_$kind; done
in_transformers read 'transformers says otherwise of its own model'
convert BertForPreTraining -o written
in_transformers written 'transformers reads another model than it wrote'
