#include "text/formats/foreign_tokenizers.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/tokenizer/tokenizer_json.hpp"
#include "text/tokenizer/word_table.hpp"
#include "text/unicode/byte_level.hpp"

namespace headwater {
namespace {

// Calls use(line, number) for each line of `text`, numbers from 1; CR LF ends a line too.
template <class Use>
void for_each_line_of(std::string_view text, const std::string& where, const Use& use) {
  text = without_byte_order_mark(text);
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    if (find_invalid_utf8(line) != line.npos)
      throw Error(where + ":" + std::to_string(number) + ": invalid UTF-8");
    use(line, number);
  }
}

}  // namespace

std::string tokenizer_json_of_vocab_txt(std::string_view text, const BertOptions& options,
                                        const std::string& where) {
  Json::Object vocab;
  WordTable seen;
  for_each_line_of(text, where, [&](std::string_view line, std::size_t number) {
    const std::string here = where + ":" + std::to_string(number);
    if (line.empty()) throw Error(here + ": an empty line, where a token is expected");
    if (seen.value(line)++ > 0) throw Error(here + ": the token " + quote(line) + " stands twice");
    vocab.emplace_back(std::string(line), static_cast<std::int64_t>(vocab.size()));
  });
  const auto id_of = [&](std::string_view token) {
    const auto at =
        std::find_if(vocab.begin(), vocab.end(), [&](const auto& one) { return one.first == token; });
    return at == vocab.end() ? std::int64_t{-1} : at->second.as_integer();
  };
  if (id_of("[UNK]") < 0) throw Error(where + ": no line \"[UNK]\", which every vocab.txt of BERT has");
  Json::Array added;
  for (const char* token : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
    if (const std::int64_t id = id_of(token); id >= 0) added.push_back(added_token_json(token, id));
  }
  const std::int64_t begin = id_of("[CLS]"), end = id_of("[SEP]");
  Json post;
  if (begin >= 0 && end >= 0) {
    post = Json::Object{
        {"type", "BertProcessing"}, {"sep", Json::Array{"[SEP]", end}}, {"cls", Json::Array{"[CLS]", begin}}};
  }
  return tokenizer_file_json(
             {.added_tokens = std::move(added),
              .normalizer = Json::Object{{"type", "BertNormalizer"},
                                         {"clean_text", true},
                                         {"handle_chinese_chars", options.handle_chinese_chars},
                                         {"strip_accents", options.strip_accents},
                                         {"lowercase", options.lowercase}},
              .pre_tokenizer = Json::Object{{"type", "BertPreTokenizer"}},
              .post_processor = std::move(post),
              .decoder = Json::Object{{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}},
              .model = Json::Object{{"type", "WordPiece"},
                                    {"unk_token", "[UNK]"},
                                    {"continuing_subword_prefix", "##"},
                                    {"max_input_chars_per_word", 100},
                                    {"vocab", std::move(vocab)}}})
             .dump() +
         "\n";
}

std::string tokenizer_json_of_merges(std::string_view vocab_text, const std::string& vocab_where,
                                     std::string_view merges_text, const std::string& merges_where,
                                     const ByteLevelOptions& options) {
  Json vocab = Json::parse(vocab_text, vocab_where);
  if (!vocab.is_object()) throw Error(vocab_where + ": expected an object of tokens and ids");
  WordTable known;  // token -> index of its member
  for (std::size_t i = 0; i < vocab.as_object().size(); ++i) known.value(vocab.as_object()[i].first) = i;
  Json::Array merges;
  for_each_line_of(merges_text, merges_where, [&](std::string_view line, std::size_t number) {
    if (number == 1 && line.starts_with("#version")) return;
    const std::string here = merges_where + ":" + std::to_string(number);
    const std::size_t space = line.find(' ');
    if (space == line.npos || space == 0 || space + 1 == line.size() ||
        line.find(' ', space + 1) != line.npos)
      throw Error(here + ": expected two tokens with one space between them");
    std::string bytes;
    for (const std::string_view token : {line.substr(0, space), line.substr(space + 1)}) {
      if (known.find(token) == nullptr) throw Error(here + ": " + quote(token) + " is not in " + vocab_where);
      if (!append_byte_level_bytes(token, bytes)) {
        throw Error(here + ": " + quote(token) +
                    " is no byte-level text (other merges.txt are read from tokenizer.json)");
      }
    }
    merges.push_back(line);
  });
  const auto id_of = [&](std::string_view token) {
    const WordTable::Entry* entry = known.find(token);
    if (entry == nullptr) return std::int64_t{-1};
    const Json& id = vocab.as_object()[entry->value].second;
    return id.is_integer() ? id.as_integer() : std::int64_t{-1};
  };
  Json::Array added;
  for (const char* token : {"<|endoftext|>", "<s>", "<pad>", "</s>", "<unk>", "<mask>"}) {
    if (const std::int64_t id = id_of(token); id >= 0) added.push_back(added_token_json(token, id));
  }
  const std::int64_t begin = id_of("<s>"), end = id_of("</s>"), unknown = id_of("<unk>");
  const Json byte_level = Json::Object{{"type", "ByteLevel"},
                                       {"add_prefix_space", options.add_prefix_space},
                                       {"trim_offsets", true},
                                       {"use_regex", true}};
  Json post = byte_level;
  if (begin >= 0 && end >= 0) {
    post = Json::Object{{"type", "RobertaProcessing"},
                        {"sep", Json::Array{"</s>", end}},
                        {"cls", Json::Array{"<s>", begin}},
                        {"trim_offsets", true},
                        {"add_prefix_space", options.add_prefix_space}};
  }
  return tokenizer_file_json({.added_tokens = std::move(added),
                              .normalizer = nullptr,
                              .pre_tokenizer = byte_level,
                              .post_processor = std::move(post),
                              .decoder = byte_level,
                              .model = Json::Object{{"type", "BPE"},
                                                    {"dropout", nullptr},
                                                    {"unk_token", unknown >= 0 ? Json("<unk>") : Json()},
                                                    {"continuing_subword_prefix", nullptr},
                                                    {"end_of_word_suffix", nullptr},
                                                    {"fuse_unk", false},
                                                    {"byte_fallback", false},
                                                    {"ignore_merges", false},
                                                    {"vocab", std::move(vocab)},
                                                    {"merges", std::move(merges)}}})
             .dump() +
         "\n";
}

}  // namespace headwater
