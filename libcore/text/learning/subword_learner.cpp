#include "text/learning/subword_learner.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/json.hpp"
#include "support/utf8.hpp"
#include "text/learning/bpe_learner.hpp"
#include "text/learning/subword_text_encoder_learner.hpp"
#include "text/learning/unigram_learner.hpp"
#include "text/learning/user_symbols.hpp"
#include "text/models/subword_text_encoder.hpp"
#include "text/tokenizer/normalizer.hpp"
#include "text/tokenizer/pre_tokenizer.hpp"
#include "text/tokenizer/tokenizer_json.hpp"
#include "text/unicode/byte_level.hpp"
#include "text/unicode/unicode.hpp"

namespace headwater {
namespace {

constexpr std::string_view kMetaspace = "\u2581";

// How lines are cut before their pieces are counted: at user-defined symbols; then each part is standardised.
class StandardizedParts {
 public:
  explicit StandardizedParts(const SubwordTokenizerSettings& settings)
      : standardize_(settings.standardize), symbols_(settings.user_defined_symbols) {}
  // Calls use(part, whether it begins the line).
  template <class Use>
  void for_each(std::string_view lines, const Use& use) const {
    const bool is_changed = standardize_.standardize != Standardization::none;
    symbols_.for_each_part(lines, [&](std::string_view part, bool begins_line) {
      is_changed ? use(std::string_view(standardize(part, standardize_)), begins_line)
                 : use(part, begins_line);
    });
  }

