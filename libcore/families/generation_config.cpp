#include "families/generation_config.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "families/config.hpp"
#include "families/layouts/config_table.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

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
  return *std::get<schema::EnumMember>(field.member);
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

void set_decoding(DecodingSettings& settings, std::string_view key, const Json& value) {
  for (const DecodingField& field : decoding_fields(settings)) {
    if (field.key != key) continue;
    if (!field.when.is_read) {
      throw Error(quote(field.key) + ": " + std::string(field.when.who) +
                  " does not read it (it belongs to " + std::string(field.when.readers) + ")");
    }
    read_field(value, field);
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

// --- The table of the members: each is used or refused -----------------------------------------------------

namespace {

constexpr const char* kGenerationFile = "generation_config.json";

std::int32_t id_of(const Json& value, std::string_view name) {
  const bool is_id =
      value.is_number() && value.as_number() >= 0 && value.as_number() <= 2147483647 && value.is_integer();
  if (!is_id) refuse_member(name, value.dump(), "a token id");
  return static_cast<std::int32_t>(value.as_integer());
}

// One id, or a list of them.
std::vector<std::int32_t> ids_of(const Json& value, std::string_view name) {
  if (!value.is_array()) return {id_of(value, name)};
  std::vector<std::int32_t> ids;
  for (const Json& id : value.as_array()) ids.push_back(id_of(id, name));
  return ids;
}

std::int64_t count_of(const Json& value, std::string_view name, std::int64_t min, std::int64_t max) {
  Json one;
  one.set(name, value);
  return whole(one, name, min, max);
}

double number_of(const Json& value, std::string_view name, double min, double max) {
  const double number = value.as_number();
  if (!(number >= min && number <= max))
    refuse_member(name, value.dump(), shortest(min) + " to " + shortest(max));
  return number;
}

bool truth_at(const Json& value, std::string_view name) {
  if (!value.is_bool()) throw Error(quote(name) + " is neither true nor false");
  return value.as_bool();
}

constexpr std::int64_t kMostNewTokens = 1000000;

// A member that is used. Those of the section decoding of a recipe are read by decoding_of.
struct UsedMember {
  std::string_view name;
  void (*read)(const Json& value, std::string_view name, GenerationConfig& out);
};

constexpr UsedMember kUsed[] = {
    {"max_length", [](const Json& value, std::string_view name,
                      GenerationConfig& out) { out.max_length = count_of(value, name, 1, kMostNewTokens); }},
    {"max_new_tokens",
     [](const Json& value, std::string_view name, GenerationConfig& out) {
       out.max_new_tokens = count_of(value, name, 1, kMostNewTokens);
     }},
    {"min_length", [](const Json& value, std::string_view name,
                      GenerationConfig& out) { out.min_length = count_of(value, name, 0, kMostNewTokens); }},
    {"bos_token_id", [](const Json& value, std::string_view name,
                        GenerationConfig& out) { out.start_id = id_of(value, name); }},
    {"decoder_start_token_id",
     [](const Json& value, std::string_view name, GenerationConfig& out) {
       const std::vector<std::int32_t> ids = ids_of(value, name);
       if (ids.size() != 1) refuse_member(name, value.dump(), "one token id");
       out.start_id = ids.front();
     }},
    {"eos_token_id",
     [](const Json& value, std::string_view name, GenerationConfig& out) {
       if (value.dump() != "-1") out.end_ids = ids_of(value, name);
     }},
    {"forced_bos_token_id", [](const Json& value, std::string_view name,
                               GenerationConfig& out) { out.forced_start_id = id_of(value, name); }},
    {"forced_eos_token_id",
     [](const Json& value, std::string_view name, GenerationConfig& out) {
       const std::vector<std::int32_t> ids = ids_of(value, name);
       if (ids.empty()) return;
       out.forced_end_id = *std::ranges::min_element(ids);
       if (std::ranges::find(out.end_ids, out.forced_end_id) == out.end_ids.end())
         refuse_member(name, value.dump(), "an id of \"eos_token_id\"");
     }},
    {"suppress_tokens", [](const Json& value, std::string_view name,
                           GenerationConfig& out) { out.suppress_tokens = ids_of(value, name); }},
    {"begin_suppress_tokens", [](const Json& value, std::string_view name,
                                 GenerationConfig& out) { out.begin_suppress_tokens = ids_of(value, name); }},
    {"bad_words_ids",
     [](const Json& value, std::string_view name, GenerationConfig& out) {
       for (const Json& word : value.as_array()) {
         if (!word.is_array() || word.as_array().empty())
           refuse_member(name, value.dump(), "lists of token ids");
         out.bad_words.push_back(ids_of(word, name));
       }
     }},
    {"repetition_penalty",
     [](const Json& value, std::string_view name, GenerationConfig& out) {
       out.repetition_penalty = number_of(value, name, 1e-3, 1e3);
     }},
    {"renormalize_logits", [](const Json& value, std::string_view name,
                              GenerationConfig& out) { out.renormalizes = truth_at(value, name); }},
    {"do_sample", [](const Json& value, std::string_view name,
                     GenerationConfig& out) { out.samples = truth_at(value, name); }},
    {"temperature", [](const Json& value, std::string_view name,
                       GenerationConfig& out) { out.temperature = number_of(value, name, 0, 1e3); }},
    {"top_k", [](const Json& value, std::string_view name,
                 GenerationConfig& out) { out.top_k = count_of(value, name, 0, kMostNewTokens); }},
    {"top_p", [](const Json& value, std::string_view name,
                 GenerationConfig& out) { out.top_p = number_of(value, name, 0, 1); }},
    {"min_p", [](const Json& value, std::string_view name,
                 GenerationConfig& out) { out.min_p = number_of(value, name, 0, 1); }},
    {"num_return_sequences",
     [](const Json& value, std::string_view name,
        GenerationConfig& out) { out.return_sequences = count_of(value, name, 1, kMostNewTokens); }},
    // The same ids after an end, which are never shown.
    {"pad_token_id", [](const Json&, std::string_view, GenerationConfig&) {}}};

// A member that this program does not follow: an error where it says more than `harmless`, or null, false or
// an empty list. Of sampling: only where tokens are drawn.
struct RefusedMember {
  std::string_view name;
  std::optional<double> harmless = {};
  bool is_of_sampling = false;
};

constexpr RefusedMember kRefused[] = {{"top_h", {}, true},
                                      {"typical_p", 1, true},
                                      {"epsilon_cutoff", 0, true},
                                      {"eta_cutoff", 0, true},
                                      {"encoder_repetition_penalty", 1},
                                      {"encoder_no_repeat_ngram_size", 0},
                                      {"exponential_decay_length_penalty"},
                                      {"sequence_bias"},
                                      {"guidance_scale", 1},
                                      {"watermarking_config"},
                                      {"max_time"},
                                      {"stop_strings"},
                                      {"penalty_alpha", 0},
                                      {"num_beam_groups", 1},
                                      {"constraints"},
                                      {"force_words_ids"},
                                      {"dola_layers"},
                                      {"token_healing"}};

bool is_harmless(const Json& value, const RefusedMember& row) {
  if (value.is_bool()) return !value.as_bool();
  if (value.is_number()) return row.harmless && value.as_number() == *row.harmless;
  return value.is_array() && value.as_array().empty();
}

void check_refused(const Json& config, GenerationConfig& out) {
  for (const RefusedMember& row : kRefused) {
    const Json* const value = member_said(config, row.name);
    if (value == nullptr || is_harmless(*value, row)) continue;
    const std::string what = quote(row.name) + " is " + value->dump() + ", which is not done here (" +
                             (row.harmless ? "write " + shortest(*row.harmless) : "remove it") + ")";
    if (!row.is_of_sampling) throw Error(what);
    out.not_sampled = what;
  }
}

// A token cannot be forced and forbidden.
void check_forced(const GenerationConfig& out) {
  for (const auto& [name, id] :
       {std::pair{"forced_bos_token_id", out.forced_start_id}, {"forced_eos_token_id", out.forced_end_id}}) {
    if (std::ranges::find(out.suppress_tokens, id) != out.suppress_tokens.end())
      throw Error(quote(name) + " is " + std::to_string(id) + ", which \"suppress_tokens\" has, too");
  }
}

// The file of a folder that says how to generate, and what it holds: nothing where there is none.
struct GenerationFile {
  std::string path;
  Json config = Json(Json::Object{});
};

GenerationFile generation_file(const ModelFolder& folder) {
  GenerationFile file;
  if (folder.has(kGenerationFile)) {
    file.path = (folder.path / kGenerationFile).string();
    file.config = Json::parse(folder.read(kGenerationFile, 1 << 20), file.path);
  } else if (folder.layout != nullptr) {  // as files were before there was the other
    file.path = folder.config_path().string();
    file.config = Json::parse(folder.config_text(), file.path);
    if (truth_of(file.config, "force_bos_token_to_be_generated", false) &&
        member_said(file.config, "bos_token_id") != nullptr)
      file.config.set("forced_bos_token_id", file.config.at("bos_token_id"));
  }
  return file;
}

bool is_generation_member(std::string_view name) {
  return std::ranges::any_of(kUsed, [&](const UsedMember& row) { return row.name == name; }) ||
         std::ranges::any_of(kRefused, [&](const RefusedMember& row) { return row.name == name; }) ||
         is_decoding_key(name);
}

}  // namespace

GenerationConfig generation_config_of_json(const Json& config) {
  GenerationConfig out{.decoding = decoding_of(config)};
  for (const UsedMember& row : kUsed) {
    const Json* const value = member_said(config, row.name);
    if (value != nullptr) with_name(row.name, [&] { row.read(*value, row.name, out); });
  }
  if (member_said(config, "min_new_tokens") != nullptr) out.min_length = 0;  // which it overrides
  check_refused(config, out);
  check_forced(out);
  if (out.temperature && *out.temperature < 1e-3)
    out.not_sampled = "\"temperature\" is " + shortest(*out.temperature) + ", expected 0.001 to 1000";
  return out;
}

GenerationConfig read_generation_config(const ModelFolder& folder) {
  const GenerationFile file = generation_file(folder);
  try {
    GenerationConfig out = generation_config_of_json(file.config);
    out.file = file.path;
    return out;
  } catch (const Error& error) {
    throw Error(file.path + ": " + error.what());
  }
}

Json generation_members(const ModelFolder& folder) {
  const Json config = generation_file(folder).config;
  Json members = Json(Json::Object{});
  for (const auto& [name, value] : config.as_object()) {
    if (is_generation_member(name)) members.set(name, value);
  }
  return members;
}

}  // namespace headwater
