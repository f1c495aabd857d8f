#include "text/models/subword_text_encoder.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/tokenizer/json_members.hpp"
#include "text/tokenizer/token_lines.hpp"
#include "text/tokenizer/tokenizer_json.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {
namespace {

// What Python's \w matches: letters, numbers and the underscore.
bool is_alphanumeric_at(std::string_view text, std::size_t& at) {
  const bool is_underscore = text[at] == '_';
  const CharacterClass found = class_of_long(text, at);
  return is_underscore || found == CharacterClass::letter || found == CharacterClass::number;
}

// Calls use(part) for each run of alphanumeric characters, and of others.
template <class Use>
void for_each_alphanumeric_run(std::string_view text, const Use& use) {
  std::size_t begin = 0, at = 0;
  bool is_inside = false;
  while (at < text.size()) {
    const std::size_t before = at;
    const bool is_alphanumeric = is_alphanumeric_at(text, at);
    if (before > begin && is_alphanumeric != is_inside) {
      use(text.substr(begin, before - begin));
      begin = before;
    }
    is_inside = is_alphanumeric;
  }
  if (text.size() > begin) use(text.substr(begin));
}

bool is_mixed(std::string_view subword) {
  int runs = 0;
  for_each_alphanumeric_run(subword, [&](std::string_view) { ++runs; });
  return runs > 1;
}

// One that holds an escaped underscore is no text: what spells it means something else.
std::vector<std::string> mixed(const std::vector<std::string>& subwords) {
  std::vector<std::string> found;
  for (const std::string& subword : subwords) {
    if (is_mixed(subword) && subword.find(kEscapedUnderscore) == subword.npos) found.push_back(subword);
  }
  return found;
}

void append_escaped(std::string& out, std::string_view token) {
  for (const char c : token) {
    if (c == '_') {
      out += kEscapedUnderscore;
    } else {
      out.push_back(c);
    }
  }
}

constexpr std::string_view kSubwordsMetadata = "### Metadata: ";
constexpr const char* kModelName = "SubwordTextEncoder";

}  // namespace

std::vector<std::string> subword_text_encoder_surfaces(const std::vector<std::string>& subwords) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::vector<std::string> surfaces = {std::string(kPadToken)};
  surfaces.insert(surfaces.end(), subwords.begin(), subwords.end());
  for (std::size_t byte = 0; byte < 256; ++byte)
    surfaces.push_back({'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'});
  surfaces.emplace_back(kStartToken);
  surfaces.emplace_back(kEndToken);
  return surfaces;
}

SubwordSplitter::SubwordSplitter(std::vector<std::string> reserved) : reserved_(std::move(reserved)) {
  if (std::find(reserved_.begin(), reserved_.end(), kEscapedUnderscore) == reserved_.end())
    reserved_.emplace_back(kEscapedUnderscore);
  std::sort(reserved_.begin(), reserved_.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
}

std::size_t SubwordSplitter::reserved_length(std::string_view text) const {
  for (const std::string& token : reserved_) {
    if (text.starts_with(token)) return token.size();
  }
  return 0;
}

template <class Use>
void SubwordSplitter::cut(std::string_view text, const Use& use) const {
  std::size_t begin = 0;
  const auto cut_plain = [&](std::size_t end) {
    for_each_alphanumeric_run(text.substr(begin, end - begin), [&](std::string_view run) { use(run); });
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = reserved_length(text.substr(at));
    if (length == 0) {
      ++at;
      continue;
    }
    cut_plain(at);
    use(text.substr(at, length));
    begin = at += length;
  }
  cut_plain(text.size());
}

void SubwordSplitter::for_each_word(std::string_view text,
                                    const std::function<void(std::string_view)>& use) const {
  std::string word;
  bool is_open = false;  // a space may follow the word
  cut(text, [&](std::string_view token) {
    if (is_open && token == " ") {
      word.push_back('_');
      is_open = false;
      return use(word);
    }
    if (is_open) use(word);
    if (token == kEscapedUnderscore) {  // of the text itself: in two, neither of which means an underscore
      use(token.substr(0, 2));
      token.remove_prefix(2);
    }
    word.clear();
    append_escaped(word, token);
    is_open = true;
  });
  if (is_open) use(word);
}

void SubwordSplitter::split(std::string_view text, std::vector<std::string>& words) const {
  words.clear();
  for_each_word(text, [&](std::string_view word) { words.emplace_back(word); });
}

SubwordMatcher::SubwordMatcher(const std::vector<std::string>& subwords)
    : max_code_points_(kEscapedUnderscore.size()) {
  for (std::size_t i = 0; i < subwords.size(); ++i) {
    numbers_.value(subwords[i]) = i;
    max_code_points_ = std::max(max_code_points_, count_code_points(subwords[i]));
  }
}

SubwordMatcher::Match SubwordMatcher::longest(std::string_view word) const {
  std::size_t end = 0, first = 0;
  for (std::size_t i = 0; i < max_code_points_ && end < word.size(); ++i) {
    end += std::max<std::size_t>(1, utf8_sequence_length(word.substr(end)));
    if (i == 0) first = end;
  }
  for (; end > 0; --end) {
    const bool is_boundary = end == word.size() || (static_cast<unsigned char>(word[end]) & 0xC0) != 0x80;
    if (!is_boundary) continue;
    const std::string_view candidate = word.substr(0, end);
    if (const WordTable::Entry* entry = numbers_.find(candidate); entry != nullptr)
      return {end, static_cast<std::int32_t>(entry->value)};
    if (candidate == kEscapedUnderscore) return {end, -1};
  }
  return {first, -1};
}

SubwordTextEncoder::SubwordTextEncoder(const std::vector<std::string>& subwords)
    : splitter_(mixed(subwords)),
      matcher_(subwords),
      first_byte_(static_cast<std::int32_t>(subwords.size()) + 1) {}

void SubwordTextEncoder::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  splitter_.for_each_word(text, [&](std::string_view rest) {
    while (!rest.empty()) {
      const SubwordMatcher::Match match = matcher_.longest(rest);
      const std::string_view subword = rest.substr(0, match.bytes);
      if (match.number >= 0) {
        ids.push_back(match.number + 1);
      } else if (subword == kEscapedUnderscore) {
        ids.push_back(first_byte_ + '_');
      } else if (subword == "_") {  // the end of a word
        ids.push_back(first_byte_ + ' ');
      } else {
        for (const char byte : subword) ids.push_back(first_byte_ + static_cast<unsigned char>(byte));
      }
      rest.remove_prefix(match.bytes);
    }
  });
}

