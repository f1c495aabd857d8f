#include "tools/search/tokens.hpp"

#include <algorithm>

namespace headwater::search {

Json scored_tokens(const Hypothesis& hypothesis, const Tokenizer& tokenizer) {
  Json::Array tokens;
  const std::vector<double>& scores = hypothesis.token_log_probabilities;
  const std::size_t scored = scores.size() - (hypothesis.is_ended && !scores.empty() ? 1 : 0);
  const std::size_t before = hypothesis.ids.size() - std::min(hypothesis.ids.size(), scored);  // of a prefix
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::int32_t id =
        before + i < hypothesis.ids.size() ? hypothesis.ids[before + i] : hypothesis.end_id;
    tokens.push_back(Json()
                         .set("token", tokenizer.surface(id))
                         .set("text", tokenizer.token_text(tokenizer.surface(id)))
                         .set("id", std::int64_t{id})
                         .set("log_probability", scores[i]));
  }
  return tokens;
}

}  // namespace headwater::search
