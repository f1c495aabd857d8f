#include "text/formats/foreign_tokenizers.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/utf8.hpp"
#include "text/formats/class_parts.hpp"
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

Json word_piece_json(std::string_view unknown, Json vocab) {
  return Json::Object{{"type", "WordPiece"},
                      {"unk_token", unknown},
                      {"continuing_subword_prefix", "##"},
                      {"max_input_chars_per_word", 100},
                      {"vocab", std::move(vocab)}};
}

Json byte_level_bpe_json(Json vocab, Json merges) {
  return Json::Object{{"type", "BPE"},
                      {"dropout", nullptr},
                      {"unk_token", nullptr},
                      {"continuing_subword_prefix", nullptr},
                      {"end_of_word_suffix", nullptr},
                      {"fuse_unk", false},
                      {"byte_fallback", false},
                      {"ignore_merges", false},
                      {"vocab", std::move(vocab)},
                      {"merges", std::move(merges)}};
}

// Another class reads these files in another way, or not at all.
void check_class(const TokenizerFolder& settings, std::initializer_list<TokenizerClass> readers,
                 std::string_view expected, const std::string& where) {
  const bool is_known = !settings.class_name.empty();
  const bool is_reader = std::ranges::find(readers, settings.tokenizer_class) != readers.end();
  if (is_known ? is_reader : settings.model_type.empty()) return;
  throw Error(where +
              (is_known ? ": the tokenizer's class is " + quote(settings.class_name)
                        : ": config.json's \"model_type\" is " + quote(settings.model_type) +
                              ", which names no tokenizer that is known") +
              ", expected " + std::string(expected) + " (write it as \"tokenizer_class\" into " +
              settings.config_path() + ", or bring the tokenizer as tokenizer.json)");
}

std::string text_of(Json file, const TokenizerFolder& settings) {
  mark_tokens_in_text(file, settings);
  return file.dump() + "\n";
}

}  // namespace

std::string tokenizer_json_of_vocab_txt(std::string_view text, TokenizerFolder settings,
                                        const std::string& where) {
  check_class(settings, {TokenizerClass::bert}, "BertTokenizer", where);
  settings.tokenizer_class = TokenizerClass::bert;
  Json::Object vocab;
  WordTable seen;
  for_each_line_of(text, where, [&](std::string_view line, std::size_t number) {
    const std::string here = where + ":" + std::to_string(number);
    if (line.empty()) throw Error(here + ": an empty line, where a token is expected");
    if (seen.value(line)++ > 0) throw Error(here + ": the token " + quote(line) + " stands twice");
    vocab.emplace_back(std::string(line), static_cast<std::int64_t>(vocab.size()));
  });
  const std::string unknown = settings.role("unk_token");
  if (seen.find(unknown) == nullptr)
    throw Error(where + ": no line " + quote(unknown) + ", which every vocab.txt of BERT has");
  Json vocab_json(std::move(vocab));
  Json::Array added = added_tokens_of(VocabularyIds(vocab_json), {}, settings,
                                      {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"});
  Json post = bert_post_processor_json(template_token("cls_token", added, settings),
                                       template_token("sep_token", added, settings));
  return text_of(tokenizer_file_json({.added_tokens = std::move(added),
                                      .normalizer = bert_normalizer_json(settings),
                                      .pre_tokenizer = Json::Object{{"type", "BertPreTokenizer"}},
                                      .post_processor = std::move(post),
                                      .decoder = bert_decoder_json(),
                                      .model = word_piece_json(unknown, std::move(vocab_json))}),
                 settings);
}

std::string tokenizer_json_of_merges(std::string_view vocab_text, const std::string& vocab_where,
                                     std::string_view merges_text, const std::string& merges_where,
                                     TokenizerFolder settings) {
  check_class(settings, {TokenizerClass::gpt2, TokenizerClass::roberta}, "GPT2Tokenizer or RobertaTokenizer",
              merges_where);
  Json vocab = Json::parse(vocab_text, vocab_where);
  if (!vocab.is_object()) throw Error(vocab_where + ": expected an object of tokens and ids");
  WordTable known;
  for (const auto& [token, id] : vocab.as_object()) known.value(token) = 1;
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
  const VocabularyIds ids(vocab);
  if (settings.tokenizer_class == TokenizerClass::file) {
    const bool has_ends = ids.find("<s>") >= 0 && ids.find("</s>") >= 0;
    settings.tokenizer_class = has_ends ? TokenizerClass::roberta : TokenizerClass::gpt2;
  }
  if (settings.tokenizer_class == TokenizerClass::gpt2) check_adds_no_ends(settings);
  Json::Array added =
      added_tokens_of(ids, {}, settings, {"<|endoftext|>", "<s>", "<pad>", "</s>", "<unk>", "<mask>"});
  const Json byte_level = byte_level_json(settings.add_prefix_space);
  Json post = byte_level;
  if (settings.tokenizer_class == TokenizerClass::roberta) {
    post =
        roberta_post_processor_json(template_token("cls_token", added, settings),
                                    template_token("sep_token", added, settings), settings.add_prefix_space);
  }
  return text_of(tokenizer_file_json({.added_tokens = std::move(added),
                                      .normalizer = nullptr,
                                      .pre_tokenizer = byte_level,
                                      .post_processor = std::move(post),
                                      .decoder = byte_level,
                                      .model = byte_level_bpe_json(std::move(vocab), std::move(merges))}),
                 settings);
}

}  // namespace headwater
