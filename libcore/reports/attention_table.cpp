#include "reports/attention_table.hpp"

#include <array>
#include <charconv>
#include <concepts>
#include <optional>

#include "checkpoint/npy.hpp"
#include "support/bytes.hpp"
#include "support/csv.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

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

// For each token the text of its pair that it is in; nothing for padding.
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
  if (record.is_truncated) json.set("truncated", true);
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

// ",1": a comma before each; nothing after it for padding.
std::vector<std::string> segment_fields(const AttentionTexts& texts, std::size_t tokens) {
  std::vector<std::string> fields;
  for (const std::optional<int>& segment : segments_of(texts, tokens))
    fields.push_back(segment ? "," + std::to_string(*segment) : ",");
  return fields;
}

}  // namespace

std::string title_of(const AttentionRecord& record) {
  return "example " + std::to_string(record.example) + ", " + std::string(name_of(record.kind)) + ", layer " +
         std::to_string(record.layer) + ", head " + std::to_string(record.head);
}

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

AttentionRows::AttentionRows(Format format, const AttentionRecord& record, const AttentionTexts& texts)
    : format_(format), record_(record), texts_(texts) {
  if (format != Format::csv) return;
  const auto texts_or = [](const std::vector<std::string>& given, const std::vector<std::string>& tokens) {
    return given.empty() ? tokens : given;
  };
  const std::size_t asking = record.queries(), asked = record.keys();
  head_ = csv_head(record);
  query_ = csv_fields(record.query_tokens, asking);
  key_ = csv_fields(record.key_tokens, asked);
  predicts_ = csv_fields(record.predicts, asking);
  query_text_ = text_fields(texts_or(texts.queries, record.query_tokens), asking);
  key_text_ = text_fields(texts_or(texts.keys, record.key_tokens), asked);
  predicts_text_ = text_fields(texts_or(texts.predicts, record.predicts), asking);
  if (!texts.has_segments) return;
  query_segment_ = segment_fields(texts, asking);
  key_segment_ = segment_fields(texts, asked);
}

void AttentionRows::csv_row(std::string& out, std::size_t q, std::span<const float> weights) const {
  for (std::size_t k = 0; k < weights.size(); ++k) {
    out += head_;
    append_number(out, q);
    out.push_back(',');
    append_number(out, k);
    for (const std::string* field :
         {&query_[q], &key_[k], &predicts_[q], &query_text_[q], &key_text_[k], &predicts_text_[q]})
      out.append(",").append(*field);
    if (texts_.has_segments) out.append(query_segment_[q]).append(key_segment_[k]);
    out.push_back(',');
    append_weight(out, weights[k]);
    out.push_back('\n');
  }
}

void AttentionRows::begin(std::string& out) const {
  if (format_ == Format::json) {
    Json json = axes_of(record_);
    if (record_.layer >= 0) json.set("layer", record_.layer).set("head", record_.head);
    set_tokens(json, record_, texts_);
    out += json.dump();
    out.back() = ',';  // a tree of all the weights would be many times as large
    out += "\"weights\":[";
  } else if (format_ == Format::matrix) {
    const auto append_tokens = [&](std::string_view name, const std::vector<std::string>& tokens) {
      if (tokens.empty()) return;
      out.append("# ").append(name).append(":");
      for (const std::string& token : tokens) out.append(" ").append(quote(token));
      out.push_back('\n');
    };
    out.append("# ").append(title_of(record_)).append("\n");
    append_tokens("rows", record_.query_tokens);
    append_tokens("predicts", record_.predicts);
    append_tokens("columns", record_.key_tokens);
  }
}

void AttentionRows::rows(std::string& out, std::size_t query, std::span<const float> weights) const {
  const std::size_t keys = record_.keys();
  for (; !weights.empty(); weights = weights.subspan(keys), ++query) {
    const std::span<const float> row = weights.first(keys);
    if (format_ == Format::csv) {
      csv_row(out, query, row);
      continue;
    }
    const bool is_json = format_ == Format::json;
    if (is_json) out += query > 0 ? ",[" : "[";
    for (std::size_t k = 0; k < keys; ++k) {
      if (k > 0) out.push_back(is_json ? ',' : ' ');
      append_weight(out, row[k]);
    }
    out.push_back(is_json ? ']' : '\n');
  }
}

void AttentionRows::end(std::string& out) const {
  if (format_ == Format::json) out += "]}\n";
  if (format_ == Format::matrix) out += "\n\n";
}

void append_attention(std::string& out, AttentionRows::Format format, const AttentionRecord& record,
                      const AttentionTexts& texts) {
  check(record);
  const AttentionRows rows(format, record, texts);
  rows.begin(out);
  rows.rows(out, 0, record.weights);
  rows.end(out);
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

void AttentionArray::refuse(std::int64_t example, AttentionKind kind, const Head& head) const {
  throw Error("attention: " + title_of({example, kind, head.layer, head.head}) +
              " does not fit into one array with " +
              title_of({example_, kind_, heads_.front().layer, heads_.front().head}) +
              " (an npy file holds one example and one kind: choose with --kind, and give one line)");
}

void AttentionArray::begin(const AttentionRecord& record) {
  const auto queries = static_cast<std::int64_t>(record.queries()),
             keys = static_cast<std::int64_t>(record.keys());
  if (heads_.empty()) {
    example_ = record.example;
    kind_ = record.kind;
    queries_ = queries;
    keys_ = keys;
  }
  const Head head{record.layer, record.head};
  if (record.example != example_ || record.kind != kind_ || queries != queries_ || keys != keys_)
    refuse(record.example, record.kind, head);
  heads_.push_back(head);
}

void AttentionArray::rows(std::span<const float> weights) { weights_.write(raw_bytes(weights)); }

void AttentionArray::add(const AttentionRecord& record) {
  check(record);
  begin(record);
  rows(record.weights);
}

std::size_t AttentionArray::heads_a_layer() const {
  std::size_t heads = 1;
  while (heads < heads_.size() && heads_[heads].layer == heads_.front().layer) ++heads;
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    const bool fits =
        heads_[i].head == heads_[i % heads].head && heads_[i].layer == heads_[i / heads * heads].layer;
    if (!fits || heads_.size() % heads != 0) refuse(example_, kind_, heads_[i]);
  }
  return heads;
}

void AttentionArray::write(const std::function<void(std::string_view)>& take) const {
  if (heads_.empty()) throw Error("attention: nothing to write");
  const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
  const std::size_t heads = heads_a_layer();
  take(npy_head(std::vector{count(heads_.size() / heads), count(heads), queries_, keys_}));
  if (weights_.size() == 0) return;
  constexpr std::size_t kPiece = std::size_t{1} << 24;
  const MappedFile weights = weights_.mapped();
  for (std::string_view rest = weights.bytes(); !rest.empty();) {
    const std::string_view piece = rest.substr(0, kPiece);
    take(piece);
    rest.remove_prefix(piece.size());
    weights.release();
  }
}

}  // namespace headwater
