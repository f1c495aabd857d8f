#!/bin/bash
# A new recipe is one YAML file: dropped into recipes/ it runs through `make recipe-NAME`, in a folder of the user's own through
# `make recipe RECIPE=FILE`, on files beside it. Nothing else is touched.
#   own_recipe_test.sh BIN     BIN: the folder of the tools
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
unset MAKEFLAGS MAKELEVEL MFLAGS BIN DATA MODELS SCALE SEED SET THREADS OVERWRITE ALLOW_EMPTY WERROR
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  cat "$tmp/log"
  exit 1
}

# The top level as a user has it, without building: the tools are BIN's. The paths of both have a space.
mkdir "$tmp/my house"
ln -s "$bin" "$tmp/my tools"
cp -r Makefile recipes data "$tmp/my house"
rm -rf "$tmp/my house/data/cache"

# Two columns of the user's own, the label first: numbers in words, even or odd.
mkdir "$tmp/mine"
awk 'BEGIN { split("nought one two three four five six seven eight nine", digit, " ")
  for (i = 0; i < 1200; ++i) { n = i * 7919 % 1000; print (n % 2 ? "odd" : "even") "\t" digit[int(n / 100) + 1] " " digit[int(n / 10) % 10 + 1] " " digit[n % 10 + 1] } }' \
  >"$tmp/mine/numbers.tsv"
head -n 1000 "$tmp/mine/numbers.tsv" >"$tmp/mine/train.tsv"
tail -n 200 "$tmp/mine/numbers.tsv" >"$tmp/mine/test.tsv"
cat >"$tmp/mine/parity.yaml" <<'RECIPE'
# No validation file: a share of the training examples is held out.
data: {train: train.tsv, test: test.tsv, columns: [label, source], validation_fraction: 0.1}
source_tokenizer: {size: 20}
model: {kind: classifier, width: 16, heads: 2, feed_forward_width: 16, length: 3}
training: {epochs: 6, batch_sequences: 16, optimizer: {kind: adam, learning_rate: 1.0e-2}}
expected:
  - {metric: test_accuracy, value: 0.9, compare: at_least}
RECIPE
mkdir "$tmp/mine/sources"
printf 'curve,epoch,training_accuracy\na tutorial,2,0.75\n' >"$tmp/mine/sources/parity.csv"
make=(make --no-print-directory -C "$tmp/my house" -o tools-present "BIN=$tmp/my tools" "MODELS=$tmp/models")
"${make[@]}" recipe "RECIPE=$tmp/mine/parity.yaml" >"$tmp/log" 2>&1 || fail 'a recipe in a folder of its own'
grep -q '^test_accuracy  *>= 0.9 .* ok$' "$tmp/models/recipes/parity/report.md" || fail 'the expectation of the recipe'
grep -q '> .*[.]ids$' "$tmp/log" || fail 'the commands that make ids'
sed -n 's/.*alt="Training accuracy" src="[^,]*,\([^"]*\)".*/\1/p' "$tmp/models/recipes/parity/report.html" | base64 -d >"$tmp/drawn.svg"
for file in "$tmp/models/recipes/parity/curve.svg" "$tmp/drawn.svg"; do
  grep -q '<title>a tutorial, epoch 2: 0.7500</title>' "$file" || fail "the figures of the recipe's source in $file"
done

# Other orders may be asked of a run that is there, and the report has those that were asked last.
for order in reversed shuffled; do
  sed "s/validation_fraction/test_orders: [$order], validation_fraction/" "$tmp/mine/parity.yaml" >"$tmp/mine/ordered.yaml"
  "${make[@]}" recipe "RECIPE=$tmp/mine/ordered.yaml" >"$tmp/log" 2>&1 || fail "the test $order"
  [ "$(grep -o 'reversed\|shuffled' "$tmp/models/recipes/ordered/report.md" | sort -u)" = $order ] || fail "the report of the test $order"
done

# The same examples as CSV, with line ends inside quotes and the columns in another order.
for part in train test; do
  awk -F '\t' -v OFS=, 'BEGIN { printf "Number in words,which one?,id\r\n" } { sub(" ", "\r\n", $2); printf "\"%s\",%s,%d\r\n", $2, $1, NR }' \
    "$tmp/mine/$part.tsv" >"$tmp/mine/$part.csv"
done
sed 's|train: train.tsv, test: test.tsv, columns: .label, source.|train: train.csv, test: test.csv, columns: [label, source], csv_columns: ["which one?", Number in words]|' \
  "$tmp/mine/parity.yaml" >"$tmp/mine/parity-csv.yaml"
"${make[@]}" recipe "RECIPE=$tmp/mine/parity-csv.yaml" >"$tmp/log" 2>&1 || fail 'a recipe on CSV files'
for file in train.ids test.tsv model/model.safetensors; do
  cmp "$tmp/models/recipes/parity/$file" "$tmp/models/recipes/parity-csv/$file" || fail "another $file from CSV"
done

# A sweep: keys set beside the file, in a folder of its own.
"${make[@]}" recipe "RECIPE=$tmp/mine/parity.yaml" 'SET=training.epochs=1 model.width=8' >"$tmp/log" 2>&1 || fail 'a recipe with SET'
grep -q '^  width: 8$' "$tmp/models/recipes/parity-training.epochs-1-model.width-8/model/recipe.yaml" || fail 'the keys that SET says'
# Runs that need the same lines, tokenizers and ids share them; one that needs others has its own.
swept=$tmp/models/recipes/parity-training.epochs-1-model.width-8
for file in train.ids source.json labels.txt test.tsv; do
  [ "$tmp/models/recipes/parity/$file" -ef "$swept/$file" ] || fail "$file is there twice"
