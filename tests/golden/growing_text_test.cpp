// Text that grows token by token is the text of all tokens decoded at once, with every kind of tokenizer.
#include "decoding/growing_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "reference_folder.hpp"

using namespace headwater;

namespace {

// After the first `before` tokens, as it stood when it was last asked.
std::string grown(const Tokenizer& tokenizer, std::span<const std::int32_t> ids, std::size_t before) {
  GrowingText text(tokenizer, ids.first(before));
  std::size_t shown = 0;
  for (const std::int32_t id : ids.subspan(before)) {
    text.add(id);
    CHECK(text.text().size() >= shown);
    shown = text.text().size();
  }
  text.finish();
  CHECK(text.begins().size() == ids.size() - before);
  CHECK(std::is_sorted(text.begins().begin(), text.begins().end()));
  return text.text();
}

void check_growth(const std::string& name) {
  CAPTURE(name);
  const fs::path folder = reference_path("tokenizers");
  const Tokenizer tokenizer = Tokenizer::load(folder / (name + ".tokenizer.json"));
  const fs::path path = folder / (name + ".expected.json");
  const Json expected = Json::parse(read_file(path), path.string());
  std::size_t checked = 0;
  for (const Json& line : expected.as_array()) {
    const std::string& of_line = line.at("text").as_string();
    CAPTURE(of_line);
    const std::vector<std::int32_t> ids = tokenizer.encode(of_line);
    const std::string whole = tokenizer.decode(ids);
    for (const std::size_t before : {std::size_t{0}, ids.size() / 3, ids.size() - ids.size() / 4}) {
      const std::string prompt = tokenizer.decode(std::span(ids).first(before));
      // A prompt ends with a whole character.
      if (!whole.starts_with(prompt) || prompt.ends_with("\uFFFD")) continue;
      CHECK(prompt + grown(tokenizer, ids, before) == whole);
      ++checked;
    }
  }
  CHECK(checked > expected.as_array().size());  // most of three times each line
}

}  // namespace

TEST_CASE("text grows as it is decoded at once: WordLevel") { check_growth("wordlevel"); }
TEST_CASE("text grows as it is decoded at once: byte-level BPE") { check_growth("bpe-bytelevel"); }
TEST_CASE("text grows as it is decoded at once: BPE with U+2581") { check_growth("bpe-metaspace"); }
TEST_CASE("text grows as it is decoded at once: BPE with </w>") { check_growth("bpe-suffix"); }
TEST_CASE("text grows as it is decoded at once: WordPiece") { check_growth("wordpiece"); }
TEST_CASE("text grows as it is decoded at once: Unigram") { check_growth("unigram"); }

TEST_CASE(
    "a character of several tokens is shown when it is complete, and what stays incomplete at the end") {
  const Tokenizer tokenizer =
      Tokenizer::load(reference_path("tokenizers") / fs::path("bpe-bytelevel.tokenizer.json"));
  const std::vector<std::int32_t> ids = tokenizer.encode("a \U0001F600!");
  GrowingText text(tokenizer, {});
  std::vector<std::string> seen;
  for (const std::int32_t id : ids) {
    text.add(id);
    if (seen.empty() || seen.back() != text.text()) seen.push_back(text.text());
  }
  for (const std::string& now : seen) CHECK(now.find("\uFFFD") == std::string::npos);
  CHECK(seen.back() == tokenizer.decode(ids));
  REQUIRE(ids.size() > seen.size());  // some token was part of a character only
  GrowingText half(tokenizer, {});
  half.add(ids[0]);
  half.add(ids[1]);
  half.add(ids[2]);
  const std::string waiting = half.text();
  half.finish();
  CHECK(half.text().starts_with(waiting));
  CHECK(half.text() == tokenizer.decode(std::span(ids).first(3)));
}
