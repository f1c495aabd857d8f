#!/bin/bash
# What recipes/sources.md says of the recipes, beside what they hold: numbers of parameters, and the differences on purpose.
#   sources_test.sh BIN     BIN: the folder of the tools
# shellcheck disable=SC2015,SC2016 # what stands after "||" ends the test; ` is meant as it is
set -euo pipefail
export LC_ALL=C
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
page=recipes/sources.md
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
fail() {
  echo "failed: $1"
  exit 1
}
with_commas() { sed -E ':again; s/^([0-9]+)([0-9]{3})/\1,\2/; t again'; }
# The keys that a recipe resolves to, "section.key: value", a line each.
keys() { # RECIPE
  awk -v recipe="$1" '/^[^ ]/ { is_it = $0 == recipe } is_it && /^  / {
    section = $1; sub(/:$/, "", section); gsub(/^[^{]*\{|\}$/, ""); $0 = ", " $0
    while (match($0, /^, [a-zA-Z_0-9]+: /)) {
      key = substr($0, 3, RLENGTH - 2); $0 = substr($0, RLENGTH + 1)
      end = match($0, /, [a-zA-Z_0-9]+: /) ? RSTART : length($0) + 1
      print section "." key substr($0, 1, end - 1); $0 = substr($0, end)
    } }' tests/golden/recipes.txt
}
of() { keys "$1" | sed -n "s/^$2: //p" | grep .; } # RECIPE KEY
says() { grep -qF -- "$1" $page || fail "the page does not say: $1"; }
# The keys that differ between two recipes.
differences() { comm -3 <(keys "$1" | sort) <(keys "$2" | sort) | sed 's/^\t//; s/: .*//' | sort -u | tr '\n' ' '; }
differ_in() { # RECIPE OTHER KEYS
  [ "$(differences "$1" "$2")" = "$3 " ] || fail "$1 differs from $2 in $(differences "$1" "$2")"
}

for recipe in imdb-encoder-padded imdb-encoder imdb-encoder-positions imdb-lstm spa-eng spa-eng-gru spa-eng-gru-attention mnist-vit-source mnist-vit; do
  parameters=$("$bin/inspect" recipes/$recipe.yaml | sed -n 's/^total  *\([0-9,]*\) .*/\1/p' | grep .) || fail "no total of $recipe"
  grep -F "\`make recipe-$recipe\`" $page | grep -F "$parameters" >/dev/null || fail "the row of $recipe does not have its $parameters parameters"
done
row=$(grep '^| English to Spanish by recurrent layers' $page | tr -d ,)
[[ $row =~ GRUs\ ([0-9]+)\ output\ layer\ ([0-9]+)\ tables\ ([0-9]+)\ each\ together\ ([0-9]+)\;\ its\ total\ is\ ([0-9]+) ]] || fail 'the parts of the recurrent translator'
[ $((BASH_REMATCH[1] + BASH_REMATCH[2] + 2 * BASH_REMATCH[3])) = "${BASH_REMATCH[4]}" ] || fail 'the parts of the recurrent translator are not their sum'
says "the total of $(with_commas <<<"${BASH_REMATCH[5]}") parameters is $(with_commas <<<$((BASH_REMATCH[5] - BASH_REMATCH[4]))) more than the parts that it names, $(with_commas <<<"${BASH_REMATCH[4]}")"

# All examples.
names=$(grep '^[^ ]' tests/golden/recipes.txt)
for recipe in $names; do
  case $recipe in mnist-vit-source) shuffles=false ;; *) shuffles=true ;; esac
  [ "$(of "$recipe" training.shuffle || echo $shuffles)" = $shuffles ] || fail "the order of $recipe"
  [ "$(of "$recipe" training.log_every || echo 100)" = 100 ] || fail "how often $recipe logs"
done
says '`mnist-vit-source` has the order of the file'
computed=$(for recipe in $names; do of "$recipe" model.padding || true; done | sort -u | grep -v none | tr '\n' ' ')
[ "$computed" = 'attended pooled predicted ' ] || fail "padding that is computed: $computed"

# Film reviews.
for recipe in imdb-encoder imdb-lstm; do [ "$(of $recipe training.early_stopping.patience)" = 4 ] || fail "the patience of $recipe"; done
for recipe in imdb-encoder-padded imdb-encoder-positions imdb-convolution imdb-fnet imdb-mixer; do
  [ "$(of $recipe training.early_stopping.patience)" = 2 ] || fail "the patience of $recipe"
done
says "(\`ema_decay: $(of imdb-encoder-positions training.ema_decay)\`)"
says "Its vocabulary has $(of imdb-lm source_tokenizer.size | with_commas) tokens"
says "[UNK] and $(of imdb-lm training.samples.max_new_tokens) new tokens are as there"
of_attention='model.attention_dropout model.attention_window model.head_width model.heads'
differ_in imdb-fnet imdb-encoder-positions "data.test_orders $of_attention model.mixing model.padding"
differ_in imdb-convolution imdb-fnet 'model.kernel_size model.mixing'
differ_in imdb-mixer imdb-fnet 'model.mixing model.mixing_width model.norm'
[ "$(of bert-imdb model.positions)" = rotary ] || fail 'the positions of bert-imdb'

# Translation.
for side in source target; do [ "$(of spa-eng ${side}_tokenizer.size | with_commas)" = 15,000 ] || fail 'the words of spa-eng'; done
says "20,000 words in the prose, and 15,000 in the code"
[ "$(of spa-eng-lm model.layers)" = 4 ] && [ "$(of spa-eng-lm training.optimizer.kind)" = adamw ] && [ "$(of spa-eng-lm training.label_smoothing)" != 0 ] || fail 'how spa-eng-lm is trained'
says "four blocks, $(of spa-eng-lm source_tokenizer.size | with_commas) subwords, AdamW with a rate that falls to zero"
[ "$(of spa-eng-lm training.schedule.final_rate)" = 0 ] || fail 'the last rate of spa-eng-lm'

# Images.
images=60000
for recipe in mnist-vit-source mnist-vit mnist-convolution mnist-mixer; do
  held_out=$(of $recipe data.validation_fraction | awk -v images=$images '{ print images * $1 }')
  says "training uses $(with_commas <<<$((images - held_out))) of the $(with_commas <<<$images) images.** $(with_commas <<<"$held_out") are held out"
done
differ_in mnist-mixer mnist-convolution 'model.kernel_size model.mixing model.mixing_width'
differ_in mnist-mixer mnist-vit 'model.attention_dropout model.class_token_position model.head_width model.heads model.mixing model.mixing_width model.pooling model.positions'
differ_in cifar100-vit-decay cifar100-vit 'training.optimizer.kind training.optimizer.weight_decay training.optimizer.weight_decay_of'

# The reference of keys names programs and options that exist; why a recipe does not fit a layout, keys with their values.
"$bin/inspect" --keys | grep -oE '[a-z-]+ --[a-z-]+' | sort -u >"$tmp"
grep -q '^vectorize --csv$' "$tmp" || fail 'no option in inspect --keys'
while read -r program option; do
  "$bin/$program" --help | grep -- "$option\b" >/dev/null || fail "inspect --keys names $program $option"
done <"$tmp"
"$bin/inspect" recipes/cifar100-vit.yaml | grep '^Export: does not fit vit: ' | grep -oE '[a-z_]+ (\[[^]]*\]|[^ ]+) \(only' >"$tmp"
while read -r key value; do
  [ "$(of cifar100-vit "model.$key")" = "${value% (only}" ] || fail "inspect names the key $key"
done <"$tmp"
echo 'sources: what the page says of the recipes is what they hold'