done
[ "$(find "$tmp/models/recipes/prepared" -mindepth 1 -maxdepth 1 -name 'parity-????????????-*' | wc -l)" = 1 ] || fail 'runs that need the same have a folder each'
! grep -q '[.]ids$' "$tmp/log" || fail 'a run of a sweep makes its ids again'
"${make[@]}" recipe "RECIPE=$tmp/mine/parity.yaml" 'SET=training.epochs=1 source_tokenizer.size=9' >"$tmp/log" 2>&1 || fail 'a sweep over the tokenizer'
[ "$(grep -c '"id":' "$tmp/models/recipes/parity-training.epochs-1-source_tokenizer.size-9/model/tokenizer.json")" -lt 12 ] || fail 'another tokenizer is shared'
# A recipe of the same name in another folder is another one: its run has to go elsewhere, with OVERWRITE=1 too.
mkdir "$tmp/second"
cp "$tmp/mine/parity.yaml" "$tmp/mine/test.tsv" "$tmp/second"
tail -n 900 "$tmp/mine/train.tsv" >"$tmp/second/train.tsv"
cp "$tmp/models/recipes/parity/model/model.safetensors" "$tmp/first"
for word in OVERWRITE= OVERWRITE=1; do
  ! "${make[@]}" recipe "RECIPE=$tmp/second/parity.yaml" $word >"$tmp/log" 2>&1 || fail "a recipe of another folder was taken for this one ($word)"
  grep -qx "headwater: $tmp/models/recipes/parity: a run of another recipe, $tmp/mine/parity.yaml, not of $tmp/second/parity.yaml (choose another folder: MODELS=DIR)" "$tmp/log" ||
    fail "the message for a recipe of another folder ($word)"
  cmp "$tmp/first" "$tmp/models/recipes/parity/model/model.safetensors" || fail "the model of another recipe was replaced ($word)"
done
"${make[@]}" recipe "RECIPE=$tmp/second/parity.yaml" "MODELS=$tmp/second/models" >"$tmp/log" 2>&1 || fail 'a recipe of another folder with a folder for its run'
"${make[@]}" recipe "RECIPE=$tmp/mine/parity.yaml" >"$tmp/log" 2>&1 || fail 'the first recipe of that name again'
! "${make[@]}" recipe "RECIPE=$tmp/mine/parity.yaml" SET=training.epoch=1 >"$tmp/log" 2>&1 || fail 'a SET of an unknown key was taken'
grep -q '^headwater: training.epoch=1: unknown key "epoch"' "$tmp/log" || fail 'a SET of an unknown key is not told'

# The same as one of the repository's, on data below the data root.
mkdir "$tmp/data"
cp -r "$tmp/mine" "$tmp/data/numbers"
sed 's|train: train.tsv, test: test.tsv|train: numbers/train.tsv, test: numbers/test.tsv, test_examples: 100|' "$tmp/mine/parity.yaml" \
  >"$tmp/my house/recipes/dropped-in.yaml"
"${make[@]}" recipe-dropped-in "DATA=$tmp/data" >"$tmp/log" 2>&1 || fail 'a recipe dropped into recipes/'
grep -q '^accuracy .* over 100 samples' "$tmp/models/recipes/dropped-in/report.md" || fail 'the number of test examples'
"${make[@]}" recipe-dropped-in "DATA=$tmp/data" >"$tmp/log" 2>&1 || fail 'the second time'
! grep -q 'train --recipe' "$tmp/log" || fail 'the second make trains again'
"${make[@]}" help | grep 'make recipe ' >/dev/null || fail 'make help does not say how'

# A language model: one column, judged by the test texts.
cut -f2 "$tmp/mine/train.tsv" >"$tmp/mine/texts.txt"
cut -f2 "$tmp/mine/test.tsv" >"$tmp/mine/test-texts.txt"
cat >"$tmp/mine/numbers.yaml" <<'RECIPE'
data: {train: texts.txt, test: test-texts.txt, columns: [source], validation_fraction: 0.1}
source_tokenizer: {size: 20}
model: {kind: language_model, width: 16, heads: 2, feed_forward_width: 16, length: 3}
training: {epochs: 2, batch_sequences: 16, optimizer: {kind: adam, learning_rate: 1.0e-2}}
expected:
  - {metric: test_perplexity, value: 11, compare: at_most}
RECIPE
"${make[@]}" recipe "RECIPE=$tmp/mine/numbers.yaml" >"$tmp/log" 2>&1 || fail 'a recipe of a language model'
grep -q '^test_perplexity  *<= 11 .* ok$' "$tmp/models/recipes/numbers/report.md" || fail 'the perplexity of the language model'

"$bin/evaluate" "$tmp/models/recipes/numbers/model" --metric loss "$tmp/mine/test.tsv" 2>"$tmp/log" && fail 'a language model was measured on two columns'
grep -q 'a TAB where each line is one text (choose a column with --column N, or turn TABs into spaces)$' "$tmp/log" || fail 'the message for such columns'
[ "$("$bin/evaluate" "$tmp/models/recipes/numbers/model" -q --json --metric unknown "$tmp/mine/test-texts.txt" | grep -c '^{"version":1,"metric":"unknown","score":')" = 1 ] || fail 'the unknown tokens of a language model'

