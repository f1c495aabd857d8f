#include "text/tokenizer/tokenizer_json.hpp"

#include <algorithm>

#include "support/enum_names.hpp"
#include "support/error.hpp"

namespace headwater {
namespace {

// The characters stand themselves in the expression: engines differ in what \v means.
constexpr const char* kWhiteSpaceRun = "[ \t\n\v\f\r]+";

Json replace_json(const char* pattern_kind, std::string pattern, std::string content) {
  return Json::Object{{"type", "Replace"},
                      {"pattern", Json::Object{{pattern_kind, std::move(pattern)}}},
                      {"content", std::move(content)}};
}

}  // namespace

Json bert_template_json(std::string_view first, std::int64_t first_id, std::string_view last,
                        std::int64_t last_id) {
  const auto token = [](std::string_view surface, int segment) {
    return Json(Json::Object{{"SpecialToken", Json::Object{{"id", surface}, {"type_id", segment}}}});
  };
  const auto text = [](const char* name, int segment) {
    return Json(Json::Object{{"Sequence", Json::Object{{"id", name}, {"type_id", segment}}}});
  };
  Json::Object ids;
  for (const auto& [surface, id] : {std::pair{first, first_id}, {last, last_id}}) {
    ids.emplace_back(surface, Json::Object{{"id", surface},
                                           {"ids", Json::Array{Json(id)}},
                                           {"tokens", Json::Array{Json(surface)}}});
  }
  const Json::Array single{token(first, 0), text("A", 0), token(last, 0)};
  Json::Array pair = single;
  pair.push_back(text("B", 1));
  pair.push_back(token(last, 1));
  return Json::Object{
      {"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", std::move(ids)}};
}

TextTemplate parse_text_template(std::string_view name) {
  if (const std::optional<TextTemplate> known = value_of<TextTemplate>(name)) return *known;
  throw UsageError("template: unknown word " + quote(name) + " (none or bert)");
}

Json normalizer_json(const StandardizeSettings& settings, SplitKind split) {
  Json::Array parts;
  if (settings.lowers() && settings.lower == Lowering::unicode) {
    parts.push_back(Json::Object{{"type", "Lowercase"}});
  } else if (settings.lowers()) {
    for (char c = 'A'; c <= 'Z'; ++c) {
      parts.push_back(replace_json("String", std::string(1, c), std::string(1, static_cast<char>(c + 32))));
    }
  }
  if (settings.strips_unicode()) {
    parts.push_back(replace_json(
        "Regex", "(?<!\\p{Nd})[.,]|[.,](?!\\p{Nd})|(?![.,])[\\p{P}\\p{Sc}\\p{Sm}^`\u00A8\u00AF\u00B4\u00B8]",
        ""));
  }
  if (settings.strips_ascii()) {
    parts.push_back(replace_json("Regex", R"([\x21-\x2F\x3A-\x40\x5B-\x60\x7B-\x7E])", ""));
  }
  if (settings.sets_off()) {
    parts.push_back(replace_json("String", std::string(kLineBreakTag), " "));
    for (char c = '!'; c <= '~'; ++c) {
      if (is_ascii_punctuation(static_cast<unsigned char>(c)))
        parts.push_back(replace_json("String", std::string(1, c), {' ', c}));
    }
  }
  if (split == SplitKind::word_and_punctuation) {  // one space before each word, before the first too
    parts.push_back(replace_json("Regex", kWhiteSpaceRun, " "));
    parts.push_back(replace_json("Regex", R"(\A | \z)", ""));
    parts.push_back(Json::Object{{"type", "Prepend"}, {"prepend", " "}});
  }
  if (parts.empty()) return nullptr;
  return Json::Object{{"type", "Sequence"}, {"normalizers", std::move(parts)}};
}

Json pre_tokenizer_json(SplitKind split) {
  const char* const pattern = split == SplitKind::word        ? kWhiteSpaceRun
                              : split == SplitKind::character ? R"([\s\S])"
                                                              : R"( ?(?:[\p{P}\p{S}]|[^ \p{P}\p{S}]+))";
  return Json::Object{{"type", "Split"},
                      {"pattern", Json::Object{{"Regex", pattern}}},
                      {"behavior", split == SplitKind::word ? "Removed" : "Isolated"},
                      {"invert", false}};
}

Json decoder_json(SplitKind split) {
  if (split == SplitKind::word) return nullptr;  // joined by spaces
  Json fuse = Json::Object{{"type", "Fuse"}};
  if (split == SplitKind::character) return fuse;
  Json strip = Json::Object{{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}};
  return Json::Object{{"type", "Sequence"}, {"decoders", Json::Array{std::move(fuse), std::move(strip)}}};
}

Json added_token_json(std::string_view content, std::int64_t id, bool is_special) {
  return Json::Object{{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
                      {"rstrip", false}, {"normalized", false}, {"special", is_special}};
}

Json parse_tokenizer_file(std::string_view json, std::string_view where) {
  if (json.starts_with("GGUF"))
    throw Error(
        std::string(where) +
        ": a GGUF file, whose tokenizer is not read (take the tokenizer.json of the model that it was "
        "made from)");
  const std::size_t begin = json.find_first_not_of(" \t\r\n");
  const bool is_other = begin != json.npos && json[begin] != '{';
  try {
    return Json::parse(json, where);
  } catch (const Error& error) {
    if (!is_other) throw;
    throw Error(std::string(error.what()) +
                " (a tokenizer is wanted: a tokenizer.json, as tokenize --learn writes it)");
  }
}

Json tokenizer_file_json(TokenizerFileParts parts) {
  Json file;
  file.set("version", "1.0")
      .set("truncation", nullptr)
      .set("padding", nullptr)
      .set("added_tokens", std::move(parts.added_tokens))
      .set("normalizer", std::move(parts.normalizer))
      .set("pre_tokenizer", std::move(parts.pre_tokenizer))
      .set("post_processor", std::move(parts.post_processor))
      .set("decoder", std::move(parts.decoder))
      .set("model", std::move(parts.model));
  return file;
}

std::string tokenizer_json(TokenizerJson parts) {
  Json::Array added;
  const std::size_t special = parts.special_tokens.size() - parts.symbols;
  for (const auto& [token, id] : parts.special_tokens)
    added.push_back(added_token_json(token, id, added.size() < special));
  Json post_processor;
  if (parts.text_template == TextTemplate::bert) {
    const auto id_of = [&](std::string_view name) {
      const auto at =
          std::ranges::find(parts.special_tokens, name, [](const auto& one) { return one.first; });
      return at->second;
    };
    post_processor =
        bert_template_json(kClassToken, id_of(kClassToken), kSeparatorToken, id_of(kSeparatorToken));
  }
  return tokenizer_file_json({.added_tokens = std::move(added),
                              .normalizer = std::move(parts.normalizer),
                              .pre_tokenizer = std::move(parts.pre_tokenizer),
                              .post_processor = std::move(post_processor),
                              .decoder = std::move(parts.decoder),
                              .model = std::move(parts.model)})
             .dump(2) +
         "\n";
}

std::vector<std::pair<std::string, std::int64_t>> numbered(const std::vector<std::string>& special_tokens) {
  std::vector<std::pair<std::string, std::int64_t>> all;
  for (const std::string& token : special_tokens)
    all.emplace_back(token, static_cast<std::int64_t>(all.size()));
  return all;
}

Json vocab_json(const std::vector<std::string>& surfaces) {
  Json::Object vocab;
  for (const std::string& surface : surfaces)
    vocab.emplace_back(surface, static_cast<std::int64_t>(vocab.size()));
  return vocab;
}

std::string word_tokenizer_json(const StandardizeSettings& settings, SplitKind split,
                                const std::vector<std::string>& surfaces, std::size_t special_count,
                                TextTemplate text_template, std::size_t symbols) {
  return tokenizer_json(
      {.special_tokens =
           numbered({surfaces.begin(), surfaces.begin() + static_cast<std::ptrdiff_t>(special_count)}),
       .symbols = symbols,
       .text_template = text_template,
       .normalizer = normalizer_json(settings, split),
       .pre_tokenizer = pre_tokenizer_json(split),
       .decoder = decoder_json(split),
       .model = Json::Object{
           {"type", "WordLevel"}, {"vocab", vocab_json(surfaces)}, {"unk_token", surfaces.at(1)}}});
}

}  // namespace headwater
