// Marian's own model directories: a weight file in its binary form or npz, SentencePiece vocabularies, a
// lexical shortlist, and a YAML file of marian-decoder's options. Translators in browsers have this form. A
// weight is [in, out], as here; layers count from 1. The decoder starts from a row of zeros, which no token
// has: here it is that of one more token, [START], behind those of the vocabulary. It is never written.
#include <cmath>

#include "checkpoint/marian_file.hpp"
#include "families/config.hpp"
#include "families/layouts/config_table.hpp"
#include "families/layouts/layout.hpp"
#include "families/model_directory.hpp"
#include "families/registry.hpp"
#include "families/translator/directory.hpp"
#include "families/translator/marian_settings.hpp"
#include "families/translator/shortlist.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

using namespace config_rows;
using namespace tensor_rows;

constexpr std::int64_t kMaxTokens = 9999999;
constexpr std::int64_t kEnd = 0;           // the id of </s>
constexpr std::int64_t kPositions = 1024;  // sinusoids have no end there; a longer source is cut

// --- Settings ----------------------------------------------------------------------------------------------

std::string text_or(const Json& theirs, std::string_view name, std::string_view otherwise) {
  const Json* const member = member_said(theirs, name);
  return member == nullptr ? std::string(otherwise) : member->as_string();
}

void read_even_width(std::string_view name, const Json& theirs, Json& ours) {
  const std::int64_t width = whole(theirs, name, 2, 65536);
  if (width % 2 != 0) refuse_member(name, std::to_string(width), "an even number");
  ours.set("width", width);
}

// And one that the decoder starts from.
void read_vocabularies(std::string_view name, const Json& theirs, Json& ours) {
  const Json& sizes = theirs.at(name);
  const auto is_size = [](const Json& size) {
    return size.is_integer() && size.as_integer() >= 1 && size.as_integer() <= kMaxTokens;
  };
  const bool is_pair = sizes.is_array() && sizes.as_array().size() == 2 &&
                       is_size(sizes.as_array().front()) && is_size(sizes.as_array().back());
  if (!is_pair) refuse_member(name, sizes.dump(), "the sizes of two vocabularies, 1 to 9999999 each");
  const std::int64_t source = sizes.as_array().front().as_integer() + 1,
                     target = sizes.as_array().back().as_integer() + 1;
  ours.set("source_vocabulary_size", source);
  ours.set("target_vocabulary_size", target);
  ours.set("pad_token_id", target - 1);
  ours.set("decoder_start_token_id", target - 1);
  ours.set("eos_token_id", kEnd);
}

void read_ties(std::string_view name, const Json& theirs, Json& ours) {
  const bool all = truth_of(theirs, name, false), ties = truth_of(theirs, "tied-embeddings", false),
             shares = truth_of(theirs, "tied-embeddings-src", false);
  if (!all && !ties)
    refuse_member(
        name, "false",
        "true, or \"tied-embeddings\": true (an output layer with a matrix of its own is not read)");
  ours.set("share_embeddings", all || shares ? "all" : "target_output");
}

void read_decoder(std::string_view name, const Json& theirs, Json& ours) {
  const std::string layer = text_or(theirs, name, "self-attention");
  if (layer != "self-attention" && layer != "rnn")
    refuse_member(name, "\"" + layer + "\"", "\"self-attention\" or \"rnn\"");
  if (layer == "rnn") {
    const std::string cell = text_or(theirs, "dec-cell", "gru");
    if (cell != "ssru") refuse_member("dec-cell", "\"" + cell + "\"", "\"ssru\"");
    if (truth_of(theirs, "layer-normalization", false))
      refuse_member("layer-normalization", "true", "false (a norm inside the cell is not read)");
  }
  ours.set("mixing", layer == "rnn" ? "ssru" : "attention");
}

// Their gelu is another function.
void read_activation(std::string_view name, const Json& theirs, Json& ours) {
  const std::string said = text_or(theirs, name, "swish");
  if (said != "relu" && said != "swish") refuse_member(name, "\"" + said + "\"", "\"relu\" or \"swish\"");
  ours.set("activation", said == "relu" ? "relu" : "silu");
}

// The letters name steps; d is dropout.
void read_steps(std::string_view name, const Json& theirs, Json&) {
  std::string steps = text_or(theirs, name, "");
  std::erase(steps, 'd');
  const bool is_after = name == "transformer-postprocess";
  if (steps != (is_after ? "an" : ""))
    refuse_member(name, "\"" + text_or(theirs, name, "") + "\"",
                  is_after ? "\"dan\", a norm after each sub-layer and its sum" : "\"\" or \"d\"");
}

