// A row of the page of all keys: a key of one section, or of several kinds of models.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipe/schema.hpp"

namespace headwater {

std::string joined_by_commas(const std::vector<std::string_view>& words);

// What kinds of models say of one thing: each text once, with the kinds that say it.
class Variants {
 public:
  void add(const std::string& text, std::string_view kind);
  // A text that not all of `kinds` say names those that do, or the others where they are fewer.
  std::string text(const std::vector<std::string_view>& kinds, std::string_view separator) const;
  // The kinds before each text.
  std::string after_kinds() const;

 private:
  struct Variant {
    std::string text;
    std::vector<std::string_view> kinds;
  };
  std::vector<Variant> texts_;
};

struct KeyRow {
  std::string key;
  std::vector<std::string_view> kinds = {};
  // `conditions`: with which other keys a kind reads this one.
  Variants type = {}, standard = {}, allowed = {}, meaning = {}, conditions = {};

  // `kind` is empty outside of the section `model`; `readers` are those of the section.
  void add(const schema::Row& row, std::string_view kind, std::string_view readers);
  std::string text() const;
};

}  // namespace headwater
