#!/bin/bash
# A classifier of pairs of texts: from its recipe to labels, figures and attention; the same bits on any number of threads and in parts of a
# batch, and in transformers, where Python has it, the same probabilities of pairs that are cut, too.
#   text_pairs_test.sh BIN     BIN: the folder of the tools; PYTHON: the interpreter, python3 where it is not given
# shellcheck source=SCRIPTDIR/export_setup.sh
. "$(dirname "$0")/export_setup.sh"

# Two texts agree where their first words are one. Lengths are 1 to 9 words, of two 2 to 18; the model has room for 9.
awk 'BEGIN {
  srand(7)
  split("sun rain snow wind fog", word, " ")
  for (i = 0; i < 160; ++i) {
    first = word[1 + i % 5]; second = i % 2 ? first : word[1 + (i + 1 + int(rand() * 4)) % 5]
    a = first; b = second
    for (j = int(rand() * 9); j > 0; --j) a = a " " word[1 + int(rand() * 5)]
    for (j = int(rand() * 9); j > 0; --j) b = b " " word[1 + int(rand() * 5)]
    print a "\t" b "\t" (i % 2 ? "same" : "other")
  }
}' > pairs.tsv
cut -f1,2 pairs.tsv > pairs
cat > r.yaml << 'RECIPE'
name: r
data: {columns: [source, target, label]}
source_tokenizer: {kind: wordpiece, size: 40}
model: {kind: classifier, width: 16, heads: 2, feed_forward_width: 24, encoder_layers: 2, length: 12, norm_epsilon: 1.0e-12, activation: gelu, dropout: 0.1,
  segments: 2, embedding_norm: true, special_tokens: template, pairs: true, pooling: first, pooler: true, head: softmax, initialization: normal}
training: {epochs: 2, batch_sequences: 8, optimizer: {kind: adam, learning_rate: 3.0e-3}}
RECIPE
tr '\t' '\n' < pairs | tokenize --recipe r.yaml -q -o t.json
vectorize --learn labels --column 3 -q -o labels pairs.tsv
for side in source target; do
  column=1
  [ $side = source ] || column=2
  cut -f$column pairs.tsv | tokenize -t t.json -q | vectorize -t t.json --recipe r.yaml --side $side -q > $side.ids
done
cut -f3 pairs.tsv | paste source.ids target.ids - > set.ids
train --recipe r.yaml --tokenizer t.json --labels labels -q --validation set.ids -o model set.ids > log
evaluate model pairs.tsv -q --json > figures.json
awk -F '[:,}]' '/"metric":"loss"/ { for (i = 1; i < NF; ++i) if ($i == "\"score\"") print $(i + 1) }' figures.json > loss
awk -F '\t' 'NR == FNR { loss = $1; next } $1 == "validation_loss" { found = 1; d = $2 - loss; if (d < -6e-5 || d > 6e-5) exit 1 } END { if (!found) exit 1 }' loss <(tr -s ' ' '\t' < log) ||
  fail "another loss of ids than of texts: $(cat loss log)"
train --recipe r.yaml --tokenizer t.json --target-tokenizer t.json --labels labels -q --threads 1 --set training.accumulate=4 --validation set.ids -o parts set.ids > /dev/null
cmp model/model.safetensors parts/model.safetensors || fail 'other bits of a batch in parts'

