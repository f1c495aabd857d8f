#!/bin/sh
# Brings the raw files of a public data set to DATA/raw/SET and checks their SHA-256.
#
#   data/fetch.sh SET [DATA]              DATA: the data root, data/cache by default
#   data/fetch.sh --from URL SET [DATA]   another origin
#
# A download that was cut off stays in DATA/raw/SET as NAME.part, and the next call goes on from there. A server that sends nothing
# for HEADWATER_STALL seconds (60) has cut it off. With HEADWATER_DATA=DIR the bytes come from that folder and no network is touched.
# HEADWATER_SETS and HEADWATER_PINS name another table of sets and other pins. Exit: 0 done, 1 failed, 2 called wrongly.
set -eu
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
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
stall=${HEADWATER_STALL:-60}
case $stall in
  '' | *[!0-9]* | 0* | ??????*) wrong "HEADWATER_STALL=\"$stall\" is not a number of seconds from 1 to 99999" ;;
esac
sets | tr ' ' '\n' | grep -qxF -- "$set_name" || wrong "unknown set \"$set_name\" (sets: $(sets))"

unpack() { # ARCHIVE MEMBER: its bytes to stdout
  case $1 in
    *.tar.gz) # a file of the archive, or a folder that a script of the set's own puts into lines; no member: all of it, as a tar
      if [ -z "$2" ]; then
        gzip -dc -- "$1"
        return
      fi
      rm -rf "$tmp/folder" && mkdir "$tmp/folder" && gzip -dc -- "$1" | tar -xf - -C "$tmp/folder" "$2" || return 1
      if [ -d "$tmp/folder/$2" ]; then "$here/$set_name-lines.sh" "$tmp/folder/$2"; else cat -- "$tmp/folder/$2"; fi
      ;;
    *.xz) xz -dc -- "$1" ;;
    *.gz) gzip -dc -- "$1" ;;
    *.zip) unzip -p -- "$1" "$2" ;;
    *) cat -- "$1" ;;
  esac
}

# Before anything is fetched that could not be unpacked.
need_unpackers() { # ARCHIVE
  case $1 in
    *.tar.gz) need tar tar && need gzip gzip ;;
    *.xz) need xz xz-utils ;;
    *.gz) need gzip gzip ;;
    *.zip) need unzip unzip ;;
  esac
}

# The rest of FILE, whose beginning may be there; what went wrong goes to $tmp/words. Status: 0 whole; 1 cut off, or nothing came; 2 the
# server has no rest for these bytes.
download() { # URL FILE
  status=0
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --connect-timeout 20 --speed-limit 1 --speed-time "$stall" -C - -o "$2" -- "$1" 2>"$tmp/words" || status=$?
    # No ranges there; a wrong one; an error of the server that is the range's.
    if [ $status = 33 ] || [ $status = 36 ] || grep -q 'error: 416' "$tmp/words"; then return 2; fi
  elif command -v wget >/dev/null 2>&1; then # it passes over what is there by itself where the server has no ranges
    wget -nv --connect-timeout=20 --read-timeout="$stall" --tries=1 -c -O "$2" -- "$1" 2>"$tmp/words" || status=$?
  else
    fail "neither curl nor wget is installed (apt-get install curl)"
  fi
  [ $status = 0 ]
}

fetch_archive() { # URL FILE: from where an earlier call left off, or from the beginning
  part=$data/raw/$set_name/${1##*/}.part
  resumed=
  if [ -s "$part" ]; then
    resumed=1
    note "$1: going on after $(wc -c <"$part" | tr -d ' ') bytes"
  fi
  status=0
  download "$1" "$part" || status=$?
  if [ $status = 2 ] && [ -n "$resumed" ]; then
    note "$1: the server sends no rest of a file; from the beginning"
    rm -f "$part"
    resumed='' status=0
    download "$1" "$part" || status=$?
  fi
  if [ $status != 0 ]; then
    [ -s "$part" ] || rm -f "$part"
    why=$(tail -n 1 "$tmp/words" | sed 's/^curl: ([0-9]*) //; s/^wget: //')
    if [ -e "$part" ]; then
      fail "$1: cut off after $(wc -c <"$part" | tr -d ' ') bytes${why:+: $why}; the same command goes on from there"
    fi
    fail "$1: could not be fetched${why:+: $why} (is there a network? HEADWATER_DATA=DIR names a folder that holds the set)"
  fi
  mv -f "$part" "$2"
  printf '%s  %s\n' "$(hash_of "$2")" "$1" >>"$data/raw/$set_name/archives.sha256"
}

# Without a pin any bytes will do that can be unpacked: what is prepared from them is pinned.
is_right() { [ -z "$(pin_of "$2")" ] || verify "$1" "$2"; } # FILE NAME-IN-PINS
unpack_right() { # ARCHIVE MEMBER PIN: to $tmp/unpacked
  if ! unpack "$1" "$2" >"$tmp/unpacked" 2>"$tmp/words"; then
    rm -f "$tmp/unpacked" # a piece of it
    return 1
  fi
  [ -s "$tmp/unpacked" ] && is_right "$tmp/unpacked" "$3"
}

grep "^$set_name|" "$sets_file" >"${tmp:?}/rows"
while IFS='|' read -r _ file mirror_path url member licence; do
  target=$data/raw/$set_name/$file
  pin=raw/$set_name/$file
  if [ -f "$target" ] && is_right "$target" "$pin"; then
    note "$target: already there"
    continue
  fi
  mkdir -p "$data/raw/$set_name"
  resumed=
  if [ -n "${HEADWATER_DATA-}" ] && [ -z "$from" ]; then
    archive=$HEADWATER_DATA/$mirror_path
    [ -f "$archive" ] || fail "$archive: no such file (HEADWATER_DATA names the folder that holds $mirror_path; without it, it comes from $url)"
    need_unpackers "$archive"
    note "$set_name: $archive; licence: $licence"
  else
    [ -z "$from" ] || url=$from
    archive=$tmp/${url##*/}
    need_unpackers "$archive"
    if [ ! -f "$archive" ]; then # two files of one archive: it is fetched once
      note "$set_name: $url; licence: $licence"
      fetch_archive "$url" "$archive"
    fi
  fi
  if ! unpack_right "$archive" "$member" "$pin" && [ -n "$resumed" ]; then
    # The two parts may be of different versions.
    note "$url: the bytes that were there and their rest do not fit; from the beginning"
    rm -f "$archive"
    fetch_archive "$url" "$archive"
    unpack_right "$archive" "$member" "$pin" || true
  fi
  [ -s "$tmp/unpacked" ] || fail "$archive: could not be unpacked$(tail -n 1 "$tmp/words" | sed 's/^/: /') (an incomplete file, or no room in ${TMPDIR:-/tmp})"
  is_right "$tmp/unpacked" "$pin" || fail "$archive: the unpacked $file has SHA-256 $(hash_of "$tmp/unpacked"), pinned is $(pin_of "$pin") (another version, or an incomplete file; delete it and fetch it again)"
  publish "$tmp/unpacked" "$target"
done <"$tmp/rows"
