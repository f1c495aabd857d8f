#!/bin/sh
# Tokenizers learned here load in Hugging Face's tokenizers and give the same ids.
#   huggingface_ids.sh BIN     BIN: the folder of the tools; PYTHON: the interpreter, python3 where it is not given.
# Status 77: skipped (that Python has no tokenizers).
set -eu
export LC_ALL=C.UTF-8
BIN=$(cd "$1" && pwd)
python=${PYTHON:-python3}
"$python" -c 'import tokenizers' 2>/dev/null || { echo "skipped: $python has no tokenizers"; exit 77; }
reference=$(cd "$(dirname "$0")/../golden/reference/tokenizers" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$tmp"

"$python" - "$reference/wordlevel.expected.json" >text <<'PYTHON'
import json, sys
for line in json.load(open(sys.argv[1], encoding="utf-8")):
    if not set(line["text"]) & set("\t\n\r\0\v\f"):
        sys.stdout.buffer.write((line["text"] + "\n").encode())
PYTHON
for line in '<br>' ' <br>  <br>x<br>the <BR> cat' 'the NAME and NAMES, name<br>é é' 'a <br /> → b→é'; do echo "$line"; done >>text

n=0
while read -r options; do
  # shellcheck disable=SC2086 # the options of a line
  "$BIN/tokenize" -q --learn $options -o t.json text
  "$BIN/tokenize" -q -t t.json text | "$BIN/vectorize" -q -t t.json --length 100000 >ids
  "$python" - t.json text ids "$options" <<'PYTHON'
import sys
from tokenizers import Tokenizer
tokenizer = Tokenizer.from_file(sys.argv[1])
tokenizer.encode_special_tokens = True  # special tokens never come from text
texts = open(sys.argv[2], encoding="utf-8", newline="\n").read().split("\n")[:-1]
ids = [[int(i) for i in line.split()] for line in open(sys.argv[3])]
assert len(ids) == len(texts)
differing = [text for text, ours in zip(texts, ids) if tokenizer.encode(text, add_special_tokens=False).ids != ours]
if differing:
    sys.exit(f"--learn {sys.argv[4]}: {len(differing)} of {len(texts)} lines differ, the first: {differing[0]!r}")
PYTHON
  n=$((n + 1))
done <<'KINDS'
word --size 300
word --size 300 --split-punctuation --start-end
word --size 300 --standardize unicode_punctuation --lower unicode
word --size 300 --standardize lower_and_set_off_punctuation
character --size 200
byte_bpe --size 500
byte_bpe --size 500 --start-end
bpe --size 600
bpe --size 600 --end-of-word-suffix </w>
wordpiece --size 600
wordpiece --size 600 --start-end --lower unicode
unigram --size 600
wordpiece --size 600 --template bert
byte_bpe --size 500 --template bert
unigram --size 600 --start-end --character-coverage 1
word --size 300 --user-defined-symbols <br> --user-defined-symbols NAME
word --size 300 --standardize unicode_punctuation --lower unicode --user-defined-symbols é --user-defined-symbols →
character --size 200 --user-defined-symbols <br> --user-defined-symbols the
byte_bpe --size 500 --user-defined-symbols <br> --user-defined-symbols → --user-defined-symbols x
byte_bpe --size 500 --standardize lower --user-defined-symbols <br> --user-defined-symbols NAME
bpe --size 600 --start-end --user-defined-symbols <br> --user-defined-symbols x
bpe --size 600 --standardize lower --user-defined-symbols <br> --user-defined-symbols <br><br>
wordpiece --size 600 --lower unicode --user-defined-symbols <br> --user-defined-symbols NAME
wordpiece --size 600 --template bert --user-defined-symbols é --user-defined-symbols the
unigram --size 600 --start-end --user-defined-symbols <br> --user-defined-symbols é
unigram --size 600 --standardize lower --user-defined-symbols <br> --user-defined-symbols name
KINDS
echo "$n tokenizers"
