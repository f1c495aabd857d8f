#!/bin/bash
# What a run of a recipe depends on: the contents of its data, whatever their age; not when it was killed, nor what runs beside it, nor the
# environment.
#   runs_test.sh BIN KILLING     BIN: the folder of the tools; KILLING: the library killing_rename
# shellcheck disable=SC2015,SC2016,SC2088 # $ and ~ are meant as they are; what stands after "||" ends the test
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd) killing=$2
unset MAKEFLAGS MAKELEVEL MFLAGS BIN DATA MODELS SCALE SEED SET THREADS OVERWRITE ALLOW_EMPTY
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
  echo "failed: $1"
  tail -n 40 "$tmp/err" "$tmp/out" 2>/dev/null || true
  exit 1
}
headwater() { "$bin/headwater" "$@" >"$tmp/out" 2>"$tmp/err"; }
status_of() { "$@" && echo 0 || echo $?; }
# The figures of a run, without times and what their widths change.
figures() { sed -n '/^metric  *value/,/^## what it cost/p' "$1/report.md" | grep -v 'second\|waiting' | tr -s ' -'; }
cd "$tmp"
mkdir mine
numbers() { # FIRST LAST: parity of numbers in words
  awk -v i="$1" -v last="$2" 'BEGIN { split("nought one two three four five six seven eight nine", digit, " ")
    for (; i < last; ++i) { n = i * 7919 % 1000; print digit[int(n / 100) + 1] " " digit[int(n / 10) % 10 + 1] " " digit[n % 10 + 1] "\t" (n % 2 ? "odd" : "even") } }'
}
numbers 0 200 >new.tsv
numbers 200 300 >old.tsv
numbers 300 340 >test.tsv
numbers 340 400 >old-test.tsv
touch -d 2020-01-01 old.tsv old-test.tsv
cat >mine/r.yaml <<'RECIPE'
data: {train: t.tsv, columns: [source, label], validation_fraction: 0.2, test_fraction: 0.2}
source_tokenizer: {kind: word, size: 60}
model: {kind: classifier, width: 8, heads: 2, layers: 1, length: 3, classes: 2}
training: {epochs: 1, batch_sequences: 16}
RECIPE
run=models/recipes/r

# --- Data that are older than what was made of others ---------------------------------------------------------------------------

ln -s "$tmp/new.tsv" mine/t.tsv
headwater run mine/r.yaml || fail 'a run'
figures $run >of-new
cp $run/model/model.safetensors model-of-new
touch new.tsv mine/r.yaml
headwater run mine/r.yaml || fail 'a finished run whose data were touched'
cmp -s "$tmp/out" $run/report.md || fail 'a finished run is made again because of the age of its data'
state_of_run() { (cd $run && find . -type f ! -name .lock ! -path './labels.checked*' -exec sha256sum {} + | sort); }
state_of_run >before
ln -sf "$tmp/old.tsv" mine/t.tsv
[ "$(status_of headwater run mine/r.yaml)" = 1 ] || fail 'older data under a finished run are not noticed'
[ "$(head -n 1 "$tmp/err")" = 'headwater: mine/t.tsv: changed since models/recipes/r/model was trained on it' ] || fail 'which file has changed'
grep -q '^train: models/recipes/r/model: its examples have the hash .* (give the same data, or start anew with --overwrite)$' "$tmp/err" || fail 'no reason why older data are refused'
[ "$(status_of headwater run mine/r.yaml)" = 1 ] && grep -q '^headwater: mine/t.tsv: changed since' "$tmp/err" || fail 'which file has changed, the second time'
state_of_run | diff before - >"$tmp/err" || fail 'a refused run is not as it was'
"$bin/report" $run 2>"$tmp/err" | cmp -s - $run/report.md || fail 'another page of a refused run'
"$bin/report" --expected $run >"$tmp/out" 2>"$tmp/err" || fail 'a refused run is called failed'
sed 's/^name:.*//' mine/r.yaml >mine/other.yaml
ln -sf "$tmp/new.tsv" mine/t.tsv && headwater run mine/other.yaml || fail 'another recipe'
ln -sf "$tmp/old.tsv" mine/t.tsv
[ "$(status_of headwater run mine/r.yaml mine/other.yaml)" = 1 ] || fail 'two refused runs'
[ "$(grep -c '^headwater: [a-z]*: failed (.*): train: .*its examples have the hash' "$tmp/err")" = 2 ] || fail 'several refused runs give no reason'
! grep -q 0.0 "$tmp/out" || fail 'old figures of refused runs'
rm -r models/recipes/other* models/recipes/prepared/other-* mine/other.yaml
printf 'no label at all\n' >broken.tsv
ln -sf "$tmp/broken.tsv" mine/t.tsv
[ "$(status_of headwater run mine/r.yaml)" = 1 ] || fail 'data without labels'
"$bin/report" $run 2>"$tmp/err" | cmp -s - $run/report.md || fail 'a run is called failed because of data that it was not made of'
ln -sf "$tmp/old.tsv" mine/t.tsv
headwater run mine/r.yaml --overwrite || fail 'a run anew on older data'
sort -u $run/train.tsv $run/test.tsv | cmp -s - <(sort -u old.tsv) || fail 'a run anew has other lines than those of its data'
[ "$(find models/recipes/prepared -mindepth 1 -maxdepth 1 -type d | wc -l)" = 1 ] || fail 'what was made of data that no run has is left'
rm mine/t.tsv
cp -p new.tsv mine/t.tsv
headwater run mine/r.yaml --overwrite || fail 'a run anew on the first data'
figures $run | cmp -s - of-new && cmp -s $run/model/model.safetensors model-of-new || fail 'another model of the same data'

