#include "pretrained/generation_config.hpp"

#include <map>
#include <string>

#include "pretrained/config.hpp"
#include "support/files.hpp"

namespace headwater {

namespace {

class DecodingVisitor : public schema::Visitor {
 public:
  void section(std::string_view, const schema::Meaning&, const Rows&) override {}
  void section_of_kinds(std::string_view, const schema::Meaning&, const ModelSection&, const Rows&) override {
  }
  void model(std::string_view, const schema::Meaning&, ModelSection&) override {}
  void list(std::string_view, const schema::Meaning&, std::vector<Expectation>&) override {}
};

// max_new_tokens is max_length in the file, which somebody else reads and writes.
bool is_here(const schema::Row& row) { return row.key != "max_new_tokens"; }

// early_stopping has two types there.
Json early_stopping_json(const std::string& word) {
  if (word == "never") return word;
  return word == "first";
}

Json json_of(const schema::Row& row) {
  if (const auto* const number = std::get_if<std::int64_t*>(&row.member)) return **number;
  if (const auto* const number = std::get_if<double*>(&row.member)) return **number;
  const std::string& word = *std::get<std::string*>(row.member);
  return row.key == "early_stopping" ? early_stopping_json(word) : Json(word);
}

class DecodingWriter : public DecodingVisitor {
 public:
  DecodingWriter(Json& config, std::map<std::string, Json> defaults)
      : config_(config), defaults_(std::move(defaults)) {}
  void row(const schema::Row& row) override {
    if (!is_here(row)) return;
    const Json value = json_of(row);
    if (row.when.is_read && value.dump() != defaults_.at(std::string(row.key)).dump())
      config_.set(row.key, value);
  }

 private:
  Json& config_;
  std::map<std::string, Json> defaults_;
};

class DefaultsReader : public DecodingVisitor {
 public:
  void row(const schema::Row& row) override {
    if (is_here(row)) values.emplace(row.key, json_of(row));
  }
  std::map<std::string, Json> values;
};

class DecodingReader : public DecodingVisitor {
 public:
  explicit DecodingReader(const Json& config) : config_(config) {}
  void row(const schema::Row& row) override {
    const Json* const json = is_here(row) ? config_.find(row.key) : nullptr;
    if (json == nullptr || json->is_null()) return;
    read_member(row.key == "early_stopping" && json->is_bool() ? Json(json->as_bool() ? "first" : "heuristic")
                                                               : *json,
                row);
  }

 private:
  const Json& config_;
};

class OneSetting : public DecodingVisitor {
 public:
  OneSetting(std::string_view key, const Json& value) : key_(key), value_(value) {}
  void row(const schema::Row& row) override {
    if (row.key != key_) return;
    if (!row.when.is_read) {
      throw Error(quote(key_) + ": " + std::string(row.when.who) + " does not read it (it belongs to " +
                  std::string(row.when.readers) + ")");
    }
    read_member(value_, row);
  }

 private:
  std::string_view key_;
  const Json& value_;
};

}  // namespace

void write_decoding(Json& config, DecodingSettings settings) {
  DecodingSettings usual;
  DefaultsReader defaults;
  schema::rows(defaults, usual);
  DecodingWriter writer(config, std::move(defaults.values));
  schema::rows(writer, settings);
}

void set_decoding(DecodingSettings& settings, std::string_view key, const Json& value) {
  OneSetting one(key, value);
  schema::rows(one, settings);
}

DecodingSettings decoding_of(const Json& config) {
  DecodingSettings settings;
  DecodingReader reader(config);
  schema::rows(reader, settings);
  return settings;
}

DecodingSettings read_decoding(const std::filesystem::path& files) {
  const std::filesystem::path path = files / "generation_config.json";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  const Json config = Json::parse(read_file(path, 1 << 20), path.string());
  try {
    return decoding_of(config);
  } catch (const Error& error) {
    throw Error(path.string() + ": " + error.what());
  }
}

}  // namespace headwater
