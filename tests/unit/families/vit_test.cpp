// ViT's layout: what its config.json and preprocessor_config.json say, and tensors there and back.
#include "families/vision/directory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "error_text.hpp"
#include "families/label_names.hpp"
#include "families/registry.hpp"
#include "families/vision/image_processor.hpp"
#include "layouts.hpp"
#include "same_bits.hpp"
#include "scratch_directory.hpp"

using namespace headwater;

namespace {

VisionSettings vit_settings() {
  VisionSettings settings;
  TransformerSettings& t = settings.transformer;
  t.width = 8;
  t.heads = 2;
  t.feed_forward_width = 12;
  t.norm = NormPlacement::pre;
  t.norm_epsilon = 1e-6;
  t.activation = ops::Activation::gelu;
  t.dropout = 0.2;
  settings.layers = 2;
  settings.image_height = 5;
  settings.image_width = 7;
  settings.channels = 3;
  settings.patch_size = 2;
  settings.classes = 3;
  return settings;
}

const LabelSet& three_labels() {
  static const LabelSet labels = LabelSet::parse("a\nb\nc\n", "labels");
  return labels;
}

std::unique_ptr<VisionModel> made_vit(const VisionSettings& settings) {
  auto model = std::make_unique<VisionModel>(settings);
  model->parameters().allocate(false);
  Index i = 0;  // all differ, so that no two places can be taken for each other
  for (Real& value : model->parameters().values()) value = static_cast<Real>(++i) / 1024;
  return model;
}

const Layout& vit() { return layout_named("vit"); }

Json our_vit_config(const VisionSettings& settings) {
  Json ours = settings_json(model_section(settings));
  write_labels(ours, three_labels());
  return ours;
}

Json good_vit_config() { return their_config(vit(), our_vit_config(vit_settings())); }

LabelSet vit_labels_of(Json config, const std::string& where) {
  const Json good = good_vit_config();
  for (const auto& [name, value] : good.as_object()) {
    if (name != "id2label" && name != "label2id") config.set(name, value);
  }
  return labels_of_config(model_config(config, where).config, where);
}

void read_vit_parameters(const Safetensors& tensors, VisionModel& model) {
  read_tensors(vit(), tensors, our_vit_config(model.settings()), model.parameters());
}

std::string said_of_vit(const Json& config) {
  return error_text(
      [&] { (void)vision_model_of_config(model_config(config, "config.json").config, "config.json"); });
}

void write_vit(const VisionModel& model, const fs::path& path) {
  fs::remove(path);
  NewFile file(path);
  write_tensors(vit(), model.parameters(), our_vit_config(model.settings()),
                [&](std::string_view bytes) { file.write(bytes); });
  file.finish();
}

ImageProcessing processing_of(std::string_view json, const ImageShape& shape = {5, 7, 3}) {
  return image_processing_of(Json::parse(json, "p"), shape);
}

}  // namespace

TEST_CASE("ViT's layout: a model and its config.json are read back, bit for bit, with and without a prefix") {
  const ScratchDirectory scratch;
  const fs::path path = scratch.path() / "model.safetensors", bare = scratch.path() / "bare.safetensors";
  const auto model = made_vit(vit_settings());
  write_vit(*model, path);
  const Json config = Json::parse(good_vit_config().dump(), "config.json");
  const auto again = vision_model_of_config(our_config(vit(), config), "config.json");
  CHECK(again->settings().transformer.dropout == 0.2);
  CHECK(again->settings().image_shape() == ImageShape{5, 7, 3});
  CHECK(again->settings().classes == 3);
  CHECK(vit_labels_of(config, "c").labels() == three_labels().labels());
  read_vit_parameters(Safetensors(path), *again);
  CHECK(same_bits(model->parameters().values(), again->parameters().values()));

  // As a model without a head saves them, and with a layer that labels are not computed by.
  const Safetensors file(path);
  std::vector<TensorView> tensors = file.tensors();
  const std::vector<float> pooler(64, 1);
  for (TensorView& tensor : tensors)
    if (tensor.name.starts_with("vit.")) tensor.name.erase(0, 4);
  tensors.push_back(float_tensor("pooler.dense.weight", {8, 8}, pooler.data()));
  write_file(bare, to_safetensors(tensors));
  const auto third = vision_model_of_config(our_config(vit(), config), "config.json");
  read_vit_parameters(Safetensors(bare), *third);
  CHECK(same_bits(model->parameters().values(), third->parameters().values()));
}

