#include "tasks/masked_language_modeling/masked_texts.hpp"

#include <algorithm>

namespace headwater {

void PairedText::reserve(std::size_t tokens) {
  for (std::vector<std::int32_t>* grows : {&ids, &segment_of, &first, &second}) grows->reserve(tokens);
}

// Pieces are counted over all lines of the data set, those of the other split too.
LinePieces::LinePieces(Subset subset, const Tokenizer& tokenizer, std::int64_t length)
    : lines_(std::move(subset), {"source"}),
      tokenizer_(tokenizer),
      around_(tokenizer.with_special_tokens({}).size()) {
  room_ = static_cast<std::size_t>(length) - around_;
  if (lines_.columns == nullptr) return;
  std::vector<std::uint32_t> first_name(static_cast<std::size_t>(lines_.columns->examples()));
  std::uint32_t name = 0;
  for (std::size_t line = 0; line < first_name.size(); ++line) {
    first_name[line] = name;
    const std::size_t ids = lines_.count(0, static_cast<std::int64_t>(line));
    name += static_cast<std::uint32_t>((ids + room_ - 1) / room_);
  }
  for (std::size_t i = 0; i < lines_.subset.count(); ++i) {
    const auto line = static_cast<std::uint32_t>(lines_.subset.at(static_cast<std::uint32_t>(i)));
    const std::size_t ids = lines_.count(0, line);
    std::uint32_t number = first_name[line];
    for (std::size_t begin = 0; begin < ids; begin += room_)
      pieces_.push_back({line, static_cast<std::uint32_t>(begin), number++});
  }
}

std::span<const std::int32_t> LinePieces::ids(const Piece& piece) const {
  const std::span<const std::int32_t> line = lines_.ids(0, piece.line);
  return line.subspan(piece.begin, std::min(room_, line.size() - piece.begin));
}

std::int64_t LinePieces::most_tokens(std::uint32_t i) const {
  const Piece& piece = pieces_[i];
  return static_cast<std::int64_t>(std::min(room_, lines_.count(0, piece.line) - piece.begin) + around_);
}

void LinePieces::read(std::uint32_t i, const RandomStream&, PairedText& text) const {
  text.ids.clear();
  text.segment_of.clear();
  text.is_random = false;
  tokenizer_.with_special_tokens(ids(pieces_[i]), text.ids);
}

}  // namespace headwater
