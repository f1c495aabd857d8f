#include "text/models/word_piece.hpp"

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/unicode/unicode.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

std::unique_ptr<const FusedEncoder> BertEncoder::of_parts(const Json& normalizer, const Json& pre_tokenizer,
                                                          const TokenModel& model) {
  const auto type_is = [](const Json& part, std::string_view type) {
    const Json* member = part.is_object() ? part.find("type") : nullptr;
    return member != nullptr && member->is_string() && member->as_string() == type;
  };
  if (!type_is(normalizer, "BertNormalizer") || !type_is(pre_tokenizer, "BertPreTokenizer")) return nullptr;
  const BertNormalizerSettings settings = read_bert_normalizer(normalizer, "normalizer");
  if (!settings.clean_text) return nullptr;
  return std::unique_ptr<const FusedEncoder>(new BertEncoder(settings, model));
}

BertEncoder::BertEncoder(const BertNormalizerSettings& settings, const TokenModel& model)
    : settings_(settings), model_(model) {
  for (char32_t c = 0; c < 128; ++c) {
    ascii_[c] = c == ' ' || c == '\t' || c == '\n' || c == '\r' ? AsciiKind::space
                : is_bert_control(c)                            ? AsciiKind::dropped
                : is_bert_punctuation(c)                        ? AsciiKind::punctuation
                : c >= 'A' && c <= 'Z' && settings_.lowercase   ? AsciiKind::capital
                                                                : AsciiKind::letter;
  }
  for (char32_t c = kFirst; c < kEnd; ++c) {
    const Outcome one = outcome(c);
    entries_.push_back({static_cast<std::uint32_t>(outcomes_.size()),
                        static_cast<std::uint8_t>(one.text.size()), one.is_alone});
    outcomes_ += one.text;
  }
}

// Accents are taken off after marks were brought into their order: a mark that stays may change places with
// another.
BertEncoder::Outcome BertEncoder::outcome(char32_t character) const {
  std::string text;
  append_utf8(text, character);
  text = bert_normalize(text, settings_);
  Outcome result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (settings_.strip_accents && has_combining_class(c)) result.is_alone = false;
    if (is_white_space(c)) {
      result.text += kCut;
    } else if (is_bert_punctuation(c)) {
      result.text += kCut;
      result.text += text.substr(begin, at - begin);
      result.text += kCut;
    } else {
      result.text += text.substr(begin, at - begin);
    }
  }
  return result;
}

void BertEncoder::finish(std::string& word, std::vector<std::int32_t>& ids) const {
  if (!word.empty()) model_.encode(word, ids);
  word.clear();
}

void BertEncoder::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  if (try_encode(text, ids)) return;
  ids.resize(before);
  encode_by_parts(text, ids);
}

bool BertEncoder::try_encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  std::string word;
  const auto is_of_word = [&](std::size_t i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    return byte < 0x80 && ascii_[byte] <= AsciiKind::capital;
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x80) {
      const char32_t c = next_code_point(text, at);
      if (c < kEnd) {
        const Entry& entry = entries_[c - kFirst];
        if (!entry.is_alone) return false;
        append(std::string_view(outcomes_).substr(entry.begin, entry.length), word, ids);
      } else {
        const Outcome one = outcome(c);
        if (!one.is_alone) return false;
        append(one.text, word, ids);
      }
      continue;
    }
    if (ascii_[byte] <= AsciiKind::capital) {
      const std::size_t begin = at;
      bool has_capitals = false;
      for (; at < text.size() && is_of_word(at); ++at)
        has_capitals |= ascii_[static_cast<unsigned char>(text[at])] == AsciiKind::capital;
      const bool is_cut =
          at == text.size() || (static_cast<unsigned char>(text[at]) < 0x80 &&
                                ascii_[static_cast<unsigned char>(text[at])] != AsciiKind::dropped);
      if (is_cut && word.empty() && !has_capitals) {
        model_.encode(text.substr(begin, at - begin), ids);
        continue;
      }
      for (std::size_t i = begin; i < at; ++i) {
        const char c = text[i];
        word += ascii_[static_cast<unsigned char>(c)] == AsciiKind::capital ? static_cast<char>(c + 32) : c;
      }
      continue;
    }
    ++at;
    if (ascii_[byte] == AsciiKind::dropped) continue;
    finish(word, ids);
    if (ascii_[byte] == AsciiKind::punctuation) model_.encode(text.substr(at - 1, 1), ids);
  }
  finish(word, ids);
  return true;
}

void BertEncoder::append(std::string_view outcome, std::string& word, std::vector<std::int32_t>& ids) const {
  for (const char c : outcome) {
    if (c == kCut) {
      finish(word, ids);
    } else {
      word += c;
    }
  }
}

