// Masked language models in BERT's layout: both architectures, and the names of old files.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "error_text.hpp"
#include "families/layouts/config_table.hpp"
#include "families/layouts/registry.hpp"
#include "families/layouts/tensor_table.hpp"
#include "families/masked_lm/directory.hpp"
#include "families/registry.hpp"
#include "scratch_directory.hpp"

using namespace headwater;

namespace {

const Layout& masked_layout() { return *layouts_of(masked_lm_family(), "bert").front(); }

Json small_config(const char* architecture) {
  return Json::parse(R"({"model_type": "bert", "vocab_size": 7, "max_position_embeddings": 5,
    "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 6,
    "type_vocab_size": 2})",
                     "config.json")
      .set("architectures", Json::Array{Json(architecture)});
}

// A directory of a random model, and its parameters.
class SmallDirectory {
 public:
  explicit SmallDirectory(const char* architecture, const char* written_as = nullptr) {
    write(written_as == nullptr ? architecture : written_as);
    const ModelFolder folder = open_model(scratch_.path());
    model_ = masked_lm_of_config(folder.config, "config.json");
    model_->parameters().allocate(false);
    model_->parameters().initialize(3);
    Real next = 0.01f;
    for (Real& value : model_->parameters().values()) value += next += 0.001f;
    NewFile file(weights());
    write_tensors(masked_layout(), model_->parameters(), folder.config,
                  [&](std::string_view bytes) { file.write(bytes); });
    file.finish();
    write(architecture);
  }
  fs::path weights() const { return scratch_.path() / "model.safetensors"; }
  // The file again with other tensors: change(tensors), whose values live until it is written.
  void rewrite(const std::function<void(std::vector<TensorView>&)>& change) const {
    const std::string bytes = read_file(weights(), 1 << 20);
    write_file(scratch_.path() / "old", bytes);
    const Safetensors old{scratch_.path() / "old"};
    std::vector<TensorView> tensors(old.tensors().begin(), old.tensors().end());
    change(tensors);
    fs::remove(weights());
    NewFile file(weights());
    write_safetensors(std::move(tensors), {}, [&](std::string_view part) { file.write(part); });
    file.finish();
  }
  // Whether the file is read as the model that was written; of a smaller one the parameters that it has.
  bool reads_the_same() const {
    const ModelFolder folder = open_model(scratch_.path());
    const std::unique_ptr<MaskedLanguageModel> read = masked_lm_of_config(folder.config, "config.json");
    load_weights(folder, read->parameters());
    return std::ranges::all_of(read->parameters().all(), [&](const auto& p) {
      const Parameter* const was = model_->parameters().find(p->name);
      return was != nullptr && std::equal(p->value.data, p->value.data + p->size(), was->value.data);
    });
  }
  bool has_next_sentence() const {
    const ModelFolder folder = open_model(scratch_.path());
    return masked_lm_of_config(folder.config, "config.json")->settings().next_sentence;
  }
  Json config() const { return open_model(scratch_.path()).config; }

 private:
  void write(const char* architecture) const {
    write_file(scratch_.path() / "config.json", small_config(architecture).dump());
  }
  ScratchDirectory scratch_;
  std::unique_ptr<MaskedLanguageModel> model_;
};

TensorView* tensor_of(std::vector<TensorView>& tensors, std::string_view name) {
  const auto at = std::ranges::find_if(tensors, [&](const TensorView& t) { return t.name == name; });
  REQUIRE(at != tensors.end());
  return &*at;
}

}  // namespace

TEST_CASE("BERT's layout of masked models: the architecture says whether there is a next-sentence head") {
  for (const char* architecture : {"BertForMaskedLM", "BertForPreTraining"}) {
    const SmallDirectory directory(architecture);
    CHECK(directory.has_next_sentence() == (std::string_view(architecture) == "BertForPreTraining"));
    CHECK(directory.reads_the_same());
    CHECK(their_config(masked_layout(), directory.config())
              .at("architectures")
              .as_array()
              .front()
              .as_string() == architecture);
  }
}

TEST_CASE("BERT's layout of masked models: heads that are not read, and one that is missing") {
  // bert-base-uncased: BertForMaskedLM whose file has all of the pretraining.
  const SmallDirectory whole("BertForMaskedLM", "BertForPreTraining");
  CHECK(!whole.has_next_sentence());
  CHECK(whole.reads_the_same());
  const SmallDirectory part("BertForPreTraining", "BertForMaskedLM");
  CHECK(!part.has_next_sentence());
  CHECK(part.reads_the_same());
}

TEST_CASE("BERT's layout of masked models: gamma and beta, position ids, the decoder beside its table") {
  const SmallDirectory directory("BertForPreTraining");
  const float ids[] = {0, 1, 2, 3, 4};
  directory.rewrite([&](std::vector<TensorView>& tensors) {
    for (TensorView& t : tensors) {
      const std::size_t norm = t.name.find("LayerNorm.");
      if (norm == std::string::npos) continue;
      t.name = t.name.substr(0, norm) + (t.name.ends_with("weight") ? "LayerNorm.gamma" : "LayerNorm.beta");
    }
    tensors.push_back(float_tensor("bert.embeddings.position_ids", {1, 5}, ids));
    TensorView decoder = *tensor_of(tensors, "bert.embeddings.word_embeddings.weight");
    decoder.name = "cls.predictions.decoder.weight";
    tensors.push_back(decoder);
    TensorView bias = *tensor_of(tensors, "cls.predictions.bias");
    bias.name = "cls.predictions.decoder.bias";
    tensors.push_back(bias);
  });
  CHECK(directory.has_next_sentence());
  CHECK(directory.reads_the_same());
}

TEST_CASE(
    "BERT's layout of masked models: a decoder that is not its table, and tensors of nobody, are told") {
  const float other[7 * 4] = {1};
  const SmallDirectory directory("BertForMaskedLM");
  directory.rewrite([&](std::vector<TensorView>& tensors) {
    tensors.push_back(float_tensor("cls.predictions.decoder.weight", {7, 4}, other));
  });
  CHECK(error_text([&] { directory.reads_the_same(); })
            .ends_with("tensor \"cls.predictions.decoder.weight\" differs from "
                       "\"bert.embeddings.word_embeddings.weight\", which config.json says it is"));
  const SmallDirectory strange("BertForMaskedLM");
  strange.rewrite([&](std::vector<TensorView>& tensors) {
    tensors.push_back(float_tensor("cls.predictions.more", {7}, other));
  });
  CHECK(error_text([&] { strange.reads_the_same(); }).find("is no part of the model") != std::string::npos);
  const SmallDirectory short_one("BertForPreTraining");
  short_one.rewrite([&](std::vector<TensorView>& tensors) {
    std::erase_if(tensors, [](const TensorView& t) { return t.name == "cls.predictions.bias"; });
  });
  CHECK(error_text([&] { short_one.reads_the_same(); }).find("cls.predictions.bias") != std::string::npos);
}