# The same size and time, written in place.
sed 's/^one /two /' new.tsv >mine/t.tsv
touch -r new.tsv mine/t.tsv
! cmp -s new.tsv mine/t.tsv || fail 'lines that are the same'
[ "$(status_of headwater run mine/r.yaml)" = 1 ] || fail 'other data of the same size and time are not noticed'
cat new.tsv >mine/t.tsv
headwater run mine/r.yaml || fail 'the first data again, in place'
cmp -s $run/model/model.safetensors model-of-new || fail 'another model of the first data'

# What a stage has made and somebody has cut since, in place: also where runs share it.
cp -r $run whole
for file in train.ids train.tsv source.json labels.txt table.txt; do
  head -c 20 whole/$file >$run/$file
  headwater run mine/r.yaml || fail "a finished run whose $file was cut"
  cmp -s whole/$file $run/$file || fail "$file stays cut"
  cmp -s $run/$file models/recipes/prepared/r-*/$file || [ $file = table.txt ] || fail "$file stays cut where runs share it"
done
rm -r $run/model
headwater run mine/r.yaml || fail 'a finished run whose model is gone'
cmp -s whole/model/model.safetensors $run/model/model.safetensors || fail 'another model than the one that is gone'
echo '{' >$run/stages.json
[ "$(status_of headwater run mine/r.yaml)" = 1 ] && grep -q 'remove the file; the run goes on' "$tmp/err" || fail 'a record that is no JSON'
rm $run/stages.json
headwater run mine/r.yaml || fail 'a run without its record'
head -c 20 whole/train.ids >$run/train.ids
headwater run mine/r.yaml --array seed=1 && ! grep -q 'finished before' "$tmp/err" || fail 'one of several runs whose ids were cut is called finished'
head -c 20 whole/train.ids >$run/train.ids
headwater run mine/r.yaml --overwrite && cmp -s $run/model/model.safetensors model-of-new || fail 'a run anew of ids that were cut'
headwater run mine/r.yaml && cmp -s "$tmp/out" $run/report.md || fail 'a run anew is made again'
rm -r whole

# What report believes: what the run's stages have made, as they made it.
sed 's/, test_fraction: 0.2//' mine/r.yaml >mine/untested.yaml
headwater run mine/untested.yaml || fail 'a run without a test'
for file in test.txt test.hypotheses test.reversed.txt; do echo 'my notes' >models/recipes/untested/$file; done
"$bin/report" models/recipes/untested 2>"$tmp/err" >"$tmp/out" && grep -v '/test.hypotheses$' "$tmp/out" | cmp -s - models/recipes/untested/report.md ||
  fail 'a test.txt of the user in the folder of a run'
