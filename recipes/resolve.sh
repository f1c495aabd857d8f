#!/bin/bash
# Begins a run of a recipe: says what is wrong or missing before anything is written, writes down what the stages need, and calls them.
#
#   recipes/resolve.sh RECIPE RUN GOALS COMMAND...     RECIPE: a file, or the name of one of ours; RUN: the folder of its run; COMMAND: make with
#                                                      the stages and their variables, which GOALS and DATA=FOLDER are added to
#   recipes/resolve.sh --unchanged RUN DATA [FILE]     fails if the data differ from what RUN/data.sums says
#   recipes/resolve.sh --bring-back RUN                the run as it was before a command that could not touch it
#
# RUN/recipe.yaml is the recipe with every default. RUN/recipe.mk is what inspect --make says of it. RUN/data.sums has a line for each data
# file: its SHA-256, its device, inode, size and times, and its name. RUN/prepared.mk names the folder of what is made of the data before
# training: it follows from the recipe and the contents of the files, so other data have another folder, whatever their age. Each of these
# is rewritten only if it changes. RUN/.lock is locked until the last stage ends.
set -euf -o pipefail
export LC_ALL=C
here=$(CDPATH='' cd "$(dirname "$0")/../data" && pwd)
caller=${1-}
case $caller in --unchanged | --bring-back) shift ;; esac
# shellcheck source=data/common.sh
. "$here/common.sh"
script=recipe # as its user sees it

# What a command replaces of a run is here until its model is made.
replaced=.headwater-replaced
bring_back() { # RUN
  [ -d "$1/$replaced" ] || return 0
  find "$1/$replaced" -type f -exec mv -f -t "$1" {} +
  rm -rf -- "${1:?}/$replaced"
}
if [ "$caller" = --bring-back ]; then
  bring_back "$1"
  exit
fi

# --- What data files hold --------------------------------------------------------------------------------------------------

# A file that keeps its device, inode, size and times is not read again, unless it changed less than two seconds before it was read.
state_of() { stat -Lc '%d:%i:%s:%.9Y:%.9Z' -- "$1"; } # FILE
line_of_sums() { # FILE NAME
  state=$(state_of "$1")
  sum=$(awk -v state="$state" -v name="$2" '$2 == state && $3 == name { print $1; exit }' "$run/data.sums" 2>/dev/null || :)
  if [ -z "$sum" ]; then
    sum=$(hash_of "$1")
    [ "$(state_of "$1")" = "$state" ] || fail "$1: changed while it was read (give the command again)"
    changed=${state##*:}
    [ $(($(date +%s) - ${changed%.*})) -gt 1 ] || state=-
  fi
  printf '%s %s %s\n' "$sum" "$state" "$2"
}
if [ "$caller" = --unchanged ]; then
  run=$1 data=$2
  while read -r sum _ name; do
    case $name in :*) continue ;; esac
    [ $# -lt 3 ] || [ "$name" = "$3" ] || continue
    line=$(line_of_sums "$data/$name" "$name")
    [ "${line%% *}" = "$sum" ] || fail "$data/$name: changed after this command began (give it again)"
  done <"$run/data.sums"
  exit
fi

# --- The recipe -------------------------------------------------------------------------------------------------------------

case ${4-} in
  *make) ;;
  *) wrong 'wanted are a recipe, the folder of its run, goals, and a command of make (--help says more)' ;;
esac
recipe=$1 run=$2 goals=$3
shift 3
# Variables of the stages that are needed here.
BIN='' DATA='' MODELS='' SCALE='' SEED='' SET='' OVERWRITE='' QUIET='' HEADWATER='' is_question=''
for word; do
  case $word in
    BIN=* | DATA=* | MODELS=* | SCALE=* | SEED=* | SET=* | OVERWRITE=* | QUIET=* | HEADWATER=*) printf -v "${word%%=*}" %s "${word#*=}" ;;
    --question) is_question=1 ;;
  esac
