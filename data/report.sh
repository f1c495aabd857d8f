#!/bin/sh
# The last stage of a recipe: what was expected and reached, the scores on the test data, of a translator samples, what it cost, and
# where everything is; the learning curve is drawn to WORK/curve.svg.
#
#   data/report.sh RUN BIN WORK ANSWER TRAIN    the run's name; folders of the tools and of the run; what the model answers
#                                               (inspect --make; summary: with summaries; none: there is no test); the training examples
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
[ $# -eq 5 ] || wrong "$# operands, wanted are 5 (--help says which)"
run=$1 bin=$2 work=$3 answer=$4 train=$5

# A model that writes bytes may write any: those that are no text count as U+FFFD.
scores() { # TITLE SUFFIX: of test.hypotheses, in the order of evaluate MODEL
  printf '\n%s: %d sentences\n' "$1" "$(wc -l <"$tmp/hypotheses$2")"
  printf 'against the references as they are\n'
  "$bin/evaluate" --replace-invalid --hypotheses "$tmp/hypotheses$2" --references "$tmp/references$2"
  printf 'against the same, both sides lower-cased\n'
  "$bin/evaluate" --replace-invalid --hypotheses "$tmp/hypotheses$2" --references "$tmp/references$2" --lowercase
  if cmp -s "$tmp/references$2" "$tmp/standardized$2"; then return; fi
  # Its signature would be that of published figures, whose references nobody changed.
  printf 'against the references as the tokenizer sees them (changed, so it has no sacreBLEU signature)\n'
  "$bin/evaluate" --replace-invalid --hypotheses "$tmp/hypotheses$2" --references "$tmp/standardized$2" | sed '/^ *nrefs:/d; s/ *nrefs:.*//'
}

# The same test with beam search and with greedy decoding, of the model and of the mean of the checkpoints that the recipe keeps, where it
# searches or keeps some.
figure() { # HYPOTHESES METRIC OPTION...
  hypotheses=$1 metric=$2
  shift 2
  "$bin/evaluate" --replace-invalid --hypotheses "$hypotheses" --references "$work/test.references" --metric "$metric" --json "$@" |
    sed -n '1s/.*"score":\([0-9.e+-]*\).*/\1/p'
}
way() { # NAME HYPOTHESES
  printf '%-40s %7.2f %18.2f %7.2f\n' "$1" "$(figure "$2" bleu)" "$(figure "$2" bleu --lowercase)" "$(figure "$2" chrf)"
}
number_of() { sed -n "s/^ *$1: *\([0-9]*\).*/\1/p" "$work/recipe.yaml" | head -n 1; } # KEY
translated() { # MODEL BEAMS FILE
  "$bin/translate" -q --num-beams "$2" "$1" "$work/test.sources" >"$tmp/translated"
  publish "$tmp/translated" "$work/$3"
}
ways() {
  beams=$(number_of num_beams) kept=$(number_of keep)
  beams=${beams:-1} kept=${kept:-1}
  if [ "$beams" -le 1 ] && [ "$kept" -le 2 ]; then return; fi
  [ "$kept" -gt 2 ] || kept=1
  printf '\n%-40s %7s %18s %7s\n' 'the same test' BLEU 'BLEU, lower-cased' chrF2
  if [ "$beams" -gt 1 ]; then
    translated "$work/model" 1 test.greedy
    way greedy "$work/test.greedy"
    way "beam $beams" "$work/test.hypotheses"
  else
    way greedy "$work/test.hypotheses"
  fi
  there=$(find "$work/model/checkpoints" -mindepth 1 -maxdepth 1 -name '[0-9]*' | wc -l)
  [ "$there" -ge "$kept" ] || kept=$there
  [ "$kept" -gt 1 ] || return 0
  "$bin/convert" --average "$work/model" --last "$kept" --output "$tmp/mean" >"$tmp/words"
  translated "$tmp/mean" 1 test.mean-greedy
  way "mean of $kept checkpoints, greedy" "$work/test.mean-greedy"
  if [ "$beams" -gt 1 ]; then
    translated "$tmp/mean" "$beams" test.mean-beam
    way "mean of $kept checkpoints, beam $beams" "$work/test.mean-beam"
  fi
}

# The lines of the test whose source does not stand in training, to $tmp/unseen.
find_unseen() {
  cut -f"$(sed -n 's/^field_source := //p' "$work/recipe.mk")" "$train" >"$tmp/known"
  awk 'FILENAME == ARGV[1] { known[$0] = 1; next } !($0 in known) { print FNR }' "$tmp/known" "$work/test.sources" >"$tmp/unseen"
}

translation_scores() {
  for kind in hypotheses references standardized; do cp "$work/test.$kind" "$tmp/$kind"; done
  scores 'test' ''
  # Over padded positions too where the recipe expects such figures: the table of train has them only then.
  reference=
  ! grep -q '^reference_' "$work/table.txt" || reference=--reference-measure
  # shellcheck disable=SC2086 # an option or none
  paste "$work/test.sources" "$work/test.references" | "$bin/evaluate" "$work/model" --metric loss,accuracy,perplexity $reference
  awk 'FILENAME == ARGV[1] { right[FNR] = $0; next } { same += $0 == right[FNR] } END {
    printf "exactly right: %d of %d (%.1f %%)\n", same, FNR, FNR ? 100 * same / FNR : 0 }' "$tmp/standardized" "$tmp/hypotheses"

  # Test lines whose source stands in training too tell less; the scores without them.
  find_unseen
  if [ "$(wc -l <"$tmp/unseen")" -lt "$(wc -l <"$work/test.sources")" ] && [ -s "$tmp/unseen" ]; then
    for kind in hypotheses standardized references; do
      awk 'FILENAME == ARGV[1] { want[$1] = 1; next } FNR in want' "$tmp/unseen" "$work/test.$kind" >"$tmp/$kind-unseen"
    done
    scores 'test without the sources that also stand in training' -unseen
  else
    printf '\ntest sources that also stand in training: %d of %d\n' $(($(wc -l <"$work/test.sources") - $(wc -l <"$tmp/unseen"))) "$(wc -l <"$work/test.sources")"
  fi
  ways
  "$here/samples.sh" "$bin" "$work" "$train" >"$tmp/samples"
  publish "$tmp/samples" "$work/samples.txt"
  printf '\n'
  cat "$tmp/samples"
}

