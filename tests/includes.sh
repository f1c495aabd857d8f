#!/bin/bash
# Finds includes that a file uses nothing of, by clang-tidy's misc-include-cleaner (17 or newer): make includes.
#   includes.sh BUILD [FILE.cpp...]     BUILD: a folder for the commands of compilation; without files all of libcore, tools and tests
# A name that only the compiler sees used, or a header that stands for others, has "// IWYU pragma: keep" or ": export" in its line.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
tidy=${CLANG_TIDY:-$(command -v clang-tidy-21 clang-tidy-20 clang-tidy-19 clang-tidy-18 clang-tidy-17 clang-tidy | head -1)}
version=$("${tidy:-false}" --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p') || true
if [ "${version:-0}" -lt 17 ]; then
  echo 'includes: wants clang-tidy 17 or newer (CLANG_TIDY=..., as pip install clang-tidy has it)' >&2
  exit 1
fi
cmake -S . -G Ninja -B "$build" -DHEADWATER_UNITY=OFF -DHEADWATER_PRECOMPILE=OFF >/dev/null
if [ $# = 0 ]; then
  # The kernels of a vector width are compiled three times, by headers of another kind; the naive ones have more in the double build.
  mapfile -t files < <(sed -n 's/^ *"file": "\(.*\)",*/\1/p' "$build/compile_commands.json" | sort -u | grep -v '/simd_\|/naive_')
  set -- "${files[@]}"
fi
# One file a call: with several the check mixes them up.
found=$(printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -n 1 "$tidy" --quiet --checks='-*,misc-include-cleaner' -p "$build" 2>/dev/null |
  sed -n "s#^$PWD/##; s/ is not used directly \[misc-include-cleaner.*//p" | sort -u || true)
[ -z "$found" ] || { printf '%s\n' "$found" >&2; exit 1; }
