#include "text/learning/subword_learner.hpp"

#include "support/error.hpp"
#include "support/json.hpp"
#include "support/utf8.hpp"
#include "text/learning/bpe_learner.hpp"
#include "text/learning/subword_text_encoder_learner.hpp"
#include "text/learning/unigram_learner.hpp"
#include "text/learning/word_piece_learner.hpp"
#include "text/models/subword_text_encoder.hpp"
#include "text/tokenizer/normalizer.hpp"
#include "text/tokenizer/pre_tokenizer.hpp"
#include "text/tokenizer/tokenizer_json.hpp"
#include "text/unicode/byte_level.hpp"
#include "text/unicode/unicode.hpp"

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

// How BERT's library normalizes texts; lower-casing leaves accents alone.
Json bert_normalizer_json(const StandardizeSettings& settings) {
  return Json::Object{{"type", "BertNormalizer"},
                      {"clean_text", true},
                      {"handle_chinese_chars", true},
                      {"strip_accents", false},
                      {"lowercase", settings.lowers()}};
}

Json bert_pre_tokenizer_json() { return Json::Object{{"type", "BertPreTokenizer"}}; }

PieceCounter::Count counting_as_bert(const StandardizeSettings& settings) {
  const std::string where = "wordpiece";
  return [normalizer = Normalizer(bert_normalizer_json(settings), where),
          pre_tokenizer = PreTokenizer(bert_pre_tokenizer_json(), where)](std::string_view lines,
                                                                          WordTable& counts) {
    for_each_line(lines, [&](std::string_view line) {
      pre_tokenizer.for_each_piece(normalizer.apply(line), true,
                                   [&](std::string_view word) { ++counts.value(word); });
    });
  };
}

PieceCounter::Count counting(const SubwordTokenizerSettings& settings) {
  if (settings.kind == SubwordKind::subword_text_encoder) {
    return [standardized = settings.standardize](std::string_view lines, WordTable& counts) {
      for_each_standardized_line(lines, standardized,
                                 [&](std::string_view line) { count_subword_words(line, counts); });
    };
  }
  if (settings.kind == SubwordKind::wordpiece) return counting_as_bert(settings.standardize);
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
  Json normalizer, pre_tokenizer, decoder;
};

Parts parts_of(const SubwordTokenizerSettings& settings) {
  if (settings.kind == SubwordKind::wordpiece) {
    return {bert_normalizer_json(settings.standardize), bert_pre_tokenizer_json(),
            Json::Object{{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}};
  }
  Json normalizer = normalizer_json(settings.standardize, SplitKind::word);
  if (settings.kind == SubwordKind::byte_bpe) {
    const Json byte_level = Json::Object{
        {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
    return {std::move(normalizer), byte_level, byte_level};
  }
  if (!settings.end_of_word_suffix.empty()) {
    return {std::move(normalizer), Json::Object{{"type", "WhitespaceSplit"}},
            Json::Object{{"type", "BPEDecoder"}, {"suffix", settings.end_of_word_suffix}}};
  }
  const Json metaspace = Json::Object{
      {"type", "Metaspace"}, {"replacement", kMetaspace}, {"prepend_scheme", "always"}, {"split", true}};
  return {std::move(normalizer), metaspace, metaspace};
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

Json learn_bpe_json(const SubwordTokenizerSettings& settings, const WordTable& counts,
                    const std::vector<std::string>& special) {
  BpeLearnerSettings bpe;
  bpe.size = settings.size;
  bpe.min_frequency = static_cast<std::uint64_t>(settings.min_frequency);
  bpe.special_tokens = special;
  bpe.end_of_word_suffix = settings.end_of_word_suffix;
  bpe.is_byte_level = settings.kind == SubwordKind::byte_bpe;
  return bpe_model_json(settings, learn_bpe(counts, bpe));
}

Json learn_wordpiece_json(const SubwordTokenizerSettings& settings, const WordTable& counts,
                          const std::vector<std::string>& special) {
  WordPieceLearnerSettings wordpiece;
  wordpiece.size = settings.size;
  wordpiece.min_frequency = static_cast<std::uint64_t>(settings.min_frequency);
  wordpiece.special_tokens = special;
  return Json::Object{{"type", "WordPiece"},
                      {"unk_token", kUnknownToken},
                      {"continuing_subword_prefix", wordpiece.prefix},
                      {"max_input_chars_per_word", 100},
                      {"vocab", vocab_json(learn_word_piece(counts, wordpiece))}};
}

Json learn_unigram_json(const SubwordTokenizerSettings& settings, const WordTable& counts,
                        const std::vector<std::string>& special) {
  UnigramLearnerSettings unigram;
  unigram.size = settings.size;
  unigram.special_tokens = special;
  unigram.character_coverage = settings.character_coverage;
  Json::Array vocab;
  for (const UnigramPiece& piece : learn_unigram(counts, unigram))
    vocab.push_back(Json::Array{piece.surface, piece.score});
  return Json::Object{
      {"type", "Unigram"}, {"unk_id", 1}, {"vocab", std::move(vocab)}, {"byte_fallback", false}};
}

std::string learn_subwords(const SubwordTokenizerSettings& settings, const WordTable& counts) {
  if (settings.kind == SubwordKind::subword_text_encoder) {
    return subword_text_encoder_json(learn_subword_text_encoder(counts, settings.size),
                                     normalizer_json(settings.standardize, SplitKind::word));
  }
  const bool has_unknown = settings.kind != SubwordKind::byte_bpe;
  const std::vector<std::string> special =
      special_tokens(has_unknown, settings.has_start_end, settings.text_template, settings.more_special);
  Parts parts = parts_of(settings);
  const auto learn = settings.kind == SubwordKind::wordpiece ? learn_wordpiece_json
                     : settings.kind == SubwordKind::unigram ? learn_unigram_json
                                                             : learn_bpe_json;
  return tokenizer_json({.special_tokens = numbered(special),
                         .text_template = settings.text_template,
                         .normalizer = std::move(parts.normalizer),
                         .pre_tokenizer = std::move(parts.pre_tokenizer),
                         .decoder = std::move(parts.decoder),
                         .model = learn(settings, counts, special)});
}

}  // namespace

TokenizerLearner subword_learner(const SubwordTokenizerSettings& settings) {
  const bool has_unknown = settings.kind != SubwordKind::byte_bpe;
  if (settings.kind == SubwordKind::wordpiece && settings.standardize.strips())
    throw UsageError("standardize: " + std::string(name_of(settings.standardize.standardize)) +
                     " strips marks, which wordpiece keeps (write none or lower)");
  check_vocabulary_size(settings.size, special_tokens(has_unknown, settings.has_start_end,
                                                      settings.text_template, settings.more_special)
                                           .size());
  return {counting(settings), [settings](WordTable& counts, TokenizerLearner::Summary&) {
            return learn_subwords(settings, counts);
          }};
}

}  // namespace headwater