TEST_CASE("ViT's layout: the patches' weight is that of a convolution, the others are turned round") {
  const ScratchDirectory scratch;
  const fs::path path = scratch.path() / "model.safetensors";
  const auto model = made_vit(vit_settings());
  const Parameters& parameters = model->parameters();
  write_vit(*model, path);
  const Safetensors file(path);
  const TensorView& filters = file.at("vit.embeddings.patch_embeddings.projection.weight");
  CHECK(filters.shape == std::vector<std::int64_t>{8, 3, 2, 2});
  // Filter 6, channel 1, row 1, column 0; here row (1 · 2 + 0) · 3 + 1.
  CHECK(read_floats(filters)[6 * 12 + 1 * 4 + 1 * 2 + 0] ==
        parameters.find("embedding.patch.weight")->value.row(7)[6]);
  CHECK(file.at("vit.embeddings.cls_token").shape == std::vector<std::int64_t>{1, 1, 8});
  CHECK(file.at("vit.embeddings.position_embeddings").shape == std::vector<std::int64_t>{1, 7, 8});
  const TensorView& inner = file.at("vit.encoder.layer.1.intermediate.dense.weight");
  CHECK(inner.shape == std::vector<std::int64_t>{12, 8});
  CHECK(read_floats(inner)[9 * 8 + 5] ==
        parameters.find("encoder.1.feed_forward.inner.weight")->value.row(5)[9]);
  CHECK(file.at("classifier.weight").shape == std::vector<std::int64_t>{3, 8});
}

TEST_CASE("ViT's layout: tensors that do not fit, are too many or are not finite are named") {
  const ScratchDirectory scratch;
  const fs::path plain = scratch.path() / "plain.safetensors", path = scratch.path() / "m.safetensors";
  const auto model = made_vit(vit_settings());
  write_vit(*model, plain);
  const auto read = [](const fs::path& file, const VisionSettings& settings) {
    return error_text([&] {
      VisionModel again(settings);
      read_vit_parameters(Safetensors(file), again);
    });
  };
  VisionSettings settings = vit_settings();
  settings.channels = 1;
  CHECK(read(plain, settings) ==
        plain.string() +
            ": tensor \"vit.embeddings.patch_embeddings.projection.weight\" has shape [8, 3, 2, 2], "
            "config.json asks for [8, 1, 2, 2]");
  settings = vit_settings();
  settings.layers = 3;
  CHECK(read(plain, settings).find("\"vit.encoder.layer.2.") != std::string::npos);
  settings.layers = 1;
  CHECK(read(plain, settings).find("is no part of the model that config.json describes") !=
        std::string::npos);
  model->parameters().find("encoder.1.self_attention.key.bias")->value.data[2] =
      std::numeric_limits<Real>::infinity();
  write_vit(*model, path);
  CHECK(read(path, vit_settings()) ==
        path.string() +
            ": tensor \"vit.encoder.layer.1.attention.attention.key.bias\": a number is not finite "
            "(take another file)");
}

