#include "cli/message_text.hpp"

#include <doctest/doctest.h>

namespace headwater::cli {

TEST_CASE("what a library says becomes one line in the form of our own") {
  CHECK(on_one_line("Bad value.\nTry again. ") == "Bad value. Try again");
  CHECK(lower_first("Bad value") == "bad value");
  CHECK(lower_first("UTF-8 is wanted") == "UTF-8 is wanted");
}

TEST_CASE("standard input has its name in messages, and - its meaning elsewhere") {
  CHECK(with_named_input("-:2:5: no label") == "standard input:2:5: no label");
  CHECK(with_named_input("-: no lines") == "standard input: no lines");
  CHECK(with_named_input("- looks like CSV") == "standard input looks like CSV");
  CHECK(with_named_input("guesses:2 and -:2: x") == "guesses:2 and standard input:2: x");
  for (const char* same :
       {"--recipe -: standard input holds the text", "a-:2", "-o: needs a value", "-1", ""})
    CHECK(with_named_input(same) == same);
}

TEST_CASE("options are named as those who run a recipe type them") {
  const auto check = [](std::string_view text, std::string_view make, std::string_view headwater) {
    CHECK(for_recipe(text, RecipeCaller::make) == make);
    CHECK(for_recipe(text, RecipeCaller::headwater) == headwater);
  };
  check("choose another --output, or start anew with --overwrite",
        "choose another MODELS=FOLDER, or start anew with OVERWRITE=1",
        "choose another --models, or start anew with --overwrite");
  const auto check_both = [&](std::string_view text, std::string_view of_recipe) {
    check(text, of_recipe, of_recipe);
  };
  check_both("draw it anew with --drop 'head.*')", "draw it anew with training.drop: ['head.*'])");
  check_both("draw them anew with --drop)", "draw them anew with training.drop)");
  check_both("go on with --epochs 4; with --init-from a to begin",
             "go on with training.epochs: 4; with training.init_from: a to begin");
  check_both("(is column 2, which --column names, the label?)",
             "(is column 2, which data.columns names, the label?)");
  check_both("(lower it, or raise --max-new-tokens)", "(lower it, or raise decoding.max_new_tokens)");
  check_both("read a column of it: --csv --column NAME", "read a column of it: data.csv_columns: [NAME]");
  check_both("bad bytes (convert it, or try --replace-invalid)", "bad bytes (convert it)");
  for (const char* same : {"a--output", "--output-format", "--columnist", "-o", "--length 3", "a/--output",
                           "label \"a --column 2\"", ""})
    check_both(same, same);
}

}  // namespace headwater::cli
