#include "families/text_encoder/sentence_transformers.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "families/config.hpp"
#include "families/layouts/config_table.hpp"
#include "text/formats/member_table.hpp"

namespace headwater {

namespace {

constexpr std::int64_t kMostTokensOfArguments = 1000000;
constexpr std::string_view kAnyArgument = {};

// Members that hold arguments, the older name first, which goes before the other one.
constexpr std::string_view kOfModel[] = {"model_args", "model_kwargs"},
                           kOfTokenizer[] = {"tokenizer_args", "processor_kwargs"},
                           kOfConfig[] = {"config_args", "config_kwargs"};
constexpr std::string_view kOfText = "text";

// An argument that changes no vector where it has one of these values: JSON, " or " between them.
struct HarmlessArgument {
  std::string_view of, name, values;
};
constexpr HarmlessArgument kHarmless[] = {
    // In all three: the library sets them itself when it loads.
    {"", "trust_remote_code", kAnyArgument},
    {"", "token", kAnyArgument},
    {"", "cache_dir", kAnyArgument},
    {"", "revision", kAnyArgument},
    {"", "subfolder", kAnyArgument},
    {"", "local_files_only", kAnyArgument},
    {"model_kwargs", "add_pooling_layer", kAnyArgument},
    {"model_kwargs", "attn_implementation", kAnyArgument},
    {"model_kwargs", "device_map", kAnyArgument},
    {"model_kwargs", "low_cpu_mem_usage", kAnyArgument},
    {"model_kwargs", "use_safetensors", kAnyArgument},
    {"model_kwargs", "dtype", R"("float32" or "auto" or null)"},
    {"model_kwargs", "torch_dtype", R"("float32" or "auto" or null)"},
    {"processor_kwargs", "use_fast", kAnyArgument},
    {"processor_kwargs", "padding_side", R"("right")"},
    {"processor_kwargs", "truncation_side", R"("right")"},
    {kOfText, "padding", kAnyArgument},
    {kOfText, "pad_to_multiple_of", kAnyArgument},
    {kOfText, "padding_side", R"("right" or null)"},
    {kOfText, "truncation", R"(true or "longest_first" or "only_first")"},
    {kOfText, "add_special_tokens", "true"},
    {kOfText, "return_tensors", R"("pt")"},
    {kOfText, "return_token_type_ids", kAnyArgument},
    {kOfText, "return_attention_mask", "true or null"},
    {kOfText, "verbose", kAnyArgument},
    {"common", "return_tensors", R"("pt")"},
};

bool changes_no_vector(std::string_view of, const std::string& name, const Json& value) {
  return std::ranges::any_of(kHarmless, [&](const HarmlessArgument& row) {
    return (row.of == of || (row.of.empty() && of.ends_with("_kwargs"))) && row.name == name &&
           (row.values.empty() || is_one_of_values(value.dump(), row.values));
  });
}

// A member of arguments, or none.
Json arguments_at(const Json& config, std::string_view name) {
  const Json* const said = member_said(config, name);
  if (said == nullptr) return Json::Object();
  with_name(name, [&] { (void)said->as_object(); });
  return *said;
}

// The name that counts where a member has two.
std::string_view name_of_arguments(const Json& config, const std::string_view (&names)[2]) {
  return names[member_said(config, names[0]) != nullptr ? 0 : 1];
}

void refuse_argument(std::string_view of, const std::string& name, const Json& value,
                     const std::string& expected) {
  refuse_member(std::string(of) + "." + name, value.dump(), expected);
}

void check_arguments(const Json& config, const std::string_view (&names)[2]) {
  const std::string_view called = name_of_arguments(config, names);
  const Json arguments = arguments_at(config, called);
  for (const auto& [name, value] : arguments.as_object()) {
    if (!value.is_null() && !changes_no_vector(names[1], name, value))
      refuse_argument(called, name, value,
                      "no such argument (make these vectors with sentence-transformers)");
  }
}

std::int64_t length_of_tokenizer(const Json& config, const Json& tokenizer_config) {
  const std::string_view called = name_of_arguments(config, kOfTokenizer);
  const Json arguments = arguments_at(config, called);
  std::int64_t length = 0;
  for (const auto& [name, value] : arguments.as_object()) {
    const Json* const said = tokenizer_config.is_object() ? tokenizer_config.find(name) : nullptr;
    const bool is_same = said == nullptr ? value.is_null() : said->dump() == value.dump();
    if (name == "model_max_length") {
      length = whole(arguments, name, 1, kMostTokensOfArguments);
    } else if (!is_same && !changes_no_vector(kOfTokenizer[1], name, value)) {
      refuse_argument(called, name, value, "what tokenizer_config.json says (write it there)");
    }
  }
  return length;
}

// "processing_kwargs": {"text": {"max_length": N}} is what the tokenizer is called with.
std::int64_t length_of_calls(const Json& config) {
  const Json calls = arguments_at(config, "processing_kwargs");
  std::int64_t length = 0;
  for (const std::string_view of : {kOfText, std::string_view("common")}) {  // the others are not of texts
    const Json arguments = arguments_at(calls, of);
    for (const auto& [name, value] : arguments.as_object()) {
      if (of == kOfText && name == "max_length") {
        if (!value.is_null()) length = whole(arguments, name, 1, kMostTokensOfArguments);
      } else if (!changes_no_vector(of, name, value)) {
        refuse_argument("processing_kwargs." + std::string(of), name, value,
                        "no such argument (make these vectors with sentence-transformers)");
      }
    }
  }
  return length;
}

}  // namespace

std::int64_t length_of_arguments(const Json& config, const Json& tokenizer_config) {
  check_arguments(config, kOfModel);
  check_arguments(config, kOfConfig);
  const std::int64_t of_tokenizer = length_of_tokenizer(config, tokenizer_config),
                     of_calls = length_of_calls(config);
  return of_calls > 0 ? of_calls : of_tokenizer;
}

}  // namespace headwater