# Images of two kinds, bright above or below; files that make reads as they are.
images() { # COUNT NAME: 4x4 pixels
  {
    printf '\0\0\010\003\0\0\0'; printf '%b' "\\0$(printf '%03o' "$1")"; printf '\0\0\0\004\0\0\0\004'
    for ((i = 0; i < $1; ++i)); do
      if ((i % 3)); then printf '\360\360\360\360\360\360\360\360\0\0\0\0\0\0\0\0'; else printf '\0\0\0\0\0\0\0\0\360\360\360\360\360\360\360\360'; fi
    done
  } >"$tmp/images.idx"
  {
    printf '\0\0\010\001\0\0\0'; printf '%b' "\\0$(printf '%03o' "$1")"
    for ((i = 0; i < $1; ++i)); do if ((i % 3)); then printf '\001'; else printf '\0'; fi; done
  } >"$tmp/labels.idx"
  "$bin/vectorize" --images "$tmp/images.idx" --image-labels "$tmp/labels.idx" -q -o "$tmp/mine/$2"
}
images 200 train.safetensors
images 50 test.safetensors
cat >"$tmp/mine/halves.yaml" <<'RECIPE'
data: {train: train.safetensors, test: test.safetensors, validation_fraction: 0.1}
model: {kind: vision, image_height: 4, image_width: 4, patch_size: 2, classes: 2, width: 16, heads: 2, feed_forward_width: 16, norm: pre}
training: {epochs: 8, batch_sequences: 8, optimizer: {kind: adam, learning_rate: 3.0e-3}}
expected:
  - {metric: test_accuracy, value: 0.99, compare: at_least}
RECIPE
"${make[@]}" recipe "RECIPE=$tmp/mine/halves.yaml" >"$tmp/log" 2>&1 || fail 'a recipe of images'
grep -q '^test_accuracy  *>= 0.99 .* ok$' "$tmp/models/recipes/halves/report.md" || fail 'the accuracy on images'
grep -q '^speed  *[0-9,]* images/s, of 4 patches each$' "$tmp/models/recipes/halves/report.md" || fail 'the speed on images'

# Names that make or a shell would take apart: the same model.
odd="$tmp/mine/my \"data\" \$HOME; it's"
mkdir "$odd"
cp "$tmp/mine/train.tsv" "$odd/tr ain=(x).tsv"
cp "$tmp/mine/test.tsv" "$odd"
sed 's|train: train.tsv|train: "tr ain=(x).tsv"|; s/sources/none/' "$tmp/mine/parity.yaml" >"$odd/a 'recipe'.yaml"
(cd "$odd" && "$bin/headwater" run "a 'recipe'.yaml" >"$tmp/log" 2>&1) || fail 'names with spaces and quotes'
cmp "$tmp/models/recipes/parity/model/model.safetensors" "$odd/models/recipes/a 'recipe'/model/model.safetensors" || fail 'another model of a file with an odd name'
"${make[@]}" recipe "RECIPE=${odd//\$/\$\$}/a 'recipe'.yaml" "MODELS=${odd//\$/\$\$}/made" >"$tmp/log" 2>&1 || fail 'the same by make'
cmp "$tmp/models/recipes/parity/model/model.safetensors" "$odd/made/recipes/a 'recipe'/model/model.safetensors" || fail 'another model by make'
# As a script the same bytes, but for times.
(cd "$odd" && mv models of-run && "$bin/headwater" run "a 'recipe'.yaml" --script >script && bash script >"$tmp/log" 2>&1) || fail 'the script of a run'
for file in recipe.yaml train.ids model/model.safetensors test.txt attention.svg confusion.svg; do
  cmp "$odd/of-run/recipes/a 'recipe'/$file" "$odd/models/recipes/a 'recipe'/$file" || fail "another $file of the script"
done
for folder in of-run models; do grep -v '^training  \|^tokens_a_second\|^waiting_share\|^speed\|^seconds_an_epoch\|took' "$odd/$folder/recipes/a 'recipe'/report.md"; done | tr -s ' -' | sort | uniq -u >"$tmp/differ"
[ ! -s "$tmp/differ" ] || fail "another report of the script: $(cat "$tmp/differ")"
(cd "$odd" && "$bin/headwater" run "a 'recipe'.yaml" --models of-run --script --overwrite >script && bash script >"$tmp/log" 2>&1) || fail 'the script of a run that is finished'
# A program that is killed is named.
mkdir "$odd/bin" "$odd/share"
ln -s "$tmp/my house" "$odd/share/headwater"
ln -s "$bin"/* "$odd/bin"
rm "$odd/bin/headwater" "$odd/bin/tokenize"
cp "$bin/headwater" "$odd/bin"
printf '#!/bin/sh\nkill -9 $$\n' >"$odd/bin/tokenize"
chmod +x "$odd/bin/tokenize"
! (cd "$odd" && bin/headwater run "a 'recipe'.yaml" --models killed >"$tmp/log" 2>&1) || fail 'a killed program'
grep -q '^headwater: a program that makes killed/recipes/.* was ended by signal 9$' "$tmp/log" || fail 'the program that was killed'
rm -r "$odd"

# What cannot run says why in one line, and leaves no folder.
refused() { # WHAT PATTERN VARIABLE=VALUE...
  local what=$1 pattern=$2 before
  shift 2
  before=$(find "$tmp/models" "$tmp/mine" | sort)
  ! "${make[@]}" recipe "$@" >"$tmp/log" 2>&1 || fail "$what: it was taken"
  [ "$(grep -cE "$pattern" "$tmp/log")" = 1 ] || fail "$what: the message"
  [ "$(grep -cv '^make: [*][*][*] .* Error [12]$' "$tmp/log")" = 1 ] || fail "$what: more than one line"
  [ "$(find "$tmp/models" "$tmp/mine" | sort)" = "$before" ] || fail "$what: something was written"
}
for key in train validation test tokenizer_text; do
  sed "s|train: train.tsv|train: train.tsv, validation: test.tsv, tokenizer_text: test.tsv|; s|, validation_fraction: 0.1||
    s|\([ {]$key\): [a-z]*.tsv|\1: gone.tsv|" "$tmp/mine/parity.yaml" >"$tmp/mine/gone-$key.yaml"
  refused "no data.$key" "^headwater: $tmp/mine/gone-$key.yaml: data.$key: $tmp/mine/gone.tsv: no such file$" "RECIPE=$tmp/mine/gone-$key.yaml"
done
mkdir "$tmp/mine/folder.tsv"
sed 's|test: test.tsv|test: folder.tsv|' "$tmp/mine/parity.yaml" >"$tmp/mine/folder.yaml"
refused 'a folder for data' "^headwater: $tmp/mine/folder.yaml: data.test: $tmp/mine/folder.tsv: a folder, not a file$" "RECIPE=$tmp/mine/folder.yaml"
sed 's|train: train.tsv|set: spa-engg, train: spa-engg/train.tsv|' "$tmp/mine/parity.yaml" >"$tmp/mine/set.yaml"
refused 'an unknown set' "^headwater: $tmp/mine/set.yaml: data.set: unknown data set \"spa-engg\"; did you mean \"spa-eng\"[?]$" "RECIPE=$tmp/mine/set.yaml"
sed 's|epochs: 6|epochs: 6, init_from: gone/model|' "$tmp/mine/parity.yaml" >"$tmp/mine/from-nothing.yaml"
refused 'no model to begin with' "^headwater: $tmp/mine/from-nothing.yaml: training.init_from: gone/model: no such model$" "RECIPE=$tmp/mine/from-nothing.yaml"
refused "one of our models, which is not there" 'training.init_from: .*/models/recipes/bert-imdb/model: no such model [(]make recipe-bert-imdb MODELS=.* makes it[)]$' RECIPE=recipes/bert-imdb-finetune.yaml
printf '%s\n' 'data: {train: train.tsv, columns: [source, target], validation_fraction: 0.1}' 'model: {kind: encoder_decoder, share_embeddings: all}' >"$tmp/mine/two.yaml"
refused 'one table of two vocabularies' "^headwater: $tmp/mine/two.yaml: model.share_embeddings makes one table of both sides, which have two vocabularies [(]write shared_tokenizer: true" "RECIPE=$tmp/mine/two.yaml"
refused 'a teacher that is a file' "data.teacher: $tmp/mine/train.tsv: not a model directory [(]name the one that train wrote: RUN/model[)]$" "RECIPE=$tmp/mine/two.yaml" "SET=shared_tokenizer=true data.teacher=$tmp/mine/train.tsv"
sed 's|epochs|epoch|' "$tmp/mine/parity.yaml" >"$tmp/mine/typo.yaml"
refused 'an unknown key' "^headwater: $tmp/mine/typo.yaml:5:[0-9]*: unknown key \"epoch\"" "RECIPE=$tmp/mine/typo.yaml"
for value in 'training.epochs = 2' 'training.epochs= 2' 'training.epochs =2' training.epochs =2; do
  refused "SET=$value" '^headwater: ("[^"]*" is no KEY=VALUE |training.epochs=: ).*$' "RECIPE=$tmp/mine/parity.yaml" "SET=$value"
