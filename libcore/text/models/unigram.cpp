#include "text/models/unigram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/error.hpp"
#include "support/math_functions.hpp"
#include "text/tokenizer/word_cuts.hpp"

namespace headwater {
namespace {

constexpr std::size_t kMaxPieceBytes = 1024;  // a text of n bytes costs at most that many times n
constexpr double kUnknownPenalty = 10;
constexpr std::size_t kMaxTextBytes = 0x7FFFFFFF;

// Where text[begin, ...) stops being printable ASCII other than a space.
std::size_t end_of_printable(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin; at < text.size(); at += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, std::min<std::size_t>(8, text.size() - at));
    // The highest bit of each byte: of itself, of 0x7F + 1, and of 0x21 + 0x5F.
    const std::uint64_t low = bytes & 0x7F7F7F7F7F7F7F7Fu;
    const std::uint64_t others =
        (bytes | (low + 0x0101010101010101u) | ~(low + 0x5F5F5F5F5F5F5F5Fu)) & 0x8080808080808080u;
    if (others != 0)
      return std::min(text.size(), at + static_cast<std::size_t>(std::countr_zero(others)) / 8);
  }
  return text.size();
}

}  // namespace

Unigram::Unigram(std::vector<UnigramPiece> pieces, const UnigramSettings& settings) : settings_(settings) {
  std::vector<PieceTrie::Key> keys;
  keys.reserve(pieces.size());
  scores_.reserve(pieces.size());
  bool has_piece = false;
  double least = 0;
  // SentencePiece's largest score is never below the smallest normal float.
  double most = static_cast<double>(std::numeric_limits<float>::min());
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const UnigramPiece& piece = pieces[id];
    const auto fail = [&](const char* what) {
      throw Error("vocabulary: piece " + std::to_string(id) + " " + quote(piece.surface) + ": " + what);
    };
    if (!std::isfinite(piece.score)) fail("the score is not finite");
    scores_.push_back(settings_.sums == ScoreSums::in_float
                          ? static_cast<double>(static_cast<float>(piece.score))
                          : piece.score);
    largest_ = std::max(largest_, std::abs(piece.score));
    // Hugging Face's library counts all pieces, SentencePiece those of text alone.
    const bool counts = settings_.sums == ScoreSums::in_double || piece.kind == PieceKind::ordinary;
    if (counts) {
      least = has_piece ? std::min(least, piece.score) : piece.score;
      most = std::max(most, piece.score);
      has_piece = true;
    }
    if (piece.kind == PieceKind::hidden) continue;
    if (piece.surface.empty()) fail("an empty piece");
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
    use(begin + length, id, scores_[id]);
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

// A word that was seen is cut as before where the sum of scores before it is below a limit: its best cut
// leads by more than the sums can be wrong, at most `additions` roundings of values up to |score| + additions
// * largest_ on each of two paths, twice over. At the text's beginning it always is.
template <class Sum>
const WordMemory::Place* Unigram::remembered(const WordMemory::Key& key, Sum score) const {
  const WordMemory::Place* place = memory_.find(key);
  return place != nullptr && std::abs(static_cast<float>(score)) < place->note ? place : nullptr;
}

template <class Sum>
void Unigram::remember(std::string_view word, const WordMemory::Key& key) const {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  struct State {
    double sum = 0;  // as find_best_path adds
    std::uint32_t begin = kNowhere;
    std::int32_t id = 0;
    double first = kNone, second = kNone;  // the scores of the best two cuts
  };
  std::array<State, WordMemory::kMaxBytes + kWordMark.size() + 1> states;
  std::fill_n(states.begin(), word.size() + 1, State());
  states[0].first = 0;
  for (std::size_t begin = 0; begin < word.size(); begin += character_bytes(word, begin)) {
    const State here = states[begin];
    for_each_edge(word, begin, [&](std::size_t end, std::int32_t id, double score) {
      State& state = states[end];
      const auto sum = static_cast<double>(static_cast<Sum>(here.sum + score));
      if (state.begin == kNowhere || sum > state.sum) {
        state.sum = sum;
        state.begin = static_cast<std::uint32_t>(begin);
        state.id = id;
      }
      const double first = here.first + score;
      state.second = std::max({state.second, std::min(state.first, first), here.second + score});
      state.first = std::max(state.first, first);
    });
  }
  std::array<std::int32_t, WordMemory::kMaxIds> ids;
  std::size_t first = ids.size();
  for (std::size_t end = word.size(); end > 0; end = states[end].begin) {
    if (first == 0 || states[end].id == settings_.unknown_id) return;
    ids[--first] = states[end].id;
  }
  constexpr double kUnit = static_cast<double>(std::numeric_limits<Sum>::epsilon());
  const auto additions = static_cast<double>(word.size() + 1);
  const double lead = states[word.size()].first - states[word.size()].second;
  const double limit = lead * 0.999 / (4 * additions * kUnit) - additions * largest_;
  constexpr auto kLeast = static_cast<double>(std::numeric_limits<float>::min());
  constexpr auto kMost = static_cast<double>(std::numeric_limits<float>::max());
  memory_.keep(key, std::span(ids).subspan(first),
               static_cast<float>(std::clamp(limit * 0.999, kLeast, kMost)));
}

template <class Sum>
void Unigram::encode_word(std::string_view word, const WordMemory::Key* key, Progress& progress,
                          Scratch& scratch, std::vector<std::int32_t>& ids) const {
  const auto start = static_cast<Sum>(progress.score);
  if (key != nullptr && memory_.find(*key) == nullptr && memory_.has_room(*key)) {
    remember<Sum>(word, *key);
    if (const WordMemory::Place* place = remembered(*key, start)) {
      return append_known<Sum>(*place, progress, ids);
    }
  }
  find_best_path(word, start, scratch.steps);
  scratch.ends.clear();
  for (std::size_t end = word.size(); end > 0; end = scratch.steps[end].begin) {
    scratch.ends.push_back(static_cast<std::uint32_t>(end));
  }
  std::size_t begin = 0;
  for (auto end = scratch.ends.rbegin(); end != scratch.ends.rend(); begin = *end++) {
    append(word.substr(begin, *end - begin), scratch.steps[*end].id, progress.is_after_unknown, ids);
  }
  progress.score = scratch.steps[word.size()].score;
}

template <class Sum>
void Unigram::append_known(const WordMemory::Place& place, Progress& progress,
                           std::vector<std::int32_t>& ids) const {
  auto score = static_cast<Sum>(progress.score);
  for (const std::int32_t id : place.all()) score += static_cast<Sum>(scores_[id]);
  progress = {.score = static_cast<double>(score)};
  ids.insert(ids.end(), place.all().begin(), place.all().end());
}

template <class Sum>
void Unigram::encode_words(std::string_view text, Progress& progress, std::vector<std::int32_t>& ids) const {
  Scratch scratch;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = has_cuts_ ? end_of_word(text, begin) : text.size();
    const std::string_view word = text.substr(begin, end - begin);
    begin = end;
    const bool is_marked = word.starts_with(kWordMark);
    const std::string_view letters = is_marked ? word.substr(kWordMark.size()) : word;
    if (letters.size() > WordMemory::kMaxBytes) {
      encode_word<Sum>(word, nullptr, progress, scratch, ids);
      continue;
    }
    const WordMemory::Key key = WordMemory::key_of(letters, is_marked ? 1 : 0);
    if (const WordMemory::Place* place = remembered(key, static_cast<Sum>(progress.score))) {
      append_known<Sum>(*place, progress, ids);
    } else {
      encode_word<Sum>(word, &key, progress, scratch, ids);
    }
  }
}

