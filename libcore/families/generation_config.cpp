#include "families/generation_config.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "families/config.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

// The rows of the section decoding of a recipe as a table.
class DecodingTable : public schema::Visitor {
 public:
  void row(const schema::Row& row) override {
    fields.push_back({row.key, row.member, row.rule, row.when, row.meaning.text});
  }
  void section(std::string_view, const schema::Meaning&, const Rows&) override {}
  void section_of_kinds(std::string_view, const schema::Meaning&, const ModelSection&, const Rows&) override {
  }
  void model(std::string_view, const schema::Meaning&, ModelSection&) override {}
  void list(std::string_view, const schema::Meaning&, std::vector<Expectation>&) override {}

  std::vector<DecodingField> fields;
};

void read_field(const Json& value, const DecodingField& field) {
  const schema::Follows none{};
  read_member(value, {field.key, field.member, field.rule, "", field.when, none});
}

// max_new_tokens is max_length in the file, which somebody else reads and writes.
bool is_in_file(const DecodingField& field) { return field.key != "max_new_tokens"; }

// early_stopping has two types there.
Json early_stopping_json(const std::string& word) {
  if (word == "never") return word;
  return word == "first";
}

Json plain_json(const DecodingField& field) {
  if (const auto* const number = std::get_if<std::int64_t*>(&field.member)) return **number;
  if (const auto* const number = std::get_if<double*>(&field.member)) return **number;
  return *std::get<std::string*>(field.member);
}

Json json_of(const DecodingField& field) {
  const Json json = plain_json(field);
  return field.key == "early_stopping" ? early_stopping_json(json.as_string()) : json;
}

}  // namespace

std::vector<DecodingField> decoding_fields(DecodingSettings& settings) {
  DecodingTable table;
  schema::rows(table, settings);
  return table.fields;
}

void write_decoding(Json& config, DecodingSettings settings) {
  DecodingSettings usual;
  const std::vector<DecodingField> fields = decoding_fields(settings), defaults = decoding_fields(usual);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Json value = json_of(fields[i]);
    const bool is_said = fields[i].when.is_read && value.dump() != json_of(defaults[i]).dump();
    if (is_in_file(fields[i]) && is_said) config.set(fields[i].key, value);
  }
}

void set_decoding(DecodingSettings& settings, const DecodingField& given) {
  for (const DecodingField& field : decoding_fields(settings)) {
    if (field.key != given.key) continue;
    if (!field.when.is_read) {
      throw Error(quote(field.key) + ": " + std::string(field.when.who) +
                  " does not read it (it belongs to " + std::string(field.when.readers) + ")");
    }
    read_field(plain_json(given), field);
  }
}

DecodingSettings decoding_of(const Json& config) {
  DecodingSettings settings;
  for (const DecodingField& field : decoding_fields(settings)) {
    const Json* const json = is_in_file(field) ? config.find(field.key) : nullptr;
    if (json == nullptr || json->is_null()) continue;
    const bool is_truth = field.key == "early_stopping" && json->is_bool();
    read_field(is_truth ? Json(json->as_bool() ? "first" : "heuristic") : *json, field);
  }
  return settings;
}

bool is_decoding_key(std::string_view name) {
  DecodingSettings settings;
  return std::ranges::any_of(decoding_fields(settings),
                             [&](const DecodingField& field) { return field.key == name; });
}

}  // namespace headwater
