#include "support/run_messages.hpp"

#include <doctest/doctest.h>

#include "error_text.hpp"
#include "scratch_directory.hpp"
#include "support/drafts.hpp"

using namespace headwater;

TEST_CASE("messages of a run: what is written is read, each once") {
  const ScratchDirectory scratch;
  const fs::path file = scratch / "messages.json";
  RunMessages messages{.examples = "9 training pairs", .warnings = {"a \"b\"", "c"}};
  messages.add({.examples = "other", .warnings = {"c", "d"}, .failed = "step 1: the loss is nan"});
  write_file(file, messages.json());
  const RunMessages read = read_messages(file);
  CHECK(read.examples == "9 training pairs");
  CHECK(read.warnings == std::vector<std::string>{"a \"b\"", "c", "d"});
  CHECK(read.failed == "step 1: the loss is nan");
  CHECK(RunMessages().json() == "{\n  \"version\": 1,\n  \"warnings\": []\n}\n");
}

TEST_CASE("messages of a run: a damaged file is an error that names it") {
  const ScratchDirectory scratch;
  const fs::path file = scratch / "messages.json";
  for (const char* text : {"", "{\"version\": 1", "{\"version\": 1}", "{\"warnings\": [1]}", "[]"}) {
    CAPTURE(text);
    write_file(file, text);
    CHECK(error_text([&] { read_messages(file); }).starts_with(file.string() + ":"));
  }
}

TEST_CASE("messages of a run: no places of this machine") {
  CHECK(without_places("models/a: step 3: the loss is nan", "models/a") == "step 3: the loss is nan");
  CHECK(without_places("models/a/log.csv: cannot write: no space left on device (make room)", "models/a/") ==
        "log.csv: cannot write: no space left on device (make room)");
  CHECK(without_places("m/checkpoints/.tmp-8-4711/model.safetensors: cannot write: x", "m") ==
        "model.safetensors: cannot write: x");
  CHECK(without_places("m/checkpoints/.tmp-8-4711: cannot create", "m") == "a temporary file: cannot create");
  CHECK(without_places("m/checkpoints/" + draft_name("8/log.csv") + ": cannot write: x", "m") ==
        "log.csv: cannot write: x");
  CHECK(without_places("/home/me/a b.tsv:3: 2 columns (see \"/x/y/\")", "") ==
        "a b.tsv:3: 2 columns (see \"y\")");
  CHECK(without_places("5 tokens/s, and/or 3 / 4 of data/b/a.tsv:7 (m/x)", "") ==
        "5 tokens/s, and/or 3 / 4 of a.tsv:7 (m/x)");
}
