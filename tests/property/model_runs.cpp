#include "model_runs.hpp"

#include <algorithm>
#include <random>

#include "families/masked_lm/train_texts.hpp"
#include "small_run.hpp"
#include "text/tokenizer/tokenizer_json.hpp"
#include "write_image_dataset.hpp"

using namespace headwater;

namespace {

Subset examples_between(const Dataset& data, std::uint32_t begin, std::uint32_t end) {
  Subset chosen{.dataset = &data, .indices = {}, .is_all = false};
  for (std::uint32_t i = begin; i < end; ++i) chosen.indices.push_back(i);
  return chosen;
}

Subset all_of(const Dataset& data) { return {.dataset = &data, .indices = {}, .is_all = true}; }

}  // namespace

// --- Language models ---------------------------------------------------------------------------------------

LanguageModelSettings small_language_model() {
  LanguageModelSettings settings;
  settings.transformer.width = 12;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 20;
  settings.transformer.length = 12;
  settings.transformer.dropout = 0.1;
  settings.transformer.attention_dropout = 0.1;
  settings.layers = 2;
  return settings;
}

namespace {

constexpr std::int64_t kWords = 50;

TokenDataset random_texts() {
  TokenDataset texts({{.name = "source", .vocabulary = kWords, .max_length = 13},
                      {.name = "target", .vocabulary = kWords, .max_length = 13}});
  std::mt19937_64 random(3);
  for (int i = 0; i < 110; ++i) {
    std::string line;
    for (std::uint64_t n = random() % 12, j = 0; j <= n; ++j)
      line += (j ? " " : "") + std::to_string(1 + random() % 49);
    line += "\t" + std::to_string(1 + random() % 49) + " 2";
    texts.add_line(line, "made");
  }
  texts.finish("made");
  return texts;
}

std::string random_stream(std::int64_t ids, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes = token_stream_header({.ids = ids, .vocabulary = kWords, .vocabulary_hash = "made"});
  for (std::int64_t i = 0; i < ids; ++i) {
    bytes += static_cast<char>(random() % kWords);
    bytes += '\0';  // of 16 bits, the lower ones first
  }
  return bytes;
}

TokenStream stream_of(const std::string& bytes, const Recipe& recipe) {
  const std::int64_t length = recipe.model.as<LanguageModelSettings>().transformer.length;
  TokenStream stream({.cut = {.length = length, .stride = length}, .vocabulary = kWords});
  stream.add(Safetensors(bytes, "made"));
  return stream;
}

}  // namespace

LanguageModelRun::LanguageModelRun(const Recipe& recipe)
    : texts(random_texts()),
      model(recipe.model.as<LanguageModelSettings>(), kWords),
      objective(model, subset(0, 90), subset(90, 110), recipe.training.label_smoothing,
                model.settings().delimiter.empty() ? -1 : 0) {
  model.parameters().allocate(true);
}

Subset LanguageModelRun::subset(std::uint32_t begin, std::uint32_t end) const {
  return examples_between(texts, begin, end);
}

WindowsRun::WindowsRun(const Recipe& recipe)
    : train_bytes(random_stream(500, 5)),
      validation_bytes(random_stream(60, 6)),
      train(stream_of(train_bytes, recipe)),
      validation(stream_of(validation_bytes, recipe)),
      model(recipe.model.as<LanguageModelSettings>(), kWords),
      objective(model, all_of(train), all_of(validation), recipe, {}) {
  model.parameters().allocate(true);
}

// --- Models of images --------------------------------------------------------------------------------------

VisionSettings small_vision() {
  VisionSettings settings;
  settings.transformer.width = 12;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 20;
  settings.transformer.dropout = 0.1;
  settings.transformer.attention_dropout = 0.1;
  settings.image_height = 6;
  settings.image_width = 4;
  settings.channels = 2;
  settings.patch_size = 2;
  settings.classes = 3;
  settings.head_widths = {10};
  settings.head_dropout = 0.2;
  return settings;
}

static std::string random_images() {
  std::mt19937_64 random(4);
  std::vector<std::uint8_t> pixels(80 * 6 * 4 * 2);
  for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(random());
  std::vector<std::int64_t> labels(80);
  for (std::int64_t& label : labels) label = static_cast<std::int64_t>(random() % 3);
  std::string written;
  write_image_dataset({.shape = {.height = 6, .width = 4, .channels = 2},
                       .pixels = pixels,
                       .labels = labels,
                       .label_names = {}},
                      [&](std::string_view piece) { written += piece; });
  return written;
}