TEST_CASE("ViT's layout: a config.json that cannot be read is one line that names the member") {
  CHECK(said_of_vit(good_vit_config()) == "(no error)");
  struct Case {
    const char* name;
    Json value;
    const char* says;
  };
  const Case cases[] = {
      {"hidden_size", 0, "\"hidden_size\" is 0, expected 1 to 65536"},
      {"hidden_size", 1e300, "expected"},
      {"num_attention_heads", 3, "\"num_attention_heads\" is 3, expected a divisor of hidden_size 8"},
      {"num_hidden_layers", 0, "\"num_hidden_layers\" is 0, expected 1 to 1000"},
      {"intermediate_size", -1, "\"intermediate_size\" is -1"},
      {"image_size", 0, "\"image_size\" is 0, expected 1 to 8192"},
      {"image_size", Json::Array{5}, "\"image_size\" is [5], expected one number or two"},
      {"image_size", Json::Array{5, 9000}, "\"image_size\": \"width\" is 9000, expected 1 to 8192"},
      {"patch_size", Json::Array{2, 3}, "\"patch_size\" is [2, 3], expected a square"},
      {"patch_size", 6, "\"patch_size\": a patch of 6 pixels is larger than the image"},
      {"num_channels", 17, "\"num_channels\" is 17, expected 1 to 16"},
      {"layer_norm_eps", 0, "\"layer_norm_eps\" is 0, expected 1e-12 to 0.1"},
      {"hidden_act", "mish", "\"hidden_act\" is \"mish\", expected one of relu, gelu, gelu_new"},
      {"hidden_dropout_prob", 1, "\"hidden_dropout_prob\" is 1, expected 0 to 0.99"},
      {"qkv_bias", false, "\"qkv_bias\" is false, expected true"},
      {"quantization_config", Json::Object{}, "\"quantization_config\""},
      {"id2label", Json::Object{{"0", "a"}}, "\"id2label\" has one name: a model with one output"},
      {"id2label", Json::Object{{"0", "a"}, {"2", "c"}}, "\"id2label\" has 2 names"},
      {"id2label", Json::Object{{"0", "a"}, {"01", "c"}}, "\"id2label\" has \"01\" where an id is"},
  };
  for (const Case& c : cases) {
    const std::string said = said_of_vit(good_vit_config().set(c.name, c.value));
    INFO(c.name, ": ", said);
    CHECK(said.starts_with("config.json: "));
    CHECK(said.find(c.says) != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
  }
  const Json good = good_vit_config();
  for (const auto& [name, value] : good.as_object()) {
    Json config;
    for (const auto& [kept, of_kept] : good.as_object())
      if (kept != name) config.set(kept, of_kept);
    const std::string said = said_of_vit(config);
    INFO(name, ": ", said);
    CHECK((said == "(no error)" || said.find(quote(name)) != std::string::npos));
  }
}

TEST_CASE("ViT's layout: labels stand in any order, and may stand there twice or not at all") {
  Json config;
  config.set("id2label", Json::Object{{"1", "crane"},
                                      {"10", "k"},
                                      {"0", "crane"},
                                      {"2", "c"},
                                      {"3", "d"},
                                      {"4", "e"},
                                      {"5", "f"},
                                      {"6", "g"},
                                      {"7", "h"},
                                      {"8", "i"},
                                      {"9", "j"}});
  CHECK(vit_labels_of(config, "c").labels() ==
        std::vector<std::string>{"crane", "crane (1)", "c", "d", "e", "f", "g", "h", "i", "j", "k"});
  CHECK(vit_labels_of(Json(Json::Object{}), "c").labels() == std::vector<std::string>{"LABEL_0", "LABEL_1"});
  config.set("id2label", Json::Object{{"0", "a"}, {"1", "two\nlines"}});
  CHECK(error_text([&] { (void)vit_labels_of(config, "c"); }).starts_with("c: \"id2label\": the label"));
}

TEST_CASE("ViT's layout: a setting that it cannot say is named") {
  const auto said = [](const auto& change) {
    VisionSettings settings = vit_settings();
    change(settings);
    return said_of_settings("vit", model_section(settings));
  };
  CHECK(said([](VisionSettings& s) { s.transformer.norm = NormPlacement::post; }) ==
        "model.norm is post, which ViT's layout cannot say (only pre; train with that)");
  CHECK(said([](VisionSettings& s) { s.transformer.positions = Positions::none; }) ==
        "model.positions is none, which ViT's layout cannot say (only learned; train with that)");
  CHECK(said([](VisionSettings& s) { s.transformer.head_width = 5; }) ==
        "model.head_width is 5, which ViT's layout cannot say (only width / heads; train with that)");
  CHECK(said([](VisionSettings& s) { s.pooling = ImagePooling::flatten; }) ==
        "model.pooling is flatten, which ViT's layout cannot say (only class_token; train with that)");
  CHECK(said([](VisionSettings& s) {
          s.mixing.mixing = "averaged_attention";
          s.transformer.head_width = s.transformer.width;
        }) ==
        "model.mixing is averaged_attention (only attention), model.head_width is 8 (only width / heads), "
        "which "
        "ViT's layout cannot say (train with those)");
  CHECK(said([](VisionSettings& s) { s.class_token_position = false; }) ==
        "model.class_token_position is false, which ViT's layout cannot say (only true; train with that)");
  CHECK(said([](VisionSettings& s) { s.final_norm = false; }) ==
        "model.final_norm is false, which ViT's layout cannot say (only true; train with that)");
  CHECK(said([](VisionSettings& s) { s.has_second_activation = true; }) ==
        "model.has_second_activation is true, which ViT's layout cannot say (only false; train with that)");
  CHECK(said([](VisionSettings& s) {
          s.head_widths = {128, 64};
        }) == "model.head_widths is [128, 64], which ViT's layout cannot say (only []; train with that)");
  CHECK(said([](VisionSettings& s) { s.images.resizing = Resizing::crop; }) ==
        "model.resizing is crop, which ViT's layout cannot say (only none or bilinear; train with that)");
  CHECK(said([](VisionSettings&) {}) == "(no error)");
}

TEST_CASE("preprocessor_config.json: what becomes of the bytes of an image") {
  CHECK(processing_of("{}").normalization == Normalization::symmetric);
  CHECK(processing_of("{}").resizing == Resizing::bilinear);
  CHECK(processing_of("{\"do_resize\": false, \"size\": {\"shortest_edge\": 9}}").resizing == Resizing::none);
  CHECK(processing_of("{\"do_normalize\": false}").normalization == Normalization::unit);
  CHECK(processing_of("{\"do_rescale\": false, \"image_mean\": 127.5, \"image_std\": 127.5}").normalization ==
        Normalization::symmetric);
  const ImageProcessing own = processing_of(
      "{\"image_mean\": [0.1, 0.2, 0.3], \"image_std\": [0.4, 0.5, 0.6], \"size\": 5}", {5, 5, 3});
  CHECK(own.normalization == Normalization::standardized);
  CHECK(own.statistics.mean == std::vector<double>{0.1, 0.2, 0.3});
  CHECK(own.statistics.std == std::vector<double>{0.4, 0.5, 0.6});
  // x / 510 - 0.25 over 0.5 is x / 255 - 0.5 over 1.
  const ImageProcessing half =
      processing_of("{\"rescale_factor\": 0.00196078431372549, \"image_mean\": 0.25, \"image_std\": 0.5}");
  CHECK(half.statistics.mean[1] == doctest::Approx(0.5).epsilon(1e-12));
  CHECK(half.statistics.std[1] == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("preprocessor_config.json: images of other sides are resized by its filter, and cut") {
  CHECK(processing_of("{}").resize->filter == ResizeFilter::bilinear);
  CHECK(processing_of("{\"resample\": 3, \"size\": [5, 7]}").resize->filter == ResizeFilter::bicubic);
  CHECK_FALSE(processing_of("{\"do_resize\": false}").resize.has_value());
  const PublishedResize cut =
      *processing_of(
           "{\"size\": {\"shortest_edge\": 8}, \"do_center_crop\": true, \"crop_size\": {\"height\": 5, "
           "\"width\": 7}}")
           .resize;
  CHECK(cut.resized({30, 20, 3}) == ImageShape{12, 8, 3});
  CHECK(cut.resized({20, 30, 3}) == ImageShape{8, 12, 3});
  CHECK(processing_of("{}").reading.applies_orientation);  // as their pipeline does
  CHECK_FALSE(processing_of("{\"image_applies_orientation\": false}").reading.applies_orientation);
  // "default_to_square" is of one number alone.
  CHECK(*processing_of("{\"size\": 8, \"default_to_square\": false, \"do_center_crop\": true, "
                       "\"crop_size\": {\"height\": 5, \"width\": 7}}")
             .resize == cut);
  for (const char* const size : {"", "\"size\": [5, 7], ", "\"size\": {\"height\": 5, \"width\": 7}, "})
    CHECK(*processing_of("{" + std::string(size) + "\"default_to_square\": false}").resize ==
          *processing_of("{}").resize);
  ImagePipelineSettings settings{.normalization = Normalization::unit, .resizing = Resizing::bilinear};
  settings.published = cut;
  const ImagePipeline pipeline(settings, {}, {16, 24, 3}, {5, 7, 3});
  ImagePipeline::Scratch scratch;
  std::vector<std::uint8_t> pixels(16 * 24 * 3, 51);
  const std::span<const Real> numbers = pipeline.apply(pixels, nullptr, scratch);
  CHECK(numbers.size() == 5 * 7 * 3);
  CHECK(std::ranges::all_of(numbers, [](Real x) { return x == Real(51) / Real(255); }));
  settings.published->is_cut = false;
  CHECK(error_text([&] {
          (void)ImagePipeline(settings, {}, {16, 24, 3}, {5, 7, 3});
        }).starts_with("an image of 16x24 becomes 8x12 by preprocessor_config.json"));
}

TEST_CASE("preprocessor_config.json: what cannot be done or written is one line") {
  const auto said = [](const char* json) { return error_text([&] { (void)processing_of(json); }); };
  CHECK(said("{\"resample\": 6}") == "\"resample\" is 6, expected 0 to 5 (a filter of Pillow)");
  CHECK(said("{\"do_center_crop\": true}") == "\"do_center_crop\" is true, and \"crop_size\" is not said");
  CHECK(said("{\"do_center_crop\": true, \"crop_size\": 5}") ==
        "\"crop_size\" is 5x5, the model reads images of 5x7");
  CHECK(said("{\"do_center_crop\": true, \"crop_size\": [5, 7], \"size\": 6}") ==
        "\"size\" is 6x6, less than \"crop_size\", 5x7");
  CHECK(said("{\"do_pad\": true}") == "\"do_pad\" is true, expected false");
  CHECK(
      said("{\"image_processor_type\": \"DeiTImageProcessor\"}").starts_with("\"image_processor_type\" is "));
  CHECK(said("{\"size\": 224}") == "\"size\" is 224x224, the model reads images of 5x7");
  CHECK(said("{\"size\": {\"longest_edge\": 5}}").starts_with("\"size\" is "));
  CHECK(said("{\"image_mean\": [0.5]}") == "\"image_mean\" has 1 numbers, the images 3 channels");
  CHECK(said("{\"image_std\": [0.5, 0, 0.5]}") == "\"image_std\": a number is not above 0, or out of range");
  CHECK(said("{\"image_mean\": 1e300}") == "\"image_mean\": a number is out of range");
  CHECK(said("{\"image_background\": \"blue\"}") ==
        "\"image_background\": \"blue\" is no background (white, black, drop, or a colour as #ff8000)");
  CHECK(said("{\"rescale_factor\": 0}") == "\"rescale_factor\" is 0, expected 0.000001 to 1");
}

TEST_CASE("preprocessor_config.json: what is written is read back") {
  const ChannelStatistics statistics{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}};
  const ImageReading on_blue{.background = background_of("#0000ff"), .applies_orientation = true};
  for (const ImageProcessing& processing :
       {ImageProcessing{Normalization::symmetric, Resizing::bilinear, {}, {}},
        ImageProcessing{Normalization::unit, Resizing::none, {}, on_blue},
        ImageProcessing{Normalization::standardized, Resizing::bilinear, statistics, {}},
        ImageProcessing{Normalization::unit,
                        Resizing::bilinear,
                        {},
                        {},
                        PublishedResize{.filter = ResizeFilter::box, .shortest = 9, .is_cut = true}}}) {
    INFO(name_of(processing.normalization));
    const Json written = image_processor_of(processing, {5, 7, 3});
    const ImageProcessing again =
        image_processing_of(Json::parse(written.dump(2), "preprocessor_config.json"), {5, 7, 3});
    CHECK(again.normalization == processing.normalization);
    CHECK(again.resizing == processing.resizing);
    CHECK(again.reading == processing.reading);
    if (processing.resize) CHECK(again.resize->filter == processing.resize->filter);
    if (processing.resize) CHECK(again.resize->shortest == processing.resize->shortest);
    CHECK(again.statistics.mean == processing.statistics.mean);
    CHECK(again.statistics.std == processing.statistics.std);
  }
}
