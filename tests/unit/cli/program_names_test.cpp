// The names of programs in messages and examples, where they are installed under others.
#include "cli/program_names.hpp"

#include <doctest/doctest.h>

using namespace headwater::cli;

TEST_CASE("the prefix of a program is what stands before its name") {
  CHECK(program_prefix("/usr/bin/hw-train", "train") == "hw-");
  CHECK(program_prefix("train", "train") == "");
  CHECK(program_prefix("./my.train", "train") == "my.");
  CHECK(program_prefix("/opt/train/other", "train") == "");
  CHECK(program_prefix("", "train") == "");
}

TEST_CASE("programs that a message names get the prefix, verbs and what is quoted do not") {
  const auto said = [](std::string_view text) { return with_program_prefix(text, "hw-"); };
  for (const auto& [text, wanted] : {
           std::pair{"m: holds a translator (use translate)", "m: holds a translator (use hw-translate)"},
           {"m: holds a classifier (use classify, embed or attn-dump)",
            "m: holds a classifier (use hw-classify, hw-embed or hw-attn-dump)"},
           {"not a model directory (train writes one: train --recipe RECIPE -o m)",
            "not a model directory (hw-train writes one: hw-train --recipe RECIPE -o m)"},
           {"learn it with tokenize --learn ... --start-end",
            "learn it with hw-tokenize --learn ... --start-end"},
           {"is measured of a model (evaluate MODEL DATA)",
            "is measured of a model (hw-evaluate MODEL DATA)"},
           {"; inspect m/model.safetensors shows the tensors",
            "; hw-inspect m/model.safetensors shows the tensors"},
           {"finished; next: translate tuned", "finished; next: hw-translate tuned"},
           {"unknown option (see train --help)", "unknown option (see hw-train --help)"},
           {"as classify does, as train reads them", "as hw-classify does, as hw-train reads them"},
           {"token lines from tokenize; - or none", "token lines from hw-tokenize; - or none"},
           {"model directory of train, or one", "model directory of hw-train, or one"},
           {"an option of convert, not of hw-inspect; use convert m --output hf",
            "an option of hw-convert, not of hw-inspect; use hw-convert m --output hf"},
           {"attn-dump draws it", "hw-attn-dump draws it"},
           {"no such recipe (headwater recipes lists them)",
            "no such recipe (hw-headwater recipes lists them)"},
           {"x | translate m", "x | hw-translate m"},
       }) {
    CHECK(said(text) == wanted);
    CHECK(with_program_prefix(text, "") == text);
  }
  for (const char* const text :
       {"which GPT-2's layout cannot say (only pre; train with that)", "move it away, or train into another",
        "check everything, train nothing", "data.train: names no examples (write train: FILE)",
        "--tokenize: unknown", "no such file \"tokenize\"", "models/train/x: no such file",
        "train.tsv and train-images.idx", "a NUL byte (convert it to UTF-8)",
        "is not supported (convert it to F32)", "every parameter is frozen (leave some to train)",
        "nothing to inspect (name a model directory)", "source_tokenizer.size", "translate: m: cannot open"})
    CHECK(said(text) == text);
}

TEST_CASE("commands get the prefix where they stand as such") {
  CHECK(commands_with_program_prefix(
            "  cut -f1 train.tsv | tokenize -t en.json | train -o train\n  translate m", "hw-") ==
        "  cut -f1 train.tsv | hw-tokenize -t en.json | hw-train -o train\n  hw-translate m");
  CHECK(commands_with_program_prefix("inspect --data evaluate generate", "x.") ==
        "x.inspect --data evaluate generate");
}