done
export BIN
say() { [ -n "$QUIET" ] || note "$1"; }
# As the caller gives a variable of the stages.
asked() { if [ -n "$HEADWATER" ]; then echo "$2"; else echo "$1"; fi; } # VARIABLE OPTION
case $recipe in # the name of one of ours
  */* | *.*) ;;
  *) [ ! -f "$here/../recipes/$recipe.yaml" ] || recipe=$here/../recipes/$recipe.yaml ;;
esac
must_be_file() { # FILE NAME-IN-MESSAGE
  if [ ! -e "$1" ]; then fail "$2: no such file"; elif [ -d "$1" ]; then fail "$2: a folder, not a file"; fi
  [ -r "$1" ] || fail "$2: permission denied"
}

must_be_file "$recipe" "$recipe"
name=${run##*/}
[ ${#name} -le 251 ] || # that of its log is 4 longer, and a file system takes 255
  wrong "the name of a run, ${name:0:40}..., would have ${#name} bytes, more than 251 (write some settings into the recipe)"
need_tools
need flock util-linux
case ${recipe##*/} in
  prepared.* | .*) fail "$recipe: a run of this name would stand where other files of runs are; call it otherwise" ;;
esac
besides='' # keys that are set here
resolve() { # MORE OPTIONS OF train...
  set -- --scale "${SCALE:-full}" "$@"
  [ -z "$SEED" ] || set -- "$@" --seed "$SEED"
  for word in $SET $besides; do set -- "$@" --set "$word"; done
  "$tools_folder/train" --recipe "$recipe" "$@" --print-recipe >"$tmp/recipe.yaml"
}
resolve
# The weights that a run begins with. The run of another recipe of ours lies below MODELS, at the same scale.
from=$(first_weights_of "$tmp/recipe.yaml")
maker=$(recipe_of_run "$from")
case " $SET" in *' training.init_from='*) maker='' ;; esac
if [ -n "$maker" ]; then
  from=$MODELS/recipes/$maker$([ "$SCALE" != quick ] || echo -quick)/model
  [ "$from" = "models/recipes/$maker/model" ] || besides="training.init_from=$from"
fi
# The same of the encoder whose vectors a linear model reads.
encoder=$(encoder_of "$tmp/recipe.yaml")
encoder_maker=$(recipe_of_run "$encoder")
case " $SET" in *' model.encoder='*) encoder_maker='' ;; esac
if [ -n "$encoder_maker" ]; then
  encoder=$MODELS/recipes/$encoder_maker$([ "$SCALE" != quick ] || echo -quick)/model
  [ -e "$encoder" ] || wrong "$recipe: $encoder: no such model (run the recipe $encoder_maker first)"
  [ "$encoder" = "models/recipes/$encoder_maker/model" ] || besides="$besides model.encoder=$encoder"
fi
[ -z "$besides" ] || resolve
for_make() { "$tools_folder/inspect" --make - <"$tmp/recipe.yaml" >"$tmp/recipe.mk"; }
for_make
value() { sed -n "s/^$1 := //p" "$tmp/recipe.mk"; }
# A run that begins with a model has its tokenizers and terms, unless data.tokenizer_text names another text to learn them from. Keys of them
# that the recipe does not set are the model's, or, where it is gone, those that the run has.
model_gives=''
case "$(value stage_source)-$([ "$(value tokenizer_text)" != "$(value train)" ] || echo same)" in
  tokens-same | terms-same)
    if [ -f "$from/recipe.yaml" ] || [ -f "$from/source-tokenizer.json" ]; then
      model_gives=files
    elif [ -f "$from/config.json" ]; then # of another program
      [ "$(value task)" != translation ] ||
        fail "$recipe: training.init_from: $from: nothing trains with the tokenizers of a published translator (data.tokenizer_text: another file than data.train learns new ones; what that model does not know begins anew)"
      model_gives=folder
    elif [ -n "$from" ] && [ ! -e "$from" ]; then
      model_gives=before
    fi
    ;;
esac
tokenizers_of=$from
[ "$model_gives" != before ] || tokenizers_of=$run/recipe.yaml
if [ -n "$model_gives" ] && [ -e "$tokenizers_of" ]; then
  resolve --tokenizers-of "$tokenizers_of" || exit 1
  for_make
