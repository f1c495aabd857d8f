// GPT-2 and models of its kind, as Hugging Face's transformers keeps them. Weights are [in, out] there as
// here; one tensor holds queries, keys and values side by side.
#include <memory>
#include <utility>

#include "families/language_model/directory.hpp"
#include "families/layouts/config_table.hpp"
#include "families/layouts/layout.hpp"
#include "families/model_directory.hpp"
#include "families/registry.hpp"
#include "families/tokenizer_files.hpp"

namespace headwater {

namespace {

using namespace config_rows;
using namespace tensor_rows;

constexpr ConfigRow kGpt2Config[] = {count("vocab_size", "vocabulary_size", 10000000),
                                     count("n_positions", "length", 1000000),
                                     count("n_embd", "width", 65536),
                                     count("n_layer", "layers", 1000),
                                     heads("n_head", "n_embd"),
                                     count_or("n_inner", "feed_forward_width", 1000000, "0"),
                                     activation("activation_function", "\"gelu_new\""),
                                     share("resid_pdrop", "dropout", "0.1"),
                                     share("embd_pdrop", "embedding_dropout", "0.1"),
                                     share("attn_pdrop", "attention_dropout", "0.1"),
                                     epsilon("layer_norm_epsilon", "1e-05"),
                                     truth("tie_word_embeddings", "tie_embeddings", "true"),
                                     copied("bos_token_id", "bos_token_id"),
                                     copied("eos_token_id", "eos_token_id"),
                                     copied("pad_token_id", "pad_token_id"),
                                     text("delimiter", "delimiter"),  // other programs pass over it
                                     written("dtype", "\"float32\""),
                                     fixed_if_said("scale_attn_by_inverse_layer_idx", "false"),
                                     fixed_if_said("add_cross_attention", "false"),
                                     fixed_if_said("scale_attn_weights", "true"),
                                     absent("quantization_config", kWholeNumberWeights)};

constexpr UnsaidKey kGpt2Unsaid[] = {{"mixing", "attention"},
                                     {"kernel_size", kAnyValue},
                                     {"attention_window", "0"},
                                     {"reset_after", kAnyValue},
                                     {"norm", "pre"},
                                     {"positions", "learned"},
                                     {"scale_embedding", "false"},
                                     {"output_bias", "false"},
                                     {"head_width", kWidthByHeads},
                                     {"initialization", kAnyValue, "normal"},
                                     {"output_dropout", kAnyValue},
                                     {"padding", kAnyValue}};

constexpr TensorRow kGpt2Tensors[] = {
    {"transformer.wte.weight", "embedding.tokens", kTensor},
    {"transformer.wpe.weight", "embedding.positions", kTensor},
    {"transformer.h.{}.attn.c_attn", "decoder.{}.self_attention.query", kConv1d, 0, 3},
    {"transformer.h.{}.attn.c_attn", "decoder.{}.self_attention.key", kConv1d, 1, 3},
    {"transformer.h.{}.attn.c_attn", "decoder.{}.self_attention.value", kConv1d, 2, 3},
    {"transformer.h.{}.attn.c_proj", "decoder.{}.self_attention.output", kConv1d},
    {"transformer.h.{}.ln_1", "decoder.{}.self_attention_norm", kNorm},
    {"transformer.h.{}.mlp.c_fc", "decoder.{}.feed_forward.inner", kConv1d},
    {"transformer.h.{}.mlp.c_proj", "decoder.{}.feed_forward.outer", kConv1d},
    {"transformer.h.{}.ln_2", "decoder.{}.feed_forward_norm", kNorm},
    {"transformer.ln_f", "decoder.norm", kNorm},
    {"lm_head", "head", kLinear}};
constexpr TensorCopy kGpt2Copies[] = {{"lm_head.weight", "embedding.tokens"}};
// Older files hold what hides later tokens.
constexpr UnreadTensor kGpt2Unread[] = {{"transformer.h.*.attn.bias"}, {"transformer.h.*.attn.masked_bias"}};

// As ours: padding, start, the unknown token and the delimiter are never chosen. What a published model says
// stays.
Json language_generation_config(const ModelFolder& folder, const LoadedLanguageModel& model) {
  if (folder.layout != nullptr) return generation_members(folder);
  const SpecialIds ids = model.tokenizer.special_ids();
  Json generation;
  for (const auto& [name, id] :
       {std::pair{"bos_token_id", ids.start}, {"eos_token_id", ids.end}, {"pad_token_id", ids.pad}})
    generation.set(name, id >= 0 ? Json(std::int64_t{id}) : Json());
  Json::Array suppressed;
  for (const std::int32_t id : {ids.pad, ids.start, model.tokenizer.unknown_id(), model.delimiter}) {
    if (id >= 0 && id != ids.end) suppressed.emplace_back(std::int64_t{id});
  }
  if (!suppressed.empty()) generation.set("suppress_tokens", std::move(suppressed));
  return generation;
}

}  // namespace

ExportParts language_model_parts(const ModelFolder& folder, Json& ours) {
  const auto loaded = std::make_shared<LoadedLanguageModel>(load_language_model(folder));
  const Json generation = language_generation_config(folder, *loaded);
  for (const char* const name : {"bos_token_id", "eos_token_id", "pad_token_id"}) {
    const Json* const id = generation.find(name);
    ours.set(name, id != nullptr ? *id : Json());
  }
  return {{loaded, &loaded->model->parameters()},
          {{"generation_config.json", generation.dump(2) + "\n"},
           {"tokenizer.json", published_tokenizer_text(loaded->tokenizer)},
           tokenizer_config_file(loaded->tokenizer, loaded->model->length())}};
}

const Layout& gpt2_layout() {
  static const Layout layout{.name = "GPT-2",
                             .model_type = "gpt2",
                             .architectures = {"GPT2LMHeadModel", "GPT2Model"},
                             .family = language_model_family,
                             .config = kGpt2Config,
                             .unsaid = kGpt2Unsaid,
                             .prefix = "transformer.",
                             .tensors = kGpt2Tensors,
                             .copies = kGpt2Copies,
                             .unread = kGpt2Unread,
                             .tokenizers = one_tokenizer,
                             .parts = language_model_parts};
  return layout;
}

}  // namespace headwater
