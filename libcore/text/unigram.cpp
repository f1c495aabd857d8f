#include "text/unigram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/error.hpp"
#include "support/math_functions.hpp"
#include "text/word_cuts.hpp"

namespace headwater {
namespace {

constexpr std::size_t kMaxPieceBytes = 1024;  // a text of n bytes costs at most that many times n
constexpr double kUnknownPenalty = 10;
constexpr std::size_t kMaxTextBytes = 0x7FFFFFFF;

}  // namespace

Unigram::Unigram(std::vector<UnigramPiece> pieces, const UnigramSettings& settings) : settings_(settings) {
  std::vector<PieceTrie::Key> keys;
  scores_.reserve(pieces.size());
  bool has_piece = false;
  double least = 0;
  // SentencePiece's largest score is never below the smallest normal float.
  double most = static_cast<double>(std::numeric_limits<float>::min());
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const UnigramPiece& piece = pieces[id];
    const std::string name = "vocabulary: piece " + std::to_string(id) + " " + quote(piece.surface);
    if (!std::isfinite(piece.score)) throw Error(name + ": the score is not finite");
    scores_.push_back(piece.score);
    largest_ = std::max(largest_, std::abs(piece.score));
    // Hugging Face's library counts all pieces, SentencePiece those of text alone.
    const bool counts = settings_.sums == ScoreSums::in_double || piece.kind == PieceKind::ordinary;
    if (counts) {
      least = has_piece ? std::min(least, piece.score) : piece.score;
      most = std::max(most, piece.score);
      has_piece = true;
    }
    if (piece.kind == PieceKind::hidden) continue;
    if (piece.surface.empty()) throw Error(name + ": an empty piece");
    if (piece.surface.size() > kMaxPieceBytes) {
      throw Error("vocabulary: piece " + std::to_string(id) + " has " + std::to_string(piece.surface.size()) +
                  " bytes (at most " + std::to_string(kMaxPieceBytes) + ")");
    }
    keys.push_back({piece.surface, static_cast<std::int32_t>(id)});
    has_cuts_ = has_cuts_ && end_of_word(piece.surface, 0) == piece.surface.size();
  }
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (pieces[id].kind != PieceKind::user_defined) continue;
    const auto length = static_cast<float>(pieces[id].surface.size());
    const double score = static_cast<double>(length * static_cast<float>(most)) - 0.1;
    scores_[id] =
        settings_.sums == ScoreSums::in_float ? static_cast<double>(static_cast<float>(score)) : score;
    largest_ = std::max(largest_, std::abs(scores_[id]));
  }
  unknown_score_ = settings_.sums == ScoreSums::in_float
                       ? static_cast<double>(static_cast<float>(least) - static_cast<float>(kUnknownPenalty))
                       : least - kUnknownPenalty;
  largest_ = std::max(largest_, std::abs(unknown_score_));
  trie_ = PieceTrie(std::move(keys));
}

template <class Use>
void Unigram::for_each_edge(std::string_view text, std::size_t begin, const Use& use) const {
  const std::size_t one = character_bytes(text, begin);
  bool has_character = false;
  trie_.for_each_prefix(text.substr(begin), [&](std::size_t length, std::int32_t id) {
    has_character = has_character || length == one;
    use(begin + length, id, scores_[static_cast<std::size_t>(id)]);
  });
  if (!has_character) use(begin + one, settings_.unknown_id, unknown_score_);
}

// With float these are SentencePiece's roundings.
template <class Sum>
void Unigram::find_best_path(std::string_view text, Sum start, std::vector<Step>& steps) const {
  steps.assign(text.size() + 1, Step());
  steps[0].score = static_cast<double>(start);
  for (std::size_t begin = 0; begin < text.size(); begin += character_bytes(text, begin)) {
    const double here = steps[begin].score;
    for_each_edge(text, begin, [&](std::size_t end, std::int32_t id, double score) {
      const auto sum = static_cast<double>(static_cast<Sum>(here + score));
      Step& step = steps[end];
      if (step.begin != kNowhere && !(sum > step.score)) return;
      step = {sum, static_cast<std::uint32_t>(begin), id};
    });
  }
}

double Unigram::lead_of_best(std::string_view text) const {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  struct Two {
    double first = kNone, second = kNone;
    void add(double sum) {
      second = std::max(second, std::min(first, sum));
      first = std::max(first, sum);
    }
  };
  std::array<Two, WordMemory::kMaxBytes + 1> ends;
  ends[0].first = 0;
  for (std::size_t begin = 0; begin < text.size(); begin += character_bytes(text, begin)) {
    const Two here = ends[begin];
    for_each_edge(text, begin, [&](std::size_t end, std::int32_t, double score) {
      ends[end].add(here.first + score);
      ends[end].add(here.second + score);
    });
  }
  return ends[text.size()].first - ends[text.size()].second;
}

void Unigram::append(std::string_view text, std::int32_t id, bool& is_after_unknown,
                     std::vector<std::int32_t>& ids) const {
  if (id != settings_.unknown_id) {
    ids.push_back(id);
    is_after_unknown = false;
    return;
  }
  const auto byte_id = [this](char byte) { return settings_.byte_ids[static_cast<unsigned char>(byte)]; };
  if (settings_.has_byte_fallback &&
      std::all_of(text.begin(), text.end(), [&](char byte) { return byte_id(byte) >= 0; })) {
    for (const char byte : text) ids.push_back(byte_id(byte));
    is_after_unknown = false;
    return;
  }
  if (id < 0) {
    throw Error("the character " + quote(text) +
                " is in no piece and the model has no unknown token (give it unk_id)");
  }
  if (!is_after_unknown) ids.push_back(id);
  is_after_unknown = true;
}

