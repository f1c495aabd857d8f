#include "recipe/row_text.hpp"

#include "recipe/scalars.hpp"

namespace headwater {
namespace {

const char* type_name(const schema::Member& member) {
  return std::visit(
      [](auto value) {
        using Value = std::decay_t<decltype(*value)>;
        if constexpr (std::is_same_v<Value, bool>) return "truth value";
        if constexpr (std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, std::uint64_t>)
          return "whole number";
        if constexpr (std::is_same_v<Value, std::vector<std::string>>) return "list of words";
        if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) return "list of whole numbers";
        if constexpr (std::is_same_v<Value, std::string>) return "text";
        if constexpr (std::is_same_v<Value, ClassWeights>) return "word, or numbers of labels";
        return "number";
      },
      member);
}

template <class Items, class Print>
std::string in_brackets(const Items& items, const Print& print) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() > 1 ? ", " : "") + print(item);
  return out + "]";
}

}  // namespace

std::string type_of(const schema::Row& row) {
  const std::string_view type = type_name(row.member);
  return std::string(words_of(row) != nullptr && type == "text" ? "word" : type);
}

std::string default_of(const schema::Row& row) {
  if (!row.follows.from.empty()) return std::string(row.follows.from);
  return std::visit(
      [](auto value) -> std::string {
        using Value = std::decay_t<decltype(*value)>;
        if constexpr (std::is_same_v<Value, std::optional<double>>) {
          return *value ? scalars::print(**value) : "none";
        } else if constexpr (std::is_same_v<Value, ClassWeights>) {
          return value->word;
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
          return in_brackets(*value, [](const std::string& word) { return word; });
        } else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) {
          return in_brackets(*value, [](std::int64_t number) { return scalars::print(number); });
        } else if constexpr (std::is_same_v<Value, std::string>) {
          return (*value).empty() ? "\"\"" : *value;
        } else {
          return scalars::print(*value);
        }
      },
      row.member);
}

std::string range_of(const schema::Row& row) {
  if (const auto* const range = std::get_if<schema::Between>(&row.rule)) {
    const bool is_whole = type_of(row).find("whole number") != std::string::npos;
    const auto bound = [&](double edge) {
      return is_whole ? scalars::print(static_cast<std::int64_t>(edge)) : scalars::print(edge);
    };
    const std::string unit = range->unit.empty() ? "" : " " + std::string(range->unit);
    return bound(range->min) + " to " + bound(range->max) + unit;
  }
  if (std::holds_alternative<schema::PathInData>(row.rule)) return "a path below the data root";
  if (const auto* const text = std::get_if<schema::Text>(&row.rule))
    return *text != schema::Text::any ? "any but an empty one" : "any";
  if (std::holds_alternative<bool*>(row.member)) return "true or false";
  return std::holds_alternative<std::uint64_t*>(row.member) ? "0 to 18446744073709551615" : "";
}

const std::vector<schema::Word>* words_of(const schema::Row& row) {
  const auto* const words = std::get_if<schema::OneOf>(&row.rule);
  return words == nullptr ? nullptr : &words->words;
}

std::string meaning_of(const schema::Row& row) {
  std::string said(row.meaning.text);
  if (!row.when.readers.empty()) said += "; of " + row.when.readers;
  return said;
}

}  // namespace headwater
