#!/bin/bash
# shellcheck disable=SC2016 # the $ of a token is meant as it is
# The lines for gnuplot, for pandas with matplotlib, for bertviz and for seaborn in tools/attn-dump.md, run as they stand there: every token at
# its place, the first query on top, every weight in its cell. What is not installed is skipped, and said.
#   attention_plots.sh BIN     BIN: the folder of the tools; PYTHON: the interpreter, python3 where it is not given
set -euo pipefail
export LC_ALL=C.UTF-8
PATH=$(cd "$1" && pwd):$PATH
page=$(cd "$(dirname "$0")/../../tools" && pwd)/attn-dump.md
python=${PYTHON:-python3}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
fail() {
  echo "failed: $1"
  exit 1
}
block() { # the lines of the page's block of this language
  awk -v start="\`\`\`$1" '$0 == start { inside = 1; next } /^```/ { inside = 0 } inside' "$page"
}

has_gnuplot=0 has_python=0
command -v gnuplot > /dev/null && has_gnuplot=1
"$python" -c 'import matplotlib, pandas' 2> /dev/null && has_python=1
[ $has_gnuplot = 1 ] || echo 'skipped: gnuplot is not installed'
[ $has_python = 1 ] || echo "skipped: $python has no pandas or matplotlib"
[ $has_gnuplot$has_python != 00 ] || exit 77

# Words that a reader of CSV may take for something else.
for _ in 1 2 3 4 5 6 7 8; do printf 'the red house\tla casa roja\n'; done > all.tsv
cut -f1 all.tsv | tokenize --learn word --standardize none --size 20 -q -o en.json
cut -f2 all.tsv | tokenize --learn word --standardize none --size 20 --start-end -q -o es.json
cut -f1 all.tsv | tokenize -t en.json -q | vectorize -q -t en.json --length 12 > en.ids
cut -f2 all.tsv | tokenize -t es.json -q | vectorize -q -t es.json --length 12 --start --end > es.ids
printf '%s\n' 'name: r' 'model: {width: 8, heads: 2, feed_forward_width: 16, length: 12}' 'training: {epochs: 1}' > r.yaml
paste en.ids es.ids | train --recipe r.yaml --source-tokenizer en.json --target-tokenizer es.json -q -o model > log
echo 'null , "quoted" " NA 007 {a}_b^c $x$ nan' |
  attn-dump model -q --kind cross --layer 0 --head 0 --target 'la "null" , NA casa $x' > attention.csv
[ "$(wc -l < attention.csv)" = 64 ] || fail "attention.csv has not 7 times 9 weights and a header"

if [ $has_gnuplot = 1 ]; then
  block gnuplot > plot.gp
  [ -s plot.gp ] || fail 'the page has no lines for gnuplot'
  gnuplot -e "set terminal svg size 800,600; set output 'plot.svg'" plot.gp 2> errors || fail "gnuplot: $(cat errors)"
  gnuplot -e "set table 'cells'" plot.gp 2>> errors || fail "gnuplot: $(cat errors)"
  [ ! -s errors ] || fail "gnuplot says: $(head -n 3 errors)"
  # labels in the order of their places: those that are rotated along x, then the others down y
  awk '/translate\(/ { place = $0; sub(/.*translate\(/, "", place); split(place, at, /[,)]/); is_turned = place ~ /rotate/ }
    /<text>/ { text = $0; gsub(/.*<text>|<\/text>.*/, "", text)
      if (text !~ /^ *[01](\.[0-9])?$/) printf "%s\t%s\t%s\n", is_turned ? "x" : "y", is_turned ? at[1] : at[2], text }' plot.svg |
    sort -u | sort -k1,1 -k2,2n | cut -f1,3 > labels
  printf 'x\t%s\n' null , '”quoted”' '”' NA 007 '{a}_b^c' '$x$' nan > expected
  printf 'y\t%s\n' '[START]' la '”null”' , NA casa '$x' >> expected
  diff expected labels || fail 'gnuplot: the labels or their order'
  # "x y weight" of each cell; gnuplot writes 6 digits
  tail -n +2 attention.csv | sed 's/.*,//' > weights
  awk '!/^#/ && NF > 2 { print $1, $2, $3 }' cells > drawn
  awk '{ printf "%d %d %s\n", (NR - 1) % 9, int((NR - 1) / 9), $1 }' weights | paste -d ' ' - drawn |
    awk '{ d = $3 - $6; if ($1 != $4 || $2 != $5 || d > 1e-5 || d < -1e-5) exit 1 } END { if (NR != 63) exit 1 }' || fail 'gnuplot: weights in other cells'
  echo 'gnuplot: passed'
fi

if [ $has_python = 1 ]; then
  block python > plot.py
  [ -s plot.py ] || fail 'the page has no lines for pandas'
  cat >> plot.py <<'.'

import csv
with open("attention.csv", newline="", encoding="utf-8") as file:
    cells = list(csv.DictReader(file))
shown = lambda ticks: [tick.get_text() for tick in ticks]
assert shown(axes.get_xticklabels()) == ["null", ",", '"quoted"', '"', "NA", "007", "{a}_b^c", "$x$", "nan"], shown(axes.get_xticklabels())
assert shown(axes.get_yticklabels()) == ["[START]", "la", '"null"', ",", "NA", "casa", "$x"], shown(axes.get_yticklabels())
assert list(axes.get_xticks()) == list(range(9)) and list(axes.get_yticks()) == list(range(7))
bottom, top = axes.get_ylim()
assert bottom > top and image.origin == "upper", "the first query is not on top"
drawn = image.get_array()
assert drawn.shape == (7, 9) and len(cells) == 63
for cell in cells:
    assert abs(drawn[int(cell["q"]), int(cell["k"])] - float(cell["weight"])) < 1e-9, cell
.
  MPLBACKEND=agg MPLCONFIGDIR=$tmp "$python" plot.py 2> errors || fail "pandas and matplotlib: $(tail -n 3 errors)"
  [ -s attention.png ] || fail 'matplotlib: no picture'
  echo 'pandas and matplotlib: passed'
fi

# What reads the JSON: a page, and a picture.
echo 'the red house' | attn-dump model -q --kind encoder --format json > attention.json
for package in bertviz seaborn; do
  "$python" -c "import $package" 2> /dev/null || {
    echo "skipped: $python has no $package"
    continue
  }
  block "python $package" > read_$package.py
  [ -s read_$package.py ] || fail "the page has no lines for $package"
  MPLBACKEND=agg MPLCONFIGDIR=$tmp "$python" read_$package.py 2> errors || fail "$package: $(tail -n 3 errors)"
  echo "$package: passed"
done
[ ! -s read_bertviz.py ] || grep -q '"house"' heads.html || fail 'bertviz: the page has no tokens'
[ ! -s read_seaborn.py ] || [ -s head.png ] || fail 'seaborn: no picture'
