# Read by the benchmarks that run beside a peer in Python.
# shellcheck shell=bash

# Ends the program where $python lacks a package.
need_packages() { # PACKAGE...
  local package
  for package; do
    "${python:?}" -c "import $package" 2>/dev/null && continue
    echo "${0##*/}: $python lacks $package (PEER_PYTHON=python names one that has it)" >&2
    exit 1
  done
}

# The median of the ratios on standard input, a line each, and their spread.
print_ratios() { # NAME
  sort -n | awk -v name="$1" '
    { x[NR] = $1 } END { printf "%s: median ratio %.2f, %.2f to %.2f over %d rounds\n", name, (x[int((NR + 1) / 2)] + x[int((NR + 2) / 2)]) / 2, x[1], x[NR], NR }'
}

# What a benchmark beside a peer begins with: sets $bin, $python and $threads by the environment, and the scratch folder $tmp, which ends
# with the program; ends it where $python lacks one of the packages.
begin_beside_peer() { # PACKAGE...
  # shellcheck disable=SC2034 # the benchmarks read them
  bin=${BIN:-build/bin} python=${PEER_PYTHON:-python3} threads=${THREADS:-2}
  [ "$threads" != 0 ] || threads=2
  need_packages "$@"
  tmp=$(mktemp -d)
  trap 'rm -rf "$tmp"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}