fi
set_name=$(value set)
files=$(for key in train validation test tokenizer_text; do value $key; done | sort -u)
data=$DATA
if [ -z "$data" ]; then
  if [ -n "$set_name" ]; then data=data/cache; else data=$(dirname -- "$recipe"); fi
fi

# Data of a public set is prepared by its script; the user's own must be there. What tokenizers learn from is named where it is
# another file than the training examples.
if [ -z "$set_name" ]; then
  for key in train validation test tokenizer_text; do
    file=$data/$(value $key)
    [ -z "$(value $key)" ] || must_be_file "$file" "$recipe: data.$key: ${file#./}"
  done
fi
if [ -n "$from" ] && [ ! -e "$from" ] && { [ ! -e "$run/model" ] || [ -n "$OVERWRITE" ]; }; then
  if [ -n "$maker" ]; then
    hint="$maker$([ "$SCALE" != quick ] || asked ' SCALE=quick' ' --scale quick')"
  else
    hint=$(recipe_of_run "$from") # as it was set by hand
  fi
  fail "$recipe: training.init_from: $from: no such model${hint:+ ($(asked "make recipe-" "$HEADWATER run ")$hint makes it)}"
fi

# --- The data of a public set: prepared once, by one command at a time ------------------------------------------------------

# In a clone also if the scripts are newer.
scripts() { # SET
  [ -e Makefile ] && [ . -ef "$here/.." ] || return 0
  find data/prepare-"$1".sh data/common.sh data/pins.sha256
  [ ! -d "data/$1" ] || find "data/$1" -type f
}
is_prepared() { # SET FILE...
  set_scripts=$(scripts "$1")
  shift
  for file; do
    [ -e "$data/$file" ] || return 1
    case $file in
      */train*) for of_set in $set_scripts; do [ ! "$of_set" -nt "$data/$file" ] || return 1; done ;;
    esac
  done
}
prepare() { # SET SEED FILE...
  prepared_set=$1 seed=$2
  shift 2
  if is_prepared "$prepared_set" "$@"; then return; fi
  mkdir -p -- "$data"
  exec 8>>"$data/.lock" # of all sets: two of them may be made of the same raw files
  flock 8
  if ! is_prepared "$prepared_set" "$@"; then
    # shellcheck disable=SC2086 # no seed, no word
    "$here/prepare-$prepared_set.sh" "$data" $seed 8>&-
    for file; do
      [ -e "$data/$file" ] || fail "$data/$file: prepare-$prepared_set.sh does not make it"
      touch -c -- "$data/$file"
    done
  fi
  exec 8>&-
}
of_folders() { for file in $files; do case ${file%%/*} in "$1" | "$1"-seed-*) echo "$file" ;; esac; done; } # SET: the files
if [ -n "$set_name" ]; then
  # shellcheck disable=SC2046 # names of files without blanks
  prepare "$set_name" "$(value seed_of_split)" $(of_folders "$set_name")
  for folder in $(for file in $files; do echo "${file%%/*}"; done | sort -u); do # a tokenizer may be learned from the text of another set
    # shellcheck disable=SC2046 # the same
    [ ! -f "$here/prepare-$folder.sh" ] || [ "$folder" = "$set_name" ] || prepare "$folder" '' $(of_folders "$folder")
  done
fi

# --- The run ----------------------------------------------------------------------------------------------------------------

mkdir -p -- "$run"
exec 9>>"$run/.lock"
status=0
flock -n -E 75 9 || status=$?
case $status in
  0) ;;
  75) fail "$run: another command is making this run (wait until it ends, or choose another folder: $(asked MODELS=DIR '--models DIR'))" ;;
  *) note "$run/.lock: cannot be locked; no other command may make this run" ;;
esac
# What a command that was killed has left: a process whose number ends the name may run.
drafts=$(value drafts)
remove_drafts() { # FOLDER find's OPTIONS...
  find "$@" -name "$drafts*" -prune -print0 | while IFS= read -r -d '' file; do
    number=${file##*/}
    number=${number##*.tmp-}
    case $number in [0-9]*) if [ -e "/proc/${number%%-*}" ]; then continue; fi ;; esac
    rm -rf -- "$file"
  done
}
remove_drafts "$run" -maxdepth 1
path_of_recipe=$(realpath -- "$recipe")
made_of=$(sed -n 's/^# recipe: //p' "$run/recipe.mk" 2>/dev/null || :)
if [ -n "$made_of" ] && [ -e "$run/$made_of" ] && [ ! "$run/$made_of" -ef "$recipe" ]; then
  fail "$run: a run of another recipe, $(realpath -- "$run/$made_of"), not of $path_of_recipe (choose another folder: $(asked MODELS=DIR '--models DIR'))"