done
for word in SEED=010 SEED=-1 SEED=x 'SEED=1 2' SEED=.. SEED=/tmp THREADS=two SCALE=Quick 'SCALE=full quick' SCALE=../full; do
  name=${word%%=*}
  refused "$word" "^headwater: --${name,,}: " "RECIPE=$tmp/mine/parity.yaml" "$word"
done
# The same where the run was there before.
sed -i 's|epochs|epoch|' "$tmp/mine/numbers.yaml"
refused 'an unknown key in a recipe that ran' "^headwater: $tmp/mine/numbers.yaml:4:[0-9]*: unknown key \"epoch\"" "RECIPE=$tmp/mine/numbers.yaml"
sed -i 's|epoch|epochs|' "$tmp/mine/numbers.yaml"
mv "$tmp/mine/test-texts.txt" "$tmp/mine/elsewhere"
refused 'data of a run that is gone' "^headwater: $tmp/mine/numbers.yaml: data.test: $tmp/mine/test-texts.txt: no such file$" "RECIPE=$tmp/mine/numbers.yaml"
mv "$tmp/mine/elsewhere" "$tmp/mine/test-texts.txt"

# A line with a column too many or too few: said before anything is learned, in whatever part it stands.
broken() { # WHAT FILE SED PATTERN
  cp "$tmp/mine/$2" "$tmp/mine/whole"
  sed "$3" "$tmp/mine/whole" >"$tmp/mine/$2"
  ! "${make[@]}" recipe "RECIPE=$tmp/mine/broken.yaml" >"$tmp/log" 2>&1 || fail "$1: it was taken"
  [ "$(grep -cE "$4" "$tmp/log")" = 1 ] || fail "$1: the message"
  [ "$(grep -c '^[a-z]*: /' "$tmp/log")" = 1 ] || fail "$1: more than one line"
  [ -z "$(find "$tmp/models/recipes/broken" -name '*.ids' -o -name '*.json' ! -name stages.json -o -name '.headwater-draft-*' -o -name labels.txt)" ] || fail "$1: something was made"
  mv "$tmp/mine/whole" "$tmp/mine/$2"
  touch "$tmp/mine/$2"
}
cp "$tmp/mine/parity.yaml" "$tmp/mine/broken.yaml"
both=' where 2 are wanted \(label, source\)'
broken 'a TAB inside a text' train.tsv '7s/ /\t/' "^headwater: $tmp/mine/train.tsv:7: 3 columns$both; turn a TAB inside a text into a space$"
broken 'TABs inside texts of the test' test.tsv '7s/ /\t/g; 9s/ /\t/' \
  "^headwater: $tmp/mine/test.tsv:7: 4 columns$both, and 1 more line like it; turn a TAB inside a text into a space$"