 private:
  StandardizeSettings standardize_;
  UserSymbols symbols_;
};

// Words with the U+2581 that stands for the space before them: those of the pre-tokenizer Metaspace.
template <class Use>
void for_each_metaspace_word(std::string_view line, bool begins_line, std::string& scratch, const Use& use) {
  scratch = begins_line ? kMetaspace : "";
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t mark = line[at] == ' '                           ? 1
                             : line.substr(at).starts_with(kMetaspace) ? kMetaspace.size()
                                                                       : 0;
    if (mark > 0 && at > 0) use(std::string_view(scratch));
    if (mark > 0) scratch = kMetaspace;
    if (mark == 0) scratch.push_back(line[at]);
    at += std::max(mark, std::size_t{1});
  }
  if (!line.empty()) use(std::string_view(scratch));
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

PieceCounter::Count count_bert_words(const SubwordTokenizerSettings& settings) {
  if (settings.standardize.strips())
    throw UsageError("standardize: " + std::string(name_of(settings.standardize.standardize)) +
                     " strips marks, which wordpiece keeps (write none or lower)");
  const std::string where = "wordpiece";
  return [symbols = UserSymbols(settings.user_defined_symbols),
          normalizer = Normalizer(bert_normalizer_json(settings.standardize), where),
          pre_tokenizer = PreTokenizer(bert_pre_tokenizer_json(), where)](std::string_view lines,
                                                                          WordTable& counts) {
    symbols.for_each_part(lines, [&](std::string_view part, bool begins_line) {
      pre_tokenizer.for_each_piece(normalizer.apply(part), begins_line,
                                   [&](std::string_view word) { ++counts.value(word); });
    });
  };
}

PieceCounter::Count count_encoder_words(const SubwordTokenizerSettings& settings) {
  return [parts = StandardizedParts(settings)](std::string_view lines, WordTable& counts) {
    parts.for_each(lines, [&](std::string_view line, bool) { count_subword_words(line, counts); });
  };
}

PieceCounter::Count count_byte_level_words(const SubwordTokenizerSettings& settings) {
  return [parts = StandardizedParts(settings)](std::string_view lines, WordTable& counts) {
    parts.for_each(lines, [&](std::string_view part, bool) {
      for_each_byte_level_piece(part, [&](std::string_view piece) { ++counts.value(piece); });
    });
  };
}

PieceCounter::Count count_metaspace_words(const SubwordTokenizerSettings& settings) {
  return [parts = StandardizedParts(settings)](std::string_view lines, WordTable& counts) {
    std::string scratch;
    parts.for_each(lines, [&](std::string_view part, bool begins_line) {
      for_each_metaspace_word(part, begins_line, scratch,
                              [&](std::string_view word) { ++counts.value(word); });
    });
  };
}

PieceCounter::Count count_bpe_words(const SubwordTokenizerSettings& settings) {
  if (settings.end_of_word_suffix.empty()) return count_metaspace_words(settings);
  return [parts = StandardizedParts(settings)](std::string_view lines, WordTable& counts) {
    parts.for_each(lines, [&](std::string_view part, bool) {
      for_each_unicode_word(part, [&](std::string_view word) { ++counts.value(word); });
    });
  };
}

// The parts of a tokenizer.json around the model: texts are cut as they were counted.
struct Parts {
  Json normalizer, pre_tokenizer, decoder;
};

Parts bert_parts(const SubwordTokenizerSettings& settings) {
  return {bert_normalizer_json(settings.standardize), bert_pre_tokenizer_json(),
          Json::Object{{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}};
}

Parts byte_level_parts(const SubwordTokenizerSettings& settings) {
  const Json byte_level = Json::Object{
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
  return {normalizer_json(settings.standardize, SplitKind::word), byte_level, byte_level};
}

// After a symbol in a text a word has a space before it only where the text has one.
Parts metaspace_parts(const SubwordTokenizerSettings& settings) {
  const Json metaspace =
      Json::Object{{"type", "Metaspace"},
                   {"replacement", kMetaspace},
                   {"prepend_scheme", settings.user_defined_symbols.empty() ? "always" : "first"},
                   {"split", true}};
  return {normalizer_json(settings.standardize, SplitKind::word), metaspace, metaspace};
}

Parts bpe_parts(const SubwordTokenizerSettings& settings) {
  if (settings.end_of_word_suffix.empty()) return metaspace_parts(settings);
  return {normalizer_json(settings.standardize, SplitKind::word), Json::Object{{"type", "WhitespaceSplit"}},
          Json::Object{{"type", "BPEDecoder"}, {"suffix", settings.end_of_word_suffix}}};
}

std::string file_of(const SubwordTokenizerSettings& settings, Parts parts, Json model,
                    const std::vector<std::string>& special) {
  return tokenizer_json({.special_tokens = numbered(special),
                         .symbols = settings.user_defined_symbols.size(),
                         .text_template = settings.text_template,
                         .normalizer = std::move(parts.normalizer),
                         .pre_tokenizer = std::move(parts.pre_tokenizer),
                         .decoder = std::move(parts.decoder),
                         .model = std::move(model)});
}

Json bpe_model_json(const BpeLearnerSettings& settings, const BpeVocabulary& vocabulary) {
  Json::Array merges;
  for (const auto& [left, right] : vocabulary.merges)
    merges.push_back(Json::Array{vocabulary.surfaces[left], vocabulary.surfaces[right]});
  const bool has_suffix = !settings.end_of_word_suffix.empty();
  return Json::Object{{"type", "BPE"},
                      {"dropout", nullptr},
                      {"unk_token", settings.is_byte_level ? Json() : Json(kUnknownToken)},
                      {"continuing_subword_prefix", nullptr},
                      {"end_of_word_suffix", has_suffix ? Json(settings.end_of_word_suffix) : Json()},
                      {"fuse_unk", false},
                      {"byte_fallback", false},
                      {"ignore_merges", false},
                      {"vocab", vocab_json(vocabulary.surfaces)},
                      {"merges", std::move(merges)}};
}

Json learn_bpe_json(const SubwordTokenizerSettings& settings, const PieceCounts& counts,
                    const std::vector<std::string>& special, bool is_byte_level) {
  BpeLearnerSettings bpe;
  bpe.size = settings.size;
  bpe.min_frequency = static_cast<std::uint64_t>(settings.min_frequency);
  bpe.special_tokens = special;
  bpe.end_of_word_suffix = settings.end_of_word_suffix;
  bpe.is_byte_level = is_byte_level;
  return bpe_model_json(bpe, learn_bpe(counts, bpe));
}

std::string learn_byte_bpe_file(const SubwordTokenizerSettings& settings, PieceCounts& counts,
                                const std::vector<std::string>& special) {
  return file_of(settings, byte_level_parts(settings), learn_bpe_json(settings, counts, special, true),
                 special);
}

std::string learn_bpe_file(const SubwordTokenizerSettings& settings, PieceCounts& counts,
                           const std::vector<std::string>& special) {
  return file_of(settings, bpe_parts(settings), learn_bpe_json(settings, counts, special, false), special);
}

std::string learn_wordpiece_file(const SubwordTokenizerSettings& settings, PieceCounts& counts,
                                 const std::vector<std::string>& special) {
  WordPieceLearnerSettings wordpiece;
  wordpiece.size = settings.size;
  wordpiece.min_frequency = static_cast<std::uint64_t>(settings.min_frequency);
  wordpiece.special_tokens = special;
  Json model = Json::Object{{"type", "WordPiece"},
                            {"unk_token", kUnknownToken},
                            {"continuing_subword_prefix", wordpiece.prefix},
                            {"max_input_chars_per_word", 100},
                            {"vocab", vocab_json(learn_word_piece(counts, wordpiece))}};
  return file_of(settings, bert_parts(settings), std::move(model), special);
}

std::string learn_unigram_file(const SubwordTokenizerSettings& settings, PieceCounts& counts,
                               const std::vector<std::string>& special) {
  UnigramLearnerSettings unigram;
  unigram.size = settings.size;
  unigram.special_tokens = special;
  unigram.character_coverage = settings.character_coverage;
  Json::Array vocab;
  for (const UnigramPiece& piece : learn_unigram(counts.table(), unigram))
    vocab.push_back(Json::Array{piece.surface, piece.score});
  Json model =
      Json::Object{{"type", "Unigram"}, {"unk_id", 1}, {"vocab", std::move(vocab)}, {"byte_fallback", false}};
  return file_of(settings, metaspace_parts(settings), std::move(model), special);
}

std::string learn_encoder_file(const SubwordTokenizerSettings& settings, PieceCounts& counts,
                               const std::vector<std::string>& /*special*/) {
  return subword_text_encoder_json(learn_subword_text_encoder(counts.table(), settings.size),
                                   normalizer_json(settings.standardize, SplitKind::word));
}

constexpr SubwordKind kSubwordKinds[] = {
    // Merges of bytes (Radford et al. 2019): every text has a form in tokens.
    {.name = "byte_bpe",
     .has_unknown = false,
     .has_min_frequency = true,
     .counting = count_byte_level_words,
     .learn = learn_byte_bpe_file},
    // Merges of characters (Sennrich et al. 2016); a space is U+2581 before the word, or a suffix ends words.
    {.name = "bpe",
     .has_min_frequency = true,
     .has_suffix = true,
     .counting = count_bpe_words,
     .learn = learn_bpe_file},
    // Words and marks as BERT cuts them (Devlin et al. 2019), from the left, ## inside a word.
    {.name = "wordpiece",
     .has_min_frequency = true,
     .counting = count_bert_words,
     .learn = learn_wordpiece_file},
    // The likeliest cut (Kudo 2018); a space is U+2581 before the word.
    {.name = "unigram", .has_coverage = true, .counting = count_metaspace_words, .learn = learn_unigram_file},
    // What tensorflow-datasets has under this name.
    {.name = "subword_text_encoder",
     .has_special = false,
     .counting = count_encoder_words,
     .learn = learn_encoder_file}};

}  // namespace

std::span<const SubwordKind> subword_kinds() { return kSubwordKinds; }

TokenizerLearner subword_learner(const SubwordTokenizerSettings& settings) {
  const auto* const kind = std::find_if(std::begin(kSubwordKinds), std::end(kSubwordKinds),
                                        [&](const auto& known) { return known.name == settings.kind; });
  if (kind == std::end(kSubwordKinds)) throw UsageError("unknown kind of subwords " + quote(settings.kind));
  if (!kind->has_special && !settings.user_defined_symbols.empty())
    throw UsageError("user_defined_symbols: " + std::string(kind->name) +
                     " has none (leave them out, or choose another kind)");
  if (!settings.end_of_word_suffix.empty() && !settings.user_defined_symbols.empty())
    throw UsageError(
        "user_defined_symbols: not with end_of_word_suffix, which loses the space after them (leave one of "
        "them out)");
  PieceCounter::Count count = kind->counting(settings);
  const std::vector<std::string> first =
      first_surfaces(special_tokens(kind->has_unknown, settings.has_start_end, settings.text_template,
                                    settings.more_special),
                     settings.user_defined_symbols);
  check_vocabulary_size(settings.size, first.size());
  return {std::move(count),
          [settings, kind, first](PieceCounts& counts, TokenizerLearner::Summary&) {
            return kind->learn(settings, counts, first);
          },
          settings.user_defined_symbols};
}

}  // namespace headwater
