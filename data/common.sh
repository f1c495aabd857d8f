# What the scripts of this folder share; read with ".", after `here` was set.
# shellcheck shell=sh
: "${here:?}"
script=${0##*/}
sets_file=${HEADWATER_SETS:-$here/sets.txt}
pins_file=${HEADWATER_PINS:-$here/pins.sha256}

note() { printf '%s: %s\n' "$script" "$1" >&2; }
fail() { note "$1"; exit 1; }
wrong() { note "$1"; exit 2; }
need() { command -v "$1" >/dev/null 2>&1 || fail "$1 is not installed (apt-get install $2)"; }

sets() { sed -n 's/^\([^#|]*\)|.*/\1/p' "$sets_file" | sort -u | tr '\n' ' ' | sed 's/ $//'; }
hash_of() { sha256sum <"$1" | cut -d' ' -f1; }
pin_of() { awk -v name="$1" '$2 == name { print $1 }' "$pins_file"; }
verify() { [ "$(hash_of "$1")" = "$(pin_of "$2")" ]; } # FILE NAME-IN-PINS

# A file appears whole or not at all.
publish() { # TEMPORARY TARGET
  cp -- "$1" "$2.$$.part" && mv -f -- "$2.$$.part" "$2"
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
