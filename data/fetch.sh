#!/bin/sh
# Brings the raw files of a public data set to DATA/raw/SET and checks their SHA-256.
#
#   data/fetch.sh SET [DATA]              DATA: the data root, data/cache by default
#   data/fetch.sh --from URL SET [DATA]   another origin
#
# With HEADWATER_DATA=DIR the bytes come from that folder and no network is touched. HEADWATER_SETS and HEADWATER_PINS
# name another table of sets and other pins. Exit: 0 done, 1 failed, 2 called wrongly.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

from=
if [ "${1-}" = --from ]; then
  [ $# -ge 2 ] || wrong "--from needs a URL"
  from=$2
  shift 2
fi
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  wrong "which set? (data/fetch.sh SET [DATA]; sets: $(sets))"
fi
set_name=$1
data=${2:-$data_root}
sets | tr ' ' '\n' | grep -qxF -- "$set_name" || wrong "unknown set \"$set_name\" (sets: $(sets))"

unpack() { # ARCHIVE MEMBER: its bytes to stdout
  case $1 in
    *.tar.gz) # a folder of the archive, put into lines by a script of the set's own
      need tar tar && need gzip gzip && rm -rf "$tmp/folder" && mkdir "$tmp/folder" &&
        gzip -dc -- "$1" | tar -xf - -C "$tmp/folder" "$2" && "$here/$set_name-lines.sh" "$tmp/folder/$2"
      ;;
    *.xz) need xz xz-utils && xz -dc -- "$1" ;;
    *.gz) need gzip gzip && gzip -dc -- "$1" ;;
    *.zip) need unzip unzip && unzip -p -- "$1" "$2" ;;
    *) cat -- "$1" ;;
  esac
}

download() { # URL FILE
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 2 --connect-timeout 20 -o "$2" -- "$1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" -- "$1"
  else
    fail "neither curl nor wget is installed (apt-get install curl)"
  fi || fail "$1: could not be fetched (is there a network? HEADWATER_DATA=DIR names a folder that holds the set)"
}

grep "^$set_name|" "$sets_file" >"${tmp:?}/rows"
while IFS='|' read -r _ file mirror_path url member licence; do
  target=$data/raw/$set_name/$file
  pin=raw/$set_name/$file
  if [ -f "$target" ] && verify "$target" "$pin"; then
    note "$target: already there"
    continue
  fi
  mkdir -p "$data/raw/$set_name"
  if [ -n "${HEADWATER_DATA-}" ] && [ -z "$from" ]; then
    archive=$HEADWATER_DATA/$mirror_path
    [ -f "$archive" ] || fail "$archive: no such file (HEADWATER_DATA names the folder that holds $mirror_path)"
    note "$set_name: $archive; licence: $licence"
  else
    [ -z "$from" ] || url=$from
    note "$set_name: $url; licence: $licence"
    archive=$tmp/${url##*/}
    if [ ! -f "$archive" ]; then # two files of one archive: it is fetched once
      download "$url" "$archive"
      printf '%s  %s\n' "$(hash_of "$archive")" "$url" >>"$data/raw/$set_name/archives.sha256"
    fi
  fi
  unpack "$archive" "$member" >"$tmp/unpacked" || fail "$archive: could not be unpacked"
  verify "$tmp/unpacked" "$pin" || fail "$archive: the unpacked $file has SHA-256 $(hash_of "$tmp/unpacked"), pinned is $(pin_of "$pin") (another version, or an incomplete file; delete it and fetch it again)"
  publish "$tmp/unpacked" "$target"
done <"$tmp/rows"
