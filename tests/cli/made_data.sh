# shellcheck shell=bash disable=SC2154 # $bin and $tmp are those of the test
# Small sets that are made up, for recipes at SCALE=quick. Sourced in the repository's root by tests that have $bin, the folder of the tools,
# and $tmp.

# What a recipe says of its data: set, train, validation, test, columns, test_orders; several words without commas.
value_of() { "$bin/train" --recipe "recipes/$1.yaml" --scale quick --print-recipe | sed -n "s/^  $2: //p" | tr -d '"[],'; } # RECIPE KEY
task_of() { # RECIPE
  if [ "$(value_of "$1" summaries)" = true ]; then echo summary; return; fi
  case $("$bin/train" --recipe "recipes/$1.yaml" --scale quick --print-recipe | sed -n '/^model:$/,/^  kind: /s/^  kind: //p') in
    encoder_decoder) echo translation ;;
    classifier | bag_of_words | linear) echo classification ;;
    language_model) echo language_modeling ;;
    masked_lm) echo masked_language_modeling ;;
    vision) echo image_classification ;;
  esac
}
model_number_of() { "$bin/train" --recipe "recipes/$1.yaml" --scale quick --print-recipe | sed -n "s/^  $2: \([0-9]*\).*/\1/p"; } # RECIPE KEY

# Reviews whose label follows from two of their words, and their texts alone, of one sentence or of several; pairs that a word-by-word translation gets
# right.
make_lines() { # reviews|texts|documents|pairs LINES SEED
  awk -v kind="$1" -v lines="$2" -v state="$3" '
    function below(n) { state = state * 16807 % 2147483647; return state % n }
    BEGIN {
      filler = split("the film was a story about people who walk in long rain and talk of their town", word, " ")
      split("good great fine lovely clever", praise, " ")
      split("bad dull poor awful weak", blame, " ")
      split("der film war ein maerchen ueber leute die gehen in langem regen und reden von ihrer stadt", other, " ")
      for (line = 1; line <= lines; ++line) {
        positive = below(2)
        text = translation = ""
        for (i = 6 + below(10); i > 0; --i) { w = below(filler) + 1; text = text word[w] " "; translation = translation other[w] " " }
        if (kind == "pairs") { sub(/ $/, "", text); sub(/ $/, "", translation); print text "\t" translation }
        else if (kind == "texts") print "this movie is " text praise[below(5) + 1]
        else if (kind == "documents") print "This movie is " praise[below(5) + 1] ". The film was " text ". It is " blame[below(5) + 1] "!"
        else print text (positive ? praise[below(5) + 1] : blame[below(5) + 1]) " " text (positive ? praise[below(5) + 1] : blame[below(5) + 1]) "\t" (positive ? "pos" : "neg")
      }
    }'
}
# Images of the size that the recipe's model reads, whose label is how bright they are, as vectorize --images writes them.
make_images() { # RECIPE COUNT FILE
  local part
  for part in images labels; do
    awk -v part=$part -v count="$2" -v classes="$(model_number_of "$1" classes)" -v height="$(model_number_of "$1" image_height)" \
      -v width="$(model_number_of "$1" image_width)" -v channels="$(model_number_of "$1" channels)" '
      function in_four_bytes(n) { printf "%c%c%c%c", int(n / 16777216), int(n / 65536) % 256, int(n / 256) % 256, n % 256 }
      BEGIN {
        in_four_bytes(2048 + (part == "images" ? 4 : 1))
        in_four_bytes(count)
        if (part == "images") { in_four_bytes(height); in_four_bytes(width); in_four_bytes(channels) }
        for (i = 0; i < count; ++i) {
          if (part == "labels") printf "%c", i % classes
          else for (k = 0; k < height * width * channels; ++k) printf "%c", 32 + int(200 / classes * (i % classes)) + k % 7
        }
      }' >"$tmp/$part.idx"
  done
  "$bin/vectorize" -q --images "$tmp/images.idx" --image-labels "$tmp/labels.idx" -o "$3"
}
# The files that a recipe reads, where they are not there yet.
make_data() { # RECIPE FOLDER LINES-OF-TRAIN LINES-OF-VALIDATION LINES-OF-TEST
  local part file kind=pairs number=0 task folder=$2
  task=$(task_of "$1")
  case $task in
    classification) kind=reviews ;;
    masked_language_modeling) kind=documents ;;
    language_modeling) [ "$(value_of "$1" columns)" != source ] || kind=texts ;;
  esac
  local lines=("$3" "$4" "$5")
  for part in train validation test; do
    file=$(value_of "$1" $part)
    number=$((number + 1))
    if [ -z "$file" ] || [ -e "$folder/$file" ]; then continue; fi
    mkdir -p "$folder/$(dirname "$file")"
    if [ "$task" = image_classification ]; then
      make_images "$1" 300 "$folder/$file"
    else
      make_lines $kind "${lines[number - 1]}" $number >"$folder/$file"
    fi
  done
}