fi
echo "# recipe: $(realpath --relative-to="$run" -- "$recipe")" >>"$tmp/recipe.mk"

for name in $files; do
  must_be_file "$data/$name" "$recipe: $data/$name"
  line_of_sums "$data/$name" "$name" >>"$tmp/data.sums"
done
given=''
take() { # FILE NAME: a file of the model, for NAME of what is prepared
  [ -f "$1" ] || fail "$recipe: training.init_from: $from has no ${1##*/}, which this recipe needs (data.tokenizer_text: another file than data.train learns new tokenizers)"
  cp -- "$1" "$tmp/given.$2"
  given="$given $2"
}
take_tokenizers() {
  if [ ! -f "$from/source-tokenizer.json" ]; then
    [ -z "$(value stage_target)" ] || [ -n "$(value shared_tokenizer)" ] || take "$from/target-tokenizer.json" target.json
    take "$from/tokenizer.json" "$([ -n "$(value shared_tokenizer)" ] && echo tokenizer.json || echo source.json)"
  elif [ -n "$(value shared_tokenizer)" ]; then
    cmp -s -- "$from/source-tokenizer.json" "$from/target-tokenizer.json" ||
      fail "$recipe: training.init_from: $from has two tokenizers, and shared_tokenizer: true wants one (shared_tokenizer: false)"
    take "$from/source-tokenizer.json" tokenizer.json
  else
    take "$from/source-tokenizer.json" source.json
    [ -z "$(value stage_target)" ] || take "$from/target-tokenizer.json" target.json
  fi
  [ "$(value stage_source)" != terms ] || take "$from/terms.tsv" terms.tsv
}
case $model_gives in
  files) take_tokenizers ;;
  folder) # all of its files but the weights
    mkdir "$tmp/given.model"
    find -L "$from" -maxdepth 1 -type f -size -65536k ! -name '*.safetensors' ! -name '*.bin' ! -name '*.h5' ! -name '*.msgpack' ! -name '*.onnx' \
      -exec cp -- {} "$tmp/given.model" \;
    given=' model'
    ;;
  before)
    given=$(sed -n 's/.* :given\./ /p' "$run/data.sums" 2>/dev/null | tr -d '\n' || :)
    sed -n '/ :given\./p' "$run/data.sums" >>"$tmp/data.sums" 2>/dev/null || :
    ;;
esac
for name in $given; do
  [ -e "$tmp/given.$name" ] || continue
  sum=$(cd "$tmp" && find "given.$name" -type f -exec sha256sum {} + | sort | sha256sum)
  printf '%s - :given.%s\n' "${sum%% *}" "$name" >>"$tmp/data.sums"
done

# So are the weights that a run begins with, and those of an encoder.
weights=''
for model in "$from" "$encoder"; do
  [ ! -f "$model/model.safetensors" ] || weights=$weights$(sha256sum <"$model/model.safetensors" | cut -c1-16)
done
had=$(sed -n 's/^weights := //p' "$run/prepared.mk" 2>/dev/null || :)
weights=${weights:-$had} # they are gone, and the run goes on
if [ -n "$had" ] && [ "$had" != "$weights" ] && [ -z "$OVERWRITE" ] && [ -e "$run/model" ]; then
  fail "$recipe: ${from:-$encoder}: other weights than those that $run/model was made with ($(asked OVERWRITE=1 --overwrite) trains it anew)"
