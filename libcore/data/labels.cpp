#include "data/labels.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"
#include "support/utf8.hpp"
#include "text/tokenizer/token_lines.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {
namespace {

// Digits without a leading zero, so that two different labels never have one value.
bool is_whole_number(std::string_view label) {
  return !label.empty() && label.find_first_not_of("0123456789") == label.npos &&
         (label.size() == 1 || label[0] != '0');
}

bool less_by_value(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// For a message: of a whole record of CSV, say, its beginning.
std::string shortened_label(const std::string& label) {
  constexpr std::size_t kMostBytes = 40;
  if (label.size() <= kMostBytes) return label;
  std::size_t end = 0;
  while (true) {
    const std::size_t length =
        std::max<std::size_t>(1, utf8_sequence_length(std::string_view(label).substr(end)));
    if (end + length > kMostBytes) return label.substr(0, end) + "...";
    end += length;
  }
}

}  // namespace

// In lower case, each run of white space one space.
static std::string folded_label(const std::string& label) {
  std::string folded;
  bool is_after_space = false;
  const std::string lower = lowercase_unicode(label);
  for (std::size_t at = 0; at < lower.size();) {
    const std::size_t here = at;
    const bool is_space = is_word_separator(next_code_point(lower, at));
    if (!is_space) {
      if (is_after_space && !folded.empty()) folded.push_back(' ');
      folded.append(lower, here, at - here);
    }
    is_after_space = is_space;
  }
  return folded;
}

// Its value; of a label that is no number the label.
static std::string number_of_label(const std::string& label) {
  double value = 0;
  const std::string_view number = std::string_view(label).substr(label.starts_with('+') ? 1 : 0);
  if (!parse_number(number, value) || !std::isfinite(value)) return label;
  char digits[32];
  return {digits, std::to_chars(digits, std::end(digits), value + 0.0).ptr};  // -0 is 0
}

static std::vector<std::vector<std::string>> groups_of(const std::vector<std::string>& labels,
                                                       std::string (*key)(const std::string&)) {
  std::map<std::string, std::size_t> group_of;
  std::vector<std::vector<std::string>> groups;
  for (const std::string& label : labels) {
    const auto [found, is_new] = group_of.emplace(key(label), groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(label);
  }
  std::erase_if(groups, [](const std::vector<std::string>& group) { return group.size() < 2; });
  return groups;
}

std::vector<std::string> near_duplicates(const std::vector<std::string>& labels) {
  std::vector<std::string> sentences;
  for (const std::vector<std::string>& group : groups_of(labels, folded_label))
    sentences.push_back("labels that differ in case or white space only: " + quoted_list(group));
  for (const std::vector<std::string>& group : groups_of(labels, number_of_label))
    sentences.push_back("labels that are one number: " + quoted_list(group));
  return sentences;
}

LabelSet LabelSet::learn(const WordTable& counts) {
  std::vector<std::string> labels;
  for (const WordTable::Entry& entry : counts.entries()) {
    labels.emplace_back(entry.word());
    if (breaks_lines(entry.word())) throw Error("the label " + quote(entry.word()) + kBreaksLines);
  }
  if (labels.empty()) throw Error("no labels to learn from (the input is empty)");
  if (std::all_of(labels.begin(), labels.end(),
                  [](const std::string& label) { return is_whole_number(label); })) {
    std::sort(labels.begin(), labels.end(), less_by_value);
  } else {
    std::sort(labels.begin(), labels.end());
  }
  LabelSet set;
  set.labels_ = std::move(labels);
  for (std::size_t id = 0; id < set.labels_.size(); ++id) set.table_.value(set.labels_[id]) = id;
  return set;
}

LabelSet LabelSet::load(const std::filesystem::path& path) { return parse(read_file(path), path.string()); }

LabelSet LabelSet::parse(std::string_view text, std::string_view where) {
  LabelSet set;
  std::size_t number = 0;
  text = without_byte_order_mark(text);
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view label = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (label.ends_with('\r')) label.remove_suffix(1);
    const std::string place = std::string(where) + ":" + std::to_string(number) + ": ";
    if (label.empty()) throw Error(place + "an empty label (one label a line)");
    if (breaks_lines(label)) throw Error(place + "the label " + quote(label) + kBreaksLines);
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
  if (entry == nullptr) entry = table_.find(trimmed(label));
  return entry == nullptr ? -1 : static_cast<std::int32_t>(entry->value);
}

std::int32_t LabelSet::find_id(std::string_view digits) const {
  std::int32_t id = 0;
  if (!is_whole_number(digits)) return -1;
  return parse_number(digits, id) && id < size() ? id : -1;
}

const std::string* LabelSet::name_of_other_id() const {
  for (std::size_t id = 0; id < labels_.size(); ++id) {
    const std::int32_t read = find_id(trimmed(labels_[id]));
    if (read >= 0 && read != static_cast<std::int32_t>(id)) return &labels_[id];
  }
  return nullptr;
}

std::string LabelSet::shown() const { return name_list(labels_, shortened_label); }

std::string LabelSet::to_text() const {
  std::string text;
  for (const std::string& label : labels_) text += label + "\n";
  return text;
}

std::string LabelSet::hash() const { return hash128(to_text()); }

}  // namespace headwater
