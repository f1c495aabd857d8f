#!/bin/bash
# make install and make uninstall: what is put where, that it works from there (programs, manual pages, data scripts, recipes), and that
# exactly what was put is removed.
#   install_test.sh BIN     BIN: the folder of the tools
# shellcheck disable=SC2015 # what stands after "||" ends the test
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
unset MAKEFLAGS MAKELEVEL MFLAGS BIN BUILD DATA MODELS SCALE SEED THREADS OVERWRITE WERROR PREFIX DESTDIR PROGRAM_PREFIX HEADWATER_DATA
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
: >"$tmp/log"
fail() {
  echo "failed: $1"
  tail -n 20 "$tmp/log"
  exit 1
}
run() { make --no-print-directory "$@" "BIN=$bin" >"$tmp/log" 2>&1; }
everything_in() { (cd "$1" && find . -printf '%p %y %m %l\n' | sort); }
programs=$(cd tools && for page in *.md; do echo "${page%.md}"; done)

# --- A folder with a space, in which something else lies ---------------------------------------------------------------------

prefix="$tmp/my programs"
mkdir -p "$prefix/bin" "$prefix/share/man/man1"
echo other >"$prefix/bin/other"
everything_in "$prefix" >"$tmp/before"
run install "PREFIX=$prefix" || fail 'make install'
[ "$(wc -l <"$tmp/log")" = 1 ] || fail 'make install says one line'
for program in $programs; do
  "$prefix/bin/$program" --version >"$tmp/out" || fail "$program runs where it is installed"
  cmp -s "$bin/$program" "$prefix/bin/$program" || fail "$program is what was built"
  cmp -s "$bin/$program" "$prefix/libexec/headwater/$program" || fail "$program for scripts"
  page=$prefix/share/man/man1/$program.1
  [ -s "$page" ] || fail "no manual page of $program"
  # Nothing that a section or a first column of the page in tools/ has is lost.
  sed -n 's/^## //p' "tools/$program.md" | while IFS= read -r section; do grep -qxF ".SH ${section^^}" "$page" || fail "$page: no section $section"; done
  { grep -o '^| `-[^|]*|' "tools/$program.md" || true; } | { grep -o -- '--[a-z-]*' || true; } | while IFS= read -r option; do
    grep -qF -- "${option//-/\\-}" "$page" || fail "$page: no $option"
  done
  if command -v groff >/dev/null; then
    groff -man -Kutf8 -Tutf8 -rLL=200n -ww -Wbreak "$page" >"$tmp/page" 2>"$tmp/log" || fail "$page: groff"
    [ ! -s "$tmp/log" ] || fail "$page: warnings of groff"
  fi
  if command -v man >/dev/null; then
    LC_ALL=C.UTF-8 man --warnings -l "$page" >"$tmp/page" 2>"$tmp/log" </dev/null || fail "$page: man"
    ! grep -v "can't break line" "$tmp/log" || fail "$page: warnings of man"
  fi
done
everything_in "$prefix" >"$tmp/installed"

for file in debian-descriptions/split.awk debian-descriptions/parts.tsv phrasebook/lexicon.txt spa-eng/sentences.txt; do
  cmp -s "$prefix/share/headwater/data/$file" "$root/data/$file" || fail "data/$file is not installed"
done

# Data scripts and recipes work from there, in any folder, with nothing of the repository.
mkdir "$tmp/work"
(
  cd "$tmp/work"
  "$prefix/share/headwater/data/prepare-phrasebook.sh" >"$tmp/log" 2>&1 || fail 'an installed data script'
  cmp -s data/cache/phrasebook/train.tsv "$root/data/phrasebook/train.tsv" || fail 'its data root is data/cache of the current folder'
  "$prefix/share/headwater/data/overlap.sh" --help >"$tmp/log" || fail 'the help of an installed script'
  ln -s "$prefix/share/headwater/recipes" recipes
  make --no-print-directory -f "$prefix/share/headwater/recipes/stages.mk" RECIPE=recipes/phrasebook.yaml SCALE=quick >"$tmp/log" 2>&1 ||
    fail 'an installed recipe'
  [ -s models/recipes/phrasebook-quick/model/model.safetensors ] || fail 'a model of an installed recipe'
) || exit 1
everything_in "$prefix" | cmp - "$tmp/installed" || fail 'something was written to the installed files'

