#!/bin/sh
# data/prepare-debian-descriptions.sh on made indexes: apt's (a stand-in names them) and a mirror's; no source package in two parts.
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v xz >/dev/null || { echo 'skipped: no xz'; exit 77; }
unset HEADWATER_DATA
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
failures=0
check() { # WHAT COMMAND...
  what=$1
  shift
  "$@" || {
    echo "failed: $what"
    cat "$tmp/words"
    failures=$((failures + 1))
  }
}
prepare() { PATH=$tmp/bin:$PATH "$root/data/prepare-debian-descriptions.sh" "$tmp/$1" >"$tmp/out" 2>"$tmp/words"; }
# shellcheck disable=SC2317 # called through check
says() { grep -qF -- "$1" "$tmp/words"; }

# 300 sources with three packages each, whose descriptions name the source; the third has that of the second again.
mkdir "$tmp/bin"
awk -v packages="$tmp/Packages" -v texts="$tmp/Translation-en" 'BEGIN {
  for (s = 1; s <= 300; ++s) for (p = 1; p <= 3; ++p) {
    source = "source" s; name = p == 1 ? source : "lib" source "-" p
    print "Package: " name (p == 1 ? "" : "\nSource: " source (p == 2 ? " (1.2-3)" : "")) "\nVersion: 1\n" > packages
    print "Package: " name "\nDescription-md5: 0\nDescription-en: summary " p " of " source > texts
    print " What " source " does,  in\tthis package.\n .\n   * and part " (p == 1 ? 1 : 2) " of it.\n" > texts
  }
  print "Package: long\nDescription-en: a long one" > texts
  for (i = 1; i <= 80; ++i) print " w" i > texts
  print "\nPackage: stranger\nDescription-en: without a source\n Of unknown source.\n" > texts
  print "Package: long\n" > packages
}'
cat >"$tmp/bin/apt-get" <<SH
#!/bin/sh
case "\$*" in
  *Packages*) echo '$tmp/Packages' ;;
  *Translations*) echo '$tmp/'"\${TRANSLATIONS-Translation-en}" ;;
esac
SH
chmod +x "$tmp/bin/apt-get"

check 'from apt' prepare one
cat "$tmp"/one/debian-descriptions/train.tsv "$tmp"/one/debian-descriptions/validation.tsv "$tmp"/one/debian-descriptions/test.tsv >"$tmp/all"
check 'equal descriptions count once, and one without a source not at all' [ "$(wc -l <"$tmp/all")" = 601 ]
check 'paragraphs are joined' grep -qxF 'What source7 does, in this package. * and part 1 of it.	summary 1 of source7' "$tmp/all"
check 'a long one keeps its beginning and its end' grep -q '^w1 .* w45 \.\.\. w66 .* w80	a long one$' "$tmp/all"
for part in train validation test; do
  sed -n 's/^What \(source[0-9]*\) .*/\1/p' "$tmp/one/debian-descriptions/$part.tsv" | sort -u | sed "s/$/ $part/"
done >"$tmp/parts"
check 'no source is in two parts' [ "$(cut -d' ' -f1 "$tmp/parts" | sort | uniq -d | wc -l)" = 0 ]
check 'all sources are there' [ "$(wc -l <"$tmp/parts")" = 300 ]
for part in validation test; do check "some are in $part" grep -q " $part$" "$tmp/parts"; done
check 'again' prepare two
for part in train validation test; do
  check "$part: the same again" cmp "$tmp/one/debian-descriptions/$part.tsv" "$tmp/two/debian-descriptions/$part.tsv"
done

TRANSLATIONS=nowhere
export TRANSLATIONS
check 'no descriptions' [ "$(prepare three && echo 0 || echo $?)" = 1 ]
check 'no descriptions: how to get them' says 'sudo apt-get -o Acquire::Languages=en update'
check 'no descriptions: nothing is written' [ ! -e "$tmp/three" ]

# A mirror: known packages go where parts.tsv says. Its bytes are pinned, unless other pins are given.
mkdir -p "$tmp/mirror/debian-descriptions"
HEADWATER_DATA=$tmp/mirror
export HEADWATER_DATA
check 'an empty mirror' [ "$(prepare four && echo 0 || echo $?)" = 1 ]
check 'an empty mirror: what is missing' says 'en.tsv.xz: no such file'
for part in test validation none; do awk -F '\t' -v part=$part '$2 == part { print $1 "\ta " part " package\tthe words of " $1; exit }' "$root/data/debian-descriptions/parts.tsv"; done >"$tmp/en.tsv"
printf 'of-training\ta train package\tother words\n' >>"$tmp/en.tsv"
xz -c "$tmp/en.tsv" >"$tmp/mirror/debian-descriptions/en.tsv.xz"
check 'other bytes' [ "$(prepare four && echo 0 || echo $?)" = 1 ]
check 'other bytes: both hashes' says 'pinned is'
: >"$tmp/pins"
HEADWATER_PINS=$tmp/pins
export HEADWATER_PINS
check 'from a mirror' prepare four
for part in train validation test; do
  check "$part: its package" [ "$(cut -f2 "$tmp/four/debian-descriptions/$part.tsv")" = "a $part package" ]
done

[ $failures = 0 ] && echo 'descriptions: all checks passed'
exit $((failures > 0))
