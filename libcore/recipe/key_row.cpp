#include "recipe/key_row.hpp"

#include <algorithm>

#include "recipe/row_text.hpp"

namespace headwater {

std::string joined_by_commas(const std::vector<std::string_view>& words) {
  std::string out;
  for (const std::string_view word : words) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

void Variants::add(const std::string& text, std::string_view kind) {
  auto found = std::ranges::find(texts_, text, &Variant::text);
  if (found == texts_.end()) found = texts_.insert(found, {text, {}});
  found->kinds.push_back(kind);
}

std::string Variants::text(const std::vector<std::string_view>& kinds, std::string_view separator) const {
  std::string out;
  for (const Variant& variant : texts_) {
    out += (out.empty() ? "" : std::string(separator)) + variant.text;
    std::vector<std::string_view> others;
    for (const std::string_view kind : kinds) {
      if (std::ranges::find(variant.kinds, kind) == variant.kinds.end()) others.push_back(kind);
    }
    if (others.empty()) continue;
    const bool are_few = others.size() < variant.kinds.size();
    out += are_few ? " (not of " + joined_by_commas(others) + ")"
                   : " (of " + joined_by_commas(variant.kinds) + ")";
  }
  return out;
}

std::string Variants::after_kinds() const {
  std::string out;
  for (const Variant& variant : texts_) {
    out += (out.empty() ? "" : "; ") + joined_by_commas(variant.kinds) + variant.text;
  }
  return out;
}

void KeyRow::add(const schema::Row& row, std::string_view kind, std::string_view readers) {
  kinds.push_back(kind);
  type.add(type_of(row), kind);
  const std::string value = default_of(row);
  standard.add(row.follows.from.empty() ? "`" + value + "`" : value, kind);
  if (const std::vector<schema::Word>* const words = words_of(row)) {
    for (const schema::Word& word : *words) {
      allowed.add("`" + std::string(word.word) + "`: " + std::string(word.meaning), kind);
    }
  } else {
    allowed.add(range_of(row), kind);
  }
  const bool names_kind = !kind.empty() && row.when.readers.starts_with(kind);
  std::string said = names_kind ? std::string(row.meaning.text) : meaning_of(row);
  if (!row.meaning.readers.empty() && row.meaning.readers != readers) {
    said += " (read by " + std::string(row.meaning.readers) + ")";
  }
  meaning.add(said, kind);
  conditions.add(names_kind ? std::string(row.when.readers.substr(kind.size())) : "", kind);
}

std::string KeyRow::text() const {
  return "| `" + key + "` | " + type.text(kinds, "; ") + " | " + standard.text(kinds, "; ") + " | " +
         allowed.text(kinds, "<br>") + " | " + meaning.text(kinds, "; ") + " |";
}

}  // namespace headwater