broken 'no TAB' train.tsv '1000s/\t/ /' "^headwater: $tmp/mine/train.tsv:1000: 1 column$both; set them apart by one TAB$"
broken 'an empty line' train.tsv '3s/.*//' "^headwater: $tmp/mine/train.tsv:3: an empty line$both; remove it$"
broken 'invalid UTF-8' train.tsv '5s/ /é\xff/' "^headwater: $tmp/mine/train.tsv:5:[0-9]*: invalid UTF-8 at byte 0xff \(convert it: iconv "
broken 'UTF-16' train.tsv '1s/^/\xff\xfe/' "^headwater: $tmp/mine/train.tsv:1:1: invalid UTF-8 at byte 0xff \(it looks like UTF-16: iconv "
broken 'half a character' test.tsv '5s/ /\xe2\x82 /' "^headwater: $tmp/mine/test.tsv:5:[0-9]*: invalid UTF-8 at byte 0xe2 "
broken 'a NUL' train.tsv '5s/ /\x00/' "^headwater: $tmp/mine/train.tsv:5:[0-9]*: a NUL byte "
"${make[@]}" recipe "RECIPE=$tmp/mine/broken.yaml" >"$tmp/log" 2>&1 || fail 'the recipe when its data is whole again'
# One column: a TAB is one too many there as well.
sed 's|: texts.txt|: test.tsv|' "$tmp/mine/numbers.yaml" >"$tmp/mine/one.yaml"
! "${make[@]}" recipe "RECIPE=$tmp/mine/one.yaml" >"$tmp/log" 2>&1 || fail 'two columns where one is wanted'
grep -q "^headwater: $tmp/mine/test.tsv:1: 2 columns where 1 is wanted (source), and 199 more lines like it; turn a TAB" "$tmp/log" || fail 'the message for two columns'

# Files of another system: the same model, and what was dropped is said once a file. Tokens from texts without labels.
mkdir "$tmp/other"
for part in train test; do { printf '\357\273\277'; sed 's/$/\r/' "$tmp/mine/$part.tsv"; } >"$tmp/other/$part.tsv"; done
{ printf '\357\273\277'; sed 's/$/\r/' "$tmp/mine/texts.txt"; } >"$tmp/other/texts.txt"
sed 's|train: train.tsv|train: train.tsv, tokenizer_text: texts.txt|' "$tmp/mine/parity.yaml" >"$tmp/other/other.yaml"
"${make[@]}" recipe "RECIPE=$tmp/other/other.yaml" >"$tmp/log" 2>&1 || fail 'files with CR LF and a byte-order mark'
cmp "$tmp/models/recipes/parity/model/model.safetensors" "$tmp/models/recipes/other/model/model.safetensors" || fail 'another model of the same lines'
for file in train.tsv test.tsv texts.txt; do
  grep -qx "headwater: $tmp/other/$file began with a byte-order mark; it was dropped" "$tmp/log" || fail "$file: a byte-order mark"
  grep -qx "headwater: $tmp/other/$file: [0-9,]* lines ended in CR LF; the CR was dropped" "$tmp/log" || fail "$file: line ends"
done
[ "$(grep -c 'ended in CR LF\|byte-order' "$tmp/log")" = 6 ] || fail 'it is said more than once'

# A run that does not fit any more is left alone, and how to start anew is said as it is typed here.
anew='^train: .*start anew with OVERWRITE=1)*$'
sed -i '1d' "$tmp/mine/train.tsv"
! "${make[@]}" recipe "RECIPE=$tmp/mine/broken.yaml" >"$tmp/log" 2>&1 || fail 'a run went on with other data'
[ "$(grep -c "$anew" "$tmp/log")" = 1 ] || fail 'what to type where data changed'
none_left() { [ -z "$(find "$1" -name '.headwater-draft-*')" ]; } # FOLDER
none_left "$tmp/models/recipes/broken" || fail 'a part of a table is left behind'
sed -i 's|heads: 2|heads: 4|' "$tmp/mine/broken.yaml"
! "${make[@]}" recipe "RECIPE=$tmp/mine/broken.yaml" >"$tmp/log" 2>&1 || fail 'a run went on with another recipe'
[ "$(grep -c "$anew" "$tmp/log")" = 1 ] || fail 'what to type where the recipe changed'
"${make[@]}" recipe "RECIPE=$tmp/mine/broken.yaml" OVERWRITE=1 >"$tmp/log" 2>&1 || fail 'OVERWRITE=1'
# One that ends otherwise is not sent there; its table is shown.
sed 's|learning_rate: [0-9.e-]*|learning_rate: 1000|; s|kind: adam|kind: sgd|' "$tmp/mine/parity.yaml" >"$tmp/mine/diverges.yaml"
! "${make[@]}" recipe "RECIPE=$tmp/mine/diverges.yaml" >"$tmp/log" 2>&1 || fail 'a run that diverges'
! grep -q 'OVERWRITE' "$tmp/log" || fail 'a run that diverges is told to start anew'
none_left "$tmp/models/recipes/diverges" || fail 'a part of a table of a run that diverges'

# What a message advises where options are given is said as make takes it: texts without a token, a part that the first weights do not fit.
awk 'NR % 20 == 0 { sub(/\t.*/, "\t?!") } { print }' "$tmp/mine/train.tsv" >"$tmp/mine/holes.tsv"
sed 's|train: train.tsv|train: holes.tsv|; /expected:/,$d' "$tmp/mine/parity.yaml" >"$tmp/mine/holes.yaml"
! "${make[@]}" recipe "RECIPE=$tmp/mine/holes.yaml" >"$tmp/log" 2>&1 || fail 'a twentieth of the texts has no token'
grep -q '^train: .* an empty column, .*, ALLOW_EMPTY=1 leaves them out)$' "$tmp/log" ||
  fail 'what to do about texts without a token'
