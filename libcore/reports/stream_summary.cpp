#include <algorithm>
#include <charconv>

#include "data/token_stream.hpp"
#include "reports/data_summary.hpp"
#include "reports/table.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

constexpr std::int64_t kMaxVocabulary = 10'000'000;  // as of recipes
constexpr std::int64_t kIdsAtATime = 65536;

// By the file's metadata; the most where they do not say it.
std::int64_t vocabulary_of(const Safetensors& file) {
  for (const auto& [name, value] : file.metadata()) {
    std::int64_t size = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), size);
    if (name == "vocabulary_size" && read.ec == std::errc() && size > 0)
      return std::min(size, kMaxVocabulary);
  }
  return kMaxVocabulary;
}

}  // namespace

StreamSummary::StreamSummary(const Safetensors& file, const Tokenizer* tokenizer)
    : vocabulary_(tokenizer != nullptr ? tokenizer->vocabulary_size() : vocabulary_of(file)) {
  for (const auto& [name, value] : file.metadata()) {
    if (name == "vocabulary_hash") hash_ = value;
  }
  TokenStream stream({.cut = {.length = kIdsAtATime, .stride = kIdsAtATime},
                      .vocabulary = vocabulary_,
                      .vocabulary_hash = tokenizer != nullptr ? tokenizer->hash() : ""});
  stream.add(file);
  stream.finish(file.where(), false);
  tokens_ = stream.ids();
  std::vector<bool> occurs(vocabulary_);
  const std::int32_t unknown = tokenizer != nullptr ? tokenizer->special_ids().unknown : -1;
  std::int64_t unknown_ids = 0;
  std::vector<std::int32_t> ids;
  for (std::int64_t begin = 0; begin < tokens_; begin += kIdsAtATime) {
    stream.read(begin, std::min(kIdsAtATime, tokens_ - begin), ids);
    for (const std::int32_t id : ids) {
      occurs[id] = true;
      unknown_ids += id == unknown ? 1 : 0;
    }
  }
  different_ = std::count(occurs.begin(), occurs.end(), true);
  if (tokenizer != nullptr) unknown_ = unknown_ids;
}

std::string StreamSummary::text() const {
  Table table({{"one text of ids"}, {"", Table::Align::right}});
  table.add_row({"tokens", format_count(tokens_)});
  table.add_row({"vocabulary", format_count(vocabulary_)});
  table.add_row({"of it occur", format_count(different_)});
  if (unknown_ >= 0) table.add_row({"unknown", format_count(unknown_)});
  if (unknown_ >= 0) table.add_row({"share of them", format_percent(unknown_, tokens_)});
  return table.text();
}

Json StreamSummary::json() const {
  Json json;
  json.set("version", 1).set("kind", "ids").set("tokens", tokens_).set("vocabulary", vocabulary_);
  json.set("different", different_).set("vocabulary_hash", hash_);
  if (unknown_ >= 0) json.set("unknown", unknown_);
  return json;
}

namespace {

// The least of 1, 2, 5, 10, 20, 50, ... that is not below `least`.
std::int64_t round_width(double least) {
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t digit : {1, 2, 5}) {
      if (static_cast<double>(digit * power) >= least) return digit * power;
    }
  }
}

}  // namespace

void LengthCounts::add(std::int64_t words) {
  ++counts_[words];
  ++samples_;
  words_ += words;
}

double LengthCounts::mean() const {
  return samples_ == 0 ? 0 : static_cast<double>(words_) / static_cast<double>(samples_);
}

std::int64_t LengthCounts::quantile(double share) const {
  const double wanted = share * static_cast<double>(samples_);
  std::int64_t below = 0;
  for (const auto& [length, count] : counts_) {
    below += count;
    if (static_cast<double>(below) >= wanted) return length;
  }
  return longest();
}

std::int64_t LengthCounts::above(std::int64_t length) const {
  std::int64_t samples = 0;
  for (auto longer = counts_.upper_bound(length); longer != counts_.end(); ++longer)
    samples += longer->second;
  return samples;
}

double LengthCounts::median() const {
  // The samples number (n - 1) / 2 and n / 2 from 0.
  std::int64_t below = 0, lower = -1;
  for (const auto& [length, count] : counts_) {
    below += count;
    if (lower < 0 && below > (samples_ - 1) / 2) lower = length;
    if (below > samples_ / 2) return static_cast<double>(lower + length) / 2;
  }
  return 0;
}

std::int64_t LengthCounts::empty() const {
  const auto found = counts_.find(0);
  return found == counts_.end() ? 0 : found->second;
}

std::vector<LengthCounts::Bin> LengthCounts::histogram(std::size_t bins) const {
  if (samples_ == 0) return {};
  const std::int64_t top = quantile(0.99);
  const std::int64_t width = round_width(static_cast<double>(top + 1) / static_cast<double>(bins));
  std::vector<Bin> all(static_cast<std::size_t>(top / width) + 1);
  for (std::size_t b = 0; b < all.size(); ++b) {
    all[b].min = static_cast<std::int64_t>(b) * width;
    all[b].max = all[b].min + width - 1;
  }
  if (longest() > all.back().max) all.push_back({all.back().max + 1, longest(), 0});
  for (const auto& [length, count] : counts_) {
    all[std::min(static_cast<std::size_t>(length / width), all.size() - 1)].samples += count;
  }
  return all;
}

}  // namespace headwater
