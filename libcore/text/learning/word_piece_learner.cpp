#include "text/learning/word_piece_learner.hpp"

#include "text/learning/bpe_learner.hpp"

namespace headwater {

std::vector<std::string> learn_word_piece(const PieceCounts& counts,
                                          const WordPieceLearnerSettings& settings) {
  return learn_bpe(counts, {.size = settings.size,
                            .min_frequency = settings.min_frequency,
                            .special_tokens = settings.special_tokens,
                            .continuing_subword_prefix = settings.prefix})
      .surfaces;
}

}  // namespace headwater
