# For how many noun phrases does cross-attention look where the words come from? Reads alignment.tsv and the CSV that
# attn-dump --kind cross writes for its lines (with their Spanish side as --target); prints the shares.
#
#   awk -v least=0.8 -f alignment.awk alignment.tsv attention.csv
#
# A noun is aligned where the largest weight (mean over heads) of the row that predicts its translation lies on it;
# an adjective likewise. With `least`, exit 1 where either share is smaller. Row q of the CSV predicts target word q.

FILENAME == ARGV[1] {
  split($0, field, "\t")
  noun[phrases + 0] = field[3]; adjective[phrases + 0] = field[4]
  noun_row[phrases + 0] = field[5]; adjective_row[phrases + 0] = field[6]
  ++phrases
  next
}
FNR == 1 { FS = ","; $0 = $0; if ($1 != "example" || $NF != "weight") bad("not a CSV of attn-dump"); next }
# Tokens in the middle may be quoted and hold commas; the six numbers before them and the weight behind them do not.
{
  if ($2 != "cross") bad("line " FNR ": kind is " $2 ", not cross")
  if ($3 > layer) { layer = $3; split("", sum) }
  if ($3 == layer && ($5 == noun_row[$1] || $5 == adjective_row[$1])) {
    sum[$1, $5, $6] += $NF
    if ($6 + 1 > keys[$1]) keys[$1] = $6 + 1
  }
  if ($1 + 1 > examples) examples = $1 + 1
}
function bad(why) { print "alignment.awk: " ARGV[2] ": " why > "/dev/stderr"; failed = 1; exit 1 }
function best_key(example, row,    k, best) {
  for (k = 1; k < keys[example]; ++k) if (sum[example, row, k] > sum[example, row, best + 0]) best = k
  return best + 0
}
function share(count) { return sprintf("%d of %d (%.1f %%)", count, phrases, 100 * count / phrases) }
END {
  if (failed) exit 1
  if (examples != phrases) bad(examples + 0 " examples for " phrases " phrases")
  for (i = 0; i < phrases; ++i) {
    n = best_key(i, noun_row[i]) == noun[i]
    a = best_key(i, adjective_row[i]) == adjective[i]
    nouns += n; adjectives += a; both += n && a
  }
  print "nouns      " share(nouns)
  print "adjectives " share(adjectives)
  print "both       " share(both)
  if (nouns < least * phrases || adjectives < least * phrases) {
    printf "alignment.awk: less than %.0f %%\n", 100 * least > "/dev/stderr"
    exit 1
  }
}
