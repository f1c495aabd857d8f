#include "tools/search/options.hpp"

#include <algorithm>

#include "families/quantized_model.hpp"
#include "families/registry.hpp"
#include "support/enum_names.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater::search {

void add_compute_type_option(cli::CommandLine& line, std::string& name) {
  line.add_option("--compute-type", name,
                  "of products with weights (the type that the model's files store them in); int8 is about "
                  "twice as fast and a "
                  "little less exact ([translate](translate.md#in-int8))")
      .one_of({"float32", "int8"});
}

ComputeType compute_type_of(ModelFolder& folder, std::string_view name) {
  const ComputeType own = folder.is_quantized ? ComputeType::int8 : ComputeType::float32;
  const ComputeType type = name.empty() ? own : value_of<ComputeType>(name).value();
  if (type == ComputeType::int8 && !computes_in_int8(folder))
    throw UsageError("--compute-type int8: " + folder.path.string() + " holds " + offer_of(folder).noun +
                     ", which computes in float32 alone");
  folder.keeps_bytes = type == ComputeType::int8;
  return type;
}

std::string option_name(std::string_view key) {
  std::string option = "--" + std::string(key);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

bool is_of_beams(std::string_view key) {
  DecodingSettings greedy;
  const std::vector<DecodingField> fields = decoding_fields(greedy);
  return key == "num_beams" || std::any_of(fields.begin(), fields.end(), [&](const DecodingField& field) {
           return field.key == key && !field.when.is_read;
         });
}

void DecodingOptions::describe(cli::CommandLine& line,
                               const std::function<bool(std::string_view key)>& is_wanted,
                               const DecodingSettings* defaults) {
  if (defaults != nullptr) typed_ = *defaults;
  for (const DecodingField& field : decoding_fields(typed_)) {
    if (!is_wanted(field.key)) continue;
    const auto add = [&](auto& value, const std::string& help) {
      cli::Option option = line.add_option(option_name(field.key), value, help);
      options_.push_back({field.key, option, [&value] { return Json(value); }});
      return option;
    };
    cli::Option option;
    if (auto* const number = std::get_if<std::int64_t*>(&field.member)) {
      option = add(**number, std::string(field.help));
    } else if (auto* const real = std::get_if<double*>(&field.member)) {
      option = add(**real, std::string(field.help));
    } else {
      std::string help(field.help);
      std::vector<std::string> words;
      for (const schema::Word& word : std::get<schema::OneOf>(field.rule).words) {
        words.emplace_back(word.word);
        help.append(words.size() == 1 ? ": `" : "; `").append(word.word).append("`: ").append(word.meaning);
      }
      option = add(words_.emplace_back(*std::get<schema::EnumMember>(field.member)), help);
      option.offers(std::move(words));
    }
    if (const auto* const bounds = std::get_if<schema::Between>(&field.rule))
      option.between(bounds->min, bounds->max);
    if (defaults != nullptr) option.with_default();
  }
}

bool DecodingOptions::any() const {
  return std::any_of(options_.begin(), options_.end(), [](const Row& row) { return row.option.is_given(); });
}

cli::Option DecodingOptions::option(std::string_view key) const {
  const auto found =
      std::find_if(options_.begin(), options_.end(), [&](const Row& row) { return row.key == key; });
  return found == options_.end() ? cli::Option() : found->option;
}

std::string DecodingOptions::names() const {
  std::string names;
  for (const Row& row : options_) names += (names.empty() ? "" : " ") + row.option.name();
  return names;
}

bool DecodingOptions::has(std::string_view key) const { return option(key).is_given(); }

// What a rule of recipes says, with the options for their keys.
std::string DecodingOptions::with_options(std::string text) const {
  const auto is_of_key = [](char c) { return c == '_' || (c >= 'a' && c <= 'z'); };
  for (const auto& [key, option, value] : options_) {
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
      const std::size_t end = at + key.size();
      const bool is_part = (at > 0 && is_of_key(text[at - 1])) || (end < text.size() && is_of_key(text[end]));
      if (!is_part) text.replace(at, key.size(), option.name());
      at += is_part ? key.size() : option.name().size();
    }
  }
  return text;
}

bool DecodingOptions::has_beams() const { return has("num_beams") && option("num_beams").value() != "1"; }