std::vector<std::string> parse_subwords(std::string_view file, std::string_view where) {
  std::size_t number = 0;
  const auto fail = [&](const std::string& what) {
    throw Error(std::string(where) + ":" + std::to_string(number) + ": " + what);
  };
  const auto next_line = [&] {
    ++number;
    const std::size_t end = file.find('\n');
    if (end == file.npos)
      fail(file.empty() ? "the file ends here (cut off?)" : "a line without its end (cut off?)");
    const std::string_view line = file.substr(0, end);
    file.remove_prefix(end + 1);
    if (find_invalid_utf8(line) != line.npos) fail("invalid UTF-8");
    return line;
  };
  if (next_line() != kSubwordsHeader) fail("expected \"" + std::string(kSubwordsHeader) + "\"");
  if (!next_line().starts_with(kSubwordsMetadata))
    fail("expected \"" + std::string(kSubwordsMetadata) + "{}\"");
  std::vector<std::string> subwords;
  WordTable seen;
  while (!file.empty()) {
    const std::string_view line = next_line();
    if (line.size() < 2 || line.front() != '\'' || line.back() != '\'')
      fail("expected a subword in single quotes, found " + quote(line));
    const std::string_view subword = line.substr(1, line.size() - 2);
    if (subword.empty()) fail("an empty subword");
    if (breaks_lines(subword)) fail("the subword " + quote(subword) + kBreaksLines);
    if (seen.value(subword) != 0) fail("the subword " + quote(subword) + " stands twice");
    seen.value(subword) = 1;
    subwords.emplace_back(subword);
  }
  return subwords;
}

std::string subwords_file(const std::vector<std::string>& subwords) {
  std::string text(kSubwordsHeader);
  ((text += '\n') += kSubwordsMetadata) += "{}\n";
  for (const std::string& subword : subwords) ((text += '\'') += subword) += "'\n";
  return text;
}

std::string subword_text_encoder_json(const std::vector<std::string>& subwords, Json normalizer) {
  const std::vector<std::string> surfaces = subword_text_encoder_surfaces(subwords);
  const auto size = static_cast<std::int64_t>(surfaces.size());
  Json::Array written(subwords.begin(), subwords.end());
  const auto replace = [](const char* kind, const std::string& pattern, const char* content) {
    return Json(
        Json::Object{{"type", "Replace"}, {"pattern", Json::Object{{kind, pattern}}}, {"content", content}});
  };
  return tokenizer_json(
      {.special_tokens = {{surfaces.front(), 0},
                          {surfaces[surfaces.size() - 2], size - 2},
                          {surfaces.back(), size - 1}},
       .normalizer = std::move(normalizer),
       .pre_tokenizer = nullptr,
       .decoder =
           Json::Object{{"type", "Sequence"},
                        {"decoders", Json::Array{replace("Regex", "_\\z", " "),
                                                 replace("String", std::string(kEscapedUnderscore), "_"),
                                                 Json::Object{{"type", "ByteFallback"}},
                                                 Json::Object{{"type", "Fuse"}}}}},
       .model = Json::Object{{"type", kModelName}, {"subwords", std::move(written)}}});
}

ModelOfFile read_subword_text_encoder(const ModelPart& part) {
  check_members(part.json, {"type", "subwords"}, part.where);
  const std::string where = part.where + ".subwords";
  const Json& list = json_member(part.json, "subwords", part.where);
  if (!list.is_array()) throw Error(where + ": expected an array");
  std::vector<std::string> subwords;
  for (const Json& subword : list.as_array()) {
    if (!subword.is_string()) throw Error(where + ": expected strings");
    if (subword.as_string().empty()) throw Error(where + ": an empty subword");
    subwords.push_back(subword.as_string());
  }
  ModelOfFile file;
  file.surfaces = subword_text_encoder_surfaces(subwords);
  WordTable seen;
  for (const std::string& surface : file.surfaces) {
    if (breaks_lines(surface)) throw Error(where + ": " + quote(surface) + kBreaksLines);
    if (++seen.value(surface) > 1) throw Error(where + ": " + quote(surface) + " stands twice");
  }
  file.model = std::make_shared<SubwordTextEncoder>(subwords);
  return file;
}

std::vector<std::string> subwords_of_json(std::string_view json, std::string_view where) {
  const Json file = Json::parse(json, where);
  const std::string here(where);
  const Json& model = json_member(file, "model", here);
  if (json_string(model, "type", here + ": model") != kModelName)
    throw Error(here + ": no SubwordTextEncoder, which alone has a .subwords file");
  if (const Json* normalizer = file.find("normalizer"); normalizer != nullptr && !normalizer->is_null())
    throw Error(here + ": a .subwords file cannot say how texts are normalized (write a tokenizer.json)");
  std::vector<std::string> subwords;
  for (const Json& subword : json_member(model, "subwords", here).as_array())
    subwords.push_back(subword.as_string());
  return subwords;
}

}  // namespace headwater
