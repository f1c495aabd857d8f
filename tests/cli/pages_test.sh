#!/bin/bash
# The tables of options of each manual page are those that its program declares.
#   pages_test.sh BIN     BIN: the folder of the tools
set -euo pipefail
cd "$(dirname "$0")/../../tools"
status=0
for page in *.md; do
  sed -n '/^## Options$/,/^## /{//!p}' "$page" | diff - <("$1/${page%.md}" --print-options) || { echo "failed: options in tools/$page (make pages)"; status=1; }
done
exit $status