void BertEncoder::encode_by_parts(std::string_view text, std::vector<std::int32_t>& ids) const {
  const std::string normal = bert_normalize(text, settings_);
  std::string word;
  for (std::size_t at = 0; at < normal.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(normal, at);
    const bool is_punctuation = is_bert_punctuation(c);
    if (is_punctuation || is_white_space(c)) finish(word, ids);
    if (is_white_space(c)) continue;
    word.append(normal, begin, at - begin);
    if (is_punctuation) finish(word, ids);
  }
  finish(word, ids);
}

namespace {

constexpr char kInside = '\xFF';  // never in UTF-8: the first byte of the keys of pieces inside a word

// The most pieces that are complete where a match goes on, for a trie of so many nodes: those before each
// place of one long piece may be as many as its bytes, which together is the square.
constexpr std::size_t max_complete_pieces(std::size_t nodes) { return (std::size_t{1} << 20) + 4 * nodes; }

}  // namespace

WordPiece::WordPiece(const std::vector<std::string>& surfaces, WordPieceSettings settings)
    : settings_(std::move(settings)) {
  std::vector<std::string> inside;
  inside.reserve(surfaces.size());  // keys are views
  std::vector<PieceTrie::Key> keys;
  // A value is id + 1; 0 is the root itself, which is no piece.
  keys.push_back({std::string_view(&kInside, 1), 0});
  for (std::size_t id = 0; id < surfaces.size(); ++id) {
    const std::string& surface = surfaces[id];
    const auto value = static_cast<std::int32_t>(id + 1);
    if (surface.empty()) continue;
    keys.push_back({surface, value});
    if (surface.size() > settings_.prefix.size() && surface.starts_with(settings_.prefix)) {
      inside.push_back(kInside + surface.substr(settings_.prefix.size()));
      keys.push_back({inside.back(), value});
    }
  }
  std::vector<PieceTrie::Edge> edges;
  trie_ = PieceTrie(std::move(keys), &edges);
  inside_ = trie_.next(PieceTrie::kRoot, kInside);
  link(edges);
}

// As failure links of Aho and Corasick: a node's follow from those of its parent, which come first. After a
// piece the match goes on inside the word; between pieces it goes on from where the rest of the parent's text
// leads.
void WordPiece::link(const std::vector<PieceTrie::Edge>& edges) {
  failures_.resize(trie_.size());
  std::vector<std::int32_t> done;
  const std::size_t most = max_complete_pieces(edges.size());
  for (const PieceTrie::Edge& edge : edges) {
    if (edge.node == inside_) continue;
    Failure& failure = failures_[edge.node];
    if (trie_.value(edge.node) > 0) {
      failure = {inside_, static_cast<std::uint32_t>(pieces_.size()), 1};
      pieces_.push_back(trie_.value(edge.node) - 1);
      continue;
    }
    done.clear();
    const auto add = [&](const Failure& from) {
      for (std::uint32_t i = 0; i < from.count; ++i) done.push_back(pieces_[from.begin + i]);
    };
    Failure at = failures_[edge.parent];
    add(at);
    PieceTrie::Node to = PieceTrie::kNone;
    while (at.to != PieceTrie::kNone) {
      to = trie_.next(at.to, static_cast<char>(edge.byte));
      if (to != PieceTrie::kNone) break;
      at = failures_[at.to];
      add(at);
    }
    if (to == PieceTrie::kNone) continue;
    if (pieces_.size() + done.size() > most)
      throw Error("vocabulary: its long pieces take too many short ones for WordPiece");
    failure = {to, static_cast<std::uint32_t>(pieces_.size()), static_cast<std::uint32_t>(done.size())};
    pieces_.insert(pieces_.end(), done.begin(), done.end());
  }
}

void WordPiece::encode(std::string_view word, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  const auto fail = [&] {
    ids.resize(before);
    ids.push_back(settings_.unknown_id);
  };
  if (word.size() > settings_.max_characters && count_code_points(word) > settings_.max_characters)
    return fail();
  PieceTrie::Node node = PieceTrie::kRoot;
  // Takes what is complete and goes on; false where nothing fits.
  const auto take = [&] {
    const Failure& failure = failures_[node];
    for (std::uint32_t i = 0; i < failure.count; ++i) ids.push_back(pieces_[failure.begin + i]);
    node = failure.to;
    return node != PieceTrie::kNone;
  };
  for (const char byte : word) {
    PieceTrie::Node next = trie_.next(node, byte);
    while (next == PieceTrie::kNone) {
      if (!take()) return fail();
      next = trie_.next(node, byte);
    }
    node = next;
  }
  while (node != inside_) {
    if (!take()) return fail();
  }
}

}  // namespace headwater
