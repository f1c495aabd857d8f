// Sets of labels: a text file, one label a line, whose line number less one is the label's id.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "text/word_table.hpp"

namespace headwater {

class LabelSet {
 public:
  // Decimal numbers ascending by value where all labels are such, otherwise UTF-8 bytes ascending.
  static LabelSet learn(const WordTable& counts);
  // Throws Error "path:line: what" for an empty or repeated label.
  static LabelSet load(const std::filesystem::path& path);
  static LabelSet parse(std::string_view text, std::string_view where);

  // The id, or -1.
  std::int32_t find(std::string_view label) const;
  std::int32_t size() const { return static_cast<std::int32_t>(labels_.size()); }
  const std::vector<std::string>& labels() const { return labels_; }
  // The first few of them, for messages: "neg, pos" or "a, b, c, d, e, ... 20 in all".
  std::string shown() const;
  // The file's text.
  std::string to_text() const;
  std::string hash() const;

 private:
  std::vector<std::string> labels_;
  WordTable table_;
};

}  // namespace headwater
