#include "decoding/same_vocabulary.hpp"

#include <string>

#include "support/error.hpp"

namespace headwater {

void check_same_vocabulary(const LoadedTranslator& first, const LoadedTranslator& other) {
  // Published models have templates, and ours have none.
  const std::string fix = first.uses_template == other.uses_template
                              ? "models of an ensemble need the same tokenizers and length: train them with "
                                "one recipe and several seeds"
                              : (first.uses_template ? first : other).files.string() +
                                    " is in another program's layout: bring both into one with convert";
  const auto check = [&](bool is_same, const std::string& what) {
    if (is_same) return;
    throw Error(other.files.string() + ": " + what + " of " + first.files.string() + " (" + fix + ")");
  };
  const EncoderDecoderSettings &a = first.model->settings(), &b = other.model->settings();
  check(first.source_tokenizer.to_json() == other.source_tokenizer.to_json(),
        "its source tokenizer is not that");
  check(first.target_tokenizer.to_json() == other.target_tokenizer.to_json(),
        "its target tokenizer is not that");
  check(first.model->target_vocabulary() == other.model->target_vocabulary(),
        "its output layer has not as many tokens as that");
  check(first.model->length() == other.model->length(),
        "its length, " + std::to_string(other.model->length()) + " tokens, is not that");
  check(first.ids == other.ids && first.uses_template == other.uses_template &&
            first.appends_end == other.appends_end && a.has_source_start() == b.has_source_start() &&
            a.has_source_end() == b.has_source_end(),
        "its special tokens are not those");
}

}  // namespace headwater
