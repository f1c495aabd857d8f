#include "data/document_dataset.hpp"

#include "support/hash.hpp"
#include "support/raw_bytes.hpp"

namespace headwater {

void DocumentDataset::add_line(std::string_view line, std::string_view place) {
  if (line.empty()) return end_document();
  sentences_.add_line(line, place);
}

void DocumentDataset::end_document() {
  if (sentences_.examples() > begins_.back()) begins_.push_back(sentences_.examples());
}

void DocumentDataset::finish(std::string_view where, bool is_empty_allowed) {
  end_document();
  sentences_.finish(where, is_empty_allowed);
}

std::string DocumentDataset::hash() const {
  Hasher hasher;
  hasher.update(sentences_.hash());
  hasher.update(raw_bytes(begins_));
  return hasher.digest();
}

}  // namespace headwater