another_digit() { sed -i "$2s/[0-9]\$/$(($(sed -n "$2s/.*\(.\)$/\1/p" "$1") ^ 1))/" "$1"; } # FILE LINE: its last one
cp $run/test.txt $run/model/log.csv .
sed -i '/^loss/s/\.\(.\)/.1\1/' $run/test.txt
[ "$(status_of "$bin/report" $run 2>"$tmp/err" | tail -n 1)" = 1 ] && [ "$(cat "$tmp/err")" = "report: $run/test.txt: changed since the run made it (remove the file, and run the recipe again)" ] || fail 'a digit of test.txt that was changed'
headwater run mine/r.yaml && cmp -s test.txt $run/test.txt || fail 'a test.txt that was changed is not made again'
another_digit $run/model/log.csv 2
! cmp -s log.csv $run/model/log.csv || fail 'the same log'
for what in once 'again, after the recipe was run'; do
  [ "$(status_of "$bin/report" $run 2>"$tmp/err" | tail -n 1)" = 1 ] && [ "$(cat "$tmp/err")" = "report: $run/model/log.csv: changed since the run made it (bring the file back from a copy, or train anew with --overwrite)" ] || fail "a digit of log.csv that was changed, $what"
  headwater run mine/r.yaml || fail 'a finished run whose log was changed'
done
cp log.csv $run/model
"$bin/report" $run >"$tmp/out" 2>"$tmp/err" || fail 'a log that was brought back'

# A folder that can only be read, as of another user.
reader=()
[ "$(id -u)" != 0 ] || reader=(setpriv --reuid=65534 --regid=65534 --clear-groups)
chmod a+rx "$tmp"
chmod -R a+rX,a-w models
if "${reader[@]}" test -x "$bin/headwater" -a ! -w $run; then
  "${reader[@]}" "$bin/headwater" run mine/r.yaml >"$tmp/out" 2>"$tmp/err" && cmp -s "$tmp/out" $run/report.md || fail 'a finished run that can only be read'
  "${reader[@]}" "$bin/headwater" run mine/r.yaml --array seed=1 >"$tmp/out" 2>"$tmp/err" && grep -q ': finished before$' "$tmp/err" || fail 'one of several that can only be read'
  for page in "$run" "$run --html" "--runs $run" "--expected $run" "--curves $run"; do
    # shellcheck disable=SC2086 # options
    "${reader[@]}" "$bin/report" $page >"$tmp/out" 2>"$tmp/err" || fail "report $page of a run that can only be read"
  done
  [ "$(status_of "${reader[@]}" "$bin/headwater" run mine/r.yaml --overwrite 2>"$tmp/err")" = 1 ] &&
    [ "$(cat "$tmp/err")" = "headwater: $run: nothing can be written there (choose another folder: --models DIR)" ] || fail 'a run anew where nothing can be written'
else
  echo 'skipped: runs that can only be read, for want of a user who can read them'
fi
chmod -R u+w models

# A test set alone: the model stays, its score does not. And then back again.
sed 's/test_fraction: 0.2/test: test.tsv/' mine/r.yaml >mine/tested.yaml
tested=models/recipes/tested
cp -p test.tsv mine/test.tsv
headwater run mine/tested.yaml || fail 'a run with a test set'
[ "$(wc -l <$tested/test.tsv)" = 40 ] && grep -q ' over 40 samples' $tested/report.md || fail 'a test set of 40 lines'
before=$(stat -c %y $tested/model/model.safetensors)
cp -p old-test.tsv mine/test.tsv
headwater run mine/tested.yaml || fail 'an older test set'
[ "$(wc -l <$tested/test.tsv)" = 60 ] && grep -q ' over 60 samples' $tested/report.md || fail 'an older test set is not noticed'
cp -p test.tsv mine/test.tsv
headwater run mine/tested.yaml || fail 'the first test set again'
[ "$(wc -l <$tested/test.tsv)" = 40 ] && grep -q ' over 40 samples' $tested/report.md || fail 'the first test set again is not noticed'
[ "$before" = "$(stat -c %y $tested/model/model.safetensors)" ] || fail 'a model is trained again because of its test set'

