#!/bin/bash
# The programs open no connection and start no other program: in the cases of this folder and in the session of the README they run
# sealed (sealed.cpp), which ends one that tries. Here: that the seal holds, and that there is a case of every program.
#   no_network.sh SEALED LINKS      SEALED: the program; LINKS: the folder of its links
# Exit status 77: skipped (the kernel allows no such filter).
# shellcheck disable=SC2015,SC2016 # what stands after "||" ends the test; programs are written in single quotes
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
sealed=$(realpath "$1")
links=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export HEADWATER_MUST_SEAL=1 # 77 where it cannot
fail() {
  echo "failed: $1"
  exit 1
}

# Programs that do what they must not, beside a copy of the seal. Where no variable tells the shell who calls it, bash looks the user up, and
# the C library asks a daemon for that through a socket before it reads the file.
export HOME="${HOME:-/}" SHELL=/bin/bash
mkdir "$tmp/links"
cp "$sealed" "$tmp/sealed"
program() { # NAME LINE
  printf '#!/bin/bash\n%s\n' "$2" >"$tmp/$1"
  chmod +x "$tmp/$1"
  ln -s ../sealed "$tmp/links/$1"
}
program quiet 'echo "$0: $*"; exit 3'
program forks 'true | cat; echo survived'
program executes 'exec true'
program connects 'exec 3<>/dev/tcp/127.0.0.1/9; echo survived'
status=0
"$tmp/links/quiet" a 'b c' >"$tmp/out" 2>&1 || status=$?
[ $status != 77 ] || { echo 'skipped: the kernel allows no filter of system calls here'; exit 77; }
[ "$status $(cat "$tmp/out")" = "3 $tmp/quiet: a b c" ] || fail "the seal changes a program: $status $(cat "$tmp/out")"
for name in forks executes connects; do
  status=0
  "$tmp/links/$name" >"$tmp/out" 2>&1 || status=$?
  [ $status = 159 ] && ! grep -q survived "$tmp/out" || fail "a program that $name lives: status $status"
done 2>/dev/null

tools=0
for page in "$here"/../../tools/*.md; do
  name=$(basename "$page" .md)
  tools=$((tools + 1))
  [ "$(readlink "$links/$name")" -ef "$sealed" ] || fail "$links/$name does not lead to the seal"
  grep -qE "(^|[ |;(])$name " "$here"/*.case || fail "no case calls $name"
done
[ $tools -ge 8 ] || fail "only $tools programs"
echo "the seal holds; cases of $tools programs run in it"
