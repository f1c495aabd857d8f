// Sets of labels: a text file, one label a line, whose line number less one is the label's id.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer/word_table.hpp"

namespace headwater {

// How a column of labels says which ones it means. unsaid: by name or by id, of the two the one that its
// first line has.
enum class LabelsAs { unsaid, names, ids };

// A sentence for each group of two or more among well-formed labels that differ in case or white space only
// ("Games", "games") or are one number (1, 1.0): most likely one label written in several ways.
std::vector<std::string> near_duplicates(const std::vector<std::string>& labels);

class LabelSet {
 public:
  // Decimal numbers ascending by value where all labels are such, otherwise UTF-8 bytes ascending.
  static LabelSet learn(const WordTable& counts);
  // Throws Error "path:line: what" for an empty or repeated label, or one that breaks_lines().
  static LabelSet load(const std::filesystem::path& path);
  static LabelSet parse(std::string_view text, std::string_view where);

  // The id, or -1. A label that is not in the set is looked for without the white space around it, too.
  std::int32_t find(std::string_view label) const;
  // The same of a label's id as decimal digits, "0", "17".
  std::int32_t find_id(std::string_view digits) const;
  // The first name that is another label's id, as "1" in a set of 1 to 5; null: there is none, and each
  // spelling has one meaning.
  const std::string* name_of_other_id() const;
  std::int32_t size() const { return static_cast<std::int32_t>(labels_.size()); }
  const std::vector<std::string>& labels() const { return labels_; }
  // The first few of them, for messages: "neg, pos" or "a, b, c, d, e, ... 20 in all"; of each 40 bytes.
  std::string shown() const;
  // The file's text.
  std::string to_text() const;
  std::string hash() const;

 private:
  std::vector<std::string> labels_;
  WordTable table_;
};

}  // namespace headwater
