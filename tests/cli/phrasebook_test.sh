#!/bin/sh
# The embedded phrasebook: the grammar writes the committed files byte for byte, held-out pairs meet nowhere else, and the check of
# alignments tells right from wrong.
set -eu
export LC_ALL=C
book=$(cd "$(dirname "$0")/../../data/phrasebook" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
fail() {
  echo "failed: $1"
  failures=$((failures + 1))
}

mkdir "$tmp/out"
"$book/generate.sh" "$tmp/out"
for part in train validation heldout alignment; do
  cmp "$book/$part.tsv" "$tmp/out/$part.tsv" || fail "$part.tsv is not what the grammar writes (data/phrasebook/generate.sh)"
done
[ "$(cat "$book"/*.tsv | wc -c)" -lt 600000 ] || fail 'the phrasebook is larger than 600 kB'
[ "$(cut -f1 "$book/train.tsv" "$book/validation.tsv" "$book/heldout.tsv" | sort | uniq -d | wc -l)" = 0 ] || fail 'a sentence stands twice'

# The noun and the adjective of each held-out phrase, in any number, in one sentence of the other files.
awk '
  FILENAME == ARGV[1] { split($0, f, "|"); if (f[1] == "noun") { split(f[2], w, " "); noun[w[1]] = w[1]; noun[w[2]] = w[1] }; if (f[1] == "adjective") adjective[f[2]] = 1; next }
  FILENAME == ARGV[2] { split($0, f, "\t"); line = f[1]; gsub(/[.?]/, "", line); split(line, w, " "); held[noun[w[f[3] + 1]], w[f[4] + 1]] = 1; if (!(w[f[3] + 1] in noun) || !(w[f[4] + 1] in adjective)) { print "wrong place: " $0; bad = 1 }; next }
  { split($0, f, "\t"); line = f[1]; gsub(/[.?]/, "", line); words = split(line, w, " ")
    for (i = 1; i <= words; ++i) for (j = 1; j <= words; ++j)
      if (w[i] in noun && w[j] in adjective && (noun[w[i]], w[j]) in held) { print "held-out pair in " FILENAME ": " $0; bad = 1 } }
  END { exit bad }
' "$book/lexicon.txt" "$book/alignment.tsv" "$book/train.tsv" "$book/validation.tsv" || fail 'a held-out pair is in training or validation'

# Attention by hand: two heads that must be averaged, one phrase right, one with the adjective looked for in the wrong place.
printf 'the red house.\tla casa roja.\t2\t1\t1\t2\na old car.\tun coche viejo.\t2\t1\t1\t2\n' >"$tmp/alignment.tsv"
{
  echo 'example,kind,layer,head,q,k,q_token,k_token,predicts,weight'
  row() { # EXAMPLE HEAD Q WEIGHTS...
    e=$1 h=$2 q=$3 k=0
    shift 3
    for weight in "$@"; do
      echo "$e,cross,0,$h,$q,$k,\"a,\"\"b\",t,p,$weight"
      k=$((k + 1))
    done
  }
  for example in 0 1; do
    row $example 0 0 0.9 0.05 0.05; row $example 1 0 0.9 0.05 0.05
    row $example 0 1 0.0 0.6 0.4; row $example 1 1 0.1 0.1 0.8
  done
  row 0 0 2 0.1 0.8 0.1; row 0 1 2 0.5 0.4 0.1
  row 1 0 2 0.1 0.2 0.7; row 1 1 2 0.5 0.4 0.1
} >"$tmp/attention.csv"
printf 'nouns      2 of 2 (100.0 %%)\nadjectives 1 of 2 (50.0 %%)\nboth       1 of 2 (50.0 %%)\n' >"$tmp/expected"
awk -v least=0.5 -f "$book/alignment.awk" "$tmp/alignment.tsv" "$tmp/attention.csv" >"$tmp/got" || fail 'half is enough for 0.5'
cmp "$tmp/expected" "$tmp/got" || fail 'shares'
if awk -v least=0.8 -f "$book/alignment.awk" "$tmp/alignment.tsv" "$tmp/attention.csv" >/dev/null 2>&1; then fail 'half is not enough for 0.8'; fi
head -n 1 "$tmp/alignment.tsv" >"$tmp/short.tsv"
if awk -f "$book/alignment.awk" "$tmp/short.tsv" "$tmp/attention.csv" >/dev/null 2>&1; then fail 'another number of examples is an error'; fi

[ "$failures" = 0 ] && echo 'the phrasebook is as it should be'
exit $((failures > 0))
