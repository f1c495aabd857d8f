// The rows of what several kinds of models share, and what must hold between them.
#pragma once

#include <string>

#include "models/settings.hpp"
#include "recipe/recipe.hpp"

namespace headwater {

// When the keys of attention are read, and those of what follows the mixing of tokens in a block.
struct BlockKeys {
  schema::When attention = {}, feed_forward = {}, window = {};
  bool has_embedding_dropout = true;  // `dropout` is of embeddings, too
};
// What models of texts have: all of it.
void rows(schema::Visitor& v, TransformerSettings& s, const BlockKeys& keys = {});
// The rows of the blocks alone, and of the sequences that they read.
void block_rows(schema::Visitor& v, TransformerSettings& s, const BlockKeys& keys = {});
void sequence_rows(schema::Visitor& v, TransformerSettings& s);
void rows(schema::Visitor& v, ClassHeadSettings& s);
void classes_row(schema::Visitor& v, std::int64_t& classes);
enum class Reads { texts, images };
void initialization_row(schema::Visitor& v, Initialization& initialization, Reads reads);
void output_dropout_row(schema::Visitor& v, double& output_dropout);

// `embedding_width`: 0 where it is the model's.
void check_transformer(const TransformerSettings& s, bool has_attention, const Complain& complain,
                       std::int64_t embedding_width = 0);
void check_classes(const ClassHeadSettings& s, const Recipe& recipe, const Complain& complain);

// The settings of a kind of model in a recipe: settings_rows(visitor, S&) and check_settings(S,
// recipe, complain) are found by their arguments.
template <class S>
class SettingsOf final : public ModelSettingsOf<S> {
 public:
  std::unique_ptr<ModelSettings> clone() const override { return std::make_unique<SettingsOf>(*this); }
  void rows(schema::Visitor& visitor) override { settings_rows(visitor, this->value); }
  void check(const Recipe& recipe, const Complain& complain) const override {
    check_settings(this->value, recipe, complain);
  }
  std::vector<std::string_view> columns() const override {
    if constexpr (requires { columns_of(this->value); }) return columns_of(this->value);
    return {};
  }
  static std::unique_ptr<ModelSettings> defaults() { return std::make_unique<SettingsOf>(); }
};

template <class S>
ModelSection model_section(const ModelKind& kind, const S& settings) {
  auto holder = std::make_unique<SettingsOf<S>>();
  holder->value = settings;
  return ModelSection(kind, std::move(holder));
}

}  // namespace headwater
