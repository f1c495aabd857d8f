#include "text/models/bert_encoder.hpp"

#include "support/utf8.hpp"
#include "text/unicode/bert_characters.hpp"
#include "text/unicode/unicode.hpp"

namespace headwater {

std::unique_ptr<const FusedEncoder> BertEncoder::of_parts(const Json& normalizer, const Json& pre_tokenizer,
                                                          const TokenModel& model) {
  const auto type_is = [](const Json& part, std::string_view type) {
    const Json* member = part.is_object() ? part.find("type") : nullptr;
    return member != nullptr && member->is_string() && member->as_string() == type;
  };
  if (!type_is(normalizer, "BertNormalizer") || !type_is(pre_tokenizer, "BertPreTokenizer")) return nullptr;
  const BertNormalizerSettings settings = read_bert_normalizer(normalizer, "normalizer");
  if (!settings.clean_text) return nullptr;
  return std::unique_ptr<const FusedEncoder>(new BertEncoder(settings, model));
}

BertEncoder::BertEncoder(const BertNormalizerSettings& settings, const TokenModel& model)
    : settings_(settings), model_(model) {
  for (char32_t c = 0; c < 128; ++c) {
    ascii_[c] = c == ' ' || c == '\t' || c == '\n' || c == '\r' ? AsciiKind::space
                : is_bert_control(c)                            ? AsciiKind::dropped
                : is_bert_punctuation(c)                        ? AsciiKind::punctuation
                : c >= 'A' && c <= 'Z' && settings_.lowercase   ? AsciiKind::capital
                                                                : AsciiKind::letter;
  }
  for (char32_t c = kFirst; c < kEnd; ++c) {
    const Outcome one = outcome(c);
    entries_.push_back({static_cast<std::uint32_t>(outcomes_.size()),
                        static_cast<std::uint8_t>(one.text.size()), one.is_alone});
    outcomes_ += one.text;
  }
}

// Accents are taken off after marks were brought into their order: a mark that stays may change places with
// another.
BertEncoder::Outcome BertEncoder::outcome(char32_t character) const {
  std::string text;
  append_utf8(text, character);
  text = bert_normalize(text, settings_);
  Outcome result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (settings_.strip_accents && has_combining_class(c)) result.is_alone = false;
    if (is_white_space(c)) {
      result.text += kCut;
    } else if (is_bert_punctuation(c)) {
      result.text += kCut;
      result.text += text.substr(begin, at - begin);
      result.text += kCut;
    } else {
      result.text += text.substr(begin, at - begin);
    }
  }
  return result;
}

void BertEncoder::finish(std::string& word, std::vector<std::int32_t>& ids) const {
  if (!word.empty()) model_.encode(word, ids);
  word.clear();
}

void BertEncoder::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  if (try_encode(text, ids)) return;
  ids.resize(before);
  encode_by_parts(text, ids);
}

bool BertEncoder::try_encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  std::string word;
  const auto is_of_word = [&](std::size_t i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    return byte < 0x80 && ascii_[byte] <= AsciiKind::capital;
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x80) {
      const char32_t c = next_code_point(text, at);
      if (c < kEnd) {
        const Entry& entry = entries_[c - kFirst];
        if (!entry.is_alone) return false;
        append(std::string_view(outcomes_).substr(entry.begin, entry.length), word, ids);
      } else {
        const Outcome one = outcome(c);
        if (!one.is_alone) return false;
        append(one.text, word, ids);
      }
      continue;
    }
    if (ascii_[byte] <= AsciiKind::capital) {
      const std::size_t begin = at;
      bool has_capitals = false;
      for (; at < text.size() && is_of_word(at); ++at)
        has_capitals |= ascii_[static_cast<unsigned char>(text[at])] == AsciiKind::capital;
      const bool is_cut =
          at == text.size() || (static_cast<unsigned char>(text[at]) < 0x80 &&
                                ascii_[static_cast<unsigned char>(text[at])] != AsciiKind::dropped);
      if (is_cut && word.empty() && !has_capitals) {
        model_.encode(text.substr(begin, at - begin), ids);
        continue;
      }
      for (std::size_t i = begin; i < at; ++i) {
        const char c = text[i];
        word += ascii_[static_cast<unsigned char>(c)] == AsciiKind::capital ? static_cast<char>(c + 32) : c;
      }
      continue;
    }
    ++at;
    if (ascii_[byte] == AsciiKind::dropped) continue;
    finish(word, ids);
    if (ascii_[byte] == AsciiKind::punctuation) model_.encode(text.substr(at - 1, 1), ids);
  }
  finish(word, ids);
  return true;
}

void BertEncoder::append(std::string_view outcome, std::string& word, std::vector<std::int32_t>& ids) const {
  for (const char c : outcome) {
    if (c == kCut) {
      finish(word, ids);
    } else {
      word += c;
    }
  }
}

void BertEncoder::encode_by_parts(std::string_view text, std::vector<std::int32_t>& ids) const {
  const std::string normal = bert_normalize(text, settings_);
  std::string word;
  for (std::size_t at = 0; at < normal.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(normal, at);
    const bool is_punctuation = is_bert_punctuation(c);
    if (is_punctuation || is_white_space(c)) finish(word, ids);
    if (is_white_space(c)) continue;
    word.append(normal, begin, at - begin);
    if (is_punctuation) finish(word, ids);
  }
  finish(word, ids);
}

}  // namespace headwater