# Data that change while they are read: the run does not mix them.
mkdir stand-ins
cat >stand-ins/awk <<AWK
#!/bin/bash
case "\$*" in *357*) cp '$tmp/old.tsv' '$tmp/mine/t.tsv' ;; esac
exec $(command -v awk) "\$@"
AWK
chmod +x stand-ins/awk
[ "$(PATH=$tmp/stand-ins:$PATH status_of headwater run mine/r.yaml --models changing)" = 1 ] || fail 'data that change while they are read'
grep -q '^headwater: mine/t.tsv: changed after this command began (give it again)$' "$tmp/err" || fail 'what is said of data that change'
headwater run mine/r.yaml --models changing && sort -u changing/recipes/r/{train,test}.tsv | cmp -s - <(sort -u old.tsv) || fail 'the same command after that'
cp new.tsv mine/t.tsv

# --- Killed at any rename: the same command goes on ------------------------------------------------------------------------------

drafts() { find "$1" -name '.headwater-draft-*' | wc -l; } # FOLDER
most=0
for count in 1 2 3 4 5 6 7 8 9; do
  rm -rf killed
  [ "$(KILL_AT_RENAME=$count LD_PRELOAD=$killing status_of headwater run mine/r.yaml --models killed)" = 1 ] || fail "nothing is killed at rename $count"
  left=$(drafts killed)
  prefix=$(find killed -name '.headwater-draft-*' | sed -n 's,.*/\(.headwater-draft-[0-9a-f]*-\).*,\1,p' | grep . || echo "${prefix-}")
  [ "$left" -le "$most" ] || most=$left
  headwater run mine/r.yaml --models killed || fail "a run that was killed at rename $count does not go on"
  figures killed/recipes/r | cmp -s - of-new || fail "other figures after a kill at rename $count"
  [ "$(drafts killed)" = 0 ] || {
    find killed -name '.headwater-draft-*'
    fail "what a kill at rename $count has left stays"
  }
done
[ "$most" -gt 0 ] || fail 'no kill leaves anything'
# In a container that is started again every process may have the number that it had before.
if unshare -rpf true 2>/dev/null; then
  for count in 1 2 3 4; do
    rm -rf contained
    KILL_AT_RENAME=$count LD_PRELOAD=$killing status_of unshare -rpf "$bin/headwater" run mine/r.yaml --models contained >"$tmp/out" 2>"$tmp/err"
    unshare -rpf "$bin/headwater" run mine/r.yaml --models contained >"$tmp/out" 2>"$tmp/err" || fail "a run in a container that was killed at rename $count does not go on"
    [ "$(drafts contained)" = 0 ] || fail "what a kill at rename $count in a container has left stays"
  done
else
  echo 'skipped: a container that is started again, for want of unshare'
