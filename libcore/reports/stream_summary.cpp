#include "reports/stream_summary.hpp"

#include <algorithm>
#include <charconv>

#include "data/token_stream.hpp"
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
  std::vector<bool> occurs(static_cast<std::size_t>(vocabulary_));
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

}  // namespace headwater
