#include "reports/attention_table.hpp"

#include <array>
#include <charconv>
#include <concepts>
#include <optional>

#include "checkpoint/npy.hpp"
#include "support/csv.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/raw_bytes.hpp"

namespace headwater {

namespace {

void append_number(std::string& out, std::integral auto value) {
  std::array<char, 24> text{};
  out.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

void append_weight(std::string& out, float weight) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), static_cast<double>(weight),
                                 std::chars_format::general, 9);
  out.append(text.data(), end.ptr);
}

// The cells of `count` tokens; for none, as encoders predict, all are empty.
std::vector<std::string> csv_fields(const std::vector<std::string>& tokens, std::size_t count) {
  std::vector<std::string> fields;
  for (const std::string& token : tokens) fields.push_back(csv_field(token));
  fields.resize(count);
  return fields;
}

std::vector<std::string> text_fields(std::vector<std::string> texts, std::size_t count) {
  for (std::string& text : texts) {
    std::string line;
    for (const char c : text) line += c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string(1, c);
    text = std::move(line);
  }
  return csv_fields(texts, count);
}

// "0,encoder,1,2,": what the lines of a record begin with.
std::string csv_head(const AttentionRecord& record) {
  std::string head;
  append_number(head, record.example);
  head.append(",").append(name_of(record.kind)).append(",");
  if (record.layer >= 0) append_number(head, record.layer);
  head.push_back(',');
  if (record.head >= 0) append_number(head, record.head);
  return head + ",";
}

// "1,2,": row and column of a token; nothing between the commas for a class token.
std::vector<std::string> patch_fields(const PatchTokens& tokens) {
  std::vector<std::string> fields(tokens.first_patch(), ",,");
  for (std::size_t row = 0; row < tokens.rows; ++row) {
    for (std::size_t column = 0; column < tokens.columns; ++column)
      fields.push_back(std::to_string(row) + "," + std::to_string(column) + ",");
  }
  return fields;
}

// Of each token: the text of its pair, nothing of padding.
std::vector<std::optional<int>> segments_of(const AttentionTexts& texts, std::size_t tokens) {
  std::vector<std::optional<int>> segments;
  for (std::size_t i = 0; i < tokens; ++i) {
    const bool is_padding = texts.second_text > 0 && i >= texts.padding;
    const bool is_second = texts.second_text > 0 && i >= texts.second_text;
    segments.push_back(is_padding ? std::nullopt : std::optional<int>(is_second ? 1 : 0));
  }
  return segments;
}

// What stands before the numbers of a head and after them.
Json axes_of(const AttentionRecord& record) {
  Json json;
  json.set("version", 1).set("example", record.example).set("kind", name_of(record.kind));
  return json;
}
void set_tokens(Json& json, const AttentionRecord& record, const AttentionTexts& texts) {
  const auto list = [&](const char* name, const std::vector<std::string>& tokens) {
    if (!tokens.empty()) json.set(name, Json::Array(tokens.begin(), tokens.end()));
  };
  list("q_tokens", record.query_tokens);
  list("k_tokens", record.key_tokens);
  list("predicts", record.predicts);
  list("q_texts", texts.queries);
  list("k_texts", texts.keys);
  list("predicts_texts", texts.predicts);
  if (texts.second_text == 0) return;
  const auto numbers = [&](const char* name, std::size_t tokens) {
    Json::Array all;
    for (const std::optional<int>& segment : segments_of(texts, tokens))
      all.push_back(segment ? Json(*segment) : Json());
    json.set(name, std::move(all));
  };
  numbers("q_segments", record.queries());
  numbers("k_segments", record.keys());
}

std::string title_of(const AttentionRecord& record) {
  return "example " + std::to_string(record.example) + ", " + name_of(record.kind) + ", layer " +
         std::to_string(record.layer) + ", head " + std::to_string(record.head);
}

}  // namespace

void check(const AttentionRecord& record) {
  if (record.weights.size() != record.queries() * record.keys()) {
    throw Error("attention: " + title_of(record) + ": " + std::to_string(record.weights.size()) +
                " weights for " + std::to_string(record.queries()) + " x " + std::to_string(record.keys()) +
                " tokens");
  }
  if (!record.predicts.empty() && record.predicts.size() != record.queries()) {
    throw Error("attention: " + title_of(record) + ": " + std::to_string(record.predicts.size()) +
                " predicted tokens for " + std::to_string(record.queries()) + " queries");
  }
}

std::string_view attention_csv_header(bool has_segments) {
  if (has_segments)
    return "example,kind,layer,head,q,k,q_token,k_token,predicts,q_text,k_text,predicts_text,"
           "q_segment,k_segment,weight\n";
  return "example,kind,layer,head,q,k,q_token,k_token,predicts,q_text,k_text,predicts_text,weight\n";
}