fi
# Of what such a command has left the next one removes what is provably its own, also of a finished run.
killed=killed/recipes/r
draft=$killed/$prefix
theirs=("$killed/thesis.part" "$killed/.notes.tmp-4711-0" "$killed/model/notes.part" "$killed/.headwater-draft-0123456789abcdef-x.tmp-1-0" "$killed/.headwater-draft-")
for file in "${theirs[@]}" "$draft"table.txt "${draft}table.txt.train.messages.json.tmp-999999999-0" "${draft}test.txt.tmp-$$-0"; do echo precious >"$file"; done
mkdir "$killed/folder.part" "${draft}mean"
headwater run mine/r.yaml --models killed || fail 'a finished run with what others have left'
for file in "${theirs[@]}" "${draft}test.txt.tmp-$$-0"; do [ "$(cat "$file")" = precious ] || fail "$file is removed"; done
[ -d "$killed/folder.part" ] || fail 'a folder of the user is removed'
rm "${draft}test.txt.tmp-$$-0"
[ -z "$(find killed -name "${draft##*/}*")" ] || fail 'what a killed command has left in a finished run'
# Of a set that is whole by its training lines, the others are there before.
(KILL_AT_RENAME=2 LD_PRELOAD=$killing setsid -w "$bin/vectorize" -q --split held.tsv -o kept.tsv new.tsv || true) 2>/dev/null
[ -s held.tsv ] && [ ! -e kept.tsv ] || fail 'vectorize --split writes the lines that are kept first'

# --- Two at once -----------------------------------------------------------------------------------------------------------------

for ((round = 1; round <= 3; ++round)); do
  rm -rf twice
  for one in a b; do
    (
      status=0
      "$bin/headwater" run mine/r.yaml --models twice >"$tmp/$one.out" 2>"$tmp/$one.err" || status=$?
      echo $status >"$tmp/$one.status"
    ) &
  done
  wait
  case $(cat "$tmp/a.status")$(cat "$tmp/b.status") in
    00) continue ;; # one after the other
    01) second=b ;;
    10) second=a ;;
    *) cat "$tmp"/[ab].err; fail 'two at once: none is carried out' ;;
  esac
  [ "$(cat "$tmp/$second.err")" = 'headwater: twice/recipes/r: another command is making this run (wait until it ends, or choose another folder: --models DIR)' ] || {
    cat "$tmp/$second.err"
    fail 'two at once: what the second says'
  }
  figures twice/recipes/r | cmp -s - of-new || fail 'two at once: other figures'
done
# Two runs that share what is made of the data.
for epochs in 2 3; do "$bin/headwater" run mine/r.yaml --models shared training.epochs=$epochs >"$tmp/$epochs.out" 2>"$tmp/$epochs.err" & done
wait
for epochs in 2 3; do
  sort -u shared/recipes/r-training.epochs-$epochs/{train,test}.tsv | cmp -s - <(sort -u new.tsv) && [ -s shared/recipes/r-training.epochs-$epochs/report.md ] || {
    cat "$tmp/$epochs.err"
    fail 'two runs at once on the same data'
  }
done
# With certainty.
exec 9>>twice/recipes/r/.lock
flock 9
[ "$(status_of headwater run mine/r.yaml --models twice --overwrite)" = 1 ] && [ "$(wc -l <"$tmp/err")" = 1 ] || fail 'a second command beside one that holds the run'
exec 9>&-

# --- Another recipe of the same name ---------------------------------------------------------------------------------------------

mkdir other
sed 's/width: 8/width: 16/' mine/r.yaml >other/r.yaml
cp new.tsv other/t.tsv
for option in '' --overwrite; do
  # shellcheck disable=SC2086 # none, no word
  [ "$(status_of headwater run other/r.yaml $option)" = 1 ] || fail "another recipe of the same name is taken for this one ($option)"
  [ "$(cat "$tmp/err")" = "headwater: $run: a run of another recipe, $tmp/mine/r.yaml, not of $tmp/other/r.yaml (choose another folder: --models DIR)" ] || fail "what is said of it ($option)"
done
cmp -s $run/model/model.safetensors model-of-new || fail 'the model of another recipe is replaced'
mv mine moved
headwater run moved/r.yaml -q || fail 'a recipe whose folder was renamed'

# --- The encoder of a linear model -----------------------------------------------------------------------------------------------

