#include "text/tokenizer/normalizer.hpp"

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <algorithm>

#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/tokenizer/text_part.hpp"
#include "text/tokenizer/word_cuts.hpp"
#include "text/unicode/byte_level.hpp"
#include "text/unicode/charsmap.hpp"
#include "text/unicode/unicode.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

namespace {

// The normalizer "Precompiled" of tokenizer.json: SentencePiece's charsmap as Hugging Face's library applies
// it. A grapheme cluster of less than 6 bytes is replaced as a whole where a rule fits its beginning, of
// several the one with the fewest bytes; else each of its characters alone. (SentencePiece takes the longest
// rule, wherever it ends.) Throws Error where the result has more than `most` bytes.
std::string apply_to_graphemes(const Charsmap& charsmap, std::string_view text, std::size_t most) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  UText view = UTEXT_INITIALIZER;
  utext_openUTF8(&view, text.data(), static_cast<std::int64_t>(text.size()), &status);
  if (U_SUCCESS(status)) breaks->setText(&view, status);
  if (U_FAILURE(status)) throw Error(std::string("grapheme clusters: ") + u_errorName(status));
  std::string out;
  std::size_t begin = 0;
  for (std::int32_t next = breaks->next(); next != icu::BreakIterator::DONE; next = breaks->next()) {
    const std::size_t end = next;
    const std::string_view cluster = text.substr(begin, end - begin);
    begin = end;
    Charsmap::Match rule;
    if (cluster.size() < 6) rule = charsmap.shortest(cluster);
    if (rule.length > 0) out += rule.replacement;
    for (std::size_t at = 0; rule.length == 0 && at < cluster.size(); at += character_bytes(cluster, at)) {
      const std::string_view one = cluster.substr(at, character_bytes(cluster, at));
      const Charsmap::Match match = charsmap.shortest(one);
      out += match.length > 0 ? match.replacement : one;
    }
    if (out.size() > most) break;
  }
  utext_close(&view);
  if (out.size() > most) throw Error("the line grows beyond " + std::to_string(most) + " bytes");
  return out;
}

std::string strip(std::string_view text, bool left, bool right) {
  std::size_t begin = text.size(), end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    if (!is_white_space(next_code_point(text, at))) {
      begin = std::min(begin, from);
      end = at;
    }
  }
  begin = left ? begin : 0;
  end = right ? std::max(end, begin) : text.size();
  return std::string(text.substr(begin, end - begin));
}

// The text without the characters of which drops(character) is true.
template <class Drops>
std::string without(std::string_view text, const Drops& drops) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (!drops(next_code_point(text, at))) out += text.substr(begin, at - begin);
  }
  return out;
}

std::string lower_case(std::string_view text) {
  std::string out;
  append_unicode_lower(out, text);
  return out;
}

}  // namespace

BertNormalizerSettings read_bert_normalizer(const Json& part, const std::string& where) {
  check_members(part, {"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"}, where);
  BertNormalizerSettings settings;
  settings.clean_text = json_bool_or(part, "clean_text", true, where);
  settings.handle_chinese_chars = json_bool_or(part, "handle_chinese_chars", true, where);
  settings.lowercase = json_bool_or(part, "lowercase", true, where);
  settings.strip_accents = json_bool_or(part, "strip_accents", settings.lowercase, where);
  return settings;
}

std::string bert_normalize(std::string_view text, const BertNormalizerSettings& settings) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const bool is_line_control = c == U'\t' || c == U'\n' || c == U'\r';
    if (settings.clean_text) {
      if (c == 0 || c == 0xFFFD || (!is_line_control && is_bert_control(c))) continue;
      if (is_line_control || is_white_space(c)) {
        out += ' ';
        continue;
      }
    }
    const bool stands_alone = settings.handle_chinese_chars && is_bert_ideograph(c);
    if (stands_alone) out += ' ';
    out += text.substr(begin, at - begin);
    if (stands_alone) out += ' ';
  }
  if (settings.strip_accents) {
    out = without(unicode_normalize(out, NormalizationForm::nfd), is_bert_accent);
  }
  return settings.lowercase ? lower_case(out) : out;
}