// 0 is what the encoder has.
void read_decoder_size(std::string_view name, const Json& theirs, Json&) {
  const Json* const said = member_said(theirs, name);
  const std::string_view of_encoder =
      name == "transformer-decoder-dim-ffn" ? "transformer-dim-ffn" : "transformer-ffn-depth";
  if (said != nullptr && said->dump() != "0" && said->dump() != theirs.at(of_encoder).dump())
    refuse_member(name, said->dump(), "0 or that of " + std::string(of_encoder));
}

constexpr const char* kLength = "positions";
constexpr ConfigRow kMarianNmtConfig[] = {
    count(kLength, "length", 1000000),
    fixed("type", "\"transformer\""),
    own("dim-emb", "width", read_even_width, nullptr),
    count("enc-depth", "encoder_layers", 1000, 1),
    count("dec-depth", "decoder_layers", 1000),
    heads("transformer-heads", "dim-emb"),
    count("transformer-dim-ffn", "feed_forward_width", 1000000),
    own("dim-vocabs", "target_vocabulary_size", read_vocabularies, nullptr),
    own("tied-embeddings-all", "share_embeddings", read_ties, nullptr),
    own("transformer-decoder-autoreg", "mixing", read_decoder, nullptr),
    own("transformer-ffn-activation", "activation", read_activation, nullptr),
    own("transformer-preprocess", "", read_steps, nullptr),
    own("transformer-postprocess", "", read_steps, nullptr),
    own("transformer-postprocess-emb", "", read_steps, nullptr),
    own("transformer-postprocess-top", "", read_steps, nullptr),
    own("transformer-decoder-dim-ffn", "", read_decoder_size, nullptr),
    own("transformer-decoder-ffn-depth", "", read_decoder_size, nullptr),
    fixed("transformer-ffn-depth", "2"),
    fixed("transformer-train-position-embeddings", "false"),
    fixed("transformer-train-positions", "false"),
    fixed("transformer-disable-position-embeddings", "false"),
    fixed("transformer-no-projection", "false"),
    fixed("transformer-rnn-projection", "false"),
    fixed("transformer-no-bias", "false"),
    fixed("transformer-no-affine", "false"),
    fixed("transformer-pool", "false"),
    fixed("transformer-tied-layers", "[]"),
    fixed("transformer-attention-mask", "\"default\""),
    fixed("output-omit-bias", "false"),
    fixed("lemma-dim-emb", "0"),
    fixed("lemma-dependency", "\"\""),
    fixed("input-types", "[]"),
    fixed("right-left", "false", "sentences from their end are not read"),
    fixed("ulr", "false")};

constexpr UnsaidKey kMarianNmtUnsaid[] = {{"norm", "post"},
                                          {"norm_epsilon", "1e-06"},
                                          {"positions", "sinusoidal_tensor2tensor"},
                                          {"scale_embedding", "true"},
                                          {"source_special_tokens", "end"},
                                          {"initialization", kAnyValue, "vaswani"}};

// --- Tensors -----------------------------------------------------------------------------------------------

constexpr float kNever = -100;  // a logit whose probability is zero

constexpr TensorRow table(std::string_view theirs, std::string_view ours) {
  return {.theirs = theirs, .ours = ours, .form = kTensor, .last = 0.0f};
}
constexpr TensorRow weight(std::string_view theirs, std::string_view ours) {
  return {.theirs = theirs, .ours = ours, .form = kTensor};
}
constexpr TensorRow vector(std::string_view theirs, std::string_view ours) {
  return {.theirs = theirs, .ours = ours, .form = kTensor, .ones = 1};
}

