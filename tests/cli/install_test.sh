#!/bin/bash
# make install and make uninstall: what is put where, that it works from there (programs, manual pages, completions, data scripts, recipes), and that
# exactly what was put is removed.
#   install_test.sh BIN     BIN: the folder of the tools
# shellcheck disable=SC2015,SC2016 # what stands after "||" ends the test; backquotes are meant as they are
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
alternatives=$(echo "$programs" | paste -s -d '|' -)
# Every link of an installed page leads to an installed file.
check_links() { # PREFIX
  find "$1" -name '*.md' | while IFS= read -r page; do
    awk '/^```/ { in_code = !in_code } !in_code' "$page" | sed 's/`[^`]*`//g' | { grep -oE '\]\([^)]+\)' || true; } | sed 's/^](//; s/)$//; s/#.*//' |
      while IFS= read -r address; do
        case $address in '' | http*) continue ;; esac
        [ -e "${page%/*}/$address" ] || fail "$page: a link to $address, which is not installed"
      done || exit 1
  done || exit 1
}

# The completions of a program, by the name that it has there.
check_completions() { # PREFIX PROGRAM
  local path
  for path in "bash-completion/completions/$2" "zsh/site-functions/_$2" "fish/vendor_completions.d/$2.fish"; do
    grep -q "^# Completion of $2 for " "$1/share/$path" || fail "no $path"
  done
}

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
  check_completions "$prefix" "$program"
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
check_links "$prefix"
for program in $programs; do
  page=$prefix/share/man/man1/$program.1
  for word in '.SH SEE ALSO' '\fB\-\-version\fR' '\fB\-h\fR, \fB\-\-help\fR'; do grep -qxF -- "$word" "$page" || fail "$page: no $word"; done
  sed -n '/^.SH SEE ALSO/,$p' "$page" | grep -qE "fB($alternatives).fR\(1\)" || [ "$program" = attn-dump ] || fail "$page: see what?"
done

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
  "$prefix/bin/headwater" run recipes/phrasebook.yaml --scale quick >"$tmp/log" 2>&1 || fail 'an installed recipe'
  [ -s models/recipes/phrasebook-quick/model/model.safetensors ] || fail 'a model of an installed recipe'
  "$prefix/bin/headwater" run phrasebook --scale quick --models by-name >"$tmp/log" 2>&1 || fail 'a recipe by its name'
  cmp -s by-name/recipes/phrasebook-quick/model/model.safetensors models/recipes/phrasebook-quick/model/model.safetensors || fail 'another model by its name'
  "$prefix/bin/headwater" run phrasebook --scale quick --models by-name >"$tmp/log" 2>&1 && cmp -s "$tmp/log" by-name/recipes/phrasebook-quick/report.md || fail 'a finished run'
  "$prefix/bin/headwater" recipes >"$tmp/log" || fail 'the list of recipes'
) || exit 1
everything_in "$prefix" | cmp - "$tmp/installed" || fail 'something was written to the installed files'

# Installing again: under other names, the old ones are gone.
run install "PREFIX=$prefix" PROGRAM_PREFIX=hw- || fail 'make install once more'
for program in $programs; do
  [ ! -e "$prefix/bin/$program" ] && [ ! -e "$prefix/share/man/man1/$program.1" ] || fail "$program is still there after PROGRAM_PREFIX"
  [ ! -e "$prefix/share/zsh/site-functions/_$program" ] || fail "completions of $program are still there"
  check_completions "$prefix" "hw-$program"
  "$prefix/bin/hw-$program" --version >"$tmp/out" || fail "hw-$program"
  "$prefix/bin/hw-$program" --nope 2>"$tmp/out" || [ "$(cat "$tmp/out")" = "hw-$program: unknown option \"--nope\" (see hw-$program --help)" ] ||
    fail "hw-$program calls itself otherwise: $(cat "$tmp/out")"
  "$prefix/libexec/headwater/$program" --version >"$tmp/out" || fail "$program for scripts, after PROGRAM_PREFIX"
  page=$prefix/share/man/man1/hw-$program.1
  grep -qF -- "hw\\-${program//-/\\-} \\- " "$page" || fail "the name in the page of hw-$program"
  # No command is named as it is not called, in help, pages and messages.
  "$prefix/bin/hw-$program" --help >"$tmp/out" || fail "hw-$program --help"
  ! grep -E "(^|\| ) *($alternatives) " "$tmp/out" || fail "the examples of hw-$program --help"
  grep -qE "^  (.*\| )?hw-($alternatives) " "$tmp/out" || fail "hw-$program --help has no examples"
  sed -n '/^.EX/,/^.EE/p' "$page" >"$tmp/out"
  ! grep -E "(^|\| ) *($alternatives) " "$tmp/out" || fail "the commands in the page of hw-$program"
  ! grep -E "fB($alternatives|attn\\\\-dump)(\\\\fR| \\\\-)" "$page" || fail "a program in the text of the page of hw-$program"
done
check_links "$prefix"
for name in hw-translate "../libexec/headwater/translate"; do
  ! "$prefix/bin/$name" "$tmp/none" 2>"$tmp/out" </dev/null || fail "$name reads what is not there"
  grep -q '(hw-train writes one: hw-train --recipe ' "$tmp/out" || fail "$name names other programs otherwise: $(cat "$tmp/out")"
done
! grep -E "(^|\| |\`)($alternatives) " "$prefix/share/headwater/recipes/translator.md" || fail 'the commands of translator.md'
# Scripts of data take the programs from PATH, whatever they are called there; BIN goes first, and another program of that name is passed over.
mkdir "$tmp/clone"
cp -r Makefile recipes data "$tmp/clone"
rm -rf "$tmp/clone/data/cache"
on_path() { # PATH [BIN=...]
  (cd "$tmp/clone" && env PATH="$1:$PATH" "${@:2}" data/tools.sh >"$tmp/log" 2>&1)
}
on_path "$prefix/bin" && grep -qxF "$prefix/bin/../libexec/headwater" "$tmp/log" || fail 'programs on PATH under other names'
on_path "$bin" && grep -qxF "$bin" "$tmp/log" || fail 'programs on PATH'
on_path "$prefix/bin" "BIN=$bin" && grep -qxF "$bin" "$tmp/log" || fail 'BIN before PATH'
mkdir "$tmp/other"
printf '#!/bin/sh\necho another program\n' >"$tmp/other/tokenize"
cp "$tmp/other/tokenize" "$tmp/other/train"
chmod +x "$tmp/other"/*
on_path "$tmp/other:$bin" && grep -qxF "$bin" "$tmp/log" || fail 'another program of that name on PATH'
mkdir -p "$tmp/clone/build/bin"
for program in $programs; do ln -s "$bin/$program" "$tmp/clone/build/bin/$program"; done
on_path "$tmp/other" && grep -qxF "$tmp/clone/data/../build/bin" "$tmp/log" || fail 'what is built goes before PATH'
# Installed under other names headwater has its stages call the programs by their own, and says its own name.
(cd "$tmp/work" && "$prefix/bin/hw-headwater" run phrasebook --scale quick --script >"$tmp/log" 2>&1) || fail 'a script by hw-headwater'
grep -qF "bin='$prefix/libexec'/headwater" "$tmp/log" && grep -q '^# hw-headwater run phrasebook, ' "$tmp/log" || fail 'the programs of hw-headwater'
rm -rf "$tmp/clone"
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
