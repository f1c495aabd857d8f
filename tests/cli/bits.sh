# shellcheck shell=bash disable=SC2154 # $bin is the test's
# The bits of runs at SCALE=quick, which tests/golden/bits.tsv pins: hashes of the weights (best and newest), of the optimizer's state, and of
# those columns of log.csv that are results. Sourced in the repository's root. HEADWATER_WRITE_BITS=1 writes rows, and refuses other bits under
# the same bits version.
bits_file=$PWD/tests/golden/bits.tsv

# All columns but seconds, tokens_per_second and waiting_share.
results_of() { # LOG
  awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i !~ /^(seconds|tokens_per_second|waiting_share)$/) column[++columns] = i }
    { line = ""; for (i = 1; i <= columns; ++i) line = line $column[i] ","; print line }' "$1"
}
short_hash() { sha256sum | cut -c 1-16; }
row_of_bits() { # RECIPE DATA MODEL
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$("$bin/train" --version | sed -n 's/^bits version //p')" \
    "$(cat "$3/model.safetensors" "$3/checkpoints/latest/model.safetensors" | short_hash)" \
    "$(short_hash <"$3/checkpoints/latest/optimizer.safetensors")" "$(results_of "$3/log.csv" | short_hash)"
}
# Puts a row in its place below the header.
write_row() { # ROW
  (
    flock 9
    { head -n 1 "$bits_file" && { sed 1d "$bits_file" | awk -F '\t' -v row="$1" 'BEGIN { split(row, new, FS) } $1 != new[1] || $2 != new[2]' && echo "$1"; } | sort; } >"$bits_file.part"
    mv "$bits_file.part" "$bits_file"
  ) 9<"${bits_file%/*}"
}
# Compares a run with its row, or writes it. Fails, and says why, where the two differ.
check_bits() { # RECIPE DATA MODEL
  local row old
  row=$(row_of_bits "$@")
  old=$(awk -F '\t' -v recipe="$1" -v data="$2" '$1 == recipe && $2 == data' "$bits_file")
  [ "$row" != "$old" ] || return 0
  if [ -n "${HEADWATER_WRITE_BITS-}" ]; then
    # A row of its own, or of an older version.
    if [ -z "$old" ] || [ "$(cut -f3 <<<"$row")" -gt "$(cut -f3 <<<"$old")" ]; then
      write_row "$row"
      return
    fi
    echo "$1, $2 data: other bits under the same bits version: raise kBitsVersion in libcore/support/bits_version.hpp (where the recipe, its data or the columns of the log changed, remove its row from tests/golden/bits.tsv)"
  elif [ -z "$old" ]; then
    echo "$1, $2 data: tests/golden/bits.tsv has no row (HEADWATER_WRITE_BITS=1 writes it)"
  else
    echo "$1, $2 data: other bits than those of tests/golden/bits.tsv (recipe, data, bits version, model, optimizer, log)"
    printf '  pinned  %s\n  here    %s\n' "$old" "$row"
  fi
  return 1
}