fi

if [ -d "$run/model/checkpoints" ] && [ -f "$run/data.sums" ] && [ -z "$OVERWRITE" ]; then
  for name in $(for key in train validation tokenizer_text; do value $key; done | sort -u); do
    ! awk -v name="$name" '$3 == name { sum[FILENAME] = $1 } END { exit !(sum[ARGV[1]] != "" && sum[ARGV[1]] != sum[ARGV[2]]) }' "$run/data.sums" "$tmp/data.sums" ||
      note "$data/$name: changed since $run/model was trained on it"
  done
fi

rm -rf -- "${run:?}/$replaced" # of a command that was killed
keep() {                   # FILE
  if cmp -s "$tmp/$1" "$run/$1"; then return; fi
  case $1 in
    recipe.yaml | prepared.mk | data.sums) [ ! -f "$run/$1" ] || { mkdir -p -- "$run/$replaced" && cp -p -- "$run/$1" "$run/$replaced"; } ;;
  esac
  cp -- "$tmp/$1" "$run/$drafts$1"
  mv -f -- "$run/$drafts$1" "$run/$1"
}
prepared=$(value preparation)-$(cut -d' ' -f1,3 "$tmp/data.sums" | sha256sum | cut -c1-12)
printf 'prepared := %s\ngiven := %s\n' "$prepared" "${given# }" >"$tmp/prepared.mk"
[ -z "$weights" ] || echo "weights := $weights" >>"$tmp/prepared.mk"
for file in recipe.yaml recipe.mk data.sums prepared.mk; do keep $file; done

# --- What is made of the data before training: shared by the runs that need the same -----------------------------------------

all=$(dirname -- "$run")/prepared
name=${recipe##*/}
name=${name%.*}
mkdir -p -- "$all"
lock_prepared() {
  exec 8>>"$all/.lock"
  flock -n 8 || {
    say "waits until another command has prepared its data"
    flock 8
  }
}
# What was made for this recipe of other data, or with other settings, and no run has.
unused() {
  find "$all" -mindepth 1 -maxdepth 1 -type d | while read -r folder; do
    case ${folder##*/} in
      "$name-$prepared") ;;
      "$name"-????????????-????????????)
        users=$(find "$all/.." -mindepth 2 -maxdepth 2 -name prepared.mk -exec grep -lxF -- "prepared := ${folder##*/"$name"-}" {} +) || :
        [ -n "$users" ] || echo "$folder"
        ;;
    esac
  done
}
if [ -n "$(unused)" ]; then
  lock_prepared
  unused | while read -r folder; do rm -rf -- "$folder"; done
  exec 8>&-
fi
is_left() { [ -n "$(find "$all/$name-$prepared" -name "$drafts*" -print -quit 2>/dev/null)" ]; }
if [ -z "$is_question" ] && { is_left || ! "$@" "DATA=$data" RESOLVED=yes --question inputs >/dev/null 2>&1; }; then
  lock_prepared
  mkdir -p -- "$all/$name-$prepared"
  remove_drafts "$all/$name-$prepared"
  for file in $given; do
    if [ ! -e "$tmp/given.$file" ] || [ -e "$all/$name-$prepared/$file" ]; then continue; fi
    cp -r -- "$tmp/given.$file" "$all/$name-$prepared/$drafts$file"
    mv -- "$all/$name-$prepared/$drafts$file" "$all/$name-$prepared/$file"
  done
  [ -z "$given" ] || say "the tokenizers are those of $from (data.tokenizer_text: another file than data.train learns new ones)"
  "$@" "DATA=$data" RESOLVED=yes inputs || {
    status=$?
    bring_back "$run"
    exit "$status"
  }
  exec 8>&-
fi
[ "$goals" != inputs ] || exit 0
rm -rf "$tmp"
# shellcheck disable=SC2086 # several goals
exec "$@" "DATA=$data" RESOLVED=yes $goals
