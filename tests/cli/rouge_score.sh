#!/bin/sh
# ROUGE of single lines equals rouge-score's to 1e-6, with and without stemming, on made lines of hard words.
#   rouge_score.sh BIN     BIN: the folder of the tools; PYTHON: the interpreter, python3 where it is not given.
# Status 77: skipped (that Python has no rouge_score).
set -eu
export LC_ALL=C.UTF-8
BIN=$(cd "$1" && pwd)
python=${PYTHON:-python3}
"$python" -c 'import rouge_score' 2>/dev/null || { echo "skipped: $python has no rouge_score"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$tmp"

"$python" - <<'PYTHON'
import random
random.seed(1)
roots = """allow hop fil geo theo archaeo radic hope sky fli d l t sp pla conflat troubl siz hiss fail filig agre pony nation relat condit
valenc digit conform radical differ vile analog vietnam predic operat feudal decis callous formal sensitiv sensib triplic form electr good adopt
commun activ angul effect bowdl prob ceas control roll y yy syzyg toy enjoy by say 19 20k 3rd x1 use eat a i is proceed exceed succeed howe news
inn out cann apolog log bl at iz ll ss zz ff""".split()
ends = """ s es ies ied ed eed ing ings y ly ally ational tional enci anci izer abli bli alli entli eli ousli ization ation ator alism iveness fulness
ousness aliti iviti biliti fulli logi logy icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion sion tion ou ism
ate iti ous ive ize e ee le ll lle yed ying""".replace("\n", " ").split(" ")
words = [root + end for root in roots for end in ends]
odd = ["Don't", "na\u00efve", "20\u212a", "\u0130stanbul", "\u4f60\u597d", "-", "...", "(x)", "3.5", "I", "A_b", "\u00a0", "ǅ", "ﬁle"]
def line():
    if random.random() < 0.03: return ""
    some = random.choices(words, k=random.choice([1, 3, 8, 20, 90]))
    return " ".join(random.choice(odd) if random.random() < 0.1 else w.upper() if random.random() < 0.1 else w for w in some)
with open("hypotheses", "w") as h, open("references", "w") as r, open("others", "w") as o:
    for _ in range(1500):
        reference = line()
        hypothesis = " ".join(w for w in reference.split(" ") + line().split(" ") if random.random() < 0.6)
        print(hypothesis, file=h), print(reference, file=r), print(line(), file=o)
    for word in words:  # each against its likeliest neighbour
        print(word, file=h), print(word[:-1], file=r), print(word[:-3], file=o)
PYTHON

for stem in '' --stem; do
  # shellcheck disable=SC2086 # an option or none
  "$BIN/evaluate" -q --hypotheses hypotheses --references references --references others --metric rouge --sentences --json $stem >ours
  # shellcheck disable=SC2086
  "$BIN/evaluate" -q --hypotheses hypotheses --references references --metric rouge --json $stem >means
  "$python" - "$stem" <<'PYTHON'
import json, sys
from rouge_score import rouge_scorer
names = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
scorer = rouge_scorer.RougeScorer(names, use_stemmer=bool(sys.argv[1]))
read = lambda name: open(name, encoding="utf-8", newline="\n").read().split("\n")[:-1]
hypotheses, references, others = read("hypotheses"), read("references"), read("others")
ours = [json.loads(line) for line in open("ours")]
assert len(ours) == len(hypotheses)
sums = {name: [0.0] * 3 for name in names}
for hypothesis, reference, other, scores in zip(hypotheses, references, others, ours):
    theirs = scorer.score_multi([reference, other], hypothesis)
    for name in names:
        assert abs(theirs[name].fmeasure - scores[name.removesuffix("sum")]) < 1e-6, (name, hypothesis, reference, other, theirs, scores)
    for name, score in scorer.score(reference, hypothesis).items():
        for i in range(3): sums[name][i] += score[i] / len(ours)
for line in open("means"):
    mean = json.loads(line)
    for i, part in enumerate(["precision", "recall", "f1"]):
        assert abs(sums[mean["metric"]][i] - mean[part]) < 1e-6, (mean, sums)
print(f"{len(ours)} lines {sys.argv[1]}: equal")
PYTHON
done
