# Read by the other scripts here.
# shellcheck shell=bash

# The median of the ratios on standard input, a line each, and their spread.
print_ratios() { # NAME
  sort -n | awk -v name="$1" '
    { x[NR] = $1 } END { printf "%s: median ratio %.2f, %.2f to %.2f over %d rounds\n", name, (x[int((NR + 1) / 2)] + x[int((NR + 2) / 2)]) / 2, x[1], x[NR], NR }'
}
