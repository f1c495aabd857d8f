#include "reports/attention_array.hpp"

#include <string>

#include "checkpoint/npy.hpp"
#include "reports/attention_table.hpp"
#include "support/bytes.hpp"
#include "support/error.hpp"

namespace headwater {

void AttentionArray::refuse(std::int64_t example, AttentionKind kind, const Head& head) const {
  throw Error("attention: " + title_of({example, kind, head.layer, head.head}) +
              " does not fit into one array with " +
              title_of({example_, kind_, heads_.front().layer, heads_.front().head}) +
              " (an npy file holds one example and one kind: choose with --kind, and give one line)");
}

void AttentionArray::begin(const AttentionRecord& record) {
  const auto queries = static_cast<std::int64_t>(record.queries()),
             keys = static_cast<std::int64_t>(record.keys());
  if (heads_.empty()) {
    example_ = record.example;
    kind_ = record.kind;
    queries_ = queries;
    keys_ = keys;
  }
  const Head head{record.layer, record.head};
  if (record.example != example_ || record.kind != kind_ || queries != queries_ || keys != keys_)
    refuse(record.example, record.kind, head);
  heads_.push_back(head);
}

void AttentionArray::rows(std::span<const float> weights) { weights_.write(raw_bytes(weights)); }

void AttentionArray::add(const AttentionRecord& record) {
  check(record);
  begin(record);
  rows(record.weights);
}

std::size_t AttentionArray::heads_a_layer() const {
  std::size_t heads = 1;
  while (heads < heads_.size() && heads_[heads].layer == heads_.front().layer) ++heads;
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    const bool fits =
        heads_[i].head == heads_[i % heads].head && heads_[i].layer == heads_[i / heads * heads].layer;
    if (!fits || heads_.size() % heads != 0) refuse(example_, kind_, heads_[i]);
  }
  return heads;
}

void AttentionArray::write(const std::function<void(std::string_view)>& take) const {
  if (heads_.empty()) throw Error("attention: nothing to write");
  const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
  const std::size_t heads = heads_a_layer();
  take(npy_head(std::vector{count(heads_.size() / heads), count(heads), queries_, keys_}));
  if (weights_.size() == 0) return;
  constexpr std::size_t kPiece = std::size_t{1} << 24;
  const MappedFile weights = weights_.mapped();
  for (std::string_view rest = weights.bytes(); !rest.empty();) {
    const std::string_view piece = rest.substr(0, kPiece);
    take(piece);
    rest.remove_prefix(piece.size());
    weights.release();
  }
}

}  // namespace headwater
