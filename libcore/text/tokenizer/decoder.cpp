#include "text/tokenizer/decoder.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/tokenizer/text_part.hpp"
#include "text/tokenizer/token_text.hpp"
#include "text/unicode/byte_level.hpp"

namespace headwater {

namespace {

using DecodedTokens = std::vector<std::string>;

std::string replace_all(std::string_view text, std::string_view from, std::string_view to, std::size_t most) {
  TextSpans matches;
  if (!from.empty()) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + from.size()))
      matches.push_back({at, at + from.size()});
  }
  return replace_matches(text, matches, to, most);
}

// The tokenization of English undone, as BERT's library does it.
std::string clean_up(std::string text) {
  static constexpr std::pair<const char*, const char*> kRules[] = {
      {" .", "."},   {" ?", "?"},   {" !", "!"},           {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" 's", "'s"}, {" do not", " don't"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : kRules) text = replace_all(text, from, to, std::string::npos / 4);
  return text;
}

void join_word_pieces(DecodedTokens& tokens, const std::string& prefix, bool cleans) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::string& token = tokens[i];
    if (i != 0 && token.starts_with(prefix)) {
      token.erase(0, prefix.size());
    } else if (i != 0) {
      token.insert(0, " ");
    }
    if (cleans) token = clean_up(std::move(token));
  }
}

// Bytes of the longest beginning of a well-formed sequence at the start of ill-formed `text`, at least 1.
std::size_t ill_formed_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t wanted = lead >= 0xF0 && lead <= 0xF4   ? 4
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xC2 && lead <= 0xDF ? 2
                                                            : 1;
  const unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (wanted == 1 || text.size() < 2 || byte(1) < least || byte(1) > most) return 1;
  return wanted == 4 && text.size() > 2 && (byte(2) & 0xC0) == 0x80 ? 3 : 2;
}

std::string with_replaced_invalid(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const std::size_t good = std::min(find_invalid_utf8(bytes), bytes.size());
    out += bytes.substr(0, good);
    bytes.remove_prefix(good);
    if (bytes.empty()) break;
    out += "\uFFFD";
    bytes.remove_prefix(ill_formed_length(bytes));
  }
  return out;
}

// All tokens are bytes; what is no UTF-8 becomes U+FFFD. A token that is no byte-level text stands for
// itself.
void join_bytes(DecodedTokens& tokens) {
  std::string bytes;
  for (const std::string& token : tokens) {
    if (!append_byte_level_bytes(token, bytes)) bytes += token;
  }
  tokens = {with_replaced_invalid(bytes)};
}

// The byte of a token <0x41>, or -1.
int byte_of_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return -1;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  const int high = digit(token[3]), low = digit(token[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

// Runs of byte tokens become their text, or one U+FFFD for each where they are no UTF-8.
void join_byte_tokens(DecodedTokens& tokens) {
  DecodedTokens out;
  std::string bytes;
  const auto flush = [&] {
    if (bytes.empty()) return;
    if (find_invalid_utf8(bytes) == std::string::npos) {
      out.push_back(bytes);
    } else {
      out.insert(out.end(), bytes.size(), "\uFFFD");
    }
    bytes.clear();
  };
  for (std::string& token : tokens) {
    if (const int byte = byte_of_token(token); byte >= 0) {
      bytes.push_back(static_cast<char>(byte));
    } else {
      flush();
      out.push_back(std::move(token));
    }
  }
  flush();
  tokens = std::move(out);
}

// Up to `start` and `stop` times the character, from either end.
std::string strip_character(std::string_view token, const std::string& character, std::int64_t start,
                            std::int64_t stop) {
  for (std::int64_t i = 0; i < start && token.starts_with(character); ++i)
    token.remove_prefix(character.size());
  for (std::int64_t i = 0; i < stop && token.ends_with(character); ++i) token.remove_suffix(character.size());
  return std::string(token);
}

std::string text_or(const Json& part, std::string_view name, const std::string& otherwise,
                    const std::string& where) {
  return part.find(name) == nullptr ? otherwise : json_string(part, name, where);
}

}  // namespace

TokenDecoder::TokenDecoder(const Json& part, const std::string& where)
    : budget_(std::make_shared<MatchBudget>()) {
  add(part, where);
}

void TokenDecoder::add(const Json& part, const std::string& where) {
  const std::string& type = type_of_part(part, where);
  if (type == "Sequence") {
    check_members(part, {"type", "decoders"}, where);
    for_each_part(part, "decoders", where,
                  [&](const Json& inner, const std::string& place) { add(inner, place); });
    return;
  }
  Run run = read(part, type, where);
  check_step_count(steps_.size(), where);
  steps_.push_back({where, type, std::move(run)});
  if (type == "WordPiece") steps_.back().prefix = text_or(part, "prefix", "##", where);
}

TokenDecoder::Run TokenDecoder::read(const Json& part, const std::string& type,
                                     const std::string& where) const {
  if (type == "Fuse") {
    check_members(part, {"type"}, where);
    return [](Tokens& tokens, std::size_t) {
      std::string all;
      for (const std::string& token : tokens) all += token;
      tokens = {std::move(all)};
    };
  }
  if (type == "ByteLevel") {
    check_members(part, {"type", "add_prefix_space", "trim_offsets", "use_regex"}, where);
    return [](Tokens& tokens, std::size_t) { join_bytes(tokens); };
  }
  if (type == "ByteFallback") {
    check_members(part, {"type"}, where);
    return [](Tokens& tokens, std::size_t) { join_byte_tokens(tokens); };
  }
  if (type == "BPEDecoder") {
    check_members(part, {"type", "suffix"}, where);
    return [suffix = text_or(part, "suffix", "</w>", where)](Tokens& tokens, std::size_t most) {
      for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i] = replace_all(tokens[i], suffix, i + 1 == tokens.size() ? "" : " ", most);
    };
  }
  if (type == "WordPiece") {
    check_members(part, {"type", "prefix", "cleanup"}, where);
    return
        [prefix = text_or(part, "prefix", "##", where), cleans = json_bool_or(part, "cleanup", true, where)](
            Tokens& tokens, std::size_t) { join_word_pieces(tokens, prefix, cleans); };
  }
  if (type == "Metaspace") {
    check_members(part, {"type", "replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"},
                  where);
    std::string mark;
    append_utf8(mark, json_character(part, "replacement", where));
    const bool drops_first = json_bool_or(part, "add_prefix_space", true, where) &&
                             text_or(part, "prepend_scheme", "always", where) != "never";
    return [mark, drops_first](Tokens& tokens, std::size_t most) {
      for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i] = replace_all(tokens[i], mark, i == 0 && drops_first ? "" : " ", most);
    };
  }
  if (type == "CTC") {
    check_members(part, {"type", "pad_token", "word_delimiter_token", "cleanup"}, where);
    return [pad = text_or(part, "pad_token", "<pad>", where),
            delimiter = text_or(part, "word_delimiter_token", "|", where),
            cleans = json_bool_or(part, "cleanup", true, where)](Tokens& tokens, std::size_t most) {
      tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
      for (std::string& token : tokens) {
        token = replace_all(token, pad, "", most);
        if (cleans) token = replace_all(clean_up(std::move(token)), delimiter, " ", most);
      }
      std::erase(tokens, "");
    };
  }
  if (type == "Replace") {
    check_members(part, {"type", "pattern", "content"}, where);
    return [find = read_pattern(part, where, budget_), content = json_string(part, "content", where)](
               Tokens& tokens, std::size_t most) {
      std::size_t bytes = 0;
      for (std::string& token : tokens) {
        token = replace_matches(token, find(token), content, most);
        check_grown(bytes += token.size(), most);
      }
    };
  }
  if (type == "Strip") {
    check_members(part, {"type", "content", "start", "stop"}, where);
    std::string character;
    append_utf8(character, json_character(part, "content", where));
    return [character, start = json_whole_number(part, "start", 0, 1 << 30, where),
            stop = json_whole_number(part, "stop", 0, 1 << 30, where)](Tokens& tokens, std::size_t) {
      for (std::string& token : tokens) token = strip_character(token, character, start, stop);
    };
  }
  throw Error(
      where + ": unsupported type " + quote(type) +
      " (supported: BPEDecoder, ByteFallback, ByteLevel, CTC, Fuse, Metaspace, Replace, Sequence, Strip, "
      "WordPiece)");
}

