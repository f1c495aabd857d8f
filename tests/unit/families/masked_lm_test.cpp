// How a recipe's section masking comes to what is hidden.
#include "families/masked_lm/directory.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "families/registry.hpp"
#include "text/learning/tokenizer_learner.hpp"

using namespace headwater;

namespace {

Tokenizer small_tokenizer() {
  TokenizerLearner learner({.split = SplitKind::word, .size = 40, .text_template = TextTemplate::bert});
  learner.add("the quick brown fox jumps over the lazy dog again and again until it is late\n");
  return learner.finish();
}

// Whether `count` of n with probability p is within three standard errors.
void check_share(double count, double n, double p, const std::string& what) {
  INFO(what, ": ", count, " of ", n, ", wanted ", p);
  CHECK(std::abs(count - n * p) <= 3 * std::sqrt(n * p * (1 - p)));
}

}  // namespace

TEST_CASE("masking draws as the recipe says: shares, and the words of spans") {
  const Recipe recipe = parse_recipe(
      "data: {columns: [source]}\nmodel: {kind: masked_lm}\n"
      "masking: {share: 0.3, unit: span, mask_share: 0.5, random_share: 0.4, span_probability: 0.5, "
      "longest_span: 3}\n",
      "r.yaml");
  const Tokenizer tokenizer = small_tokenizer();
  const std::int32_t mask_id = mask_id_of(tokenizer, "here");
  const Masking masking = masking_of(recipe.masking, tokenizer, mask_id);
  // One, two and three words with 4/7, 2/7 and 1/7.
  const std::pair<double, std::int64_t> words[] = {{0, 1},    {0.57, 1}, {0.58, 2},
                                                   {0.85, 2}, {0.86, 3}, {0.999, 3}};
  for (const auto& [uniform, expected] : words) CHECK(masking.span_words(uniform) == expected);

  std::vector<std::int32_t> ordinary, ids;
  for (std::int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    if (!tokenizer.is_special(id) && id != tokenizer.unknown_id()) ordinary.push_back(id);
  }
  for (std::size_t i = 0; i < 1000; ++i) ids.push_back(ordinary[i % ordinary.size()]);
  MaskedText made;
  double spans = 0, of_masks = 0, of_others = 0;
  for (std::uint32_t text = 0; text < 100; ++text) {
    masking.hide({.seed = 1, .purpose = Purpose::masking, .layer = text}, ids, made);
    for (std::size_t h = 0; h < made.places.size(); ++h) {
      CHECK(made.after[h] - made.before[h] - 1 <= 3);
      if (made.within[h] != 0) continue;
      const std::int32_t stands = made.ids[made.places[h]];
      ++spans;
      of_masks += stands == mask_id;
      of_others += stands != mask_id && stands != made.were[h];
    }
  }
  CHECK(spans > 10'000);
  check_share(of_masks, spans, 0.5, "spans of [MASK]");
  // A token that is drawn may be the same.
  check_share(of_others, spans, 0.4 * (1 - 1 / static_cast<double>(ordinary.size())),
              "spans of other tokens");
}
