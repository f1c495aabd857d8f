// Documents of sentences: id lines, a sentence each, with an empty line after each document
// (libcore/FORMATS.md, id lines).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/token_dataset.hpp"

namespace headwater {

// An example is a document.
class DocumentDataset : public Dataset {
 public:
  // `sentences`: the one column. Nothing of it may be cut off.
  explicit DocumentDataset(TokenColumnSettings sentences) : sentences_({std::move(sentences)}) {}

  bool reads_lines() const override { return true; }
  void add_line(std::string_view line, std::string_view place) override;
  void finish(std::string_view where, bool is_empty_allowed) override;

  std::int64_t examples() const override { return static_cast<std::int64_t>(begins_.size()) - 1; }
  std::vector<ColumnTokenCounts> token_counts() const override { return sentences_.token_counts(); }
  std::string hash() const override;

  // The first sentence of a document; that of the one after it is where it ends.
  std::int64_t first_sentence(std::int64_t document) const {
    return begins_[static_cast<std::size_t>(document)];
  }
  std::span<const std::int32_t> ids(std::int64_t sentence) const { return sentences_.ids(0, sentence); }

 private:
  void end_document();

  TokenDataset sentences_;
  std::vector<std::int64_t> begins_{0};  // of each document, then the number of sentences
};

}  // namespace headwater