void append_attention_csv(std::string& out, const AttentionRecord& record, const AttentionTexts& texts) {
  check(record);
  const auto texts_or = [](const std::vector<std::string>& given, const std::vector<std::string>& tokens) {
    return given.empty() ? tokens : given;
  };
  const std::string head = csv_head(record);
  const std::size_t asking = record.queries(), asked = record.keys();
  const std::vector<std::string> queries = csv_fields(record.query_tokens, asking),
                                 keys = csv_fields(record.key_tokens, asked),
                                 predicts = csv_fields(record.predicts, asking),
                                 query_texts =
                                     text_fields(texts_or(texts.queries, record.query_tokens), asking),
                                 key_texts = text_fields(texts_or(texts.keys, record.key_tokens), asked),
                                 predicts_texts =
                                     text_fields(texts_or(texts.predicts, record.predicts), asking);
  std::vector<std::optional<int>> query_segments, key_segments;
  if (texts.has_segments) {
    query_segments = segments_of(texts, asking);
    key_segments = segments_of(texts, asked);
  }
  for (std::size_t q = 0; q < asking; ++q) {
    for (std::size_t k = 0; k < asked; ++k) {
      out += head;
      append_number(out, q);
      out.push_back(',');
      append_number(out, k);
      for (const std::string* field :
           {&queries[q], &keys[k], &predicts[q], &query_texts[q], &key_texts[k], &predicts_texts[q]})
        out.append(",").append(*field);
      if (texts.has_segments) {
        for (const std::optional<int>& segment : {query_segments[q], key_segments[k]}) {
          out.push_back(',');
          if (segment) append_number(out, *segment);
        }
      }
      out.push_back(',');
      append_weight(out, record.weights[q * asked + k]);
      out.push_back('\n');
    }
  }
}

std::string_view patch_attention_csv_header() {
  return "example,kind,layer,head,q,k,q_row,q_column,k_row,k_column,weight\n";
}

void append_patch_attention_csv(std::string& out, const AttentionRecord& record, const PatchTokens& tokens) {
  check(record);
  const std::vector<std::string> places = patch_fields(tokens);
  if (record.queries() != places.size() || record.keys() != places.size()) {
    throw Error("attention: " + title_of(record) + ": " + std::to_string(record.queries()) + " x " +
                std::to_string(record.keys()) + " tokens, an image has " + std::to_string(places.size()));
  }
  const std::string head = csv_head(record);
  for (std::size_t q = 0; q < places.size(); ++q) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      out += head;
      append_number(out, q);
      out.push_back(',');
      append_number(out, k);
      out.append(",").append(places[q]).append(places[k]);
      append_weight(out, record.weights[q * places.size() + k]);
      out.push_back('\n');
    }
  }
}

void append_attention_json(std::string& out, const AttentionRecord& record, const AttentionTexts& texts) {
  check(record);
  Json json = axes_of(record);
  if (record.layer >= 0) json.set("layer", record.layer).set("head", record.head);
  set_tokens(json, record, texts);
  out += json.dump();
  out.back() = ',';  // a tree of all the weights would be many times as large
  out += "\"weights\":[";
  for (std::size_t q = 0; q < record.queries(); ++q) {
    out += q > 0 ? ",[" : "[";
    for (std::size_t k = 0; k < record.keys(); ++k) {
      if (k > 0) out.push_back(',');
      append_weight(out, record.weights[q * record.keys() + k]);
    }
    out.push_back(']');
  }
  out += "]}\n";
}

void append_attention_matrix(std::string& out, const AttentionRecord& record) {
  check(record);
  const auto append_tokens = [&](std::string_view name, const std::vector<std::string>& tokens) {
    if (tokens.empty()) return;
    out.append("# ").append(name).append(":");
    for (const std::string& token : tokens) out.append(" ").append(quote(token));
    out.push_back('\n');
  };
  out.append("# ").append(title_of(record)).append("\n");
  append_tokens("rows", record.query_tokens);
  append_tokens("predicts", record.predicts);
  append_tokens("columns", record.key_tokens);
  for (std::size_t q = 0; q < record.queries(); ++q) {
    for (std::size_t k = 0; k < record.keys(); ++k) {
      if (k > 0) out.push_back(' ');
      append_weight(out, record.weights[q * record.keys() + k]);
    }
    out.push_back('\n');
  }
  out.append("\n\n");
}

std::string attention_npy(std::span<const AttentionRecord> records) {
  if (records.empty()) throw Error("attention: nothing to write");
  const AttentionRecord& first = records.front();
  std::size_t heads = 1;
  while (heads < records.size() && records[heads].layer == first.layer) ++heads;
  std::string weights;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const AttentionRecord& record = records[i];
    check(record);
    const bool fits = record.example == first.example && record.kind == first.kind &&
                      record.queries() == first.queries() && record.keys() == first.keys() &&
                      record.head == records[i % heads].head &&
                      record.layer == records[i / heads * heads].layer;
    if (!fits || records.size() % heads != 0) {
      throw Error("attention: " + title_of(record) + " does not fit into one array with " + title_of(first) +
                  " (an npy file holds one example and one kind: choose with --kind, and give one line)");
    }
    weights += raw_bytes(record.weights);
  }
  const auto size = [](std::size_t count) { return static_cast<std::int64_t>(count); };
  return npy_head(std::vector{size(records.size() / heads), size(heads), size(first.queries()),
                              size(first.keys())}) +
         weights;
}

std::string attention_axes_json(std::span<const AttentionRecord> records, const AttentionTexts& texts) {
  if (records.empty()) throw Error("attention: nothing to write");
  Json::Array layers, heads;
  for (const AttentionRecord& record : records) {
    if (record.layer == records.front().layer) heads.emplace_back(record.head);
    if (record.head == records.front().head) layers.emplace_back(record.layer);
  }
  Json json = axes_of(records.front());
  json.set("layers", std::move(layers)).set("heads", std::move(heads));
  set_tokens(json, records.front(), texts);
  return json.dump() + "\n";
}

}  // namespace headwater
