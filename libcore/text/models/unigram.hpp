// The Unigram model (Kudo 2018): a text is cut into the pieces of the vocabulary whose scores, log
// probabilities, have the largest sum.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "text/models/piece_trie.hpp"
#include "text/models/word_memory.hpp"
#include "text/tokenizer/token_model.hpp"

namespace headwater {

enum class PieceKind : std::uint8_t {
  ordinary,
  user_defined,  // taken wherever it stands in a text
  hidden         // never found in a text: unknown, control, byte and unused pieces
};

struct UnigramPiece {
  std::string surface;
  double score = 0;
  PieceKind kind = PieceKind::ordinary;
};

// How scores are added: as Hugging Face's library does, or with the roundings of SentencePiece, which decide
// between cuts of nearly equal score.
enum class ScoreSums { in_double, in_float };

struct UnigramSettings {
  std::int32_t unknown_id = -1;  // -1: a character that no piece has is an Error
  ScoreSums sums = ScoreSums::in_double;
  bool has_byte_fallback = false;
  std::array<std::int32_t, 256> byte_ids = {};  // with has_byte_fallback; -1: there is none
};

// A character that no piece has alone may be cut off at the score of the worst piece less 10; such characters
// in a row are one unknown token, or the tokens of their bytes.
class Unigram : public TokenModel {
 public:
  // Throws Error where a score is not finite.
  Unigram(std::vector<UnigramPiece> pieces, const UnigramSettings& settings);

  void encode(std::string_view piece, std::vector<std::int32_t>& ids) const override;

  // A text that comes in parts, each of whole words.
  struct Progress {
    double score = 0;  // of the text so far
    bool is_after_unknown = false;
  };
  void encode_part(std::string_view part, Progress& progress, std::vector<std::int32_t>& ids) const;
  // The same of words of printable ASCII that follow on text[at], each after spaces that stand for one U+2581
  // before it, or for none where a text ends. Returns where something else comes: at the space before it.
  // `bytes` grows by those of the words and marks.
  std::size_t encode_ascii_words(std::string_view text, std::size_t at, Progress& progress,
                                 std::size_t& bytes, std::vector<std::int32_t>& ids) const;
  // Whether words can be cut apart: no piece has U+2581 after another character.
  bool has_cuts() const { return has_cuts_; }

  // A cut drawn at random by forward filtering and backward sampling: one has the probability of its pieces'
  // product to the power of sampling.alpha.
  void sample(std::string_view piece, const SubwordSampling& sampling, SampleCounter& random,
              std::vector<std::int32_t>& ids) const override;

 private:
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF, kNoEdge = 0xFFFFFFFF;
  // The best cut of a text's beginning: what its last piece is.
  struct Step {
    double score = 0;
    std::uint32_t begin = kNowhere;
    std::int32_t id = 0;
  };
  struct Scratch {
    std::vector<Step> steps;          // one for each byte, and the end
    std::vector<std::uint32_t> ends;  // of the pieces, the last first
    std::string word;
  };
  struct Edge {
    std::uint32_t begin = 0, previous = kNoEdge;  // the one before with the same end
    std::int32_t id = 0;
    double sum = 0;
  };
  struct Chosen {
    std::int32_t id = 0;
    std::uint32_t end = 0;
  };
  struct SampleScratch {
    std::vector<Edge> edges;
    std::vector<double> below;
    std::vector<std::uint32_t> last;
    std::vector<Chosen> path;
  };

  // Calls use(end, id, score) for all pieces of `text` that begin at the character at `begin`.
  template <class Use>
  void for_each_edge(std::string_view text, std::size_t begin, const Use& use) const;
  template <class Sum>
  void find_best_path(std::string_view text, Sum start, std::vector<Step>& steps) const;
  template <class Sum>
  void encode_words(std::string_view text, Progress& progress, std::vector<std::int32_t>& ids) const;
  template <class Sum>
  std::size_t encode_ascii(std::string_view text, std::size_t at, Progress& progress, std::size_t& bytes,
                           std::vector<std::int32_t>& ids) const;
  // The word's place in the memory, if it is there and its place in the text cannot decide.
  template <class Sum>
  const WordMemory::Place* remembered(const WordMemory::Key& key, Sum score) const;
  // Cuts a word anew; `key` is nullptr where the memory does not take it.
  template <class Sum>
  void encode_word(std::string_view word, const WordMemory::Key* key, Progress& progress, Scratch& scratch,
                   std::vector<std::int32_t>& ids) const;
  template <class Sum>
  void remember(std::string_view word, const WordMemory::Key& key) const;
  template <class Sum>
  void append_known(const WordMemory::Place& place, Progress& progress, std::vector<std::int32_t>& ids) const;
  void sample_word(std::string_view text, double alpha, SampleCounter& random, bool& is_after_unknown,
                   SampleScratch& scratch, std::vector<std::int32_t>& ids) const;
  void append(std::string_view text, std::int32_t id, bool& is_after_unknown,
              std::vector<std::int32_t>& ids) const;

  UnigramSettings settings_;
  PieceTrie trie_;
  std::vector<double> scores_;
  double unknown_score_ = 0, largest_ = 0;
  bool has_cuts_ = true;
  WordMemory memory_;
};

}  // namespace headwater
