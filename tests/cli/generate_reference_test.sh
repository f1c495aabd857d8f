#!/bin/bash
# What generate writes is what transformers' generate() writes with the same model: ids and text, greedy and with beams, with repetition
# penalty, no-repeat n-grams and a least number of tokens. Skipped where Python has no transformers.
#   generate_reference_test.sh BIN     BIN: the folder of the tools; PYTHON: the interpreter, python3 where it is not given
set -euo pipefail
export LC_ALL=C.UTF-8
PATH=$(cd "$1" && pwd):$PATH
python=${PYTHON:-python3}
"$python" "$(dirname "$0")/has_modules.py" transformers torch || {
  echo "skipped: $python has no transformers or torch"
  exit 77
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

awk 'BEGIN { split("One two, three; four five: six seven (eight) nine. dont!", w, " ")
  for (i = 0; i < 300; ++i) { n = i * 7919 % 100000 + 100000; t = ""; for (j = 2; j <= 6; ++j) t = t " " w[1 + substr(n, j, 1) % 10]; print substr(t, 2) } }' > text
cat > r.yaml << 'RECIPE'
name: r
data: {columns: [source]}
source_tokenizer: {kind: byte_bpe, size: 300}
model: {kind: language_model, width: 32, heads: 4, feed_forward_width: 48, layers: 2, norm: pre, norm_epsilon: 1.0e-5, activation: gelu_tanh,
  tie_embeddings: true, output_bias: false, initialization: normal, length: 96}
training: {epochs: 3, batch_sequences: 16, optimizer: {kind: adam, learning_rate: 3.0e-3}}
RECIPE
tokenize --learn byte_bpe --size 300 --start-end -q -o t.json text
tokenize -t t.json -q text | vectorize -q -t t.json --length 97 --end > text.ids
train --recipe r.yaml --tokenizer t.json -q -o model text.ids > log
convert model -o hf
awk 'NR % 5 == 0 { print substr($0, 1, 1 + NR % 23) }' text > prompts

cat > compare.py << 'PYTHON'
import json, subprocess, torch
from transformers import AutoTokenizer, GPT2LMHeadModel
torch.set_num_threads(1)
tokenizer, model = AutoTokenizer.from_pretrained("hf"), GPT2LMHeadModel.from_pretrained("hf").eval()
prompts = open("prompts").read().splitlines()
end = tokenizer.convert_tokens_to_ids("[END]")
never = [[tokenizer.convert_tokens_to_ids(token)] for token in ("[PAD]", "[START]")]
cases = [
    ([], {}),
    (["--repetition-penalty", "1.3"], {"repetition_penalty": 1.3}),
    (["--repetition-penalty", "1.2", "--no-repeat-ngram-size", "2"], {"repetition_penalty": 1.2, "no_repeat_ngram_size": 2}),
    (["--min-new-tokens", "30"], {"min_new_tokens": 30}),
    (["--num-beams", "4"], {"num_beams": 4}),
    (["--num-beams", "3", "--length-penalty", "0.6", "--no-repeat-ngram-size", "3"], {"num_beams": 3, "length_penalty": 0.6, "no_repeat_ngram_size": 3}),
]
for options, settings in cases:
    command = ["generate", "model", "-q", "--json", "--scores", "--max-new-tokens", "40", *options, "prompts"]
    ours = [json.loads(line) for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()]
    assert len(ours) == len(prompts)
    different = 0
    for prompt, found in zip(prompts, ours):
        ids = tokenizer(prompt, return_tensors="pt", add_special_tokens=False).input_ids
        with torch.no_grad():
            whole = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=40, do_sample=False, eos_token_id=end, pad_token_id=end,
                bad_words_ids=never, **settings)[0]
        theirs = whole[ids.shape[1]:].tolist()
        if end in theirs:
            theirs = theirs[:theirs.index(end) + 1]
        assert [token["id"] for token in found["tokens"]] != [] and len(theirs) > 0
        same_ids = [token["id"] for token in found["tokens"]] == theirs
        text = tokenizer.decode(whole, skip_special_tokens=True)
        same_text = tokenizer.decode(ids[0], skip_special_tokens=True) + found["text"] == text
        if same_ids != same_text or not same_ids:
            different += 1
            print(options, repr(prompt), repr(found["text"]), repr(text))
    # Sums in another order may turn a choice between equals.
    assert different <= 1, f"{different} of {len(prompts)} differ: {options}"
    print("same", len(prompts) - different, "of", len(prompts), *options)
PYTHON
"$python" compare.py 2> errors || { cat errors; exit 1; }
