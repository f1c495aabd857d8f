// The array of --vectors, and whether it holds the vectors of the lines that are searched.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/embed/embed.hpp"

namespace headwater::embed {
namespace {

constexpr Index kRowsRead = 4096;
// The first line, the last one, and some between them.
constexpr std::int64_t kLinesCompared = 8;
// Equal vectors that were kept as 16-bit floats have 0.99999 and more; with --compute-type int8 those of a
// few words can have 0.97.
constexpr double kLeastCosine = 0.9999, kLeastCosineOfBytes = 0.97;

bool is_zero(std::span<const Real> vector) {
  return std::ranges::all_of(vector, [](Real number) { return number == 0; });
}

}  // namespace

SavedVectors::SavedVectors(const Options& o, Index width)
    : o_(o),
      file_(o.vectors),
      where_(shown(o.vectors)),
      fix_(" (make it of these lines, with the same options: embed " + o.model + " -o FILE.npy LINES)"),
      array_(read_npy(file_.bytes(), where_)) {
  if (array_.shape.size() != 2)
    throw Error(where_ + ": an array of " + counted(std::ssize(array_.shape), "dimension") +
                ", vectors are [lines, numbers]");
  if (array_.shape[1] != width) {
    throw Error(where_ + ": vectors of " + counted(array_.shape[1], "number") + ", those of " + o.model +
                " have " + std::to_string(width) + fix_);
  }
  const std::int64_t count = array_.shape[0], most = std::min(count, kLinesCompared);
  for (std::int64_t i = 0; i < most; ++i)
    compared_.push_back(most == count ? i : i * (count - 1) / (most - 1));
}

bool SavedVectors::compares(std::int64_t line) const { return std::ranges::binary_search(compared_, line); }

void SavedVectors::add(std::string_view text, std::string place) {
  texts_.emplace_back(text);
  places_.push_back(std::move(place));
}

ConstMatrix SavedVectors::rows(Index begin, Index end, std::vector<float>& values) const {
  const Index width = array_.shape[1];
  values.resize((end - begin) * width);
  std::memcpy(values.data(), array_.values.data() + static_cast<std::size_t>(begin * width) * sizeof(float),
              values.size() * sizeof(float));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      throw Error(where_ + ": vector " + std::to_string(begin + static_cast<Index>(i) / width + 1) +
                  ": number " + std::to_string(static_cast<Index>(i) % width + 1) + " is not finite");
  }
  return {values.data(), end - begin, width};
}

void SavedVectors::read(std::int64_t lines, TextEmbeddings& embeddings, VectorSearch& search) const {
  const Index count = array_.shape[0];
  if (count != lines) {
    throw Error(where_ + ": " + counted(count, "vector") + ", " +
                (o_.nearest.empty() ? "the input" : shown(o_.nearest)) + " has " + counted(lines, "line") +
                fix_);
  }
  std::vector<float> some;
  for (Index begin = 0; begin < count; begin += kRowsRead)
    search.add(rows(begin, std::min(begin + kRowsRead, count), some));
  check_texts(embeddings);
}

void SavedVectors::check_texts(TextEmbeddings& embeddings) const {
  const double least = o_.compute_type == "int8" ? kLeastCosineOfBytes : kLeastCosine;
  const auto own = [&] {
    try {
      return embeddings.vectors(texts_).vectors;
    } catch (const LineError& error) {
      throw Error(cli::at_place(places_[error.line], error.what()));
    }
  }();
  std::vector<float> saved;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const std::size_t width = own.cols;
    const std::span made(own.row(static_cast<Index>(i)), width);
    const std::span kept(rows(compared_[i], compared_[i] + 1, saved).data, width);
    const double found = is_zero(made) && is_zero(kept) ? 1 : cosine(made, kept);
    if (found >= least) continue;
    throw Error(where_ + ": vector " + std::to_string(compared_[i] + 1) +
                " is not that of the line: cosine " + format_fixed(found, 4) + " with the vector that " +
                o_.model + " makes of " + places_[i] + fix_);
  }
}

}  // namespace headwater::embed
