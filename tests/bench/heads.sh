#!/bin/bash
# What the heads of an encoder or a translator look at over a corpus: attn-dump --view heads beside the same sums of Hugging Face's transformers
# with output_attentions=True, run alternately on this machine; prints each round in lines a second, by the clock and by the seconds of the
# processor (which other programs on the machine do not lengthen), the ratios with their spread, the memory of ours for the text once and ten
# times, and the largest difference of the figures.
#
#   PEER_PYTHON=python tests/bench/heads.sh MODEL TEXT [ROUNDS [TARGET]]    3 rounds; BIN and THREADS as in the Makefile
#
# MODEL is a directory in BERT's layout, TEXT has a sentence a line. With TARGET, their translations, MODEL is one that train wrote of an
# encoder-decoder with post-norm and learned positions, as spa-eng's, and both read the two texts. Ours is the whole program with its start; of the peer reading the model is
# not timed, and its batch size is the fastest of four.
set -euo pipefail
export LC_ALL=C
[ $# -ge 2 ] || {
  echo "usage: PEER_PYTHON=python tests/bench/heads.sh MODEL TEXT [ROUNDS [TARGET]]" >&2
  exit 2
}
model=$(realpath "$1") text=$(realpath "$2") rounds=${3:-3} target=${4:+$(realpath "$4")}
cd "$(dirname "$0")/../.."
. tests/bench/peers.sh
begin_beside_peer transformers
dump=("$bin/attn-dump" "$model" -q --view heads --threads "$threads")
lines=$(wc -l <"$text")
TIMEFORMAT='%R %U %S'
printf 'round\tours lines/s\tpeer (batch)\tratio\tby processor seconds\tratio\n'
for ((round = 1; round <= rounds; ++round)); do
  { time "${dump[@]}" ${target:+--target "$target"} -o "$tmp/ours.csv" "$text"; } 2>"$tmp/ours"
  OMP_NUM_THREADS=$threads "$python" tests/bench/peers/heads_transformers.py "$model" "$text" ${target:+--target "$target"} --threads "$threads" \
    --output "$tmp/peer.csv" >"$tmp/peer" 2>"$tmp/words" || {
    cat "$tmp/words" >&2
    exit 1
  }
  awk -v round="$round" -v lines="$lines" 'NR == FNR { clock = $1; busy = $2; batch = $3; next }
    { own = $2 + $3
      printf "%d\t%.0f\t%.0f (%d)\t%.2f\t%.0f beside %.0f\t%.2f\n", round, lines / $1, lines / clock, batch, clock / $1, lines / own, lines / busy, busy / own }' "$tmp/peer" "$tmp/ours" |
    tee -a "$tmp/rounds"
done
cut -f4 "$tmp/rounds" | print_ratios "clock"
cut -f6 "$tmp/rounds" | print_ratios "processor"
for _ in 1 2 3 4 5 6 7 8 9 10; do
  cat "$text" >>"$tmp/ten"
  [ -z "$target" ] || cat "$target" >>"$tmp/ten.target"
done
for file in "$text" "$tmp/ten"; do
  beside=$target
  [ -z "$target" ] || [ "$file" = "$text" ] || beside=$tmp/ten.target
  "${dump[@]}" ${beside:+--target "$beside"} "$file" >"$tmp/rows" &
  process=$!
  most=0
  while kill -0 "$process" 2>"$tmp/gone"; do
    now=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$process/status" 2>"$tmp/gone" || echo 0)
    [ "${now:-0}" -le "$most" ] || most=$now
    sleep 0.1
  done
  wait "$process"
  printf 'memory for %d lines: %d MiB; rows: %d, %d bytes\n' "$(wc -l <"$file")" $((most / 1024)) "$(tail -n +2 "$tmp/rows" | wc -l)" "$(wc -c <"$tmp/rows")"
done
tail -n +2 "$tmp/ours.csv" | cut -d, -f 1-6,8,9,11,12 | paste -d, - "$tmp/peer.csv" |
  awk -F, '$1 $2 "," $3 != $11 $12 "," $13 { differs = 1; exit }
    { for (i = 4; i <= 10; ++i) { d = $i - $(i + 10); if (d < 0) d = -d; if (d > most) most = d } }
    END { if (differs) { print "the peer has other heads"; exit 1 } printf "largest difference of a figure from the peer: %.1e over %d heads\n", most, NR }'