void DecodingOptions::put_over(DecodingSettings& settings) const {
  for (const Row& row : options_) {
    if (!row.option.is_given()) continue;
    try {
      set_decoding(settings, row.key, row.value());
    } catch (const Error& error) {
      throw UsageError(option_name(row.key) +
                       with_options(std::string(error.what()).substr(quote(row.key).size())));
    }
  }
}

void describe(cli::CommandLine& line, SamplingOptions& o, const DecodingOptions& search,
              const std::string& help, const std::string& drawing) {
  line.group("Sampling");
  line.add_flag("--sampling", o.is_on, help);
  line.add_option("--temperature", o.temperature,
                  "divide the logits by it (1): above 1 unlikely tokens become likelier. 0 is refused: leave "
                  "sampling out")
      .checked([](const std::string& text) {
        double temperature = 0;
        if (read_number(text, temperature).empty() && temperature == 0)
          throw Error(
              "0 draws nothing (leave it out, and the other options of sampling: without them the likeliest "
              "token is taken)");
      })
      .between(1e-3, 1e3);
  line.add_option("--top-k", o.top_k, "draw among this many most likely tokens (0: all; Fan et al. 2018)")
      .between(0, 1e6);
  line.add_option(
          "--top-p", o.top_p,
          "draw among the fewest tokens that hold this share of the probability (1; Holtzman et al. 2020)")
      .between(1e-6, 1);
  line.add_option("--min-p", o.min_p,
                  "draw among the tokens with at least this share of the likeliest one's probability (0; "
                  "Nguyen et al. 2024)")
      .between(0, 1);
  line.add_option("--seed", o.seed, "of the random numbers (1)");
  line.condition(
      "beams", [&search] { return search.has_beams(); }, "--num-beams above 1");
  line.goes_without(drawing, "beams", "one searches, the other draws");
}

void check_room(const DecodingSettings& settings, const DecodingOptions& given, const std::string& file,
                std::optional<ModelRoom> model) {
  const std::int64_t least = settings.min_new_tokens, most = settings.max_new_tokens;
  const bool is_typed = given.has("min_new_tokens") || given.has("max_new_tokens");
  const auto name_of = [&](std::string_view key) {
    return given.has(key) ? option_name(key) : is_typed ? quote(key) + " of " + file : quote(key);
  };
  const auto fail = [&](const std::string& limit) {
    const std::string what = name_of("min_new_tokens") + " is " + std::to_string(least) + ", above " + limit;
    if (is_typed) throw UsageError(what);
    throw Error(file + ": " + what);
  };
  if (most > 0 && least > most)
    fail(name_of("max_new_tokens") + ", " + std::to_string(most) + " (lower it, or raise that)");
  if (!model) return;
  const std::int64_t asked = most > 0 ? most : model->limit;
  const std::int64_t room = asked > 0 ? std::min(asked, model->positions) : model->positions;
  if (least > room)
    fail("the model's longest translation, " + counted(room, "token") + " (lower it" +
         (room < model->positions ? ", or raise --max-new-tokens)" : ")"));
}

void set(SamplingSettings& settings, const SamplingOptions& o) {
  if (o.temperature) settings.temperature = *o.temperature;
  if (o.top_k) settings.top_k = *o.top_k;
  if (o.top_p) settings.top_p = *o.top_p;
  if (o.min_p) settings.min_p = *o.min_p;
  if (o.seed) settings.seed = *o.seed;
}

Json scored_tokens(const Hypothesis& hypothesis, const Tokenizer& tokenizer) {
  Json::Array tokens;
  const std::vector<double>& scores = hypothesis.token_log_probabilities;
  const std::size_t scored = scores.size() - (hypothesis.is_ended && !scores.empty() ? 1 : 0);
  const std::size_t before = hypothesis.ids.size() - std::min(hypothesis.ids.size(), scored);  // of a prefix
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::int32_t id =
        before + i < hypothesis.ids.size() ? hypothesis.ids[before + i] : hypothesis.end_id;
    tokens.push_back(Json()
                         .set("token", tokenizer.surface(id))
                         .set("text", tokenizer.token_text(tokenizer.surface(id)))
                         .set("id", std::int64_t{id})
                         .set("log_probability", scores[i]));
  }
  return tokens;
}

}  // namespace headwater::search
