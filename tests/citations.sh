#!/bin/sh
# Finds comments and pages that cite a file which is not there; `make lint` runs it.
#
#   tests/citations.sh        prints FILE:LINE and what is not there; exit code 1 where something is not
#
# A comment of a source may cite a file by the end of its path: simd_gemm.cpp, loss/cross_entropy.cpp. A page cites a path from
# the root, or by a link from its own folder. Names in capitals stand for others (tools/NAME.md).
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."

git ls-files | awk '
  # "libcore/a/" + "../b" = "libcore/b"
  function joined(folder, path) {
    path = folder path
    while (sub(/[^\/]+\/\.\.\//, "", path)) {}
    sub(/\/$/, "", path)
    return path
  }
  function folder_of(path) { return sub(/[^\/]*$/, "", path) ? path : "" }
  function is_placeholder(path) {
    return path ~ /(^|[\/-])[A-Z]+[._]/
  }
  function complain(path) {
    print from ":" line ": cites " path ", which is not there"
    is_missing = 1
  }
  # Each path in `text` that `pattern` finds.
  function check_paths(text, pattern,   path, rest) {
    while (match(text, pattern)) {
      path = substr(text, RSTART, RLENGTH)
      rest = text = substr(text, RSTART + RLENGTH)
      sub(/^[^A-Za-z0-9_.]/, "", path)
      if (rest !~ /^[A-Za-z0-9_]/ && !(path in ends) && !is_placeholder(path)) complain(path)
    }
  }
  function check_links(text,   path) {
    while (match(text, /\]\([^):# ]+[)#]/)) {
      path = substr(text, RSTART + 2, RLENGTH - 3)
      text = substr(text, RSTART + RLENGTH)
      if (!(joined(folder_of(from), path) in ends)) complain(path)
    }
  }
  {
    order[NR] = path = $0
    do ends[path]; while (sub(/^[^\/]*\//, "", path))
    for (path = $0; sub(/\/[^\/]*$/, "", path);) ends[path]
  }
  END {
    for (i = 1; i <= NR; ++i) {
      from = order[i]
      if (from !~ /\.(hpp|cpp|md)$/) continue
      for (line = 1; (getline text < from) > 0; ++line) {
        if (from ~ /\.md$/) {
          check_links(text)
          check_paths(text, "(^|[ (`*])(tools|libcore|recipes|data|tests)/[A-Za-z0-9_./-]*[.](hpp|cpp|md|sh|awk|mk|yaml|case)")
        } else if (match(text, /(^|[ ;{])\/\/ /)) {
          check_paths(substr(text, RSTART), "(^|[^A-Za-z0-9_./-])[A-Za-z0-9][A-Za-z0-9_./-]*[.](hpp|cpp|md|awk|case)")
        }
      }
      close(from)
    }
    exit is_missing
  }'
