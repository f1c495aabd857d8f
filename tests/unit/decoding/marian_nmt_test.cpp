// Translations of a directory of Marian NMT against its equations in double.
#include <doctest/doctest.h>

#include <numeric>

#include "decoding/translate.hpp"
#include "naive_marian.hpp"
#include "scratch_directory.hpp"

using namespace headwater;
using namespace naive_marian;

namespace {

const std::vector<std::vector<std::int32_t>> kSources{{2, 0}, {5, 9, 19, 0}, {7, 7, 7, 12, 3, 0}, {18, 4, 0}};

// A letter for each token but the end.
std::vector<std::string> lines() {
  std::vector<std::string> all;
  for (const std::vector<std::int32_t>& source : kSources) {
    all.emplace_back();
    for (const std::int32_t id : source) {
      if (id > 0) all.back() += {' ', static_cast<char>('a' + id - 2)};
    }
  }
  return all;
}

LoadedTranslator loaded(Model& model, bool are_bytes, bool has_shortlist) {
  const ScratchDirectory scratch;
  write_file(scratch / "model.bin", marian_bytes::binary(model.items(are_bytes)));
  write_file(scratch / "vocab.spm", vocabulary());
  if (has_shortlist) write_file(scratch / "lex.bin", marian_bytes::shortlist(lists(), 3));
  write_file(scratch / "config.yml",
             kOptions + (has_shortlist ? "shortlist:\n  - lex.bin\n  - false\n" : ""));
  return load_translator(scratch.path());
}

// What the model may say: all but the unknown token.
std::vector<std::int32_t> allowed_for(const LoadedTranslator& translator,
                                      const std::vector<std::int32_t>& source) {
  std::vector<std::int32_t> tokens(kTokens);
  std::iota(tokens.begin(), tokens.end(), 0);
  if (translator.shortlist) tokens = translator.shortlist->tokens_for(source);
  std::erase(tokens, 1);
  return tokens;
}

}  // namespace

TEST_CASE("Marian NMT: greedy translations are those of the equations, with bytes, floats and shortlists") {
  for (const bool are_bytes : {false, true}) {
    for (const bool has_shortlist : {false, true}) {
      INFO("bytes ", are_bytes, ", shortlist ", has_shortlist);
      Model model;
      const LoadedTranslator files = loaded(model, are_bytes, has_shortlist);
      for (const bool wants_scores : {false, true}) {
        Translator translator(files, {.search = files.generation.decoding, .wants_scores = wants_scores});
        const std::vector<Translations> found = translator.translations(lines());
        for (std::size_t i = 0; i < kSources.size(); ++i) {
          const std::vector<std::int32_t> wanted =
              model.translate(kSources[i], allowed_for(files, kSources[i]), 2 * kSources[i].size());
          CHECK(found[i].front().hypothesis.ids == wanted);
        }
      }
    }
  }
}