# A row an epoch: the loss of training over tokens, and over all places of texts where they were filled up with padding; the loss and
# perplexity of validation. Then what the model wrote after each epoch, as the lines of samples.tsv.
language_model_epochs() {
  texts=
  if [ -f "$work/train.ids" ] && [ "$(awk -F '\t' 'NR == 1 { print NF }' "$work/train.ids")" = 1 ]; then texts=1; fi
  printf '\n'
  awk -F , -v texts="$texts" '
    function row(epoch, loss, places, validation, perplexity) {
      printf "%5s %13s " (has_places ? "%15s " : "%.0s") "%15s %10s\n", epoch, loss, places, validation, perplexity
    }
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    $at["validation_loss"] != "" {
      places[++rows] = texts && "training_reference_loss" in at ? $at["training_reference_loss"] : ""
      if (places[rows] != "") has_places = 1
      epoch[rows] = $at["epoch"]; loss[rows] = $at["loss"]; validation[rows] = $at["validation_loss"]
    }
    END {
      row("epoch", "training loss", "over all places", "validation loss", "perplexity")
      for (i = 1; i <= rows; ++i)
        row(epoch[i], sprintf("%.4f", loss[i]), places[i] == "" ? "-" : sprintf("%.4f", places[i]), sprintf("%.4f", validation[i]), sprintf("%.2f", exp(validation[i])))
    }' "$work/model/log.csv"
  [ -s "$work/model/samples.tsv" ] || return 0
  printf '\nwritten after each epoch\n'
  cat "$work/model/samples.tsv"
}

