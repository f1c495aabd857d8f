#include "small_run.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <sstream>
#include <stdexcept>

#include "families/bag_of_words/model.hpp"
#include "families/registry.hpp"
#include "families/train_labels.hpp"
#include "support/files.hpp"
#include "unusual_mixing.hpp"

using namespace headwater;

namespace {

std::string line_of(const Sequence& ids) {
  std::string line;
  for (const std::int32_t id : ids) line += (line.empty() ? "" : " ") + std::to_string(id);
  return line;
}

}  // namespace

std::vector<Pair> copy_pairs(std::size_t count, std::int64_t max_words, std::int64_t vocabulary,
                             std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Pair> pairs(count);
  for (Pair& pair : pairs) {
    const std::uint64_t words = 1 + random() % static_cast<std::uint64_t>(max_words);
    for (std::uint64_t i = 0; i < words; ++i) {
      pair.source.push_back(kFirstWord + static_cast<std::int32_t>(
                                             random() % static_cast<std::uint64_t>(vocabulary - kFirstWord)));
    }
    pair.target.push_back(kStart);
    pair.target.insert(pair.target.end(), pair.source.begin(), pair.source.end());
    pair.target.push_back(kEnd);
  }
  return pairs;
}

TokenDataset columns_of(const std::vector<Pair>& pairs, std::int64_t vocabulary) {
  TokenDataset columns({{.name = "source", .vocabulary = vocabulary},
                        {.name = "target", .vocabulary = vocabulary, .min_length = 2}});
  for (const Pair& pair : pairs) columns.add_line(line_of(pair.source) + "\t" + line_of(pair.target), "made");
  columns.finish("made");
  return columns;
}

PackedTokens packed(const std::vector<Sequence>& sequences) {
  PackedTokens tokens;
  tokens.clear();
  for (const Sequence& sequence : sequences) tokens.add(sequence);
  tokens.finish();
  return tokens;
}

Recipe small_recipe(const std::string& optimizer) {
  Recipe recipe;
  recipe.name = "small";
  recipe.seed = 17;
  EncoderDecoderSettings settings;
  TransformerSettings& transformer = settings.transformer;
  transformer.width = 24;
  transformer.heads = 2;
  transformer.head_width = 10;
  transformer.feed_forward_width = 20;
  transformer.length = 9;
  transformer.dropout = transformer.attention_dropout = 0.1;
  transformer.output_dropout = 0.2;
  recipe.model = model_section(settings);
  recipe.training.epochs = 3;
  recipe.training.batch_sequences = 8;
  recipe.training.label_smoothing = 0.1;
  recipe.training.log_every = 2;
  recipe.training.optimizer = {.kind = value_of<OptimizerKind>(optimizer).value(), .learning_rate = 2e-3};
  recipe.training.schedule = {.kind = ScheduleKind::cosine, .warmup_steps = 4};
  recipe.training.checkpoint = {.every_steps = 4, .keep = 2};
  return recipe;
}

Recipe wide_recipe(const std::string& optimizer) {
  Recipe recipe = small_recipe(optimizer);
  EncoderDecoderSettings& model = recipe.model.as<EncoderDecoderSettings>();
  model.transformer.width = 72;
  model.transformer.heads = 3;
  model.transformer.head_width = 40;
  model.transformer.feed_forward_width = 136;
  model.transformer.length = 40;
  model.encoder_layers = 2;
  model.decoder_layers = 2;
  recipe.training.batch_sequences = 64;
  recipe.training.epochs = 1;
  return recipe;
}

namespace {

Recipe pre_norm_recipe() {
  Recipe recipe = small_recipe("adam");
  EncoderDecoderSettings& settings = recipe.model.as<EncoderDecoderSettings>();
  settings.transformer.norm = NormPlacement::pre;
  settings.transformer.activation = ops::Activation::gelu;
  settings.transformer.positions = Positions::sinusoidal;
  settings.transformer.scale_embedding = true;
  settings.transformer.initialization = Initialization::vaswani;
  settings.encoder_layers = settings.decoder_layers = 2;
  settings.share_embeddings = SharedEmbeddings::all;
  return recipe;
}

}  // namespace

Recipe recurrent_recipe(bool has_attention) {
  Recipe recipe = small_recipe("adam");
  EncoderDecoderSettings& settings = recipe.model.as<EncoderDecoderSettings>();
  settings.mixing = {.mixing = "gru", .bidirectional = true};
  settings.embedding_width = 11;
  settings.additive_attention = has_attention;
  settings.transformer.positions = Positions::none;
  settings.encoder_layers = settings.decoder_layers = 2;
  return recipe;
}

std::vector<Recipe> decoder_recipes() {
  std::vector<Recipe> recipes{small_recipe("rmsprop"), recurrent_recipe(false), recurrent_recipe(true)};
  for (const MixerKind* const mixer : mixer_kinds()) {
    if (!mixer->takes_steps || mixer->is_recurrent) continue;
    recipes.push_back(pre_norm_recipe());
    EncoderDecoderSettings& settings = recipes.back().model.as<EncoderDecoderSettings>();
    settings.mixing.mixing = mixer->name;
    fit_heads(settings.transformer, *mixer);
  }
  recipes.push_back(pre_norm_recipe());
  recipes.back().model.as<EncoderDecoderSettings>().transformer.attention_window = 3;
  return recipes;
}

