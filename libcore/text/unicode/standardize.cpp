#include "text/unicode/standardize.hpp"

#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/utf8.hpp"
#include "text/unicode/unicode.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {
namespace {

bool is_stripped(char32_t c) {
  return is_punctuation(c) || is_currency_or_math(c) || c == U'^' || c == U'`' || c == U'\u00A8' ||
         c == U'\u00AF' || c == U'\u00B4' || c == U'\u00B8';
}

// The code point at `at`, and after it; an ill-formed byte is none that has a category.
char32_t code_point_at(std::string_view text, std::size_t& at) {
  if (static_cast<unsigned char>(text[at]) >= 0x80 && utf8_sequence_length(text.substr(at)) == 0) {
    ++at;
    return 0;
  }
  return next_code_point(text, at);
}

std::string without_unicode_punctuation(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool is_after_digit = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = code_point_at(text, at);
    const bool is_separator = c == U'.' || c == U',';
    const auto stands_before_digit = [&] {
      std::size_t next = at;
      return next < text.size() && is_decimal_digit(code_point_at(text, next));
    };
    if (is_separator ? is_after_digit && stands_before_digit() : !is_stripped(c))
      out += text.substr(begin, at - begin);
    is_after_digit = is_decimal_digit(c);
  }
  return out;
}

// In any case of A to Z, which becomes lower only after this.
bool begins_with_line_break(std::string_view text) {
  if (text.size() < kLineBreakTag.size()) return false;
  for (std::size_t i = 0; i < kLineBreakTag.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) != kLineBreakTag[i]) return false;
  }
  return true;
}

std::string with_punctuation_set_off(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t at = 0; at < text.size();) {
    const bool is_tag = begins_with_line_break(text.substr(at));
    if (is_tag || is_ascii_punctuation(static_cast<unsigned char>(text[at]))) out += ' ';
    if (!is_tag) out += text[at];
    at += is_tag ? kLineBreakTag.size() : 1;
  }
  return out;
}

template <Enum E>
E parse(std::string_view what, std::string_view given) {
  if (const std::optional<E> value = value_of<E>(given)) return *value;
  throw UsageError(std::string(what) + ": unknown value " + quote(given) + " (one of " +
                   joined(value_names<E>) + ")");
}

}  // namespace

Standardization parse_standardization(std::string_view name) {
  return parse<Standardization>("standardize", name);
}
Lowering parse_lowering(std::string_view name) { return parse<Lowering>("lower", name); }

std::string_view standardize_code_points(std::string_view text, const StandardizeSettings& settings,
                                         std::string& scratch) {
  if (settings.lowers() && settings.lower == Lowering::unicode) {
    scratch.clear();
    append_unicode_lower(scratch, text);
    text = scratch;
  }
  if (settings.strips_unicode()) {
    scratch = without_unicode_punctuation(text);
    text = scratch;
  }
  if (settings.sets_off()) {
    scratch = with_punctuation_set_off(text);
    text = scratch;
  }
  return text;
}

ByteMap byte_map(const StandardizeSettings& settings, WhiteSpace white_space) {
  ByteMap map{};
  for (unsigned c = 0; c < 256; ++c) {
    const auto byte = static_cast<unsigned char>(c);
    std::uint16_t to = byte;
    if (settings.lowers() && byte >= 'A' && byte <= 'Z') {
      to = static_cast<std::uint16_t>(byte + 32);
    }
    if (settings.strips_ascii() && is_ascii_punctuation(byte)) {
      to = kDeleted;
    }
    if (white_space == WhiteSpace::separates && is_ascii_space(byte)) {
      to = kSeparator;
    }
    map[byte] = to;
  }
  return map;
}

std::string standardize(std::string_view text, const StandardizeSettings& settings) {
  std::string scratch;
  text = standardize_code_points(text, settings, scratch);
  const ByteMap map = byte_map(settings, WhiteSpace::kept);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const std::uint16_t to = map[static_cast<unsigned char>(c)];
    if (to != kDeleted) {
      out.push_back(static_cast<char>(to));
    }
  }
  return out;
}

}  // namespace headwater
