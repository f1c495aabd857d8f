#!/bin/sh
# debian-descriptions: what Debian's packages do, to train.tsv, validation.tsv and test.tsv (description<TAB>one-line summary).
#
#   data/prepare-debian-descriptions.sh [DATA]     DATA: the data root, data/cache by default
#
# With HEADWATER_DATA=DIR the pairs of Debian 12 in that mirror; without, those of this machine's own distribution, as apt has them: no
# server is asked. Equal descriptions count once. A description of more than 60 words keeps the first 45 and the last 15. Packages that are
# built from one source share whole paragraphs, so all of a source are in one part: 4 % of the sources in the test, 2 % in validation.
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 1 $#
data=${1:-$data_root}
set_name=debian-descriptions
split=$here/$set_name/split.awk

# The files of apt's indexes of a kind, their text to standard output.
index() { # KIND
  # shellcheck disable=SC2016 # the variable is apt's
  apt-get -o Acquire::Languages=en indextargets --format '$(FILENAME)' "Identifier: $1" ${2+"$2"} >"$tmp/files" 2>"$tmp/words" || fail "apt-get indextargets: $(tail -n 1 "$tmp/words")"
  while IFS= read -r file; do
    case $file in
      *.lz4 | *.xz | *.gz | *.bz2 | *.zst) /usr/lib/apt/apt-helper cat-file "$file" ;;
      *) [ ! -f "$file" ] || cat -- "$file" ;;
    esac || fail "$file: could not be read"
  done <"$tmp/files"
}

if [ -n "${HEADWATER_DATA-}" ]; then
  archive=$HEADWATER_DATA/$set_name/en.tsv.xz
  [ -f "$archive" ] || fail "$archive: no such file (HEADWATER_DATA names the folder that holds $set_name/en.tsv.xz; without it, the descriptions come from apt)"
  need xz xz-utils
  note "$set_name: $archive; licence: each description under that of its package"
  xz -dc -- "$archive" >"$tmp/en.tsv" || fail "$archive: could not be unpacked"
  verify "$tmp/en.tsv" "raw/$set_name/en.tsv" || [ -z "$(pin_of "raw/$set_name/en.tsv")" ] ||
    fail "$archive: the unpacked en.tsv has SHA-256 $(hash_of "$tmp/en.tsv"), pinned is $(pin_of "raw/$set_name/en.tsv")"
  awk -v dir="$tmp" -v known=1 -f "$split" "$here/$set_name/parts.tsv" "$tmp/en.tsv"
  publish_pinned $set_name validation.tsv test.tsv train.tsv
else
  command -v apt-get >/dev/null || fail "no apt-get here, whose index has the descriptions (HEADWATER_DATA=DIR names a folder that holds $set_name/en.tsv.xz)"
  index Translations 'Language: en' | awk -f "$here/$set_name/descriptions.awk" | sort >"$tmp/en.tsv"
  [ -s "$tmp/en.tsv" ] || fail "apt has no English descriptions here (please type: sudo apt-get -o Acquire::Languages=en update)"
  index Packages | awk '/^Package: / { package = $2; source = $2 } /^Source: / { source = $2 } /^$/ { if (package != "") print package "\t" source; package = "" }
    END { if (package != "") print package "\t" source }' >"$tmp/sources"
  note "$set_name: $(wc -l <"$tmp/en.tsv" | tr -d ' ') descriptions of apt's index; licence: each under that of its package"
  awk -v dir="$tmp" -f "$split" "$tmp/sources" "$tmp/en.tsv"
  mkdir -p "$data/$set_name"
  for part in validation test train; do
    [ -s "$tmp/$part.tsv" ] || fail "apt's index is too small: no package for $part.tsv"
  done
  for part in validation test train; do publish "$tmp/$part.tsv" "$data/$set_name/$part.tsv"; done
fi
note "$set_name: $(wc -l <"$data/$set_name/train.tsv" | tr -d ' ') pairs for training, $(wc -l <"$data/$set_name/validation.tsv" | tr -d ' ') for validation, $(wc -l <"$data/$set_name/test.tsv" | tr -d ' ') for the test"
"$here/overlap.sh" "$data/$set_name"