// Words are looked for, and their places asked of the memory, some before they are used.
template <class Sum>
std::size_t Unigram::encode_ascii(std::string_view text, std::size_t at, Progress& progress,
                                  std::size_t& bytes, std::vector<std::int32_t>& ids) const {
  struct Word {
    std::string_view letters;
    WordMemory::Key key;
  };
  constexpr std::size_t kWords = 16;
  std::array<Word, kWords> words;
  std::array<std::int32_t, kWords * WordMemory::kMaxIds> known;  // ids, before they go to `ids`
  Scratch scratch;
  for (bool has_more = true; has_more;) {
    std::size_t count = 0;
    for (; count < kWords; ++count) {
      std::size_t begin = at;
      while (begin < text.size() && text[begin] == ' ') ++begin;
      const std::size_t end = end_of_printable(text, begin);
      has_more = begin < end && (end == text.size() || text[end] == ' ');
      if (begin == text.size()) at = end;
      if (!has_more) break;
      Word& word = words[count];
      word.letters = text.substr(begin, end - begin);
      if (word.letters.size() <= WordMemory::kMaxBytes) {
        word.key = text.size() - begin >= sizeof word.key.parts
                       ? WordMemory::key_of_readable(word.letters.data(), word.letters.size(), 1)
                       : WordMemory::key_of(word.letters, 1);
        memory_.prefetch(word.key);
      }
      bytes += word.letters.size() + kWordMark.size();
      at = end;
    }
    auto score = static_cast<Sum>(progress.score);
    std::int32_t* next = known.data();
    for (const Word& word : std::span(words).first(count)) {
      const bool is_short = word.letters.size() <= WordMemory::kMaxBytes;
      const WordMemory::Place* place = is_short ? remembered(word.key, score) : nullptr;
      if (place != nullptr) {
        for (const std::int32_t id : place->all()) {
          score += static_cast<Sum>(scores_[id]);
          *next++ = id;
        }
        progress.is_after_unknown = false;
        continue;
      }
      ids.insert(ids.end(), known.data(), next);
      next = known.data();
      progress.score = static_cast<double>(score);
      scratch.word.assign(kWordMark);
      scratch.word += word.letters;
      encode_word<Sum>(scratch.word, is_short ? &word.key : nullptr, progress, scratch, ids);
      score = static_cast<Sum>(progress.score);
    }
    ids.insert(ids.end(), known.data(), next);
    progress.score = static_cast<double>(score);
  }
  return at;
}

void Unigram::encode(std::string_view piece, std::vector<std::int32_t>& ids) const {
  Progress progress;
  encode_part(piece, progress, ids);
}

void Unigram::encode_part(std::string_view part, Progress& progress, std::vector<std::int32_t>& ids) const {
  if (part.size() > kMaxTextBytes) throw Error("a text of more than 2147483647 bytes");
  if (settings_.sums == ScoreSums::in_float) {
    encode_words<float>(part, progress, ids);
  } else {
    encode_words<double>(part, progress, ids);
  }
}

std::size_t Unigram::encode_ascii_words(std::string_view text, std::size_t at, Progress& progress,
                                        std::size_t& bytes, std::vector<std::int32_t>& ids) const {
  return settings_.sums == ScoreSums::in_float ? encode_ascii<float>(text, at, progress, bytes, ids)
                                               : encode_ascii<double>(text, at, progress, bytes, ids);
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
