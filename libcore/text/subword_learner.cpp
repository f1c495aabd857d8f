#include "text/subword_learner.hpp"

#include "support/error.hpp"
#include "support/json.hpp"
#include "support/utf8.hpp"
#include "text/bpe_learner.hpp"
#include "text/byte_level.hpp"
#include "text/subword_text_encoder.hpp"
#include "text/subword_text_encoder_learner.hpp"
#include "text/tokenizer_json.hpp"
#include "text/unicode.hpp"

namespace headwater {
namespace {

constexpr std::string_view kMetaspace = "\u2581";

// Calls use(line) for each line, standardised.
template <class Use>
void for_each_standardized_line(std::string_view lines, const StandardizeSettings& settings, const Use& use) {
  const bool is_changed = settings.standardize != Standardization::none;
  for_each_line(lines, [&](std::string_view line) {
    is_changed ? use(std::string_view(standardize(line, settings))) : use(line);
  });
}

// Words with the U+2581 that stands for the space before them: those of the pre-tokenizer Metaspace.
template <class Use>
void for_each_metaspace_word(std::string_view line, std::string& scratch, const Use& use) {
  if (line.empty()) return;
  scratch.clear();
  if (line.front() != ' ' && !line.starts_with(kMetaspace)) scratch += kMetaspace;
  for (const char c : line) {
    if (c == ' ') {
      scratch += kMetaspace;
    } else {
      scratch.push_back(c);
    }
  }
  std::string_view rest = scratch;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(kMetaspace, kMetaspace.size()), rest.size());
    use(rest.substr(0, end));
    rest.remove_prefix(end);
  }
}

// Those of the pre-tokenizer WhitespaceSplit: white space is Unicode's.
template <class Use>
void for_each_unicode_word(std::string_view line, const Use& use) {
  std::size_t begin = 0, at = 0;
  while (at < line.size()) {
    const std::size_t before = at;
    if (!is_white_space(next_code_point(line, at))) continue;
    if (before > begin) use(line.substr(begin, before - begin));
    begin = at;
  }
  if (line.size() > begin) use(line.substr(begin));
}

PieceCounter::Count counting(const SubwordTokenizerSettings& settings) {
  if (settings.kind == SubwordKind::subword_text_encoder) {
    return [standardized = settings.standardize](std::string_view lines, WordTable& counts) {
      for_each_standardized_line(lines, standardized,
                                 [&](std::string_view line) { count_subword_words(line, counts); });
    };
  }
  if (settings.kind == SubwordKind::byte_bpe) {
    return [standardized = settings.standardize](std::string_view lines, WordTable& counts) {
      for_each_standardized_line(lines, standardized, [&](std::string_view line) {
        for_each_byte_level_piece(line, [&](std::string_view piece) { ++counts.value(piece); });
      });
    };
  }
  if (!settings.end_of_word_suffix.empty()) {
    return [standardized = settings.standardize](std::string_view lines, WordTable& counts) {
      for_each_standardized_line(lines, standardized, [&](std::string_view line) {
        for_each_unicode_word(line, [&](std::string_view word) { ++counts.value(word); });
      });
    };
  }
  return [standardized = settings.standardize](std::string_view lines, WordTable& counts) {
    std::string scratch;
    for_each_standardized_line(lines, standardized, [&](std::string_view line) {
      for_each_metaspace_word(line, scratch, [&](std::string_view word) { ++counts.value(word); });
    });
  };
}

struct Parts {
  Json pre_tokenizer, decoder;
};

Parts parts_of(const SubwordTokenizerSettings& settings) {
  if (settings.kind == SubwordKind::byte_bpe) {
    const Json byte_level = Json::Object{
        {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
    return {byte_level, byte_level};
  }
  if (!settings.end_of_word_suffix.empty()) {
    return {Json::Object{{"type", "WhitespaceSplit"}},
            Json::Object{{"type", "BPEDecoder"}, {"suffix", settings.end_of_word_suffix}}};
  }
  const Json metaspace = Json::Object{
      {"type", "Metaspace"}, {"replacement", kMetaspace}, {"prepend_scheme", "always"}, {"split", true}};
  return {metaspace, metaspace};
}

Json bpe_model_json(const SubwordTokenizerSettings& settings, const BpeVocabulary& vocabulary) {
  Json::Array merges;
  for (const auto& [left, right] : vocabulary.merges)
    merges.push_back(Json::Array{vocabulary.surfaces[static_cast<std::size_t>(left)],
                                 vocabulary.surfaces[static_cast<std::size_t>(right)]});
  const bool has_suffix = !settings.end_of_word_suffix.empty();
  const bool is_byte_level = settings.kind == SubwordKind::byte_bpe;
  return Json::Object{{"type", "BPE"},
                      {"dropout", nullptr},
                      {"unk_token", is_byte_level ? Json() : Json(kUnknownToken)},
                      {"continuing_subword_prefix", nullptr},
                      {"end_of_word_suffix", has_suffix ? Json(settings.end_of_word_suffix) : Json()},
                      {"fuse_unk", false},
                      {"byte_fallback", false},
                      {"ignore_merges", false},
                      {"vocab", vocab_json(vocabulary.surfaces)},
                      {"merges", std::move(merges)}};
}

std::string learn_subwords(const SubwordTokenizerSettings& settings, const WordTable& counts) {
  if (settings.kind == SubwordKind::subword_text_encoder) {
    return subword_text_encoder_json(learn_subword_text_encoder(counts, settings.size),
                                     normalizer_json(settings.standardize, SplitKind::word));
  }
  const bool is_byte_level = settings.kind == SubwordKind::byte_bpe;
  const std::vector<std::string> special = special_tokens(!is_byte_level, settings.has_start_end);
  BpeLearnerSettings bpe;
  bpe.size = settings.size;
  bpe.min_frequency = static_cast<std::uint64_t>(settings.min_frequency);
  bpe.special_tokens = special;
  bpe.end_of_word_suffix = settings.end_of_word_suffix;
  bpe.is_byte_level = is_byte_level;
  const BpeVocabulary vocabulary = learn_bpe(counts, bpe);
  Parts parts = parts_of(settings);
  return tokenizer_json({.special_tokens = numbered(special),
                         .normalizer = normalizer_json(settings.standardize, SplitKind::word),
                         .pre_tokenizer = std::move(parts.pre_tokenizer),
                         .decoder = std::move(parts.decoder),
                         .model = bpe_model_json(settings, vocabulary)});
}

}  // namespace

TokenizerLearner subword_learner(const SubwordTokenizerSettings& settings) {
  const bool has_unknown = settings.kind != SubwordKind::byte_bpe;
  check_vocabulary_size(settings.size, special_tokens(has_unknown, settings.has_start_end).size());
  return {counting(settings), [settings](WordTable& counts, TokenizerLearner::Summary&) {
            return learn_subwords(settings, counts);
          }};
}

}  // namespace headwater
