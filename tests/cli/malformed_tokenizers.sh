#!/bin/sh
# Forty malformed files of each kind that is learned here, and every tokenizer file of the fuzz corpora: one line, status 1, or none and status 0.
#   malformed_tokenizers.sh BIN     BIN: the folder of the tools
set -eu
export LC_ALL=C
BIN=$(cd "$1" && pwd)
corpus=$(cd "$(dirname "$0")/../fuzz/corpus" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$tmp"
printf 'The red house is here.\nthe red car, the house\nA car is red: 12 cars\n' >text

# status FILE WHAT: 0, or 1 with one line, or the end of this test.
status() {
  code=0
  timeout 20 "$BIN/tokenize" -q -t "$1" text >out 2>err || code=$?
  case $code in
    0) [ ! -s err ] ;;
    1) [ "$(wc -l <err)" = 1 ] && grep -q '^tokenize: ' err ;;
    *) false ;;
  esac || {
    echo "$2: status $code: $(cat err)" >&2
    exit 1
  }
}
refused() {
  cmp -s "$3" "$1" && { echo "$2: no change" >&2; exit 1; }
  status "$1" "$2"
  [ $code = 1 ] || { echo "$2: taken" >&2; exit 1; }
  n=$((n + 1))
}

kinds=$("$BIN/tokenize" --help | sed -n 's/^  --learn \([^ ]*\).*/\1/p' | tr '|' ' ')
[ "$(echo "$kinds" | wc -w)" -ge 6 ] || { echo "kinds of tokenizers in the help: $kinds" >&2; exit 1; }
for kind in $kinds; do
  "$BIN/tokenize" -q --learn "$kind" --size 300 -o whole.json text
  n=0
  bytes=$(wc -c <whole.json)
  while [ $n -lt 30 ]; do # at every thirtieth of the file
    head -c $((1 + (bytes - 3) * n / 30)) whole.json >t.json
    refused t.json "$kind cut at part $n" whole.json
  done
  while IFS= read -r edit; do
    sed "$edit" whole.json >t.json
    refused t.json "$kind: $edit" whole.json
  done <<'EDITS'
1s/{/[/
0,/:/s/:/;/
0,/,/s/,/ /
0,/"/s/"//
0,/"model"/s/"model"/"mode1"/
s/"vocab"\|"subwords"/"vocap"/
s/"1.0"/"9.0"/
0,/{/s/{/{{/
$s/$/}/
$s/$/\xff/
EDITS
  [ $n = 40 ]
done

n=0
"$BIN/tokenize" -q --learn subword_text_encoder --size 300 -o whole.subwords text
for line in 3 4 5 6 7 8 9 10 11 12; do
  for edit in "s/.\$//" "s/^.//" "s/\$/x/" "s/^/x/"; do
    sed "$line$edit" whole.subwords >t.subwords
    refused t.subwords "$line$edit" whole.subwords
  done
done
[ $n = 40 ]

for kind in tokenizer_json:json sentencepiece_model:model subwords:subwords vocab_txt:txt; do
  for file in "$corpus/${kind%:*}"/*; do
    cp "$file" "t.${kind#*:}"
    status "t.${kind#*:}" "$file"
  done
done
