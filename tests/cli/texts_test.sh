#!/bin/sh
# The sets of texts for language models from a mirror that is made here: every review in one part, once; a text cut by bytes.
# shellcheck source=SCRIPTDIR/sets_setup.sh
. "$(dirname "$0")/sets_setup.sh"
mkdir -p "$tmp/mirror/imdb" "$tmp/mirror/tinyshakespeare"
export HEADWATER_DATA="$tmp/mirror" HEADWATER_PINS="$tmp/pins.sha256"
: >"$HEADWATER_PINS"

for part in train test; do
  awk -v part=$part 'BEGIN { for (i = 0; i < 20; ++i) print i % 2 "\t7\t" i "\tThe " part " text<br />" i }' >"$tmp/$part.tsv"
  xz -c "$tmp/$part.tsv" >"$tmp/mirror/imdb/$part.tsv.xz"
done
check 'reviews' [ "$(prepare imdb-texts)" = 0 ]
check 'a tenth of so few is validation, a tenth the test' [ "$(awk 'END { print NR }' "$tmp/data/imdb-texts/validation.tsv" && awk 'END { print NR }' "$tmp/data/imdb-texts/test.tsv")" = '4
4' ]
cut -f4 "$tmp/train.tsv" "$tmp/test.tsv" | sort >"$tmp/wanted"
sort "$tmp/data/imdb-texts/"*.tsv >"$tmp/all"
check 'every text is in one part, as it is' cmp "$tmp/wanted" "$tmp/all"
check 'of both official parts' [ "$(grep -c 'test text' "$tmp/data/imdb-texts/train.tsv")" -gt 0 ]
printf '%064d  imdb-texts/test.tsv\n' 0 >>"$HEADWATER_PINS"
check 'other bytes than those that are pinned' [ "$(prepare imdb-texts)" = 1 ]

printf 'To be,\nor not\n\nto be.\n' >"$tmp/text"
xz -c "$tmp/text" >"$tmp/mirror/tinyshakespeare/input.txt.xz"
check 'a text' [ "$(prepare tinyshakespeare)" = 0 ]
cat "$tmp/data/tinyshakespeare/train.txt" "$tmp/data/tinyshakespeare/validation.txt" >"$tmp/all"
check 'both parts are the text again' cmp "$tmp/text" "$tmp/all"
check 'nine tenths of its bytes first' [ "$(wc -c <"$tmp/data/tinyshakespeare/train.txt" | tr -d ' ')" = 19 ]

[ $failures = 0 ] || exit 1
echo 'all checks of texts passed'
