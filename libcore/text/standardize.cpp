#include "text/standardize.hpp"

#include "support/error.hpp"
#include "text/unicode.hpp"

namespace headwater {
namespace {

constexpr std::array<std::pair<Standardization, std::string_view>, 4> kStandardizations = {
    {{Standardization::lower_and_strip_punctuation, "lower_and_strip_punctuation"},
     {Standardization::lower, "lower"},
     {Standardization::strip_punctuation, "strip_punctuation"},
     {Standardization::none, "none"}}};
constexpr std::array<std::pair<Lowering, std::string_view>, 2> kLowerings = {
    {{Lowering::ascii, "ascii"}, {Lowering::unicode, "unicode"}}};

template <class Table, class Value>
std::string_view name_in(const Table& table, Value value) {
  for (const auto& [candidate, name] : table) {
    if (candidate == value) {
      return name;
    }
  }
  return {};
}

template <class Table>
auto parse_in(const Table& table, std::string_view what, std::string_view given) {
  std::string all;
  for (const auto& [candidate, name] : table) {
    if (name == given) {
      return candidate;
    }
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw UsageError(std::string(what) + ": unknown value " + quote(given) + " (one of " + all + ")");
}

}  // namespace

std::string_view name_of(Standardization standardization) {
  return name_in(kStandardizations, standardization);
}
std::string_view name_of(Lowering lowering) { return name_in(kLowerings, lowering); }
Standardization parse_standardization(std::string_view name) {
  return parse_in(kStandardizations, "standardize", name);
}
Lowering parse_lowering(std::string_view name) { return parse_in(kLowerings, "lower", name); }

ByteMap byte_map(const StandardizeSettings& settings, WhiteSpace white_space) {
  ByteMap map{};
  for (unsigned c = 0; c < 256; ++c) {
    const auto byte = static_cast<unsigned char>(c);
    std::uint16_t to = byte;
    if (settings.lowers() && byte >= 'A' && byte <= 'Z') {
      to = static_cast<std::uint16_t>(byte + 32);
    }
    if (settings.strips() && is_ascii_punctuation(byte)) {
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
  std::string lowered;
  if (settings.lowers() && settings.lower == Lowering::unicode) {
    append_unicode_lower(lowered, text);
    text = lowered;
  }
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
