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
