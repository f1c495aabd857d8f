#!/bin/sh
# Ids of GPT-2's and BERT's tokenizers on whole data sets, against the digests of Hugging Face's library.
#   reference_ids.sh BIN     BIN: the folder of the tools. Status 77: skipped (HEADWATER_DATA has no such files).
# With DATASETS="shakespeare multi30k.train.en" only these.
set -eu
export LC_ALL=C
BIN=$(cd "$1" && pwd)
digests=$(cd "$(dirname "$0")/../golden/reference/tokenizers" && pwd)/digests.tsv
data=${HEADWATER_DATA:-}
if [ -z "$data" ] || [ ! -d "$data/tokenizers/gpt2" ] || ! command -v xz >/dev/null; then
  echo "skipped: HEADWATER_DATA names no folder with tokenizers/gpt2 (or xz is not there)"
  exit 77
fi

text_of() {
  case $1 in
    spa-eng.en) xz -dc "$data/spa-eng/spa.txt.xz" | cut -f1 ;;
    spa-eng.es) xz -dc "$data/spa-eng/spa.txt.xz" | cut -f2 ;;
    imdb.*) xz -dc "$data/imdb/${1#imdb.}.tsv.xz" | cut -f4 ;;
    multi30k.train.*) gzip -dc "$data/multi30k/train.${1##*.}.gz" ;;
    ted.validation.pt | ted.test.en) xz -dc "$data/ted-pt-en/${1#ted.}.xz" ;;
    shakespeare) xz -dc "$data/tinyshakespeare/input.txt.xz" ;;
  esac
}

failed=0 checked=0
while IFS="$(printf '\t')" read -r tokenizer set lines tokens digest; do
  [ "$tokenizer" != tokenizer ] || continue
  [ "$set" != multi30k.train.de ] || continue # one line has a TAB, which ends a text here
  case " ${DATASETS:-$set} " in *" $set "*) ;; *) continue ;; esac
  found=$(text_of "$set" | "$BIN/tokenize" -q -t "$data/tokenizers/$tokenizer" |
    "$BIN/vectorize" -q -t "$data/tokenizers/$tokenizer" --length 1000000 | sha256sum | cut -d' ' -f1)
  checked=$((checked + 1))
  if [ "$found" != "$digest" ]; then
    echo "$tokenizer on $set ($lines lines, $tokens tokens): ids with digest $found, not $digest"
    failed=1
  fi
done <"$digests"
echo "$checked data sets"
[ "$checked" -gt 0 ] && exit $failed
