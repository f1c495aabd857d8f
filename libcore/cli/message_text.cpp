#include "cli/message_text.hpp"

#include <algorithm>
#include <cctype>

namespace headwater::cli {

namespace {

struct OptionOfRecipe {
  enum class Value { none, one, list };  // what follows it
  std::string_view option, of_make, of_headwater;
  Value value = Value::none;
};

constexpr OptionOfRecipe recipe_key(std::string_view option, std::string_view name,
                                    OptionOfRecipe::Value value = OptionOfRecipe::Value::none) {
  return {option, name, name, value};
}

// Longer texts before those that they hold.
constexpr OptionOfRecipe kOptionsOfRecipes[] = {
    recipe_key(", or try --replace-invalid", ""),
    recipe_key("vectorize --csv --column NAME", "data.csv_columns: [NAME]"),
    recipe_key("--csv --column NAME", "data.csv_columns: [NAME]"),
    recipe_key("--columns", "data.columns"),
    recipe_key("--column", "data.columns"),
    recipe_key("--split-by", "data.columns"),
    recipe_key("--validation", "data.validation", OptionOfRecipe::Value::one),
    recipe_key("--epochs", "training.epochs", OptionOfRecipe::Value::one),
    recipe_key("--init-from", "training.init_from", OptionOfRecipe::Value::one),
    recipe_key("--drop", "training.drop", OptionOfRecipe::Value::list),
    recipe_key("--max-new-tokens", "decoding.max_new_tokens"),
    {"--output", "MODELS=FOLDER", "--models"},
    {"--overwrite", "OVERWRITE=1", "--overwrite"},
    {"--allow-empty", "ALLOW_EMPTY=1", "--allow-empty"}};

bool continues_option(std::string_view text) {
  return !text.empty() && (std::isalnum(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-');
}

// The option that begins there as a whole word.
const OptionOfRecipe* option_of_recipe_at(std::string_view text, std::size_t at) {
  const bool is_word = at == 0 || text[at] == ',' || text[at - 1] == ' ' || text[at - 1] == '(';
  if (!is_word) return nullptr;
  const auto* const found = std::ranges::find_if(kOptionsOfRecipes, [&](const OptionOfRecipe& each) {
    return text.substr(at).starts_with(each.option) &&
           !continues_option(text.substr(at + each.option.size()));
  });
  return found == std::end(kOptionsOfRecipes) ? nullptr : found;
}

}  // namespace

std::string for_recipe(std::string_view text, RecipeCaller caller) {
  std::string out;
  bool is_quoted = false;
  for (std::size_t at = 0; at < text.size();) {
    is_quoted = is_quoted != (text[at] == '"');
    const OptionOfRecipe* const option = is_quoted ? nullptr : option_of_recipe_at(text, at);
    if (option == nullptr) {
      out += text[at++];
      continue;
    }
    out += caller == RecipeCaller::make ? option->of_make : option->of_headwater;
    at += option->option.size();
    const bool has_value = option->value != OptionOfRecipe::Value::none && text.substr(at).starts_with(' ');
    if (has_value) out += ':';
    if (!has_value || option->value != OptionOfRecipe::Value::list) continue;
    const std::size_t end = std::min(text.find_first_of(" );", at + 1), text.size());
    out.append(" [").append(text.substr(at + 1, end - at - 1)).append("]");
    at = end;
  }
  return out;
}

std::string lower_first(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::string with_named_input(std::string text) {
  constexpr std::string_view kName = "standard input";
  if (text.starts_with("-:") || text.starts_with("- ")) text.replace(0, 1, kName);
  for (std::size_t at = text.find(" -:"); at != std::string::npos; at = text.find(" -:", at + 1)) {
    const std::size_t next = at + 3;
    if (next < text.size() && text[next] >= '0' && text[next] <= '9') text.replace(at + 1, 1, kName);
  }
  return text;
}

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

}  // namespace headwater::cli