// A word that was seen is cut as before where its best cut leads by more than the sums can be wrong: at most
// `additions` roundings of values up to `size` on each of two paths, twice over.
template <class Sum>
bool Unigram::encode_from_memory(std::string_view word, Sum& score, std::vector<std::int32_t>& ids) const {
  const WordMemory::Place* place = memory_.find(word);
  if (place == nullptr) return false;
  if (score != 0) {
    constexpr double kUnit = static_cast<double>(std::numeric_limits<Sum>::epsilon());
    const auto additions = static_cast<double>(word.size() + 1);
    const double size = std::abs(static_cast<double>(score)) + additions * largest_;
    if (!(static_cast<double>(place->note) > 4 * additions * kUnit * size)) return false;
  }
  for (const std::int32_t id : place->all()) {
    score = static_cast<Sum>(static_cast<double>(score) + scores_[static_cast<std::size_t>(id)]);
    ids.push_back(id);
  }
  return true;
}

template <class Sum>
Sum Unigram::encode_word(std::string_view word, Sum start, bool& is_after_unknown, Scratch& scratch,
                         std::vector<std::int32_t>& ids) const {
  find_best_path(word, start, scratch.steps);
  scratch.ends.clear();
  for (std::size_t end = word.size(); end > 0; end = scratch.steps[end].begin) {
    scratch.ends.push_back(static_cast<std::uint32_t>(end));
  }
  std::size_t begin = 0;
  for (auto end = scratch.ends.rbegin(); end != scratch.ends.rend(); begin = *end++) {
    append(word.substr(begin, *end - begin), scratch.steps[*end].id, is_after_unknown, ids);
  }
  return static_cast<Sum>(scratch.steps[word.size()].score);
}

template <class Sum>
void Unigram::remember(std::string_view word, Scratch& scratch) const {
  find_best_path(word, Sum{0}, scratch.steps);
  std::array<std::int32_t, WordMemory::kMaxIds> ids;
  std::size_t first = ids.size();
  for (std::size_t end = word.size(); end > 0; end = scratch.steps[end].begin) {
    if (first == 0 || scratch.steps[end].id == settings_.unknown_id) return;
    ids[--first] = scratch.steps[end].id;
  }
  memory_.keep(word, std::span(ids).subspan(first), static_cast<float>(lead_of_best(word) * 0.999));
}

template <class Sum>
void Unigram::encode_words(std::string_view text, std::vector<std::int32_t>& ids) const {
  Scratch scratch;
  Sum score = 0;
  bool is_after_unknown = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = has_cuts_ ? end_of_word(text, begin) : text.size();
    const std::string_view word = text.substr(begin, end - begin);
    begin = end;
    if (encode_from_memory(word, score, ids)) {
      is_after_unknown = false;
      continue;
    }
    if (memory_.has_room(word)) remember<Sum>(word, scratch);
    score = encode_word(word, score, is_after_unknown, scratch, ids);
  }
}

void Unigram::encode(std::string_view piece, std::vector<std::int32_t>& ids) const {
  if (piece.size() > kMaxTextBytes) throw Error("a text of more than 2147483647 bytes");
  if (settings_.sums == ScoreSums::in_float) {
    encode_words<float>(piece, ids);
  } else {
    encode_words<double>(piece, ids);
  }
}

void Unigram::sample(std::string_view text, const SubwordSampling& sampling, SampleCounter& random,
                     std::vector<std::int32_t>& ids) const {
  if (!(sampling.alpha > 0)) return encode(text, ids);
  if (text.size() > kMaxTextBytes) throw Error("a text of more than 2147483647 bytes");
  bool is_after_unknown = false;
  SampleScratch scratch;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = has_cuts_ ? end_of_word(text, begin) : text.size();
    sample_word(text.substr(begin, end - begin), sampling.alpha, random, is_after_unknown, scratch, ids);
    begin = end;
  }
}

void Unigram::sample_word(std::string_view text, double alpha, SampleCounter& random, bool& is_after_unknown,
                          SampleScratch& scratch, std::vector<std::int32_t>& ids) const {
  // All edges, by where they begin; below[end] is the logarithm of the sum of all cuts of text[0, end).
  auto& [edges, below, last, path] = scratch;
  edges.clear();
  path.clear();
  below.assign(text.size() + 1, 0.0);
  last.assign(text.size() + 1, kNoEdge);
  for (std::size_t begin = 0; begin < text.size(); begin += character_bytes(text, begin)) {
    for_each_edge(text, begin, [&](std::size_t end, std::int32_t id, double score) {
      const double sum = below[begin] + alpha * score;
      const std::uint32_t previous = last[end];
      last[end] = static_cast<std::uint32_t>(edges.size());
      edges.push_back({static_cast<std::uint32_t>(begin), previous, id, sum});
      if (previous == kNoEdge) {
        below[end] = sum;
      } else {
        const double large = std::max(below[end], sum), small = std::min(below[end], sum);
        below[end] = large + natural_logarithm(1 + exponential(small - large));
      }
    });
  }
  for (std::size_t end = text.size(); end > 0;) {
    auto left = static_cast<double>(random.next());
    std::uint32_t chosen = last[end];
    for (std::uint32_t edge = last[end]; edge != kNoEdge; edge = edges[edge].previous) {
      chosen = edge;
      left -= exponential(std::min(0.0, edges[edge].sum - below[end]));
      if (left < 0) break;
    }
    path.push_back({edges[chosen].id, static_cast<std::uint32_t>(end)});
    end = edges[chosen].begin;
  }
  std::size_t begin = 0;
  for (auto step = path.rbegin(); step != path.rend(); begin = (step++)->end) {
    append(text.substr(begin, step->end - begin), step->id, is_after_unknown, ids);
  }
}

}  // namespace headwater