# Summaries beside the first sentences of their texts. Twelve words of them score best on validation lines of debian-descriptions.
writes_with() { # OPTION...: what the model writes about the test sources
  if [ "$(sed -n 's/^answer := //p' "$work/recipe.mk")" = continuation ]; then
    "$bin/generate" -q --max-new-tokens 40 "$@" "$work/model" "$work/test.sources"
  else
    "$bin/translate" -q "$@" "$work/model" "$work/test.sources"
  fi
}
summaries() { # NAME FILE
  "$bin/evaluate" --replace-invalid --hypotheses "$2" --references "$work/test.references" --metric rouge,distinct-2,repetition --json |
    sed 's/.*"metric":"\([^"]*\)","score":\([0-9.e+-]*\).*/\1 \2/' >"$tmp/figures"
  awk -v name="$1" -v words="$(wc -w <"$2")" -v lines="$(wc -l <"$2")" '{ value[$1] = $2 } END {
    printf "%-32s %8.4f %8.4f %8.4f %11.4f %11.4f %6.1f\n", name, value["rouge1"], value["rouge2"], value["rougeL"], value["distinct-2"], value["repetition"], words / lines }' "$tmp/figures"
}
summary_scores() {
  awk -f "$here/lead.awk" "$work/test.sources" >"$tmp/lead"
  awk -v words=12 -f "$here/lead.awk" "$work/test.sources" >"$tmp/lead-12"
  publish "$tmp/lead" "$work/test.lead"
  writes_with --num-beams 4 >"$tmp/beam"
  publish "$tmp/beam" "$work/test.beam"
  printf '\ntest: %d summaries\n' "$(wc -l <"$work/test.hypotheses")"
  printf '%-32s %8s %8s %8s %11s %11s %6s\n' '' ROUGE-1 ROUGE-2 ROUGE-L distinct-2 repetition words
  {
    summaries 'the model' "$work/test.hypotheses"
    summaries 'the model, 4 beams' "$tmp/beam"
    summaries 'first sentence of the text' "$tmp/lead"
    summaries 'its first 12 words' "$tmp/lead-12"
    summaries 'the right summaries' "$work/test.references"
  } | tee "$tmp/rows"
  cut -c33- "$tmp/rows" | awk '
    NR <= 2 { for (i = 1; i <= 3; ++i) model[NR, i] = $i }
    NR == 3 || NR == 4 { for (i = 1; i <= 3; ++i) if ($i > best[i]) best[i] = $i }
    END {
      for (i = 1; i <= 3; ++i) { greedy += model[1, i] > best[i]; beams += model[2, i] > best[i] }
      printf "the model is above the first sentences in %d of 3, with 4 beams in %d of 3\n", greedy, beams
    }'
  if [ -e "$work/test.txt" ]; then
    cat "$work/test.txt"
  else
    paste "$work/test.sources" "$work/test.references" | "$bin/evaluate" "$work/model" --metric loss,accuracy,perplexity
  fi
  awk 'FILENAME == ARGV[1] { right[FNR] = $0; next } { same += $0 == right[FNR] } END {
    printf "exactly right: %d of %d (%.1f %%)\n", same, FNR, FNR ? 100 * same / FNR : 0 }' "$work/test.references" "$work/test.hypotheses"
  find_unseen
  printf 'test sources that also stand in training: %d of %d\n' $(($(wc -l <"$work/test.sources") - $(wc -l <"$tmp/unseen"))) "$(wc -l <"$work/test.sources")"
  "$here/samples.sh" "$bin" "$work" "$train" summary >"$tmp/samples"
  publish "$tmp/samples" "$work/samples.txt"
  printf '\n'
  cat "$tmp/samples"
}

# As far as this system says it.
machine() {
  processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
  count=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo '')
  memory=$(awk '$1 == "MemTotal:" { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo 2>/dev/null || echo '')
  [ -z "$processor$count$memory" ] ||
    printf 'machine        %s\n' "$(printf '%s\n' "$processor" "${count:+$count processors}" "$memory" | awk 'NF { printf "%s%s", sep, $0; sep = ", " }')"
}

printf '%s\n' "$run"
cat "$work/table.txt"
case $answer in
  label | continuation | image_label)
    printf '\ntest\n'
    cat "$work/test.txt"
    ;;
  translation) translation_scores ;;
  summary) summary_scores ;;
esac
! grep -q '^  kind: language_model$' "$work/recipe.yaml" || language_model_epochs
printf '\nwhat it cost\n'
patches=$(awk '$1 ~ /^(image_height|image_width|patch_size):$/ { size[$1] = $2 }
  END { side = size["patch_size:"]; print (side ? int(size["image_height:"] / side) * int(size["image_width:"] / side) : 0) }' "$work/recipe.yaml")
awk -F , -v table="$work/table.txt" -v plan="$work/plan.txt" -v patches="$patches" -f "$here/cost.awk" "$work/model/log.csv"
machine
curve=
if "$bin/report" --curves "$work/model" -o "$work/curve.svg" --title "$run" 2>"$tmp/words"; then curve=curve.svg; fi
printf '\nfiles\n'
for file in recipe.yaml tokenizer.json source.json target.json terms.tsv labels.txt model model/log.csv model/samples.tsv $curve test.hypotheses test.greedy test.mean-greedy test.mean-beam test.beam test.lead test.references samples.txt report.txt; do
  if [ -e "$work/$file" ] || [ "$file" = report.txt ]; then printf '%s\n' "$work/$file"; fi
done