std::string nmt_normalize(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const bool is_dropped = (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F ||
                            c == 0x8F || c == 0x9F;
    const bool is_space = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                          (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                          c == 0xFEFF || c == 0xFFFD;
    if (is_space) {
      out += ' ';
    } else if (!is_dropped) {
      out += text.substr(begin, at - begin);
    }
  }
  return out;
}

Normalizer::Normalizer(const Json& part, const std::string& where)
    : budget_(std::make_shared<MatchBudget>()) {
  if (!part.is_null()) add(part, where);
}

void Normalizer::add(const Json& part, const std::string& where) {
  const std::string& type = type_of_part(part, where);
  if (type == "Sequence") {
    check_members(part, {"type", "normalizers"}, where);
    for_each_part(part, "normalizers", where,
                  [&](const Json& inner, const std::string& place) { add(inner, place); });
    return;
  }
  Run run = read(part, type, where);
  check_step_count(steps_.size(), where);
  steps_.push_back({where, std::move(run)});
}

Normalizer::Run Normalizer::read(const Json& part, const std::string& type, const std::string& where) const {
  const auto plain = [&](auto work) -> Run {
    check_members(part, {"type"}, where);
    return [work](std::string_view text, std::size_t) { return work(text); };
  };
  const auto form = [&](NormalizationForm to) {
    return plain([to](std::string_view text) { return unicode_normalize(text, to); });
  };
  if (type == "Lowercase") return plain(lower_case);
  if (type == "NFC") return form(NormalizationForm::nfc);
  if (type == "NFD") return form(NormalizationForm::nfd);
  if (type == "NFKC") return form(NormalizationForm::nfkc);
  if (type == "NFKD") return form(NormalizationForm::nfkd);
  if (type == "Nmt") return plain(nmt_normalize);
  if (type == "ByteLevel") return plain(byte_level_text);
  if (type == "StripAccents") return plain([](std::string_view text) { return without(text, is_mark); });
  if (type == "BertNormalizer") {
    const BertNormalizerSettings settings = read_bert_normalizer(part, where);
    return [settings](std::string_view text, std::size_t) { return bert_normalize(text, settings); };
  }
  if (type == "Precompiled") {
    check_members(part, {"type", "precompiled_charsmap"}, where);
    try {
      const auto charsmap =
          std::make_shared<const Charsmap>(from_base64(json_string(part, "precompiled_charsmap", where)));
      return [charsmap](std::string_view text, std::size_t most) {
        return apply_to_graphemes(*charsmap, text, most);
      };
    } catch (const Error& error) {
      throw Error(where + ".precompiled_charsmap: " + error.what());
    }
  }
  if (type == "Strip") {
    check_members(part, {"type", "strip_left", "strip_right"}, where);
    return [left = json_bool(part, "strip_left", where), right = json_bool(part, "strip_right", where)](
               std::string_view text, std::size_t) { return strip(text, left, right); };
  }
  if (type == "Prepend") {  // to a text that is not empty
    check_members(part, {"type", "prepend"}, where);
    return [prefix = json_string(part, "prepend", where)](std::string_view text, std::size_t most) {
      if (text.empty()) return std::string();
      check_grown(prefix.size() + text.size(), most);
      return prefix + std::string(text);
    };
  }
  if (type == "Replace") {
    check_members(part, {"type", "pattern", "content"}, where);
    return [find = read_pattern(part, where, budget_), content = json_string(part, "content", where)](
               std::string_view text, std::size_t most) {
      return replace_matches(text, find(text), content, most);
    };
  }
  throw Error(
      where + ": unsupported type " + quote(type) +
      " (supported: BertNormalizer, ByteLevel, Lowercase, NFC, NFD, NFKC, NFKD, Nmt, Prepend, Replace, "
      "Sequence, Strip, StripAccents)");
}

std::string Normalizer::apply(std::string_view text) const {
  if (steps_.empty()) return std::string(text);
  budget_->grant(text.size());
  const std::size_t most = max_grown_bytes(text.size());
  std::string out(text);
  for (const Step& step : steps_) {
    out = at_part(step.where, [&] {
      std::string next = step.run(out, most);
      check_grown(next.size(), most);
      return next;
    });
  }
  return out;
}

}  // namespace headwater
