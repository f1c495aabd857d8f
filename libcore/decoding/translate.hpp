// Text to text with a translation model, and which source token each token was made from, by the attention of
// the decoder to the source.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/decoder.hpp"
#include "decoding/generation_settings.hpp"
#include "decoding/required_texts.hpp"
#include "decoding/sampling.hpp"
#include "families/translator/directory.hpp"
#include "families/translator/model.hpp"
#include "support/token_counts.hpp"

namespace headwater {

// Throws UsageError, naming the option, where the model has no such layer or head.
void check_alignment(const EncoderDecoder& model, const AlignmentSettings& settings,
                     std::string_view layer_option = "--alignment-layer",
                     std::string_view head_option = "--alignment-head");

struct AlignedPair {
  std::span<const std::int32_t> source, target;  // the target begins with the start token; neither is empty
  // The source tokens that are looked for, from begin to end - 1; of none all are.
  Index begin = 0, end = 0;
};

// For each of the settings, each pair and each token of the target but the start token: the source token with
// the greatest weight when the decoder chose it, the first of equals; none where a weight is no number. Each
// pair is read whole, for itself.
std::vector<std::vector<std::vector<Index>>> align(const EncoderDecoder& model, Arena& arena,
                                                   std::span<const AlignedPair> pairs,
                                                   std::span<const AlignmentSettings> settings);

// What may be generated with this model.
GenerationSettings generation_settings(const LoadedTranslator& model, const GenerationSettings& asked);

struct Translation {
  std::string text;
  Hypothesis hypothesis;              // its ids begin with the prefix, of which there are no scores
  std::vector<Index> source_of = {};  // alignment: the source token of each id, of those of the text
  bool is_truncated = false;          // not every token of the source was read
};
using Translations = std::vector<Translation>;  // of one line, the best first

// A further model of an ensemble, which check_same_vocabulary accepts.
struct EnsembleMember {
  const LoadedTranslator& model;
  ComputeType compute_type;
};

class Translator {
 public:
  // The files of `model` say how the ensemble searches. Alignments are of one model alone.
  Translator(const LoadedTranslator& model, const GenerationSettings& settings,
             std::span<const EnsembleMember> others = {});

  // The translations of each line, in order: n_best, or fewer where the search finds fewer. A line without a
  // token has one, which is empty; tokens beyond the model's positions are cut off. Any
  // grouping of lines into calls gives the same text. Throws LineError where the model's output is not
  // finite. `prefixes`, where given, are what the translation of each line begins with. `required`, where
  // given, is what each must contain: where it does not by itself, it is searched for with kRequiredBeams
  // beams or more, and the translation with the fewest faults is taken. Other lines stay as they are.
  static constexpr std::int64_t kRequiredBeams = 8;
  std::vector<Translations> translations(const std::vector<std::string>& lines,
                                         std::span<const std::string> prefixes = {},
                                         std::span<const RequiredTexts> required = {});
  // The texts of the best ones.
  std::vector<std::string> translate(const std::vector<std::string>& lines);
  // The same of ids, each at most the model's positions.
  std::vector<std::string> translate_ids(std::span<const std::vector<std::int32_t>> sources);
  // The same, as ids without start and end token; none for an empty source.
  std::vector<std::vector<std::int32_t>> target_ids(std::span<const std::vector<std::int32_t>> sources);

  const TokenCounts& source_tokens() const {
    return source_tokens_;
  }  // of the lines, without what was cut off

 private:
  struct Sources {
    std::vector<std::vector<std::int32_t>> ids;  // of each line
    std::vector<TokenRange> texts;               // those of its text
    std::vector<bool> are_truncated;
  };
  Sources encode(const std::vector<std::string>& lines);
  // The first word of a prefix that is not in the vocabulary; empty: it has them all.
  std::string word_not_written(const std::string& prefix) const;
  std::vector<Translations> translations_of(const std::vector<std::string>& lines,
                                            std::span<const std::string> prefixes,
                                            std::span<const RequiredTexts> required);
  std::vector<Translations> translations_with(const std::vector<std::string>& lines,
                                              std::span<const std::string> prefixes,
                                              std::span<const RequiredTexts> required);
  std::vector<Hypotheses> hypotheses(std::span<const std::vector<std::int32_t>> sources,
                                     std::span<const std::vector<std::int32_t>> prefixes = {});
  struct LinePrompts {
    Prompts prompts;
    std::vector<std::size_t> line_of;  // of each prompt
    LinePrompts() { prompts.clear(); }
  };
  void add_prompt(LinePrompts& prompts, std::size_t line, std::span<const std::int32_t> source,
                  std::span<const std::int32_t> prefix) const;
  template <class F>
  std::vector<Hypotheses> decode(LinePrompts& prompts, const F& decode);
  void require(const std::vector<std::string>& lines, const Sources& sources,
               std::span<const std::vector<std::int32_t>> begun, std::span<const RequiredTexts> required,
               std::vector<Translations>& results);
  void add_alignments(const Sources& sources, std::vector<Translations>& to);
  std::string text_of(const Hypothesis& hypothesis) const;

  const LoadedTranslator& model_;
  GenerationSettings generation_;
  std::optional<Sampler> sampler_;
  Decoder decoder_;
  std::optional<Arena> arena_;  // for alignments, where some are wanted: each takes half of a limit on memory
  std::uint64_t sources_ = 0;   // given so far: each draws its own random numbers
  TokenCounts source_tokens_;
};

}  // namespace headwater
