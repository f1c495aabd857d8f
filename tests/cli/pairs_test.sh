#!/bin/sh
# The sets of two languages from a mirror that is made here: lines of both sides brought together and cleaned, what a mirror without training
# pairs gives, and files that do not belong together.
# shellcheck source=SCRIPTDIR/sets_setup.sh
. "$(dirname "$0")/sets_setup.sh"
mkdir -p "$tmp/mirror/multi30k" "$tmp/mirror/ted-pt-en"
export HEADWATER_DATA="$tmp/mirror" HEADWATER_PINS="$tmp/pins.sha256" HEADWATER_SETS="$tmp/sets.txt"
: >"$HEADWATER_PINS"
sed 's/^#.*//' "$root/data/sets.txt" >"$HEADWATER_SETS"

# multi30k: blanks at the ends, a TAB inside, CR at the end of a line; a NO-BREAK SPACE is text.
printf ' A dog. \nTwo\tmen \t run.\nA cat.\r\n' | gzip >"$tmp/mirror/multi30k/train.en.gz"
printf 'Ein Hund.\nZwei M\303\244nner. \n\302\240Eine Katze.\n' | gzip >"$tmp/mirror/multi30k/train.de.gz"
for part in val test_2016_flickr; do
  printf 'A dog.\nA bird.\n' | gzip >"$tmp/mirror/multi30k/$part.en.gz"
  printf 'Ein Hund.\nEin Vogel.\n' | gzip >"$tmp/mirror/multi30k/$part.de.gz"
done
check 'multi30k' [ "$(prepare multi30k)" = 0 ]
printf 'A dog.\tEin Hund.\nTwo men run.\tZwei M\303\244nner.\nA cat.\t\302\240Eine Katze.\n' >"$tmp/wanted"
check 'pairs without blanks at their ends' cmp "$tmp/wanted" "$tmp/data/multi30k/train.tsv"
printf 'A bird.\tEin Vogel.\n' >"$tmp/wanted"
check 'test pairs whose source is not in training' cmp "$tmp/wanted" "$tmp/data/multi30k/test-unseen.tsv"
check 'how many there are' grep -qx '1 of 2 test sources (50.0 %) also stand in training; 1 do not' "$tmp/data/multi30k/overlap.txt"
printf 'A dog.\n' | gzip >"$tmp/mirror/multi30k/val.en.gz"
rm -r "$tmp/data"
check 'sides of different length' [ "$(prepare multi30k)" = 1 ]
check 'are named with their lines' grep -q 'validation.en and .*validation.de: 1 and 2 lines, which should be as many$' "$tmp/words"

# ted-pt-en: sorted, so that copies in another order are the same set.
for part in validation test; do
  printf 'um gato\num co \n' | xz >"$tmp/mirror/ted-pt-en/$part.pt.xz"
  printf 'a cat\na dog\n' | xz >"$tmp/mirror/ted-pt-en/$part.en.xz"
done
check 'a mirror without training pairs is an error' [ "$(prepare ted-pt-en)" = 1 ]
check 'in one line' [ "$(wc -l <"$tmp/words")" = 1 ]
check 'which says where they come from' grep -q 'the training pairs cannot be had from .*/mirror: validation and test are in .*; without HEADWATER_DATA the whole set comes from http://www.phontron.com/' "$tmp/words"
printf 'um co\ta dog\num gato\ta cat\n' >"$tmp/wanted"
check 'validation is there' cmp "$tmp/wanted" "$tmp/data/ted-pt-en/validation.tsv"
check 'the test is there' cmp "$tmp/wanted" "$tmp/data/ted-pt-en/test.tsv"
check 'training is not' [ ! -e "$tmp/data/ted-pt-en/train.tsv" ]
for side in pt en; do printf 'um gato\num rato\n' | xz >"$tmp/mirror/ted-pt-en/train.$side.xz"; done
check 'a mirror that has them' [ "$(prepare ted-pt-en)" = 0 ]
check 'brings them' [ "$(wc -l <"$tmp/data/ted-pt-en/train.tsv")" = 2 ]
check 'and the overlap' grep -q '^1 of 2 test sources' "$tmp/data/ted-pt-en/overlap.txt"
rm -r "$tmp/data" "$tmp/mirror/ted-pt-en"
check 'a mirror without the set' [ "$(prepare ted-pt-en)" = 1 ]
check 'names the first file' grep -q 'ted-pt-en/validation.pt.xz: no such file' "$tmp/words"

# The archive of the origin: a folder with files of both sides.
if command -v tar >/dev/null && command -v curl >/dev/null; then
  mkdir -p "$tmp/datasets/pt_to_en"
  for part in train dev test; do for side in pt en; do echo "$part $side" >"$tmp/datasets/pt_to_en/$side.$part"; done; done
  (cd "$tmp" && tar -czf origin.tar.gz datasets)
  unset HEADWATER_DATA
  sed -i "s|http://[^|]*qi18naacl-dataset.tar.gz|file://$tmp/origin.tar.gz|" "$HEADWATER_SETS"
  check 'the archive of the origin' [ "$(prepare ted-pt-en)" = 0 ]
  for part in 'validation dev' 'test test' 'train train'; do
    echo "$part" | { read -r name word && printf '%s pt\t%s en\n' "$word" "$word" >"$tmp/wanted" && check "has $name" cmp "$tmp/wanted" "$tmp/data/ted-pt-en/$name.tsv"; }
  done
  check 'fetched once' [ "$(wc -l <"$tmp/data/raw/ted-pt-en/archives.sha256")" = 1 ]
fi

[ "$failures" = 0 ] && echo 'pairs: all checks passed'
exit $((failures > 0))
