#!/bin/sh
# Prints the folder of the programs: BIN where it is given; else where they were built in this clone, or were installed beside these
# scripts; else where PATH has them, by their own names or by others (PROGRAM_PREFIX). Status 1 where there are none.
#
#   data/tools.sh
set -euf
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
at_most 0 $#
if [ -n "${BIN-}" ]; then
  printf '%s\n' "$BIN"
  exit 0
fi
are_in() { [ -x "$1/tokenize" ] && [ -x "$1/train" ]; } # FOLDER
# Another program on PATH may have the same name.
are_ours() { # FOLDER
  are_in "$1" || return 1
  case $("$1/tokenize" --version 2>/dev/null </dev/null) in "tokenize "*"git "*) return 0 ;; esac
  return 1
}
beside=$here/../build/bin
[ -e "$here/../Makefile" ] || beside=$here/../../../libexec/headwater
if are_in "$beside"; then
  printf '%s\n' "$beside"
  exit 0
fi
IFS=:
for folder in $PATH; do
  for tools in "${folder:-.}" "${folder:-.}/../libexec/headwater"; do
    if are_ours "$tools"; then
      printf '%s\n' "$tools"
      exit 0
    fi
  done
done
exit 1
