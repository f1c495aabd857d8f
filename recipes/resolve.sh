#!/bin/sh
# The first stage of a recipe: says what is wrong with it or missing before anything is written, and keeps what the other stages need.
#
#   recipes/resolve.sh RECIPE RUN DATA     the recipe, a file or the name of one of ours; the folder of its run; the data root, where its own
#                                          files lie
#
# RUN/recipe.yaml is the recipe with every default, rewritten only where it changes; RUN/recipe.mk is what inspect --make says of it, and
# RUN/prepared.mk names the folder of what is made of its data before training. BIN
# is the folder of the tools; SCALE, SEED and SET (KEY=VALUE words) are --scale, --seed and --set of train.
set -euf
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")/../data" && pwd)
# shellcheck source=data/common.sh
. "$here/common.sh"
[ $# -eq 3 ] || wrong "$# operands, wanted are 3 (--help says which)"
recipe=$1 run=$2 data=$3
case $recipe in # the name of one of ours
  */* | *.*) ;;
  *) [ ! -f "$here/../recipes/$recipe.yaml" ] || recipe=$here/../recipes/$recipe.yaml ;;
esac
script=recipe # as its user sees it
must_be_file() { # FILE NAME-IN-MESSAGE
  if [ ! -e "$1" ]; then fail "$2: no such file"; elif [ -d "$1" ]; then fail "$2: a folder, not a file"; fi
}

must_be_file "$recipe" "$recipe"
need_tools
case ${recipe##*/} in
  prepared.* | .*) fail "$recipe: a run of this name would stand where other files of runs are; call it otherwise" ;;
esac
set -- --scale "${SCALE:-full}"
[ -z "${SEED-}" ] || set -- "$@" --seed "$SEED"
for word in ${SET-}; do set -- "$@" --set "$word"; done
"$tools_folder/train" --recipe "$recipe" "$@" --print-recipe >"$tmp/recipe.yaml"
"$tools_folder/inspect" --make - <"$tmp/recipe.yaml" >"$tmp/recipe.mk"

# Data of a public set is prepared by its script; the user's own must be there. What tokenizers learn from is named where it is
# another file than the training examples.
value() { sed -n "s/^$1 := //p" "$tmp/recipe.mk"; }
if [ -z "$(value set)" ]; then
  for key in train validation test tokenizer_text; do
    file=$data/$(value $key)
    [ -z "$(value $key)" ] || must_be_file "$file" "$recipe: data.$key: ${file#./}"
  done
fi

# The weights that a run begins with, which a run that has begun reads no more.
from=$(sed -n 's/^  init_from: //p' "$tmp/recipe.yaml" | sed 's/^"\(.*\)"$/\1/')
if [ -n "$from" ] && [ ! -e "$from" ] && { [ ! -e "$run/model" ] || [ -n "${OVERWRITE-}" ]; }; then
  maker=$(basename "$(dirname "$from")")
  if [ -f "$here/../recipes/$maker.yaml" ]; then
    fail "$recipe: training.init_from: $from: no such model (make recipe-$maker makes it)"
  fi
  fail "$recipe: training.init_from: $from: no such model"
fi

keep() { cmp -s "$tmp/$1" "$run/$1" || publish "$tmp/$1" "$run/$1"; } # FILE
mkdir -p -- "$run"
keep recipe.yaml
keep recipe.mk
# What is made of the data before training is shared by the runs that name these data and need the same of them.
case $data in /*) folder=$data ;; *) folder=$PWD/$data ;; esac
printf 'prepared := %s-%s\n' "$(sed -n 's/^preparation := //p' "$run/recipe.mk")" "$(printf %s "$folder" | cksum | cut -d' ' -f1)" >"$tmp/prepared.mk"
keep prepared.mk