constexpr TensorRow kMarianNmtTensors[] = {
    table("Wemb", "embedding.tokens"),
    table("encoder_Wemb", "source_embedding.tokens"),
    table("decoder_Wemb", "target_embedding.tokens"),
    {.theirs = "decoder_ff_logit_out_b", .ours = "head.bias", .form = kTensor, .ones = 1, .last = kNever},
    weight("encoder_l{}_self_Wq", "encoder.{}.self_attention.query.weight"),
    vector("encoder_l{}_self_bq", "encoder.{}.self_attention.query.bias"),
    weight("encoder_l{}_self_Wk", "encoder.{}.self_attention.key.weight"),
    vector("encoder_l{}_self_bk", "encoder.{}.self_attention.key.bias"),
    weight("encoder_l{}_self_Wv", "encoder.{}.self_attention.value.weight"),
    vector("encoder_l{}_self_bv", "encoder.{}.self_attention.value.bias"),
    weight("encoder_l{}_self_Wo", "encoder.{}.self_attention.output.weight"),
    vector("encoder_l{}_self_bo", "encoder.{}.self_attention.output.bias"),
    vector("encoder_l{}_self_Wo_ln_scale", "encoder.{}.self_attention_norm.gamma"),
    vector("encoder_l{}_self_Wo_ln_bias", "encoder.{}.self_attention_norm.beta"),
    weight("encoder_l{}_ffn_W1", "encoder.{}.feed_forward.inner.weight"),
    vector("encoder_l{}_ffn_b1", "encoder.{}.feed_forward.inner.bias"),
    weight("encoder_l{}_ffn_W2", "encoder.{}.feed_forward.outer.weight"),
    vector("encoder_l{}_ffn_b2", "encoder.{}.feed_forward.outer.bias"),
    vector("encoder_l{}_ffn_ffn_ln_scale", "encoder.{}.feed_forward_norm.gamma"),
    vector("encoder_l{}_ffn_ffn_ln_bias", "encoder.{}.feed_forward_norm.beta"),
    weight("decoder_l{}_self_Wq", "decoder.{}.self_attention.query.weight"),
    vector("decoder_l{}_self_bq", "decoder.{}.self_attention.query.bias"),
    weight("decoder_l{}_self_Wk", "decoder.{}.self_attention.key.weight"),
    vector("decoder_l{}_self_bk", "decoder.{}.self_attention.key.bias"),
    weight("decoder_l{}_self_Wv", "decoder.{}.self_attention.value.weight"),
    vector("decoder_l{}_self_bv", "decoder.{}.self_attention.value.bias"),
    weight("decoder_l{}_self_Wo", "decoder.{}.self_attention.output.weight"),
    vector("decoder_l{}_self_bo", "decoder.{}.self_attention.output.bias"),
    vector("decoder_l{}_self_Wo_ln_scale", "decoder.{}.self_attention_norm.gamma"),
    vector("decoder_l{}_self_Wo_ln_bias", "decoder.{}.self_attention_norm.beta"),
    weight("decoder_l{}_rnn_W", "decoder.{}.ssru.input.weight"),
    weight("decoder_l{}_rnn_Wf", "decoder.{}.ssru.forget.weight"),
    vector("decoder_l{}_rnn_bf", "decoder.{}.ssru.forget.bias"),
    vector("decoder_l{}_rnn_ffn_ln_scale", "decoder.{}.mixing_norm.gamma"),
    vector("decoder_l{}_rnn_ffn_ln_bias", "decoder.{}.mixing_norm.beta"),
    weight("decoder_l{}_context_Wq", "decoder.{}.cross_attention.query.weight"),
    vector("decoder_l{}_context_bq", "decoder.{}.cross_attention.query.bias"),
    weight("decoder_l{}_context_Wk", "decoder.{}.cross_attention.key.weight"),
    vector("decoder_l{}_context_bk", "decoder.{}.cross_attention.key.bias"),
    weight("decoder_l{}_context_Wv", "decoder.{}.cross_attention.value.weight"),
    vector("decoder_l{}_context_bv", "decoder.{}.cross_attention.value.bias"),
    weight("decoder_l{}_context_Wo", "decoder.{}.cross_attention.output.weight"),
    vector("decoder_l{}_context_bo", "decoder.{}.cross_attention.output.bias"),
    vector("decoder_l{}_context_Wo_ln_scale", "decoder.{}.cross_attention_norm.gamma"),
    vector("decoder_l{}_context_Wo_ln_bias", "decoder.{}.cross_attention_norm.beta"),
    weight("decoder_l{}_ffn_W1", "decoder.{}.feed_forward.inner.weight"),
    vector("decoder_l{}_ffn_b1", "decoder.{}.feed_forward.inner.bias"),
    weight("decoder_l{}_ffn_W2", "decoder.{}.feed_forward.outer.weight"),
    vector("decoder_l{}_ffn_b2", "decoder.{}.feed_forward.outer.bias"),
    vector("decoder_l{}_ffn_ffn_ln_scale", "decoder.{}.feed_forward_norm.gamma"),
    vector("decoder_l{}_ffn_ffn_ln_bias", "decoder.{}.feed_forward_norm.beta")};

// --- The files ---------------------------------------------------------------------------------------------

