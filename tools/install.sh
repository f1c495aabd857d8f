#!/bin/sh
# make install and make uninstall: programs, manual pages, recipes and data scripts.
#
#   tools/install.sh install      BIN: the folder of the built tools, build/bin by default
#   tools/install.sh uninstall    removes what install put there, and nothing else
#
# PREFIX (/usr/local) is where it goes, DESTDIR a folder that takes the place of / meanwhile (for packages), PROGRAM_PREFIX a word
# before the names of the programs (hw- makes hw-train). PREFIX/share/headwater/installed lists what was put; installing again
# replaces it. Nothing that is not of that list is replaced or removed.
set -eu
export LC_ALL=C
house=$(cd "$(dirname "$0")/.." && pwd)
mode=${1-}
fail() { printf '%s: %s\n' "$mode" "$1" >&2; exit 1; }
case $mode in
  install | uninstall) ;;
  *) echo 'install.sh: install or uninstall? (make install PREFIX=DIR)' >&2; exit 2 ;;
esac
prefix=${PREFIX:-/usr/local} dest=${DESTDIR-} bin=${BIN:-$house/build/bin}
case $prefix$dest in
  *\'* | *'
'*) fail 'PREFIX and DESTDIR must not have an apostrophe or a line end' ;;
esac
case ${PROGRAM_PREFIX-} in */* | *[!A-Za-z0-9._-]*) fail "PROGRAM_PREFIX=\"$PROGRAM_PREFIX\": letters, digits and ._- only" ;; esac
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
case $dest in '' | /*) ;; *) dest=$PWD/$dest ;; esac
prefix=${prefix%/} dest=${dest%/}
record=$prefix/share/headwater/installed # "folder PATH" or "file PATH" a line, without DESTDIR
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
: >"$tmp/before"
[ ! -f "$dest$record" ] || cp -- "$dest$record" "$tmp/before"

remove_files() { # LIST
  sed -n 's/^file //p' "$1" | while IFS= read -r path; do rm -f -- "$dest$path"; done
}
remove_folders() { # LIST: the last one first; one in which something else lies stays
  sed -n '1!G; h; $p' "$1" | sed -n 's/^folder //p' | while IFS= read -r path; do rmdir -- "$dest$path" 2>/dev/null || true; done
}

if [ "$mode" = uninstall ]; then
  [ -s "$tmp/before" ] || fail "$dest$record: no such file; nothing is installed there (PREFIX=DIR, and DESTDIR, say where)"
  [ -w "$dest$prefix/share/headwater" ] || fail "$dest$prefix: not writable (sudo make uninstall)"
  remove_files "$tmp/before"
  rm -f -- "$dest$record"
  remove_folders "$tmp/before"
  echo "uninstall: $dest$prefix: removed" >&2
  exit 0
fi

# --- What goes where: mode TAB file here TAB path below PREFIX --------------------------------------------------------------

programs=$(cd "$house/tools" && for page in *.md; do echo "${page%.md}"; done)
alternatives=$(echo "$programs" | paste -s -d '|' -)
version=$(sed -n 's/^project(headwater VERSION \([0-9.]*\).*/\1/p' "$house/CMakeLists.txt")
mkdir "$tmp/man"
item() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$tmp/items"; }
house_item() { # PATH-HERE PATH: a page of Markdown is written anew for where it is then
  printf '%s\t%s\n' "$1" "$2" >>"$tmp/map"
  mode_of=644
  [ ! -x "$house/$1" ] || mode_of=755
  case $1 in
    *.md) item $mode_of "$tmp/pages/$2" "$2" ;;
    *) item $mode_of "$house/$1" "$2" ;;
  esac
}
for program in $programs; do
  [ -x "$bin/$program" ] || fail "$bin/$program: no such program (make build)"
  page=${PROGRAM_PREFIX-}$program.1
  awk -v version="$version" -v programs="$alternatives" -v prefix="${PROGRAM_PREFIX-}" \
    -f "$house/tools/names.awk" -f "$house/tools/man.awk" "$house/tools/$program.md" >"$tmp/man/$page"
  item 755 "$bin/$program" "bin/${PROGRAM_PREFIX-}$program"
  item link "../../bin/${PROGRAM_PREFIX-}$program" "libexec/headwater/$program" # what recipes and data scripts call
  item 644 "$tmp/man/$page" "share/man/man1/$page"