static ImageDataset images_of(const std::string& bytes) {
  ImageDataset images;
  images.add(Safetensors(bytes, "made"));
  return images;
}

VisionRun::VisionRun(const Recipe& recipe)
    : bytes(random_images()),
      images(images_of(bytes)),
      model(recipe.model.as<VisionSettings>()),
      objective(model, subset(0, 60), subset(60, 80), recipe.training.label_smoothing) {
  model.parameters().allocate(true);
}

Subset VisionRun::subset(std::uint32_t begin, std::uint32_t end) const {
  return examples_between(images, begin, end);
}

// --- Masked language models --------------------------------------------------------------------------------

namespace {

constexpr Index kMaskedVocabulary = 40;

// Words w5 to w39, a template of [CLS] and [SEP].
Tokenizer masked_tokenizer() {
  std::string vocabulary = R"("[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4)";
  for (Index id = 5; id < kMaskedVocabulary; ++id)
    vocabulary += ", \"w" + std::to_string(id) + "\": " + std::to_string(id);
  std::string added;
  for (const char* token : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
    const std::size_t id = std::count(added.begin(), added.end(), '{');
    added +=
        std::string(id > 0 ? ", " : "") + R"({"id": )" + std::to_string(id) + R"(, "content": ")" + token +
        R"(", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false})";
  }
  return Tokenizer::parse(
      R"({"version": "1.0", "added_tokens": [)" + added +
          R"(], "normalizer": null, "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor":
          {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}, "decoder": null,
          "model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {)" +
          vocabulary + "}}}",
      "made");
}

}  // namespace

Recipe masked_recipe(MaskedExamples examples, MaskingUnit unit) {
  Recipe recipe = small_recipe("adam");
  MaskedLmSettings settings;
  settings.transformer.width = 16;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 24;
  settings.transformer.length = kMaskedLength;
  settings.transformer.activation = ops::Activation::gelu;
  settings.transformer.dropout = 0.1;
  settings.encoder_layers = 2;
  settings.segments = 2;
  settings.embedding_norm = true;
  settings.next_sentence = examples == MaskedExamples::sentence_pairs;
  settings.span_boundary = unit == MaskingUnit::span;
  recipe.data.columns = {"source"};
  recipe.masking.examples = examples;
  recipe.masking.unit = unit;
  recipe.model = model_section(settings);
  recipe.training.label_smoothing = 0;
  recipe.training.batch_sequences = 8;
  recipe.training.epochs = 2;
  return recipe;
}

namespace {

std::string id_line(std::size_t number, std::size_t words) {
  std::string ids;
  for (std::size_t i = 0; i < words; ++i)
    ids += (i > 0 ? " " : "") + std::to_string(5 + (7 * number + i * i * 3 + i) % (kMaskedVocabulary - 5));
  return ids;
}

// Documents of 1 to 7 sentences of 1 to 9 words; or lines of up to 60 words.
std::unique_ptr<Dataset> examples_of(const Recipe& recipe, std::size_t count) {
  const TokenColumnSettings column{.name = "source", .vocabulary = kMaskedVocabulary};
  std::unique_ptr<Dataset> data;
  if (recipe.masking.examples == MaskedExamples::sentence_pairs) {
    data = std::make_unique<DocumentDataset>(column);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t s = 0; s <= i % 7; ++s) data->add_line(id_line(i + 31 * s, 1 + (i + s) % 9), "made:1");
      data->add_line("", "made:1");
    }
  } else {
    data = std::make_unique<TokenDataset>(std::vector{column});
    for (std::size_t i = 0; i < count; ++i) data->add_line(id_line(i, 1 + 7 * i % 60), "made:1");
  }
  data->finish("made", false);
  return data;
}

}  // namespace

MaskedRun::MaskedRun(Recipe r)
    : recipe(std::move(r)),
      words(masked_tokenizer()),
      train(examples_of(recipe, 41)),
      validation(examples_of(recipe, 9)),
      model(recipe.model.as<MaskedLmSettings>(), kMaskedVocabulary),
      objective(model, texts(*train), texts(*validation),
                Masking({.unit = recipe.masking.unit}, masking_vocabulary(words, mask_id_of(words, "made"))),
                recipe.seed) {
  model.parameters().allocate(true);
}

std::unique_ptr<MaskedTexts> MaskedRun::texts(const Dataset& data) const {
  if (recipe.masking.examples != MaskedExamples::sentence_pairs)
    return std::make_unique<LinePieces>(all_of(data), words, kMaskedLength);
  return std::make_unique<SentencePairs>(all_of(data), words, pair_template(words, kMaskedLength, "t.json"),
                                         kMaskedLength);
}
