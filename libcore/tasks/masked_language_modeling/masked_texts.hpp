// The texts that a masked language model reads, with the special tokens around them, before tokens are
// hidden.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/subset.hpp"
#include "data/token_dataset.hpp"
#include "support/hash.hpp"
#include "support/random.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// The epoch that validation texts, and those of evaluate, are hidden for: one that training never reaches.
inline constexpr std::uint32_t kValidationEpoch = 0xFFFFFFFF;

struct PairedText {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> segment_of;     // of pairs, one a token; empty: one text
  bool is_random = false;                   // of pairs: the second comes from elsewhere
  std::vector<std::int32_t> first, second;  // of pairs: memory to make the next one in

  // Room for so many tokens.
  void reserve(std::size_t tokens);
};

class MaskedTexts {
 public:
  virtual ~MaskedTexts() = default;
  virtual std::size_t count() const = 0;
  // Names a text among those of both splits, whatever is held out: what is drawn for it depends on this.
  virtual std::uint32_t name(std::uint32_t i) const = 0;
  // The most tokens that text i may have.
  virtual std::int64_t most_tokens(std::uint32_t i) const = 0;
  // `stream`: of what is drawn for it. Replaces what `text` held.
  virtual void read(std::uint32_t i, const RandomStream& stream, PairedText& text) const = 0;
  virtual void add_to(Hasher& hasher) const = 0;
};

// Lines of ids, each cut into pieces of at most `length` tokens with those around it, or into one.
class LinePieces : public MaskedTexts {
 public:
  LinePieces(Subset subset, const Tokenizer& tokenizer, std::int64_t length);
  std::size_t count() const override { return pieces_.size(); }
  std::uint32_t name(std::uint32_t i) const override { return pieces_[i].name; }
  std::int64_t most_tokens(std::uint32_t i) const override;
  void read(std::uint32_t i, const RandomStream& stream, PairedText& text) const override;
  void add_to(Hasher& hasher) const override { lines_.subset.add_to(hasher); }

 private:
  struct Piece {
    std::uint32_t line, begin, name;
  };
  std::span<const std::int32_t> ids(const Piece& piece) const;

  ColumnSubset lines_;
  Tokenizer tokenizer_;
  std::size_t room_;  // for ids of the text
  std::size_t around_;
  std::vector<Piece> pieces_;
};

}  // namespace headwater
