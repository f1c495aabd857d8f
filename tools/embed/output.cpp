// The vectors as lines, npy or safetensors.
#include <array>
#include <charconv>
#include <span>

#include "checkpoint/npy.hpp"
#include "checkpoint/safetensors.hpp"
#include "support/bytes.hpp"
#include "tools/embed/embed.hpp"

namespace headwater::embed {
namespace {

// Separated by spaces, of at most nine digits: each reads back to the same float.
void append_numbers(std::string& out, std::span<const Real> row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out.push_back(' ');
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), static_cast<float>(row[i]));
    out.append(text.data(), end.ptr);
  }
  out.push_back('\n');
}

std::span<const Real> row_of(ConstMatrix rows, Index row) {
  return {rows.row(row), static_cast<std::size_t>(rows.cols)};
}

}  // namespace

VectorWriter::VectorWriter(const Options& o, Index width) : o_(o), width_(width), output_(o.output) {
  if (o_.format != "text") values_.emplace();
}

void VectorWriter::add(ConstMatrix vectors) {
  sources_ += vectors.rows;
  if (o_.format != "text") return keep(vectors);
  text_.clear();
  for (Index r = 0; r < vectors.rows; ++r) append_numbers(text_, row_of(vectors, r));
  output_.write(text_);
}

void VectorWriter::add_tokens(ConstMatrix vectors, std::span<const std::string> tokens,
                              std::span<const std::int32_t> ids) {
  ++sources_;
  if (o_.format != "text") {
    keep(vectors);
    offsets_.push_back(offsets_.back() + vectors.rows);
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    return;
  }
  text_.clear();
  for (Index r = 0; r < vectors.rows; ++r) {
    text_ += std::to_string(sources_) + "\t" + tokens[r] + "\t";
    append_numbers(text_, row_of(vectors, r));
  }
  output_.write(text_);
}

void VectorWriter::keep(ConstMatrix vectors) {
  values_->write(raw_bytes(std::span(vectors.data, static_cast<std::size_t>(vectors.rows * vectors.cols))));
}

void VectorWriter::finish() {
  if (values_) {
    const MappedFile rows = values_->mapped();
    o_.format == "npy" ? write_npy(rows.bytes()) : write_safetensors(rows.bytes());
  }
  output_.finish();
}

std::int64_t VectorWriter::rows_of(std::string_view bytes) const {
  return std::ssize(bytes) / (width_ * static_cast<std::int64_t>(sizeof(Real)));
}

void VectorWriter::write_npy(std::string_view rows) {
  const std::array<std::int64_t, 2> shape = {rows_of(rows), width_};
  output_.write(npy_head(shape));
  output_.write(rows);
}

void VectorWriter::write_safetensors(std::string_view rows) {
  std::vector<TensorView> tensors{{"embeddings", Dtype::f32, {rows_of(rows), width_}, rows}};
  if (o_.has_tokens) {
    tensors.push_back({"offsets", Dtype::i64, {std::ssize(offsets_)}, raw_bytes(offsets_)});
    if (!ids_.empty()) tensors.push_back({"ids", Dtype::i64, {std::ssize(ids_)}, raw_bytes(ids_)});
  }
  headwater::write_safetensors(std::move(tensors), {}, [&](std::string_view bytes) { output_.write(bytes); });
}

}  // namespace headwater::embed
