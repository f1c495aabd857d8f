# The numbers 1 .. lines in an order that depends on `seed` alone: the Fisher-Yates shuffle with the generator of Park
# and Miller (integers below 2^53 only, so every awk gives the same order).
#   awk -v lines=N -v seed=S -f shuffled.awk
BEGIN {
  state = seed * 48271 % 2147483647
  for (i = 1; i <= lines; ++i) order[i] = i
  for (i = lines; i > 1; --i) {
    state = state * 16807 % 2147483647
    j = state % i + 1
    k = order[i]; order[i] = order[j]; order[j] = k
  }
  for (i = 1; i <= lines; ++i) print order[i]
}