constexpr const char* kVocabularies = "vocabularies";
constexpr const char* kShortlist = "shortlist";

// The search of the options stands there under the names of generation_config.json.
std::optional<OwnFiles> find(const std::filesystem::path& folder) {
  const std::optional<MarianFiles> files = find_marian_files(folder);
  if (!files) return std::nullopt;
  const MarianFile file(folder / files->weights);
  Json config = marian_settings(file);
  for (const auto& [name, value] : files->search.as_object()) config.set(name, value);
  config.set(kLength, kPositions);
  config.set("eos_token_id", kEnd);
  if (const Json& sizes = config.at("dim-vocabs"); sizes.is_array() && !sizes.as_array().empty())
    config.set("suppress_tokens", Json(sizes.as_array().back()));
  config.set(kVocabularies, Json::Array{files->source_vocabulary, files->target_vocabulary});
  config.set(kShortlist, files->shortlist);
  return OwnFiles{.settings = files->weights, .config = config.dump(), .weights = file.tensors()};
}

// Behind a SentencePiece model, as messages of Protocol Buffers may be joined: a control piece of the score
// 0, and that it is the one that begins texts.
constexpr std::string_view kStartPiece(
    "\x0A\x10\x0A\x07[START]\x15\x00\x00\x00\x00\x18\x03"
    "\x12\x0A\xF2\x02\x07[START]",
    30);

Tokenizer with_start(const std::string& pieces, const std::string& where) {
  try {
    return Tokenizer::parse(pieces + std::string(kStartPiece), where);
  } catch (const Error&) {
    static_cast<void>(Tokenizer::parse(pieces, where));  // which says what is wrong with the file
    throw;
  }
}

// With [START] behind its tokens.
Tokenizer load_vocabulary(const ModelFolder& folder, const std::string& name, std::int64_t tokens) {
  const std::string where = (folder.path / name).string();
  if (std::filesystem::path(name).extension() != ".spm")
    throw Error(where + ": vocabularies are read as SentencePiece models alone (*.spm)");
  Tokenizer tokenizer = with_start(folder.read(name), where);
  if (tokenizer.vocabulary_size() - 1 != tokens)
    throw Error(where + ": has " + std::to_string(tokenizer.vocabulary_size() - 1) +
                " tokens, \"dim-vocabs\" says " + std::to_string(tokens) +
                " (take the vocabulary that the model was trained with)");
  if (tokenizer.end_id() != kEnd)
    throw Error(where + ": the end token </s> is not its first, as Marian's is");
  return tokenizer;
}

ModelTokenizers tokenizers(const ModelFolder& folder) {
  const Json config = Json::parse(folder.config_text(), folder.config_path().string());
  const Json::Array& names = config.at(kVocabularies).as_array();
  const std::int64_t source = folder.config.at("source_vocabulary_size").as_integer() - 1,
                     target = folder.config.at("target_vocabulary_size").as_integer() - 1;
  ModelTokenizers found{.source = load_vocabulary(folder, names.front().as_string(), source),
                        .target = load_vocabulary(folder, names.back().as_string(), target)};
  if (const std::string& name = config.at(kShortlist).as_string(); !name.empty())
    found.shortlist = std::make_shared<const Shortlist>(
        read_shortlist(folder.read(name), (folder.path / name).string(), {source, target}));
  return found;
}

// The options of the search become those of generation_config.json.
ExportParts parts(const ModelFolder& folder, Json&) {
  const auto loaded = std::make_shared<LoadedTranslator>(load_translator(folder));
  std::vector<DirectoryFile> files = translator_files(*loaded->model, loaded->source_tokenizer,
                                                      loaded->target_tokenizer, loaded->generation.decoding);
  const Json config = Json::parse(folder.config_text(), folder.config_path().string());
  if (loaded->shortlist)
    files.push_back({std::string(kShortlistFile), folder.read(config.at(kShortlist).as_string())});
  return {{loaded, &loaded->model->parameters()}, std::move(files)};
}

}  // namespace

const Layout& marian_nmt_layout() {
  static const Layout layout{.name = "Marian NMT",
                             .model_type = "marian-nmt",
                             .architectures = {},
                             .family = encoder_decoder_family,
                             .config = kMarianNmtConfig,
                             .unsaid = kMarianNmtUnsaid,
                             .settings_name = "special:model.yml",
                             .first_layer = 1,
                             .tensors = kMarianNmtTensors,
                             .tokenizers = tokenizers,
                             .parts = parts,
                             .find = find};
  return layout;
}

}  // namespace headwater