"${make[@]}" recipe "RECIPE=$tmp/mine/holes.yaml" ALLOW_EMPTY=1 >"$tmp/log" 2>&1 || fail 'ALLOW_EMPTY=1'
sed "s|epochs: 6|epochs: 1, init_from: $tmp/models/recipes/parity/model|; s|width: 16|width: 32|; /expected:/,\$d" "$tmp/mine/parity.yaml" >"$tmp/mine/wider.yaml"
! "${make[@]}" recipe "RECIPE=$tmp/mine/wider.yaml" >"$tmp/log" 2>&1 || fail 'weights of a narrower model'
grep -q '^train: .* draw them anew with training.drop)$' "$tmp/log" || fail 'what to do about weights that do not fit'
sed "s|epochs: 6|epochs: 1, init_from: $tmp/models/recipes/parity/model|; s|train: train.tsv|train: holes.tsv|; /expected:/,\$d" "$tmp/mine/parity.yaml" >"$tmp/mine/fitting.yaml"
! "${make[@]}" recipe "RECIPE=$tmp/mine/fitting.yaml" >"$tmp/log" 2>&1 || fail 'weights that fit, and a twentieth of the texts without a token'
grep -q 'ALLOW_EMPTY=1' "$tmp/log" || fail 'texts without a token, and weights that fit'
! grep -q 'training.drop' "$tmp/log" || fail 'advice on weights that fit'
sed 's|^\(.*\)\t\(.*\)|\2;\1|; 1i text;label' "$tmp/mine/test.tsv" >"$tmp/mine/semicolons.csv"
sed 's|train: train.tsv, test: test.tsv|train: semicolons.csv, csv_columns: [label, text]|; /expected:/,$d' "$tmp/mine/parity.yaml" >"$tmp/mine/semicolons.yaml"
! "${make[@]}" recipe "RECIPE=$tmp/mine/semicolons.yaml" >"$tmp/log" 2>&1 || fail 'a CSV file with semicolons'
grep -q "^headwater: to read it with other options make the lines yourself (vectorize --csv --recipe $tmp/mine/semicolons.yaml ... $tmp/mine/semicolons.csv > FILE.tsv), and name FILE.tsv in a recipe without data.csv_columns$" "$tmp/log" ||
  fail 'what to do about other separators'

# A translator: figures over padded positions only where the recipe expects them.
awk -F '\t' -v OFS='\t' '{ print $2, $1 " is it" }' "$tmp/mine/test.tsv" >"$tmp/mine/pairs.tsv"
cat >"$tmp/mine/pairs.yaml" <<'RECIPE'
data: {train: pairs.tsv, test: pairs.tsv, columns: [source, target], validation_fraction: 0.1}
source_tokenizer: {size: 20}
target_tokenizer: {size: 20}
model: {kind: encoder_decoder, width: 8, heads: 2, feed_forward_width: 8, length: 5}
training: {epochs: 1, batch_sequences: 16, optimizer: {kind: adam, learning_rate: 1.0e-2}}
RECIPE
"${make[@]}" recipe "RECIPE=$tmp/mine/pairs.yaml" >"$tmp/log" 2>&1 || fail 'a recipe of a translator'
! grep -q 'reference_\|padded' "$tmp/log" || fail 'figures that nothing expects'
{ cat "$tmp/mine/pairs.yaml"; echo 'expected: [{metric: reference_loss, value: 9, compare: at_most}]'; } >"$tmp/mine/padded.yaml"
"${make[@]}" recipe "RECIPE=$tmp/mine/padded.yaml" >"$tmp/log" 2>&1 || fail 'a recipe that expects a reference measure'
[ "$(grep -c '^reference_loss .*divided by all positions' "$tmp/models/recipes/padded/report.md")" = 2 ] || fail 'figures that the recipe expects'

# Where it searches and keeps checkpoints, the report has each way's scores.
"${make[@]}" recipe "RECIPE=$tmp/mine/pairs.yaml" SET='decoding.num_beams=3 training.checkpoint.keep=3 training.epochs=2' >"$tmp/log" 2>&1 || fail 'beams and checkpoints'
for way in greedy 'beam 3' 'mean of 2 checkpoints, greedy' 'mean of 2 checkpoints, beam 3'; do
  [ "$(grep -cE "^$way  +[0-9.]+  +[0-9.]+  +[0-9.]+$" "$tmp/log")" = 1 ] || fail "the scores of $way"
done

# A large test: how long it will take is said before it begins.
for ((i = 0; i < 6; ++i)); do cat "$tmp/mine/pairs.tsv"; done >"$tmp/mine/many.tsv"
sed 's|test: pairs.tsv|test: many.tsv|' "$tmp/mine/pairs.yaml" >"$tmp/mine/many.yaml"
"${make[@]}" recipe "RECIPE=$tmp/mine/many.yaml" >"$tmp/log" 2>&1 || fail 'a test of many pairs'
grep -qx 'headwater: the test has 1200 texts, which are written once: about [0-9.]* minutes' "$tmp/log" || fail 'how long a large test takes'
forecast=$(grep -nxE 'headwater: training takes about [0-9a-z. ]*, without validation; the test takes at most about [0-9a-z. ]* [(]1200 texts are written[)]' "$tmp/log" | cut -d: -f1)
[ "${forecast:-9999}" -lt "$(grep -n '^train: step 1 ' "$tmp/log" | head -n 1 | cut -d: -f1)" ] || fail 'how long training and the test take, before they begin'
[ "$(wc -l <"$tmp/models/recipes/many/test.hypotheses")" = 1200 ] || fail 'the translations of a large test'
none_left "$tmp/models/recipes/many" || fail 'what a large test leaves'

# One tokenizer of subwords for both sides, learned from both columns.
for kind in byte_bpe bpe subword_text_encoder; do
  sed '/_tokenizer:/d' "$tmp/mine/pairs.yaml" >"$tmp/mine/$kind.yaml"
  size=300
  [ $kind != subword_text_encoder ] || size=270 # aimed at: there come to be more, and the tables have rows for them
  printf 'shared_tokenizer: true\nsource_tokenizer: {kind: %s, size: %s}\n' "$kind" "$size" >>"$tmp/mine/$kind.yaml"
  "${make[@]}" recipe "RECIPE=$tmp/mine/$kind.yaml" >"$tmp/log" 2>&1 || fail "a recipe with a shared tokenizer of $kind"
  run=$tmp/models/recipes/$kind
  [ ! -e "$run/source.json" ] || fail 'a tokenizer of a side beside the shared one'
  for side in source target; do cmp "$run/tokenizer.json" "$run/model/$side-tokenizer.json" || fail "the $side tokenizer of the model"; done