SmallRun::SmallRun(Recipe r, const std::vector<Pair>& train_pairs, const std::vector<Pair>& validation_pairs,
                   std::int64_t vocabulary)
    : recipe(std::move(r)),
      train(columns_of(train_pairs, vocabulary)),
      validation(columns_of(validation_pairs, vocabulary)),
      model(recipe.model.as<EncoderDecoderSettings>(), vocabulary, vocabulary),
      objective(model, {.dataset = &train, .indices = {}, .is_all = true},
                {.dataset = &validation, .indices = {}, .is_all = true}, recipe.training.label_smoothing) {
  objective.regularize(recipe.training.r_drop);
  model.parameters().allocate(true);
}

namespace {

TokenDataset class_columns(const LabelSet& labels, std::size_t count, std::int64_t length,
                           std::uint64_t seed) {
  TokenDataset columns({{.name = "source", .vocabulary = kClassVocabulary, .max_length = length},
                        {.name = "label", .vocabulary = 2, .labels = &labels}});
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    Sequence ids(1 + random() % static_cast<std::uint64_t>(length));
    for (std::int32_t& id : ids) id = 5 + static_cast<std::int32_t>(random() % (kClassVocabulary - 5));
    const bool is_positive = random() % 2 == 0;
    if (is_positive) ids[random() % ids.size()] = 4;
    columns.add_line(line_of(ids) + (is_positive ? "\tpos" : "\tneg"), "made");
  }
  columns.finish("made");
  return columns;
}

// Words of a text at most; a bag of words takes any number.
std::int64_t max_words(const Recipe& recipe) {
  const std::int64_t length = family_of(recipe.model).max_line_ids(recipe);
  return length > 0 ? length : 20;
}

}  // namespace

std::vector<Recipe> class_recipes() {
  std::vector<Recipe> recipes;
  const auto add = [&](const ModelSection& model) {
    Recipe recipe = small_recipe("rmsprop");
    recipe.data.columns = {"source", "label"};
    recipe.training.label_smoothing = 0;
    recipe.model = model;
    if (recipes.size() % 2 == 1) recipe.training.class_weights = {"", {{"neg", 0.5}, {"pos", 3}}};
    recipes.push_back(recipe);
  };
  ClassifierSettings settings;
  settings.transformer = small_recipe("rmsprop").model.as<EncoderDecoderSettings>().transformer;
  settings.transformer.length = 70;
  for (const MixerKind* const mixer : mixer_kinds()) {
    if (!mixer->encodes_texts) continue;
    const std::size_t i = recipes.size();
    fit_heads(settings.transformer, *mixer);
    settings.mixing = {std::string(mixer->name), 13};
    settings.mixing.bidirectional = mixer->is_recurrent && i % 2 == 1;
    const bool is_forward = mixer->is_recurrent && !settings.mixing.bidirectional;
    settings.pooling = is_forward ? ops::Pooling::last : static_cast<ops::Pooling>(i % 3);
    settings.head.head = i % 2 == 0 ? HeadType::sigmoid : HeadType::softmax;
    add(model_section(settings));
  }
  add(model_section(BagOfWordsSettings{.width = 16, .output_dropout = 0.2}));
  recipes.push_back(recipes.front());
  recipes.back().model.as<ClassifierSettings>().padding = Padding::pooled;
  return recipes;
}

std::string model_name(const Recipe& recipe) {
  const std::string kind(recipe.model.kind().name);
  if (kind != "classifier") return kind;
  const ClassifierSettings& settings = recipe.model.as<ClassifierSettings>();
  return kind + " with " + settings.mixing.mixing + ", padding " + std::string(name_of(settings.padding));
}

ClassRun::ClassRun(Recipe r, std::size_t count, std::uint64_t seed)
    : recipe(std::move(r)),
      labels(LabelSet::parse("neg\npos\n", "made")),
      train(class_columns(labels, count, max_words(recipe), seed)),
      validation(class_columns(labels, count / 4 + 1, max_words(recipe), seed + 1)),
      model(text_classifier_family(family_of(recipe.model)).make(recipe.model, kClassVocabulary)),
      objective(*model, {.dataset = &train, .indices = {}, .is_all = true},
                {.dataset = &validation, .indices = {}, .is_all = true}, recipe.training.label_smoothing,
                class_weights(recipe, labels, 0, {})) {
  model->parameters().allocate(true);
}

std::vector<Real> values_of(const EncoderDecoder& model) {
  const std::span<const Real> values = model.parameters().values();
  return {values.begin(), values.end()};
}

std::string log_without_times(const std::filesystem::path& directory) {
  std::istringstream log(read_file(directory / "log.csv"));
  std::string result;
  std::ptrdiff_t kept = -1;  // commas before the first of those columns
  for (std::string line; std::getline(log, line);) {
    if (kept < 0) {
      const std::size_t seconds = line.find(",seconds,");
      if (seconds == std::string::npos) throw std::logic_error("log.csv: no column seconds");
      kept = std::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(seconds), ',');
    }
    std::size_t end = 0;
    for (std::ptrdiff_t comma = 0; comma <= kept && end != std::string::npos; ++comma)
      end = line.find(',', comma == 0 ? 0 : end + 1);
    result += line.substr(0, end) + "\n";
  }
  return result;
}
