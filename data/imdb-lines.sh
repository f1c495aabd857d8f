#!/bin/sh
# The reviews of one part of the archive aclImdb as lines "label TAB rating TAB id TAB text": label 0 negative, 1 positive;
# by label, then by id. A TAB in a text becomes a space.
#
#   data/imdb-lines.sh DIR     DIR: the folder of neg/ID_RATING.txt and pos/ID_RATING.txt
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 1 $#
[ $# -eq 1 ] || wrong "which folder? (data/imdb-lines.sh DIR)"
label=0
for class in neg pos; do
  [ -d "$1/$class" ] || fail "$1/$class: no such folder (it holds the reviews, one a file)"
  (cd "$1/$class" && find . -name '[0-9]*_[0-9]*.txt' | sed 's,^\./,,' | sort -t_ -k1,1n) |
    awk -v label="$label" -v dir="$1/$class" '{
      split($0, part, /[_.]/)
      file = dir "/" $0
      text = ""
      for (separator = ""; (getline line < file) > 0; separator = " ") text = text separator line
      close(file)
      gsub(/\t/, " ", text)
      print label "\t" part[2] "\t" part[1] "\t" text
    }'
  label=$((label + 1))
done
