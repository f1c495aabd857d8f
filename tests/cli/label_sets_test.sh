#!/bin/bash
# Any set of labels, numbers above all, through every way that the pages show: a model gives its own training examples the labels that they
# have, evaluate and the report say so too, and a column that has two readings is refused.
#   label_sets_test.sh BIN     BIN: the folder of the tools
# shellcheck disable=SC2015 # what stands after "||" ends the test
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
unset MAKEFLAGS MAKELEVEL MFLAGS BIN DATA MODELS SCALE SEED SET THREADS OVERWRITE WERROR
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
PATH=$bin:$PATH
cd "$tmp"
fail() {
  echo "failed: $1"
  cat log
  exit 1
}

for kind in classifier bag_of_words; do
  {
    echo 'data: {train: train.tsv, test: train.tsv, columns: [source, label], validation_fraction: 0.1}'
    echo 'source_tokenizer: {size: 40}'
    if [ $kind = classifier ]; then
      echo 'model: {kind: classifier, width: 16, heads: 2, feed_forward_width: 16, length: 4}'
    else
      echo 'model: {kind: bag_of_words, width: 16}'
      echo 'terms: {size: 40}'
    fi
    echo 'training: {epochs: 12, batch_sequences: 8, optimizer: {kind: adam, learning_rate: 2.0e-2}}'
    echo 'expected: [{metric: test_accuracy, value: 1, compare: at_least}]'
  } >$kind.yaml
done

# Names in the order of the label file, which need not be that of vectorize --learn labels.
sets=('1 2 3 4 5' '1 2' '-1 0 1 2 3' '0 2 4' '1 2 3 10 100' '1 1.0' '1 0' '0 1 2 3' '01 1 00 0' '3 7' 'neg pos' '2 two 1 one')
set_number=0
for names in "${sets[@]}"; do
  # Three words of each label's own, and one that all have.
  tr ' ' '\n' <<<"$names" >labels.txt
  awk '{ for (i = 0; i < 12; ++i) print "the w" NR "x" i % 3 "\t" $0 }' labels.txt | awk '{ print NR * 7919 % 1009 "\t" $0 }' | sort -n | cut -f2- >train.tsv
  cut -f1 train.tsv >texts
  cut -f2 train.tsv >names
  tokenize --learn word --size 40 -o t.json -q texts
  tokenize -t t.json texts >tokens
  vectorize -t t.json --length 4 tokens >text.ids
  vectorize -t t.json --length 4 --header tokens >headed.ids
  vectorize -q --learn ngrams --size 40 -o terms.tsv tokens
  vectorize --terms terms.tsv tokens >text.bags
  vectorize --terms terms.tsv --header tokens >headed.bags
  vectorize --labels labels.txt names >label.ids
  vectorize --labels labels.txt --header names >label.headed
  kinds=(classifier bag_of_words)
  ((++set_number <= 4)) || kinds=("${kinds[set_number % 2]}")
  for kind in "${kinds[@]}"; do
    form=ids options=()
    [ "$kind" = classifier ] || { form=bags options=(--terms terms.tsv); }
    for way in names ids header unsaid-names unsaid-ids; do
      column=label.ids text=text.$form said=()
      case $way in
      names) column=names said=(--labels-as names) ;;
      ids) said=(--labels-as ids) ;;
      header) column=label.headed text=headed.$form ;;
      unsaid-names) column=names ;;
      esac
      rm -rf run-$way
      if paste $text $column | train -q -r "$kind".yaml --tokenizer t.json --labels labels.txt "${said[@]}" "${options[@]}" -o run-$way >log 2>&1; then
        cmp run-names/model.safetensors run-$way/model.safetensors >log 2>&1 || fail "$names, $kind: $way is another model"
      else
        [ "${said[*]}$way" = "unsaid-${way#unsaid-}" ] && grep -q '^train: standard input:1:[0-9]*: labels that are numbers: .*--labels-as names' log ||
          fail "$names, $kind: $way"
      fi
    done
    # Where no name is another's id, nothing need be said.
    case $names in '0 1 2 3' | '3 7' | 'neg pos') [ -d run-unsaid-names ] && [ -d run-unsaid-ids ] || fail "$names, $kind: was refused" ;; esac
    classify -q run-names texts 2>log | cut -f1 | cmp - names 2>>log || fail "$names, $kind: other labels than those of training"
    [ "$(evaluate -q --metric accuracy --json run-names train.tsv | grep -c '"score":1[.]0[,}]')" = 1 ] || fail "$names, $kind: evaluate"
    classify -q run-names texts | evaluate -q --predictions - --labels names | grep -q '^accuracy  *1\.0* ' || fail "$names, $kind: evaluate --predictions"
  done
done
echo 'sets of labels: every way alike'