cut -f 1 new.tsv >moved/texts.txt
cat >moved/encoder.yaml <<'RECIPE'
data: {train: texts.txt, columns: [source]}
source_tokenizer: {kind: wordpiece, size: 60}
model: {kind: masked_lm, width: 8, heads: 2, feed_forward_width: 16, encoder_layers: 1, length: 8, norm: post, norm_epsilon: 1.0e-12, activation: gelu, segments: 2, embedding_norm: true}
training: {max_steps: 2, batch_sequences: 8}
RECIPE
cat >moved/linear.yaml <<'RECIPE'
data: {train: t.tsv, columns: [source, label], validation_fraction: 0.2, test_fraction: 0.2}
model: {kind: linear, encoder: encoder}
RECIPE
linear=models/recipes/linear
lacks_encoder() { # WHAT [OPTION]
  [ "$(status_of headwater run moved/linear.yaml "${@:2}")" = 1 ] && [ "$(cat "$tmp/err")" = 'headwater: moved/linear.yaml: model.encoder: encoder: no such model' ] ||
    fail "what is said of an encoder that is missing: $1"
}
lacks_encoder 'a first run'
mkdir encoder
[ "$(status_of headwater run moved/linear.yaml)" = 1 ] && grep -q '^headwater: moved/linear.yaml: model.encoder: encoder: not a model directory' "$tmp/err" || fail 'an encoder that is none'
rmdir encoder
headwater run moved/encoder.yaml && "$bin/convert" models/recipes/encoder/model -o encoder 2>"$tmp/err" || fail 'an encoder'
headwater run moved/linear.yaml || fail 'a linear model of an encoder'
sed -i 's/"nought/&x/' encoder/tokenizer.json
for time in first second; do
  [ "$(status_of headwater run moved/linear.yaml)" = 1 ] && [ "$(head -n 1 "$tmp/err")" = "headwater: encoder: changed since $linear/model was trained with it" ] ||
    fail "a file of an encoder that has changed, the $time time"
done
sed -i 's/"noughtx/"nought/' encoder/tokenizer.json
headwater run moved/linear.yaml || fail 'a run whose encoder is as it was'
# The same of a tokenizer that training.init_from gives, and of the folder of a published model.
sed 's/max_steps: 2/&, init_from: encoder/; /^source_tokenizer/d' moved/encoder.yaml >moved/tuned.yaml
for changed in encoder/tokenizer.json encoder; do
  headwater run moved/tuned.yaml --overwrite || fail "a run that begins with a model ($changed)"
  sed -i 's/"nought/&x/' encoder/tokenizer.json
  [ "$(status_of headwater run moved/tuned.yaml)" = 1 ] && [ "$(head -n 1 "$tmp/err")" = "headwater: $changed: changed since models/recipes/tuned/model was trained with it" ] ||
    fail "a first model that has changed ($changed)"
  rm -f encoder/recipe.yaml
done
mv encoder elsewhere
headwater run moved/linear.yaml && cmp -s "$tmp/out" $linear/report.md || fail 'a finished run whose encoder is gone'
lacks_encoder 'anew' --overwrite
sed -i 's/encoder: encoder/&, C: 2/' moved/linear.yaml
lacks_encoder 'another recipe'
sed -i 's/, C: 2//' moved/linear.yaml
rm -r models/recipes/prepared/linear-*
lacks_encoder 'nothing is prepared'

# --- The environment -------------------------------------------------------------------------------------------------------------

# Every name that the script of a run has, and of options.
mapfile -t names < <({ "$bin/headwater" run moved/r.yaml --script | grep -o '\$[a-z_]*\|^[a-z_]*='; printf '%s\n' SCALE SEED SET THREADS DATA MODELS BIN OVERWRITE ALLOW_EMPTY QUIET; } |
  tr -d '$=' | grep . | sort -u | sed 's/$/=1/')
[ "${#names[@]}" -gt 12 ] || fail 'the names of a script'
with_names() { env "${names[@]}" HEADWATER=1 HEADWATER_MESSAGES="$tmp/said" "$@" >"$tmp/out" 2>"$tmp/err"; }
with_names "$bin/headwater" run moved/r.yaml --models clean || fail 'a run beside variables of the names that a script has'
figures clean/recipes/r | cmp -s - of-new || fail 'variables of the environment change a run'
# A name that a shell would take for a folder of its user.
for folder in '~' './~' '~root'; do
  HOME=$tmp/home headwater run moved/r.yaml "--models=$folder" && [ -s "./$folder/recipes/r/report.md" ] || fail "--models=$folder"
done
[ ! -e home ] || fail '~ is taken for the home folder'
echo 'runs: data of any age, kills, two at once, one name twice, encoders, the environment'