done
for file in "$house"/recipes/*.* "$house"/recipes/results/*.* "$house"/data/*.* "$house"/data/phrasebook/* "$house"/data/spa-eng/* "$house"/data/debian-descriptions/*; do
  house_item "${file#"$house"/}" "share/headwater/${file#"$house"/}"
done
for file in README.md LICENSE CHANGELOG.md SECURITY.md libcore/FORMATS.md; do house_item "$file" "share/doc/headwater/${file##*/}"; done
for file in "$house"/tools/*.md "$house"/tools/*.svg; do house_item "${file#"$house"/}" "share/doc/headwater/${file#"$house"/}"; done
sed -n '/[.]md	/p' "$tmp/map" >"$tmp/map-of-pages"
while IFS='	' read -r file path; do
  mkdir -p -- "$tmp/pages/${path%/*}"
  awk -v programs="$alternatives" -v prefix="${PROGRAM_PREFIX-}" -v page="$file" \
    -f "$house/tools/names.awk" -f "$house/tools/page.awk" "$tmp/map" "$house/$file" >"$tmp/pages/$path"
done <"$tmp/map-of-pages"

# --- Said before anything is written ----------------------------------------------------------------------------------------

sed -n 's/^file //p' "$tmp/before" >"$tmp/ours"
while IFS='	' read -r _ _ path; do
  if [ -e "$dest$prefix/$path" ] || [ -L "$dest$prefix/$path" ]; then
    grep -qxF -- "$prefix/$path" "$tmp/ours" ||
      fail "$dest$prefix/$path: is there and not Headwater's (another PREFIX, or PROGRAM_PREFIX=hw- for other names of the programs)"
  fi
done <"$tmp/items"
there=$dest$prefix
while [ ! -d "${there:-/}" ]; do there=${there%/*}; done
for folder in "${there:-/}" "$dest$prefix/bin"; do
  [ ! -d "$folder" ] || [ -w "$folder" ] || fail "$folder: not writable (sudo make install, or PREFIX=\$HOME/.local)"
done

# --- Writing ----------------------------------------------------------------------------------------------------------------

# Folders that are made are of the list, also those above PREFIX, but not DESTDIR.
make_folder() { # PATH, without DESTDIR
  [ -n "$1" ] && [ ! -d "$dest$1" ] || return 0
  make_folder "${1%/*}"
  mkdir -- "$dest$1"
  chmod 755 -- "$dest$1"
  printf 'folder %s\n' "$1" >>"$tmp/list"
}
[ -z "$dest" ] || mkdir -p -- "$dest"
sed -n '/^folder /p' "$tmp/before" >"$tmp/list"
make_folder "$prefix/share/headwater"
save() { cp -- "$tmp/list" "$dest$record.$$" && chmod 644 "$dest$record.$$" && mv -f -- "$dest$record.$$" "$dest$record"; }
# What an interrupted installation has put is of the list too.
while IFS='	' read -r _ _ path; do
  make_folder "$prefix/${path%/*}"
  printf 'file %s\n' "$prefix/$path" >>"$tmp/list"
done <"$tmp/items"
awk '!seen[$0]++' "$tmp/before" "$tmp/list" >"$tmp/both"
cp "$tmp/list" "$tmp/new"
cp "$tmp/both" "$tmp/list"
save
while IFS='	' read -r kind file path; do
  target=$dest$prefix/$path
  if [ "$kind" = link ]; then
    ln -s -- "$file" "$target.$$"
  else
    cp -- "$file" "$target.$$"
    chmod "$kind" "$target.$$"
  fi
  mv -f -- "$target.$$" "$target"
done <"$tmp/items"
# Files of an installation before that this one does not have.
grep -vxF -f "$tmp/new" "$tmp/before" >"$tmp/gone" || true
remove_files "$tmp/gone"
cp "$tmp/new" "$tmp/list"
save
printf 'install: %s: %d programs, their manual pages, recipes and data scripts\n' "$dest$prefix" "$(echo "$programs" | wc -l)" >&2
