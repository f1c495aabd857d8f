#include "families/learned_tokenizer.hpp"

#include "families/registry.hpp"
#include "text/learning/subword_learner.hpp"

namespace headwater {

std::int64_t size_to_learn(std::string_view kind, std::int64_t size) {
  return keeps_size(kind) ? size : (size - 2) * 100 / 101;
}

TokenizerToLearn tokenizer_to_learn(const Recipe& recipe, std::string_view side) {
  const Kind& kind = kind_of(recipe.model);
  TokenizerToLearn made{side == "target" ? recipe.target_tokenizer : recipe.source_tokenizer};
  made.size = size_to_learn(made.kind, made.size);
  made.special = kind.special_tokens(recipe.model);
  if (kind.uses_template(recipe.model)) made.text_template = "bert";
  made.has_start_end = side == "target" || recipe.shared_tokenizer || !made.special.empty() ||
                       kind.line_ends(recipe.model, side).start;
  return made;
}

TokenizerLearner learner_of(const TokenizerToLearn& s) {
  const StandardizeSettings standardize{.standardize = parse_standardization(s.standardize),
                                        .lower = parse_lowering(s.lower)};
  if (is_subword_kind(s.kind)) {
    return subword_learner({.kind = s.kind,
                            .size = s.size,
                            .min_frequency = s.min_frequency,
                            .character_coverage = s.character_coverage,
                            .end_of_word_suffix = s.end_of_word_suffix,
                            .standardize = standardize,
                            .has_start_end = s.has_start_end,
                            .more_special = s.special,
                            .text_template = parse_text_template(s.text_template)});
  }
  const SplitKind split = s.kind == "character" ? SplitKind::character
                          : s.split_punctuation ? SplitKind::word_and_punctuation
                                                : SplitKind::word;
  return TokenizerLearner(WordTokenizerSettings{.split = split,
                                                .size = s.size,
                                                .standardize = standardize,
                                                .has_start_end = s.has_start_end,
                                                .more_special = s.special,
                                                .text_template = parse_text_template(s.text_template)});
}

std::int64_t max_text_tokens(const Recipe& recipe, std::string_view side) {
  const Kind& kind = kind_of(recipe.model);
  const std::int64_t ids = kind.max_line_ids(recipe);
  const LineEnds ends = kind.line_ends(recipe.model, side);
  // Of a text with both, the model reads all but the last and predicts all but the first.
  return ids == 0 ? 0 : ids - (ends.start || ends.end ? 1 : 0);
}

}  // namespace headwater
