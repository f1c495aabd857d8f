// What all models of BERT's kind (Devlin et al. 2019) have in common, as Hugging Face's transformers keeps
// them: the encoder of texts and its pooler. A weight is [out, in] there.
#pragma once

#include "families/layouts/foreign_config.hpp"
#include "families/layouts/layout.hpp"

namespace headwater::bert_rows {

inline constexpr ConfigRow kEncoderConfig[] = {
    config_rows::count("vocab_size", "vocabulary_size", 10000000),
    config_rows::count("max_position_embeddings", "length", 1000000),
    config_rows::count("hidden_size", "width", 65536),
    config_rows::count("num_hidden_layers", "encoder_layers", 1000),
    config_rows::heads("num_attention_heads", "hidden_size"),
    config_rows::count("intermediate_size", "feed_forward_width", 1000000),
    config_rows::count_or("type_vocab_size", "segments", 2, "2"),
    config_rows::activation("hidden_act", "\"gelu\""),
    config_rows::share("hidden_dropout_prob", "dropout", "0.1"),
    config_rows::share("attention_probs_dropout_prob", "attention_dropout", "0.1"),
    config_rows::epsilon("layer_norm_eps", "1e-12"),
    config_rows::fixed("position_embedding_type", "\"absolute\""),
    config_rows::copied("pad_token_id", "pad_token_id"),
    config_rows::written("dtype", "\"float32\""),
    config_rows::fixed_if_said("is_decoder", "false"),
    config_rows::fixed_if_said("add_cross_attention", "false"),
    config_rows::absent("quantization_config", kWholeNumberWeights)};

inline constexpr UnsaidKey kEncoderUnsaid[] = {{"mixing", "attention"},
                                               {"mixing_width", kAnyValue},
                                               {"kernel_size", kAnyValue},
                                               {"attention_window", "0"},
                                               {"bidirectional", kAnyValue},
                                               {"reset_after", kAnyValue},
                                               {"norm", "post"},
                                               {"positions", "learned"},
                                               {"head_width", kWidthByHeads},
                                               {"scale_embedding", "false"},
                                               {"segments", "2"},
                                               {"embedding_norm", "true"},
                                               {"padding", "none"},
                                               {"initialization", kAnyValue, "normal"}};

inline constexpr TensorRow kEncoderTensors[] = {
    {"bert.embeddings.word_embeddings.weight", "embedding.tokens", tensor_rows::kTensor},
    {"bert.embeddings.position_embeddings.weight", "embedding.positions", tensor_rows::kTensor},
    {"bert.embeddings.token_type_embeddings.weight", "embedding.segments", tensor_rows::kTensor},
    {"bert.embeddings.LayerNorm", "embedding.norm", tensor_rows::kNorm},
    {"bert.encoder.layer.{}.attention.self.query", "encoder.{}.self_attention.query", tensor_rows::kLinear},
    {"bert.encoder.layer.{}.attention.self.key", "encoder.{}.self_attention.key", tensor_rows::kLinear},
    {"bert.encoder.layer.{}.attention.self.value", "encoder.{}.self_attention.value", tensor_rows::kLinear},
    {"bert.encoder.layer.{}.attention.output.dense", "encoder.{}.self_attention.output",
     tensor_rows::kLinear},
    {"bert.encoder.layer.{}.attention.output.LayerNorm", "encoder.{}.self_attention_norm",
     tensor_rows::kNorm},
    {"bert.encoder.layer.{}.intermediate.dense", "encoder.{}.feed_forward.inner", tensor_rows::kLinear},
    {"bert.encoder.layer.{}.output.dense", "encoder.{}.feed_forward.outer", tensor_rows::kLinear},
    {"bert.encoder.layer.{}.output.LayerNorm", "encoder.{}.feed_forward_norm", tensor_rows::kNorm},
    {"bert.pooler.dense", "pooler", tensor_rows::kLinear}};

// 0, 1, 2 and so on, in old files.
inline constexpr UnreadTensor kEncoderUnread[] = {{"bert.embeddings.position_ids"}};

}  // namespace headwater::bert_rows
