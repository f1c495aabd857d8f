// Marian's translators, as Hugging Face's transformers keeps them. A weight is [out, in] there.
#include <algorithm>
#include <cmath>

#include "families/config.hpp"
#include "families/generation_config.hpp"
#include "families/layouts/config_table.hpp"
#include "families/layouts/layout.hpp"
#include "families/model_directory.hpp"
#include "families/registry.hpp"
#include "families/tokenizer_files.hpp"
#include "families/translator/directory.hpp"
#include "layers/embedding.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "text/formats/marian_tokenizer.hpp"

namespace headwater {

namespace {

using namespace config_rows;
using namespace tensor_rows;

constexpr std::int64_t kMaxVocabulary = 10000000;

void read_target_size(std::string_view name, const Json& theirs, Json& ours) {
  const Json source = ours.at("source_vocabulary_size");
  const bool is_said = member_said(theirs, name) != nullptr;
  ours.set("target_vocabulary_size", is_said ? Json(whole(theirs, name, 1, kMaxVocabulary)) : source);
}
void write_target_size(std::string_view name, const Json& ours, Json& theirs) {
  theirs.set(name, ours.at("target_vocabulary_size"));
}

// Two members say which tables are one.
void read_sharing(std::string_view name, const Json& theirs, Json& ours) {
  const bool shares = truth_of(theirs, name, true), ties = truth_of(theirs, "tie_word_embeddings", true);
  using enum SharedEmbeddings;
  ours.set("share_embeddings",
           name_of(shares ? (ties ? all : source_target) : (ties ? target_output : none)));
  const std::int64_t source = ours.at("source_vocabulary_size").as_integer(),
                     target = ours.at("target_vocabulary_size").as_integer();
  if (shares && source != target)
    refuse_member(
        "decoder_vocab_size", std::to_string(target),
        std::to_string(source) + " as \"vocab_size\", since share_encoder_decoder_embeddings is true");
}
void write_sharing(std::string_view name, const Json& ours, Json& theirs) {
  EncoderDecoderSettings settings;
  settings.share_embeddings = value_of<SharedEmbeddings>(ours.at("share_embeddings").as_string()).value();
  theirs.set(name, shares_tables(settings));
  theirs.set("tie_word_embeddings", ties_output(settings));
}

// A number of its vocabulary, or a list of one. Translations may end with one of several; the loss has one.
void read_id(std::string_view name, const Json& theirs, Json& ours) {
  const Json& member = theirs.at(name);
  const bool is_list = member.is_array() && member.as_array().size() == 1;
  const Json& id = is_list ? member.as_array().front() : member;
  const double last = ours.at("target_vocabulary_size").as_number() - 1;
  if (!id.is_integer() || id.as_number() < 0 || id.as_number() > last)
    refuse_member(name, member.dump(),
                  "one token id, 0 to " + shortest(last) +
                      (member.is_array() ? " (a list belongs in generation_config.json)" : ""));
  ours.set(name, id);
}
void write_id(std::string_view name, const Json& ours, Json& theirs) { theirs.set(name, ours.at(name)); }

// An even number of features, as the sinusoids need it.
void read_width(std::string_view name, const Json& theirs, Json& ours) {
  const std::int64_t width = whole(theirs, name, 2, 65536);
  if (width % 2 != 0) refuse_member(name, std::to_string(width), "an even number");
  ours.set("width", width);
}
void write_width(std::string_view name, const Json& ours, Json& theirs) {
  theirs.set(name, ours.at("width"));
}

// Ours keeps what their search needs of it.
void read_forced_end(std::string_view name, const Json& theirs, Json& ours) {
  if (const Json* const end = theirs.find(name)) ours.set(name, *end);
}
void write_forced_end(std::string_view name, const Json&, Json& theirs) { theirs.set(name, Json()); }

constexpr const char* kAsEncoder = "as in the encoder";
constexpr ConfigRow kMarianConfig[] = {
    written("is_encoder_decoder", "true"),
    own("d_model", "width", read_width, write_width),
    count("encoder_layers", "encoder_layers", 1000, 0),
    count("decoder_layers", "decoder_layers", 1000),
    copied("num_hidden_layers", "encoder_layers"),
    heads("encoder_attention_heads", "d_model"),
    same("decoder_attention_heads", "heads", 1024, kAsEncoder),
    count("encoder_ffn_dim", "feed_forward_width", 1000000),
    same("decoder_ffn_dim", "feed_forward_width", 1000000, kAsEncoder),
    activation("activation_function"),
    truth("scale_embedding", "scale_embedding", "false"),
    count("max_position_embeddings", "length", 1000000),
    fixed("static_position_embeddings", "true"),
    fixed("normalize_before", "false"),
    fixed("normalize_embedding", "false"),
    copied("dropout", "dropout"),
    copied("attention_dropout", "attention_dropout"),
    written("activation_dropout", "0.0"),
    count("vocab_size", "source_vocabulary_size", kMaxVocabulary),
    own("decoder_vocab_size", "target_vocabulary_size", read_target_size, write_target_size),
    own("share_encoder_decoder_embeddings", "share_embeddings", read_sharing, write_sharing),
    own("pad_token_id", "pad_token_id", read_id, write_id),
    own("decoder_start_token_id", "decoder_start_token_id", read_id, write_id),
    own("eos_token_id", "eos_token_id", read_id, write_id),
    own("forced_eos_token_id", "forced_eos_token_id", read_forced_end, write_forced_end),
    written("dtype", "\"float32\""),
    fixed_if_said("add_final_layer_norm", "false"),
    fixed_if_said("add_bias_logits", "false"),
    fixed_if_said("use_bias_in_attention_free_layers", "false"),
    absent("quantization_config", kWholeNumberWeights)};

// The layer norms of that library have no other epsilon; it loads no weights of share_embeddings:
// source_target.
constexpr UnsaidKey kMarianUnsaid[] = {{"mixing", "attention"},
                                       {"kernel_size", kAnyValue},
                                       {"attention_window", "0"},
                                       {"bidirectional", kAnyValue},
                                       {"reset_after", kAnyValue},
                                       {"embedding_width", kAnyValue},
                                       {"additive_attention", kAnyValue},
                                       {"norm", "post"},
                                       {"norm_epsilon", "1e-05"},
                                       {"positions", "sinusoidal_halves"},
                                       {"share_embeddings", "none, target_output or all", "none"},
                                       {"head_width", kWidthByHeads},
                                       {"source_special_tokens", "none"},
                                       {"initialization", kAnyValue, "vaswani"},
                                       {"output_dropout", kAnyValue}};

constexpr TensorRow kMarianTensors[] = {
    {"model.shared.weight", "embedding.tokens", kTensor},
    {"model.encoder.embed_tokens.weight", "source_embedding.tokens", kTensor},
    {"model.decoder.embed_tokens.weight", "target_embedding.tokens", kTensor},
    {.theirs = "final_logits_bias", .ours = "head.bias", .form = kTensor, .ones = 1},
    {"lm_head", "head", kLinear},
    {"model.encoder.layers.{}.self_attn.q_proj", "encoder.{}.self_attention.query", kLinear},
    {"model.encoder.layers.{}.self_attn.k_proj", "encoder.{}.self_attention.key", kLinear},
    {"model.encoder.layers.{}.self_attn.v_proj", "encoder.{}.self_attention.value", kLinear},
    {"model.encoder.layers.{}.self_attn.out_proj", "encoder.{}.self_attention.output", kLinear},
    {"model.encoder.layers.{}.self_attn_layer_norm", "encoder.{}.self_attention_norm", kNorm},
    {"model.encoder.layers.{}.fc1", "encoder.{}.feed_forward.inner", kLinear},
    {"model.encoder.layers.{}.fc2", "encoder.{}.feed_forward.outer", kLinear},
    {"model.encoder.layers.{}.final_layer_norm", "encoder.{}.feed_forward_norm", kNorm},
    {"model.decoder.layers.{}.self_attn.q_proj", "decoder.{}.self_attention.query", kLinear},
    {"model.decoder.layers.{}.self_attn.k_proj", "decoder.{}.self_attention.key", kLinear},
    {"model.decoder.layers.{}.self_attn.v_proj", "decoder.{}.self_attention.value", kLinear},
    {"model.decoder.layers.{}.self_attn.out_proj", "decoder.{}.self_attention.output", kLinear},
    {"model.decoder.layers.{}.self_attn_layer_norm", "decoder.{}.self_attention_norm", kNorm},
    {"model.decoder.layers.{}.encoder_attn.q_proj", "decoder.{}.cross_attention.query", kLinear},
    {"model.decoder.layers.{}.encoder_attn.k_proj", "decoder.{}.cross_attention.key", kLinear},
    {"model.decoder.layers.{}.encoder_attn.v_proj", "decoder.{}.cross_attention.value", kLinear},
    {"model.decoder.layers.{}.encoder_attn.out_proj", "decoder.{}.cross_attention.output", kLinear},
    {"model.decoder.layers.{}.encoder_attn_layer_norm", "decoder.{}.cross_attention_norm", kNorm},
    {"model.decoder.layers.{}.fc1", "decoder.{}.feed_forward.inner", kLinear},
    {"model.decoder.layers.{}.fc2", "decoder.{}.feed_forward.outer", kLinear},
    {"model.decoder.layers.{}.final_layer_norm", "decoder.{}.feed_forward_norm", kNorm}};
// A shared table has the names of all that share it.
constexpr TensorCopy kMarianCopies[] = {{"model.encoder.embed_tokens.weight", "embedding.tokens"},
                                        {"model.decoder.embed_tokens.weight", "embedding.tokens"},
                                        {"lm_head.weight", "embedding.tokens"},
                                        {"lm_head.weight", "target_embedding.tokens"}};

void check_sinusoids(std::span<const Real> values, const Json& ours) {
  constexpr double kHalfPrecision = 1e-3;
  const auto width = static_cast<Index>(ours.at("width").as_integer());
  const std::vector<Real> sinusoids =
      sinusoidal_positions(static_cast<Index>(values.size()) / width, width, Positions::sinusoidal_halves);
  const bool is_near = std::ranges::equal(values, sinusoids, [](Real a, Real b) {
    return std::abs(static_cast<double>(a) - static_cast<double>(b)) <= kHalfPrecision;
  });
  if (!is_near)
    throw Error(
        "does not hold Marian's sinusoids (if convert --layout ctranslate2 wrote it, for CTranslate2: name "
        "the model that it was made of)");
}
// Some files hold the positions, which are computed here.
constexpr UnreadTensor kMarianUnread[] = {{"model.encoder.embed_positions.weight", check_sinusoids},
                                          {"model.decoder.embed_positions.weight", check_sinusoids}};

ModelTokenizers marian_tokenizers(const ModelFolder& folder) {
  const fs::path& files = folder.path;
  const auto has = [&](const char* name) { return folder.has(name); };
  if (has("source-tokenizer.json") && has("target-tokenizer.json")) {
    const auto load = [&](const char* name) {
      return Tokenizer::parse_any(folder.read(name), (files / name).string());
    };
    return {load("source-tokenizer.json"), load("target-tokenizer.json")};
  }
  if (has("tokenizer.json")) {
    const Tokenizer both = Tokenizer::load(folder);
    return {both, both};
  }
  if (has("source.spm") && has("target.spm") && has("vocab.json")) {
    const MarianVocabulary source = read_marian_vocabulary(files / "vocab.json");
    const TokenizerFolder beside = read_tokenizer_folder(folder);
    check_marian_roles(beside, source);
    const bool has_two = beside.has_two_vocabularies.value_or(has("target_vocab.json"));
    return {load_marian_tokenizer(files / "source.spm", source),
            load_marian_tokenizer(files / "target.spm",
                                  has_two ? read_marian_vocabulary(files / "target_vocab.json") : source,
                                  beside.cleans_up_spaces),
            true};
  }
  throw Error(
      files.string() +
      ": has no tokenizer.json, and no source.spm with target.spm and vocab.json (a model without its "
      "tokenizers reads no text)");
}

// What their search never chooses, as ours: padding, start, the unknown token, and rows without a token. What
// a published model says stays.
Json marian_generation_config(const ModelFolder& folder, const LoadedTranslator& model) {
  const std::int64_t length = model.model->length(), most = model.max_new_tokens;
  const bool is_ours = folder.layout == nullptr;
  Json config = is_ours ? Json() : generation_members(folder);
  Json::Array suppressed;
  const auto suppress = [&](std::int32_t id) {
    if (id >= 0 && id != model.ids.end) suppressed.emplace_back(std::int64_t{id});
  };
  for (const std::int32_t id : model.generation.suppress_tokens) suppress(id);
  if (is_ours) suppress(model.ids.pad);
  if (is_ours) suppress(model.ids.start);
  suppress(model.target_tokenizer.unknown_id());
  for (std::int64_t id = model.target_tokenizer.vocabulary_size(); id < model.model->target_vocabulary();
       ++id)
    suppressed.emplace_back(id);
  if (is_ours) {
    config.set("decoder_start_token_id", std::int64_t{model.ids.start});
    config.set("eos_token_id", std::int64_t{model.ids.end});
    config.set("pad_token_id", std::int64_t{model.ids.pad});
    config.set("max_length", (most > 0 ? std::min(most, length) : length) + 1);
    write_decoding(config, model.generation.decoding);
  } else if (!model.generation.max_length && !model.generation.max_new_tokens) {
    config.set("max_length", length + 1);
  }
  config.set("suppress_tokens", std::move(suppressed));
  return config;
}

ExportParts marian_parts(const ModelFolder& folder, Json& ours) {
  const auto loaded = std::make_shared<LoadedTranslator>(load_translator(folder));
  if (loaded->appends_end)
    throw Error(folder.path.string() +
                ": has tokenizers of SentencePiece, which are not exported (the directory is in that layout "
                "already)");
  ours.set("pad_token_id", std::int64_t{loaded->ids.pad});
  ours.set("decoder_start_token_id", std::int64_t{loaded->ids.start});
  ours.set("eos_token_id", std::int64_t{loaded->ids.end});
  return {
      {loaded, &loaded->model->parameters()},
      {{"generation_config.json", marian_generation_config(folder, *loaded).dump(2) + "\n"},
       {"tokenizer.json", published_tokenizer_text(loaded->source_tokenizer, loaded->uses_template)},
       tokenizer_config_file(loaded->source_tokenizer, loaded->model->length()),
       {"source-tokenizer.json", published_tokenizer_text(loaded->source_tokenizer, loaded->uses_template)},
       {"target-tokenizer.json", loaded->target_tokenizer.to_json()}}};
}

// One vocabulary, since the converter reads one tokenizer.
constexpr auto kCtranslate2Unsaid = [] {
  auto keys = std::to_array(kMarianUnsaid);
  for (UnsaidKey& row : keys) {
    if (row.key == "share_embeddings") row.only = "all";
  }
  return keys;
}();

// CTranslate2's converter reads the same layout, but its search begins with zeros in place of a start token,
// and it removes the last token, which stands for them. So such a token is added, and the decoder's first
// position is written, with what the start token adds to it. Rows without a token, which are never chosen,
// are left out.
constexpr const char* kStartTable = "decoder.positions";
constexpr auto kCtranslate2Tensors = joined(
    {TensorRow{.theirs = "model.decoder.embed_positions.weight", .ours = kStartTable, .form = kTensor}},
    kMarianTensors);

// The logit of a token that is never chosen.
constexpr Real kNeverChosen = -1e9F;

std::shared_ptr<const Parameters> with_start_as_zeros(const LoadedTranslator& model) {
  const TransformerSettings& settings = model.model->settings().transformer;
  const Index width = settings.width, length = model.model->length(),
              tokens = model.source_tokenizer.vocabulary_size();
  auto all = std::make_shared<Parameters>();
  const auto declare = [&](const std::string& name, Index rows, Index cols) {
    return all->declare(name, rows == 1 ? std::vector<Index>{cols} : std::vector<Index>{rows, cols}, rows,
                        cols, Initializer::zeros);
  };
  const auto is_by_token = [](const Parameter& p) {
    return p.name == "embedding.tokens" || p.name == "head.bias";
  };
  for (const auto& p : model.model->parameters().all()) {
    if (!is_by_token(*p)) declare(p->name, p->value.rows, p->value.cols)->is_table = p->is_table;
  }
  declare("embedding.tokens", tokens + 1, width)->is_table = true;
  Parameter* const bias = declare("head.bias", 1, tokens + 1);
  Parameter* const positions = declare(kStartTable, length, width);
  positions->is_table = true;
  all->allocate(false);
  for (const auto& p : model.model->parameters().all()) {
    const Index per_token = p->name == "head.bias" ? 1 : width;
    std::copy_n(p->value.data, is_by_token(*p) ? tokens * per_token : p->size(),
                all->find(p->name)->value.data);
  }
  bias->value.data[tokens] = kNeverChosen;
  std::ranges::copy(sinusoidal_positions(length, width, settings.positions), positions->value.data);
  const Real scale = settings.scale_embedding ? std::sqrt(static_cast<Real>(width)) : Real{1};
  const Real* const start = all->find("embedding.tokens")->value.data + model.ids.start * width;
  for (Index i = 0; i < width; ++i) positions->value.data[i] += scale * start[i];
  return all;
}

ExportParts ctranslate2_parts(const ModelFolder& folder, Json& ours) {
  constexpr const char* kZeros = "<pad>";  // the converter knows it by this name
  const LoadedTranslator model = load_translator(folder);
  const Tokenizer& tokenizer = model.source_tokenizer;
  const std::int64_t added = tokenizer.vocabulary_size();
  const auto refuse = [&](const std::string& what) { throw Error(folder.path.string() + ": " + what); };
  if (model.appends_end || model.target_tokenizer.to_json() != tokenizer.to_json())
    refuse("has two tokenizers, of which CTranslate2's converter reads one");
  for (std::int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    if (tokenizer.surface(id) == kZeros)
      refuse("has a token " + quote(kZeros) + ", which CTranslate2's converter removes");
  }

  for (const char* size : {"source_vocabulary_size", "target_vocabulary_size"}) ours.set(size, added + 1);
  Json generation = marian_generation_config(folder, model);
  Json::Array suppressed{Json(added)};
  for (const Json& id : generation.at("suppress_tokens").as_array()) {
    if (id.as_integer() < added) suppressed.push_back(id);
  }
  generation.set("suppress_tokens", std::move(suppressed));
  for (Json* const config : {&ours, &generation}) {
    for (const char* id : {"pad_token_id", "decoder_start_token_id"}) config->set(id, added);
    config->set("eos_token_id", std::int64_t{model.ids.end});
  }
  Json text = Json::parse(published_tokenizer_text(tokenizer, model.uses_template), "tokenizer.json");
  Json::Array tokens = text.at("added_tokens").as_array();
  Json token;
  token.set("id", added).set("content", kZeros).set("special", true);
  for (const char* no : {"single_word", "lstrip", "rstrip", "normalized"}) token.set(no, false);
  tokens.push_back(std::move(token));
  text.set("added_tokens", std::move(tokens));
  DirectoryFile settings = tokenizer_config_file(tokenizer, model.model->length());
  Json roles = Json::parse(settings.bytes, settings.name);
  roles.set("pad_token", kZeros);
  // The converter wants an unknown token, also where every text has tokens: one that no text gives.
  if (tokenizer.unknown_id() < 0) roles.set("unk_token", tokenizer.surface(model.ids.pad));
  settings.bytes = roles.dump(2) + "\n";
  return {with_start_as_zeros(model),
          {{"generation_config.json", generation.dump(2) + "\n"},
           {"tokenizer.json", text.dump(2) + "\n"},
           std::move(settings)}};
}

}  // namespace

const Layout& marian_layout() {
  static const Layout layout{.name = "Marian",
                             .model_type = "marian",
                             .architectures = {"MarianMTModel"},
                             .family = encoder_decoder_family,
                             .config = kMarianConfig,
                             .unsaid = kMarianUnsaid,
                             .tensors = kMarianTensors,
                             .copies = kMarianCopies,
                             .unread = kMarianUnread,
                             .tokenizers = marian_tokenizers,
                             .parts = marian_parts};
  return layout;
}

const Layout& ctranslate2_layout() {
  static const Layout layout{.name = "CTranslate2",
                             .model_type = "marian",
                             .written_as = "ctranslate2",
                             .architectures = {"MarianMTModel"},
                             .family = encoder_decoder_family,
                             .config = kMarianConfig,
                             .unsaid = kCtranslate2Unsaid,
                             .tensors = kCtranslate2Tensors,
                             .copies = kMarianCopies,
                             .parts = ctranslate2_parts};
  return layout;
}

}  // namespace headwater