done
# A key that the recipe has is named where it is too large.
"${make[@]}" recipe "RECIPE=$tmp/mine/bpe.yaml" SET=source_tokenizer.size=5000 >"$tmp/log" 2>&1 || fail 'a shared tokenizer that is far too large'
grep -q '^train: source_tokenizer.size is 5,000, the tokenizer has ' "$tmp/log" || fail 'what is said of a shared tokenizer'
! grep -q 'target_tokenizer.size' "$tmp/log" || fail 'a key that the recipe does not have'
[ "$(grep -c '^train: .* would leave out ' "$tmp/log")" = 1 ] || fail 'a shared tokenizer is named twice'

# Pairs with a longer side are left out of training and validation, and it is said.
{ head -n 30 "$tmp/mine/pairs.tsv"; printf 'a b c d\te\n'; printf 'a\tb c d e\n'; } >"$tmp/mine/long.tsv"
sed 's|train: pairs.tsv|train: long.tsv, max_tokens: 4|' "$tmp/mine/pairs.yaml" >"$tmp/mine/short.yaml"
"${make[@]}" recipe "RECIPE=$tmp/mine/short.yaml" >"$tmp/log" 2>&1 || fail 'a recipe with max_tokens'
ids=$tmp/models/recipes/short/train.ids
kept=$(wc -l <"$ids")
[ "$(awk -F '\t' '{ for (i = 1; i <= NF; ++i) if (split($i, id, " ") > 4) ++long } END { print long + 0 }' "$ids")" = 0 ] || fail 'a longer side is left'
grep -qx "headwater: train: $((32 - kept)) of 32 examples have a side of more than 4 tokens; they are left out" "$tmp/log" || fail 'how many are left out'
for page in report.md report.html; do grep -q "train: $((32 - kept)) of 32 examples have a side of more than 4 tokens" "$tmp/models/recipes/short/$page" || fail "the warning on $page"; done

# The same pairs with the target first: the same figures, and the same test sources that stand in training.
awk -F '\t' -v OFS='\t' '{ print $2, $1 }' "$tmp/mine/pairs.tsv" >"$tmp/mine/turned.tsv"
sed 's|pairs.tsv|turned.tsv|g; s|source, target|target, source|' "$tmp/mine/pairs.yaml" >"$tmp/mine/turned.yaml"
"${make[@]}" recipe "RECIPE=$tmp/mine/turned.yaml" >"$tmp/log" 2>&1 || fail 'a recipe of a translator with the target first'
for run in pairs turned; do sed -n '/^## test: /,/^## what it cost/p' "$tmp/models/recipes/$run/report.md" >"$tmp/$run.scores"; done
cmp "$tmp/pairs.scores" "$tmp/turned.scores" || fail 'other scores of columns in another order'
cmp "$tmp/models/recipes/pairs/model/model.safetensors" "$tmp/models/recipes/turned/model/model.safetensors" || fail 'another model of columns in another order'

# A run that begins with a model has its tokenizers, learned from other words than those of the new pairs. Where the model is gone it goes on.
awk -F '\t' -v OFS='\t' '{ print "again " $1, "once more " $2 }' "$tmp/mine/pairs.tsv" >"$tmp/mine/later.tsv"
for first in pairs byte_bpe; do
  sed 's|pairs.tsv|later.tsv|g' "$tmp/mine/$first.yaml" >"$tmp/mine/later-$first.yaml"
  tuned=(recipe "RECIPE=$tmp/mine/later-$first.yaml")
  from=training.init_from=$tmp/models/recipes/$first/model
  "${make[@]}" "${tuned[@]}" "SET=$from" >"$tmp/log" 2>&1 || fail "a run that begins with $first"
  run=$(dirname "$(find "$tmp/models/recipes" -path "*/later-$first-training*/report.md")")
  for side in source target; do cmp "$run/model/$side-tokenizer.json" "$tmp/models/recipes/$first/model/$side-tokenizer.json" || fail "another $side tokenizer than that of $first"; done
  grep -qx "headwater: the tokenizers are those of $tmp/models/recipes/$first/model (data.tokenizer_text: another file than data.train learns new ones)" "$tmp/log" || fail "what is said of the tokenizers of $first"
  grep -q '^train: .*model: [0-9]* tensors taken (.*), none dropped, none new, none left out$' "$tmp/log" || fail "what is said of the weights of $first"
  "${make[@]}" "${tuned[@]}" "SET=$from data.tokenizer_text=pairs.tsv training.optimizer.learning_rate=0.02" >"$tmp/log" 2>&1 || fail "a run that begins with $first and learns tokenizers"
  ! grep -q 'the tokenizers are those of' "$tmp/log" || fail 'a text to learn tokenizers from is passed over'
