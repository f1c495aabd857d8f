#include "families/masked_lm/train_texts.hpp"

#include <algorithm>

#include "support/bytes.hpp"
#include "support/hash.hpp"

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
  std::vector<std::uint32_t> first_name(lines_.columns->examples());
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

template <class Use>
void SentencePairs::for_each_run(std::int64_t document, const Use& use) const {
  const std::int64_t end = documents().first_sentence(document + 1);
  std::int64_t begin = documents().first_sentence(document);
  if (end - begin < 2) return;
  std::size_t tokens = 0;
  for (std::int64_t sentence = begin; sentence < end; ++sentence) {
    const std::size_t more = documents().ids(sentence).size();
    const bool is_full = sentence - begin >= 2 && tokens + more > room_;
    if (is_full && end - sentence >= 2) {
      use(begin, sentence);
      begin = sentence;
      tokens = 0;
    }
    tokens += more;
  }
  use(begin, end);
}

SentencePairs::SentencePairs(Subset subset, const Tokenizer& tokenizer, const PairTemplate& pair,
                             std::int64_t length)
    : subset_(std::move(subset)),
      tokenizer_(tokenizer),
      pair_(pair),
      length_(length),
      room_(static_cast<std::size_t>(length) - pair.around) {
  if (subset_.dataset == nullptr || subset_.count() == 0) return;
  std::vector<std::uint32_t> first_name(documents().examples());
  std::uint32_t name = 0;
  for (std::size_t d = 0; d < first_name.size(); ++d) {
    first_name[d] = name;
    for_each_run(static_cast<std::int64_t>(d), [&](std::int64_t, std::int64_t) { ++name; });
  }
  for (std::size_t i = 0; i < subset_.count(); ++i) {
    const std::int64_t document = subset_.at(static_cast<std::uint32_t>(i));
    std::uint32_t number = first_name[document];
    for_each_run(document, [&](std::int64_t first, std::int64_t end) {
      runs_.push_back({first, end, static_cast<std::uint32_t>(i), number++});
    });
  }
  if (runs_.empty())
    throw UsageError(
        "the examples hold no document of two sentences (a sentence a line, an empty line after each "
        "document: "
        "tokenize --sentences writes them)");
  if (subset_.count() == 1)
    throw UsageError(
        "the examples, or what is held out of them, are one document, of which every text follows (give two "
        "or "
        "more)");
}

// At most so many ids of these sentences.
void SentencePairs::append(std::int64_t first, std::int64_t end, std::size_t most,
                           std::vector<std::int32_t>& ids) const {
  ids.clear();
  for (std::int64_t sentence = first; sentence < end && ids.size() < most; ++sentence) {
    const std::span<const std::int32_t> more = documents().ids(sentence);
    ids.insert(ids.end(), more.begin(),
               more.begin() + static_cast<std::ptrdiff_t>(std::min(more.size(), most - ids.size())));
  }
}

// Made of whole sentences, as those that follow are, and about as many tokens as would have followed: neither
// the length nor the end of a second text is to tell where it comes from.
std::int64_t SentencePairs::end_of_random(std::int64_t first, std::int64_t end,
                                          const PairedText& text) const {
  std::size_t tokens = 0;
  std::int64_t sentence = first;
  for (; sentence < end && tokens < text.second.size(); ++sentence) {
    const std::size_t more = documents().ids(sentence).size();
    if (sentence > first && text.first.size() + tokens + more > room_) break;
    tokens += more;
  }
  return sentence;
}

void SentencePairs::read(std::uint32_t i, const RandomStream& stream, PairedText& text) const {
  // Beyond what masking draws from the same stream.
  constexpr std::uint64_t kFirstElement = std::uint64_t{1} << 40;
  const auto below = [&](std::uint64_t element, std::int64_t bound) {
    return static_cast<std::int64_t>(
        random_below(stream, kFirstElement + element, static_cast<std::uint64_t>(bound)));
  };
  const Run& run = runs_[i];
  const auto choices = static_cast<std::int64_t>(subset_.count());
  text.is_random = below(0, 2) == 1;
  const std::int64_t parted = run.first + 1 + below(1, run.end - run.first - 1);
  append(run.first, parted, room_, text.first);
  if (text.is_random) {
    std::int64_t other = below(2, choices - 1);
    if (other >= static_cast<std::int64_t>(run.document)) ++other;
    const std::int64_t document = subset_.at(static_cast<std::uint32_t>(other));
    const std::int64_t begin = documents().first_sentence(document),
                       end = documents().first_sentence(document + 1);
    const std::int64_t from = begin + below(3, end - begin);
    append(parted, run.end, room_, text.second);
    append(from, end_of_random(from, end, text), room_, text.second);
  } else {
    append(parted, run.end, room_, text.second);
  }
  const PairLengths kept = cut_longest_first({text.first.size(), text.second.size()}, room_);
  text.first.resize(kept.first);
  text.second.resize(kept.second);
  const Index second = add_pair_template(tokenizer_, pair_, text.first, text.second, 0, text.ids);
  text.segment_of.assign(text.ids.size(), 1);
  std::fill_n(text.segment_of.begin(), second, 0);
}

}  // namespace headwater