# Installing again: under other names, the old ones are gone.
run install "PREFIX=$prefix" PROGRAM_PREFIX=hw- || fail 'make install once more'
for program in $programs; do
  [ ! -e "$prefix/bin/$program" ] && [ ! -e "$prefix/share/man/man1/$program.1" ] || fail "$program is still there after PROGRAM_PREFIX"
  "$prefix/bin/hw-$program" --version >"$tmp/out" || fail "hw-$program"
  "$prefix/bin/hw-$program" --nope 2>"$tmp/out" || [ "$(cat "$tmp/out")" = "hw-$program: unknown option \"--nope\" (see hw-$program --help)" ] ||
    fail "hw-$program calls itself otherwise: $(cat "$tmp/out")"
  "$prefix/libexec/headwater/$program" --version >"$tmp/out" || fail "$program for scripts, after PROGRAM_PREFIX"
  grep -qF -- "hw\\-${program//-/\\-} \\- " "$prefix/share/man/man1/hw-$program.1" || fail "the name in the page of hw-$program"
done
echo mine >"$prefix/share/headwater/mine"
run uninstall "PREFIX=$prefix" || fail 'make uninstall'
[ "$(cat "$prefix/share/headwater/mine")" = mine ] || fail 'uninstall removed a file that is not its own'
rm "$prefix/share/headwater/mine"
rmdir "$prefix/share/headwater"
everything_in "$prefix" | cmp - "$tmp/before" || fail 'uninstall leaves something behind, or removes too much'
! run uninstall "PREFIX=$prefix" || fail 'uninstall of nothing'
grep -q "^uninstall: $prefix/share/headwater/installed: no such file; nothing is installed there" "$tmp/log" || fail 'its message'

# --- DESTDIR, for packages ---------------------------------------------------------------------------------------------------

mkdir "$tmp/package"
everything_in "$tmp/package" >"$tmp/before"
run install "DESTDIR=$tmp/package" PREFIX=/usr || fail 'make install DESTDIR='
"$tmp/package/usr/bin/tokenize" --version >"$tmp/out" || fail 'a program below DESTDIR'
"$tmp/package/usr/libexec/headwater/tokenize" --version >"$tmp/out" || fail 'a link below DESTDIR'
! grep -rl "$tmp" "$tmp/package" >"$tmp/log" || fail 'a file knows DESTDIR'
[ -z "$(find "$tmp/package" -type d ! -perm 755)" ] || fail 'rights of folders'
run uninstall "DESTDIR=$tmp/package" PREFIX=/usr || fail 'make uninstall DESTDIR='
everything_in "$tmp/package" | cmp - "$tmp/before" || fail 'something is left below DESTDIR'

# --- Refused before anything is written --------------------------------------------------------------------------------------

mkdir -p "$tmp/taken/bin"
echo 'a program of the same name' >"$tmp/taken/bin/train"
everything_in "$tmp/taken" >"$tmp/before"
! run install "PREFIX=$tmp/taken" || fail "another's program was replaced"
grep -q "^install: $tmp/taken/bin/train: is there and not Headwater's (.*PROGRAM_PREFIX=hw- .*)$" "$tmp/log" || fail 'the message for a name that is taken'
everything_in "$tmp/taken" | cmp - "$tmp/before" || fail 'something was written beside it'
run install "PREFIX=$tmp/taken" PROGRAM_PREFIX=hw- && run uninstall "PREFIX=$tmp/taken" || fail 'PROGRAM_PREFIX beside a name that is taken'
everything_in "$tmp/taken" | cmp - "$tmp/before" || fail 'uninstall beside a name that is taken'
for wrong in 'PROGRAM_PREFIX=a/b' "PREFIX=$tmp/it's" "BIN=$tmp"; do
  ! make --no-print-directory install "PREFIX=$tmp/none" "BIN=$bin" "$wrong" >"$tmp/log" 2>&1 || fail "$wrong was taken"
  [ "$(grep -c '^install: ' "$tmp/log")" = 1 ] && [ ! -e "$tmp/none" ] || fail "$wrong: one line, and nothing is done"
done
if [ "$(id -u)" != 0 ]; then
  mkdir "$tmp/closed"
  chmod 555 "$tmp/closed"
  ! run install "PREFIX=$tmp/closed" || fail 'a folder that cannot be written'
  grep -q "^install: $tmp/closed: not writable (sudo make install" "$tmp/log" || fail 'the message for it'
fi
echo 'installed, used and removed'