done
cp -r "$tmp/models/recipes/pairs" "$tmp/pairs.old"
rm -r "$tmp/models/recipes/pairs/model"
"${make[@]}" recipe "RECIPE=$tmp/mine/later-pairs.yaml" "SET=training.init_from=$tmp/models/recipes/pairs/model" >"$tmp/log" 2>&1 || fail 'a finished run whose first weights are gone'
! grep -q 'train --recipe' "$tmp/log" || fail 'a finished run whose first weights are gone is made again'
rm -r "$tmp/models/recipes/pairs"
mv "$tmp/pairs.old" "$tmp/models/recipes/pairs"
# One tokenizer is wanted, and the model has two.
{ sed '/_tokenizer:/d' "$tmp/mine/later-pairs.yaml"; echo 'shared_tokenizer: true'; } >"$tmp/mine/one.yaml"
! "${make[@]}" recipe "RECIPE=$tmp/mine/one.yaml" "SET=training.init_from=$tmp/models/recipes/pairs/model" >"$tmp/log" 2>&1 || fail 'two tokenizers where one is shared'
grep -q "^headwater: $tmp/mine/one.yaml: training.init_from: $tmp/models/recipes/pairs/model has two tokenizers, and shared_tokenizer: true wants one" "$tmp/log" || fail 'what is said of two tokenizers'
# A recipe that sets none has those of the model, with their sizes; one that sets others is refused by the keys, also where messages are hidden.
sed '/_tokenizer:/d' "$tmp/mine/later-pairs.yaml" >"$tmp/mine/silent.yaml"
from=training.init_from=$tmp/models/recipes/pairs/model
"${make[@]}" recipe "RECIPE=$tmp/mine/silent.yaml" "SET=$from" >"$tmp/log" 2>&1 || fail 'a recipe that sets no tokenizers'
run=$(dirname "$(find "$tmp/models/recipes" -path "*/silent-training*/report.md")")
[ "$(grep -c '^  size: 20$' "$run/recipe.yaml")" = 2 ] || fail 'other sizes than those of the tokenizers of the model'
for side in source target; do cmp "$run/model/$side-tokenizer.json" "$tmp/models/recipes/pairs/model/$side-tokenizer.json" || fail "another $side tokenizer than the model's"; done
others() { # KEYS... : of the recipe silent, which are not those of the model
  "${make[@]}" recipe "RECIPE=$tmp/mine/silent.yaml" QUIET=1 "SET=$from $*" >"$tmp/log" 2>&1 && fail "other tokenizers than the model's: $*"
  for word; do
    grep -q "^headwater: $tmp/mine/silent.yaml: other tokenizers than those of $tmp/models/recipes/pairs/model: .*${word%%=*}: ${word#*=} here, [a-z0-9_]* there.* (remove these keys for the tokenizers of that model; data.tokenizer_text: " "$tmp/log" ||
      fail "what is said of $word"
  done
  [ "$(grep -c ': other tokenizers than' "$tmp/log")" = 1 ] || fail "more than a line on $*"
}
others source_tokenizer.size=15000
others target_tokenizer.size=30 source_tokenizer.standardize=lower
others source_tokenizer.kind=byte_bpe
! "${make[@]}" recipe "RECIPE=$tmp/mine/later-byte_bpe.yaml" "SET=training.init_from=$tmp/models/recipes/byte_bpe/model source_tokenizer.min_frequency=3" >"$tmp/log" 2>&1 || fail 'a tokenizer that is learned otherwise'
grep -q ': source_tokenizer.min_frequency: 3 here, 2 there (' "$tmp/log" || fail 'what is said of a tokenizer that is learned otherwise'
sed 's/source_tokenizer: {size: 20}/source_tokenizer: {size: 21}/' "$tmp/mine/later-pairs.yaml" >"$tmp/mine/other-size.yaml"
! "${make[@]}" recipe "RECIPE=$tmp/mine/other-size.yaml" "SET=$from" >"$tmp/log" 2>&1 || fail 'a file that sets other tokenizers'
grep -q "^headwater: $tmp/mine/other-size.yaml: other tokenizers than those of .*: source_tokenizer.size: 21 here, 20 there (" "$tmp/log" || fail 'what is said of a file that sets other tokenizers'
mkdir "$tmp/published"
echo '{"model_type": "marian", "architectures": ["MarianMTModel"]}' >"$tmp/published/config.json"
! "${make[@]}" recipe "RECIPE=$tmp/mine/silent.yaml" QUIET=1 "SET=training.init_from=$tmp/published" >"$tmp/log" 2>&1 || fail 'a published translator'
grep -q "^headwater: $tmp/mine/silent.yaml: training.init_from: $tmp/published: nothing trains with the tokenizers of a published translator (data.tokenizer_text: " "$tmp/log" || fail 'what is said of a published translator'

# Other weights under a run that began with these.
weights=$(realpath "$tmp/models/recipes/pairs/model/model.safetensors")
cp "$weights" "$tmp/weights"
printf '\377' | dd "of=$weights" bs=1 seek=2000 conv=notrunc 2>/dev/null
! "${make[@]}" recipe "RECIPE=$tmp/mine/later-pairs.yaml" "SET=training.init_from=$tmp/models/recipes/pairs/model" >"$tmp/log" 2>&1 || fail 'other first weights'
grep -q "^headwater: $tmp/mine/later-pairs.yaml: $tmp/models/recipes/pairs/model: other weights than those that .*/model was made with (OVERWRITE=1 trains it anew)$" "$tmp/log" || fail 'what is said of other first weights'
mv "$tmp/weights" "$weights"

# A folder with a space.
"${make[@]}" recipe "RECIPE=$tmp/my house/recipes/dropped-in.yaml" "DATA=$tmp/data" "MODELS=$tmp/my models" >"$tmp/log" 2>&1 || fail 'a recipe in a folder with a space'
cmp "$tmp/models/recipes/dropped-in/model/model.safetensors" "$tmp/my models/recipes/dropped-in/model/model.safetensors" || fail 'another model in a folder with a space'

# A file that is not there.
"${make[@]}" recipe "RECIPE=$tmp/mine/none.yaml" >"$tmp/log" 2>&1 && fail 'a recipe that is not there'
grep -q "^headwater: $tmp/mine/none.yaml: no such file$" "$tmp/log" || fail 'the message for a recipe that is not there'
"${make[@]}" recipe RECIPE=phrasebook SCALE=quick SET=training.max_steps=1 >"$tmp/log" 2>&1 || fail 'one of our recipes by its name'
! "${make[@]}" recipe >"$tmp/log" 2>&1 || fail 'no recipe'
grep -q '^recipe: which one? (make recipe RECIPE=FILE)$' "$tmp/log" || fail 'the message for no recipe'

echo 'own recipes: all stages ran'