std::string TokenDecoder::apply(std::vector<std::string> tokens) const {
  std::size_t bytes = 0;
  for (const std::string& token : tokens) bytes += token.size() + 1;
  budget_->grant(bytes);
  const std::size_t most = max_grown_bytes(bytes);
  for (const Step& step : steps_) at_part(step.where, [&] { step.run(tokens, most); });
  std::string text;
  for (const std::string& token : tokens) text += token;
  check_grown(text.size(), most);
  return text;
}

std::string TokenDecoder::inside(std::string_view written, As as) const {
  budget_->grant(written.size());
  const std::size_t most = max_grown_bytes(written.size());
  std::string text(written);
  for (const Step& step : steps_) {
    const std::string& type = step.type;
    if (type == "ByteFallback") {
      text = text_of_byte_piece(text);
    } else if (type == "ByteLevel" && as != As::line) {
      text = text_of_byte_level(text);
    } else if (type == "WordPiece" && as == As::token) {
      if (text.starts_with(step.prefix)) text.erase(0, step.prefix.size());
    } else if (type == "Replace" || (type == "Metaspace" && as != As::label) ||
               (type == "BPEDecoder" && as == As::token)) {
      Tokens tokens = {"", std::move(text), ""};  // neither the first nor the last
      at_part(step.where, [&] { step.run(tokens, most); });
      text = std::move(tokens[1]);
    }
  }
  return text;
}

bool TokenDecoder::reads_bytes() const {
  return std::any_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.type == "ByteLevel"; });
}

namespace {

// Whether decoding takes this beginning of a text away, but for spaces.
bool is_taken_away(const std::string& prefix, const TokenDecoder& decoder) {
  constexpr std::string_view kRest = "a";
  const std::string text = decoder.apply({prefix + std::string(kRest)});
  const std::size_t begin = text.find_first_not_of(' ');
  return begin != text.npos && std::string_view(text).substr(begin) == kRest;
}

}  // namespace

Json readable_normalizer(const Json& part, const TokenDecoder& decoder) {
  if (!part.is_object()) return part;
  const std::string& type = part.at("type").as_string();
  if (type == "Sequence") {
    Json::Array parts;
    for (const Json& inner : part.at("normalizers").as_array()) {
      if (Json readable = readable_normalizer(inner, decoder); !readable.is_null())
        parts.push_back(std::move(readable));
    }
    return Json(part).set("normalizers", std::move(parts));
  }
  if (type == "Replace") return Json(part).set("content", decoder.undo(part.at("content").as_string()));
  if (type == "Prepend") {
    const std::string& prefix = part.at("prepend").as_string();
    if (is_taken_away(prefix, decoder)) return nullptr;
    return Json(part).set("prepend", decoder.undo(prefix));
  }
  if (type == "ByteLevel" && decoder.reads_bytes()) return nullptr;
  return part;
}

}  // namespace headwater