classify model --all -q pairs > ours
[ "$(wc -l < ours)" = 160 ] || fail 'a line a pair'
classify model --all -q --batch 1 pairs | cmp - ours || fail 'other probabilities one by one'
awk -F '\t' '{ print $2 "\t" $1 }' pairs | classify model --all -q > turned
cmp -s turned ours && fail 'the texts of a pair are told apart'
[ "$(echo 'sun rain	sun' | attn-dump model -q --format csv --layer 0 --head 0 | sed 1d | wc -l)" = 36 ] || fail 'six tokens look at six'
# Which text a token is of: [CLS] sun rain [SEP] | sun [SEP], before the weight, which is the last column.
echo 'sun rain	sun' | attn-dump model -q --layer 0 --head 0 > pair.csv
[ "$(head -n 1 pair.csv)" = example,kind,layer,head,q,k,q_token,k_token,predicts,q_text,k_text,predicts_text,q_segment,k_segment,weight ] || fail 'the header of pairs'
[ "$(awk -F, '$5 == 0 && NR > 1 { printf "%s", $14 }' pair.csv)$(awk -F, '$6 == 0 && NR > 1 { printf "%s", $13 }' pair.csv)" = 000011000011 ] || fail 'segments in CSV'
echo 'sun rain	sun' | attn-dump model -q --layer 0 --head 0 --format json | grep -q '"q_segments":\[0,0,0,0,1,1\],"k_segments":\[0,0,0,0,1,1\],"weights"' || fail 'segments in JSON'
echo 'sun rain	sun' | attn-dump model -q --view rollout | awk -F, 'NR > 1 { sum[$5] += $NF; n += $3 == "" && $4 == "" } END { for (q in sum) if (sum[q] < 0.99999 || sum[q] > 1.00001) exit 1; exit n != 36 }' || fail 'a rollout of a pair'

# From its recipe to its report.
sed 's/^data: .*/data: {train: pairs.tsv, columns: [source, target, label], validation_fraction: 0.1, test_fraction: 0.2}/' r.yaml > run.yaml
headwater run run.yaml --models runs > run.log 2>&1 || fail "a recipe of pairs: $(tail -n 3 run.log)"
run=runs/recipes/run
grep -q '^accuracy ' $run/test.txt || fail 'no accuracy of the test'
grep -q '<svg' $run/attention.svg || fail 'no attention'
grep -q accuracy $run/report.md || fail 'no report'
# The page begins with what was run and what came out, and shows what training, and the stages before it, warned of.
[[ $(sed -n 3p $run/report.md) == 'run is a classifier '*' parameters. Its data: '*' training examples, '*'. Epoch '*' was the best: '*'On the test data: '*'To try next: '* ]] ||
  fail "the paragraph of the page: $(sed -n 3p $run/report.md)"
grep -q '<p>run is a classifier ' $run/report.html || fail 'the paragraph in HTML'

# Lines that are no pairs: one line each.
echo sun > one
refused 'one:1: no pair: 1 column where 2 are wanted: first text, second text' 1 classify model one
refused 'one:1: no pair: 1 column where 2 are wanted: first text, second text' 1 attn-dump model -q --format matrix one
refused '3 columns where 2 are wanted' 1 classify model pairs.tsv
refused '2 columns where 3 are wanted: first text, second text, label' 1 evaluate model pairs
cut -f1 pairs | tokenize --learn word --size 9 --template bert -q -o other.json
refused 'another vocabulary than t.json' 2 train --recipe r.yaml --tokenizer t.json --target-tokenizer other.json --labels labels -q --validation set.ids -o new set.ids

# In BERT's layout a line with a TAB is a pair.
convert model -o hf
classify hf --all -q pairs | cmp - ours || fail 'other probabilities after the way there and back'
evaluate hf pairs.tsv -q --json | cmp - figures.json || fail 'other figures after the way there and back'
classify hf --all -q one > /dev/null || fail 'a single text of a published classifier'

has_modules transformers torch || {
  echo "skipped: $python has no transformers or torch"
  exit 77
}
cat > compare.py << 'PYTHON'
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer
torch.set_num_threads(1)
pairs = [line.split("\t") for line in open("pairs").read().split("\n")[:-1]]
tokenizer = AutoTokenizer.from_pretrained("hf")
model = AutoModelForSequenceClassification.from_pretrained("hf").eval()
rows = [[float(x) for x in line.split("\t")] for line in open("ours")]
assert len(rows) == len(pairs)
for (first, second), row in zip(pairs, rows):
    with torch.no_grad():
        batch = tokenizer(first, second, return_tensors="pt", truncation="longest_first", max_length=12)
        theirs = torch.softmax(model(**batch).logits[0], -1).tolist()
    assert max(abs(a - b) for a, b in zip(row, theirs)) < 1e-5, (first, second, row, theirs)
PYTHON
in_transformers pairs 'transformers says otherwise'
