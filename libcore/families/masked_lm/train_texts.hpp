// The texts that a masked language model reads, with the special tokens around them, before tokens are
// hidden.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/dataset.hpp"
#include "data/token_dataset.hpp"
#include "families/source_ids.hpp"
#include "support/hash.hpp"
#include "support/random.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// An example is a document.
class DocumentDataset : public Dataset {
 public:
  // `sentences`: the one column. Nothing of it may be cut off.
  explicit DocumentDataset(TokenColumnSettings sentences) : sentences_({std::move(sentences)}) {}

  bool reads_lines() const override { return true; }
  void add_line(std::string_view line, std::string_view place) override;
  void finish(std::string_view where, bool is_empty_allowed) override;

  std::int64_t examples() const override { return static_cast<std::int64_t>(begins_.size()) - 1; }
  std::vector<ColumnTokenCounts> token_counts() const override { return sentences_.token_counts(); }
  std::string hash() const override;

  // The first sentence of a document; that of the one after it is where it ends.
  std::int64_t first_sentence(std::int64_t document) const { return begins_[document]; }
  std::span<const std::int32_t> ids(std::int64_t sentence) const { return sentences_.ids(0, sentence); }

 private:
  void end_document();

  TokenDataset sentences_;
  std::vector<std::int64_t> begins_{0};  // of each document, then the number of sentences
};

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

// Pairs of runs of sentences, of which the second follows the first or comes from another document (Devlin et
// al. 2019, sec. 3.1, next sentence prediction).
//
// Each document is cut into runs of two sentences or more that fill a text, as far as they do; what is left
// at its end joins the run before. A document of one sentence makes no pair, but may be the second of
// another's. Drawn for each pair: where the run is parted; with probability 1/2, which document the second
// text comes from instead, and the sentence there that it begins with.
class SentencePairs : public MaskedTexts {
 public:
  // Texts of at most `length` tokens with those around them, which is more than pair.around. Throws
  // UsageError where there is no pair, or one document alone.
  SentencePairs(Subset subset, const Tokenizer& tokenizer, const PairTemplate& pair, std::int64_t length);

  std::size_t count() const override { return runs_.size(); }
  std::uint32_t name(std::uint32_t i) const override { return runs_[i].name; }
  std::int64_t most_tokens(std::uint32_t) const override { return length_; }
  // What there is no room for is cut off as cut_longest_first() does.
  void read(std::uint32_t i, const RandomStream& stream, PairedText& text) const override;
  void add_to(Hasher& hasher) const override { subset_.add_to(hasher); }

 private:
  struct Run {
    std::int64_t first, end;  // sentences
    std::uint32_t document;   // its place in documents_
    std::uint32_t name;
  };
  const DocumentDataset& documents() const { return static_cast<const DocumentDataset&>(*subset_.dataset); }
  // Calls use(first, end) for each run of a document.
  template <class Use>
  void for_each_run(std::int64_t document, const Use& use) const;
  std::int64_t end_of_random(std::int64_t first, std::int64_t end, const PairedText& text) const;
  void append(std::int64_t first, std::int64_t end, std::size_t most, std::vector<std::int32_t>& ids) const;

  Subset subset_;
  Tokenizer tokenizer_;
  PairTemplate pair_;
  std::int64_t length_;
  std::size_t room_;  // for the ids of both texts
  std::vector<Run> runs_;
};

}  // namespace headwater
