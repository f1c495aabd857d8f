# What the scripts of this folder share; read with ".", after `here` was set. --help and unknown options are answered here, before
# anything is done.
# shellcheck shell=sh disable=SC2034 # what is set here is read by those who read this
: "${here:?}"
unset CDPATH # with it cd prints where it went
script=${0##*/}
sets_file=${HEADWATER_SETS:-$here/sets.txt}
pins_file=${HEADWATER_PINS:-$here/pins.sha256}
# The data root where none is given: that of the repository, or, installed, data/cache of the current folder.
data_root=$here/cache
[ -e "$here/../Makefile" ] || data_root=data/cache

note() { printf '%s: %s\n' "$script" "$1" >&2; }
fail() { note "$1"; exit 1; }
wrong() { note "$1"; exit 2; }
# The head of a script says how it is called; --help prints it.
print_help() { awk 'NR == 1 { next } !/^#/ { exit } /^# shellcheck/ { next } { sub(/^# ?/, ""); print }' "$0"; exit 0; }
case $script:${1-} in
  *:-h | *:--help) print_help ;;
  fetch.sh:--from) ;;
  *:-?*) wrong "unknown option $1 (--help says what there is)" ;;
esac
at_most() { [ "$2" -le "$1" ] || wrong "$2 operands, there are at most $1 (--help says which)"; } # MOST COUNT
need() { command -v "$1" >/dev/null 2>&1 || fail "$1 is not installed (apt-get install $2)"; }

sets() { sed -n 's/^\([^#|]*\)|.*/\1/p' "$sets_file" | sort -u | tr '\n' ' ' | sed 's/ $//'; }
hash_of() { sha256sum <"$1" | cut -d' ' -f1; }
pin_of() { awk -v name="$1" '$2 == name { print $1 }' "$pins_file"; }
verify() { [ "$(hash_of "$1")" = "$(pin_of "$2")" ]; } # FILE NAME-IN-PINS

# A file appears whole or not at all.
publish() { # TEMPORARY TARGET
  if cp -- "$1" "$2.$$.part" && mv -f -- "$2.$$.part" "$2"; then return; fi
  rm -f -- "$2.$$.part"
  exit 1
}

# The origin of a set's last file.
url_of() { awk -F '|' -v name="$1" '$1 == name { url = $4 } END { print url }' "$sets_file"; }

# Two files whose lines belong together, as lines of two columns: without blanks at the ends of a side, and without TABs inside.
clean_side() { # FILE
  awk '{ gsub(/[ \r]*\t[ \t\r]*/, " "); sub(/^[ \r]+/, ""); sub(/[ \r]+$/, ""); print }' "$1"
}
pairs_of() { # FIRST SECOND
  [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ] || fail "$1 and $2: $(wc -l <"$1") and $(wc -l <"$2") lines, which should be as many"
  clean_side "$1" >"$tmp/first"
  clean_side "$2" >"$tmp/second"
  paste "$tmp/first" "$tmp/second"
}

# The folder of the programs, to $tools_folder; it has this one.
need_tools() { # [PROGRAM]
  tools_folder=$("$here/tools.sh") ||
    fail 'the programs are neither built nor installed here, nor on PATH (make build; BIN=DIR names their folder)'
  [ -x "$tools_folder/${1-tokenize}" ] ||
    fail "$tools_folder/${1-tokenize}: no such program (make build; BIN=DIR names the folder of the programs)"
}
# Images become data sets by the tool vectorize; called before anything is fetched.
need_vectorize() {
  need_tools vectorize
  vectorize=$tools_folder/vectorize
}

# What was prepared in $tmp, where it has the bytes that are pinned; one without a pin as it is. The training file stands last: where it is
# new, the others are.
publish_pinned() { # SET FILE...
  name=$1
  shift
  : "${data:?}"
  mkdir -p "$data/$name"
  for file; do
    [ -z "$(pin_of "$name/$file")" ] || verify "$tmp/$file" "$name/$file" ||
      fail "$name/$file: SHA-256 is $(hash_of "$tmp/$file"), pinned is $(pin_of "$name/$file")"
  done
  for file; do publish "$tmp/$file" "$data/$name/$file"; done
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