# The stages of a recipe. Their set is the learned one.
cp -r "$root/Makefile" "$root/recipes" "$root/data" .
for names in '1 2 3 4 5' '-1 0 1 2 3' '1 1.0'; do
  tr ' ' '\n' <<<"$names" | awk '{ for (i = 0; i < 12; ++i) print "the w" NR "x" i % 3 "\t" $0 }' | awk '{ print NR * 7919 % 1009 "\t" $0 }' | sort -n | cut -f2- >train.tsv
  for kind in classifier bag_of_words; do
    rm -rf models
    make --no-print-directory -o tools-present recipe "BIN=$bin" MODELS=models RECIPE=$kind.yaml >log 2>&1 || fail "$names, $kind: the stages"
    grep -q '^test_accuracy  *>= 1  .* ok$' "models/recipes/$kind/report.md" || fail "$names, $kind: the report"
    cut -f1 train.tsv | classify -q models/recipes/$kind/model | cut -f1 | cmp - <(cut -f2 train.tsv) || fail "$names, $kind: labels of the stages"
  done
done
echo 'sets of labels: the stages too'

# Labels that no model could be measured on are found while columns are checked.
tr ' ' '\n' <<<'1 2 3 4 5' | awk '{ for (i = 0; i < 20; ++i) print "the w" NR "x" i % 3 "\t" $0 }' >train.tsv
refused() { # WHAT PATTERN VARIABLE=VALUE...
  local what=$1 pattern=$2
  shift 2
  rm -rf models
  ! make --no-print-directory -o tools-present recipe "BIN=$bin" MODELS=models "$@" >log 2>&1 || fail "$what: it was taken"
  [ "$(grep -cE "$pattern" log)" = 1 ] || fail "$what: the message"
  [ -z "$(find models -name '*.json' ! -name '*.messages.json' ! -name stages.json -o -name '*.ids' -o -name labels.txt)" ] || fail "$what: something was learned"
}
head -n 3 train.tsv >few.tsv
{ cat few.tsv; printf 'the w1x1\t6\nthe w1x2\t6\n'; } >more.tsv
{ cat few.tsv; printf 'the w1x1\t\n'; } >none.tsv
for part in test validation; do
  sed "s/test: train.tsv/$part: more.tsv/; s/, validation_fraction: 0.1//; /^expected/d" classifier.yaml >more.yaml
  refused "a label of $part alone" '^vectorize: .*/lines/more.tsv:4: the label "6" has no example in .*/lines/train.tsv \(known: 1, 2, 3, 4, 5;' RECIPE=more.yaml
  grep -qx 'headwater: line N of models/recipes/prepared/more-[^ ]*/lines/FILE is line N of ./FILE' log || fail 'where the line of the user is'
done
sed 's/test: train.tsv/test: none.tsv/; /^expected/d' classifier.yaml >none.yaml
refused 'a line without a label' '^vectorize: .*/lines/none.tsv:4: no label' RECIPE=none.yaml
refused 'another number of classes' '^vectorize: .*/lines/train.tsv: 5 labels, model.classes is 50 \(leave it out, or set it to 5\)$' RECIPE=classifier.yaml SET=model.classes=50
refused 'a head of two classes' '^vectorize: model.classes: a sigmoid head tells two classes apart, not 5' RECIPE=classifier.yaml SET=model.head=sigmoid

# A share of the lines to test on: of each label alike, and never what tokenizer and model learn from.
tr ' ' '\n' <<<'1 2 3 4 5' | awk '{ for (i = 0; i < 20; ++i) print "w" NR "x" i % 3 " w" NR "x" int(i / 3) % 3 " w" NR "x" int(i / 9) "\t" $0 }' >texts.tsv
sed 's/train: train.tsv, test: train.tsv/train: texts.tsv, test_fraction: 0.2/' classifier.yaml >share.yaml
rm -rf models
make --no-print-directory -o tools-present recipe "BIN=$bin" MODELS=models RECIPE=share.yaml >log 2>&1 || fail 'test_fraction'
run=models/recipes/share
prepared=$(echo models/recipes/prepared/share-*)
[ "$(cut -f2 "$prepared"/split/test.tsv | sort | uniq -c | tr -s ' ' | tr '\n' ',')" = ' 4 1, 4 2, 4 3, 4 4, 4 5,' ] || fail 'the share of each label'
sort "$prepared"/split/train.tsv "$prepared"/split/test.tsv | cmp - <(sort texts.tsv) || fail 'lines are lost by the split'
grep -q '^accuracy .* over 20 samples of 5 classes' $run/report.md || fail 'the test of test_fraction'
[ "$(wc -l <"$prepared"/train.ids)" = 80 ] || fail 'what is trained on'
cp "$prepared"/split/test.tsv share
make --no-print-directory -o tools-present recipe "BIN=$bin" MODELS=models RECIPE=share.yaml SEED=2 >log 2>&1 || fail 'test_fraction with another seed'
cmp share "$prepared"/split/test.tsv || fail 'another test of another seed'
echo 'sets of labels: tests'
