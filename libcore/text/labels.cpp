#include "text/labels.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/utf8.hpp"

namespace headwater {
namespace {

// Digits without a leading zero, so that two different labels never have one value.
bool is_decimal(std::string_view label) {
  return !label.empty() && label.find_first_not_of("0123456789") == label.npos &&
         (label.size() == 1 || label[0] != '0');
}

bool less_by_value(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

LabelSet LabelSet::learn(const WordTable& counts) {
  std::vector<std::string> labels;
  for (const WordTable::Entry& entry : counts.entries()) labels.emplace_back(entry.word());
  if (labels.empty()) throw Error("no labels to learn from (the input is empty)");
  if (std::all_of(labels.begin(), labels.end(), [](const std::string& label) { return is_decimal(label); })) {
    std::sort(labels.begin(), labels.end(), less_by_value);
  } else {
    std::sort(labels.begin(), labels.end());
  }
  LabelSet set;
  set.labels_ = std::move(labels);
  for (std::size_t id = 0; id < set.labels_.size(); ++id) set.table_.value(set.labels_[id]) = id;
  return set;
}

LabelSet LabelSet::load(const std::filesystem::path& path) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
  return parse(read_file(path, kMaxBytes), path.string());
}

LabelSet LabelSet::parse(std::string_view text, std::string_view where) {
  LabelSet set;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view label = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (label.ends_with('\r')) label.remove_suffix(1);
    const std::string place = std::string(where) + ":" + std::to_string(number) + ": ";
    if (label.empty()) throw Error(place + "an empty label (one label a line)");
    if (find_invalid_utf8(label) != label.npos) throw Error(place + "invalid UTF-8 in label " + quote(label));
    if (set.table_.find(label) != nullptr)
      throw Error(place + "the label " + quote(label) +
                  " stands twice (a label set has one label a line, each once)");
    set.table_.value(label) = set.labels_.size();
    set.labels_.emplace_back(label);
  }
  if (set.labels_.empty()) throw Error(std::string(where) + ": no labels (one label a line)");
  return set;
}

std::int32_t LabelSet::find(std::string_view label) const {
  const WordTable::Entry* entry = table_.find(label);
  return entry == nullptr ? -1 : static_cast<std::int32_t>(entry->value);
}

std::string LabelSet::shown() const {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(labels_.size(), kMost); ++i) text += (i > 0 ? ", " : "") + labels_[i];
  if (labels_.size() > kMost) text += ", ... " + std::to_string(labels_.size()) + " in all";
  return text;
}

std::string LabelSet::to_text() const {
  std::string text;
  for (const std::string& label : labels_) text += label + "\n";
  return text;
}

std::string LabelSet::hash() const { return hash128(to_text()); }

}  // namespace headwater
