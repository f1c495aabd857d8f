#include "families/translator/marian_settings.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "recipe/document.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

// --- YAML as JSON ------------------------------------------------------------------------------------------

Json json_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return {};
    case Node::Kind::sequence: {
      Json::Array items;
      for (const Node& item : node.items) items.push_back(json_of(item));
      return items;
    }
    case Node::Kind::map: {
      Json::Object members;
      for (const Node::Entry& entry : node.entries) members.emplace_back(entry.key, json_of(entry.value));
      return members;
    }
    case Node::Kind::scalar:
      break;
  }
  if (!node.is_plain) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  std::int64_t whole_number = 0;
  double number = 0;
  if (read_number(node.text, whole_number).empty()) return whole_number;
  if (read_number(node.text, number).empty()) return number;
  return node.text;
}

// --- The settings of a model -------------------------------------------------------------------------------

// Marian writes these of every Transformer.
constexpr const char* kRequiredSettings[] = {
    "type", "dim-emb", "dim-vocabs", "enc-depth", "dec-depth", "transformer-heads", "transformer-dim-ffn"};
// Those that the rows of the layout read or refuse (marian_nmt.cpp).
constexpr const char* kReadSettings[] = {"type",
                                         "dim-emb",
                                         "dim-vocabs",
                                         "enc-depth",
                                         "dec-depth",
                                         "dec-cell",
                                         "tied-embeddings",
                                         "tied-embeddings-all",
                                         "tied-embeddings-src",
                                         "transformer-heads",
                                         "transformer-dim-ffn",
                                         "transformer-decoder-dim-ffn",
                                         "transformer-ffn-depth",
                                         "transformer-decoder-ffn-depth",
                                         "transformer-ffn-activation",
                                         "transformer-decoder-autoreg",
                                         "transformer-preprocess",
                                         "transformer-postprocess",
                                         "transformer-postprocess-emb",
                                         "transformer-postprocess-top",
                                         "transformer-train-position-embeddings",
                                         "transformer-train-positions",
                                         "transformer-disable-position-embeddings",
                                         "transformer-no-projection",
                                         "transformer-rnn-projection",
                                         "transformer-no-bias",
                                         "transformer-no-affine",
                                         "transformer-attention-mask",
                                         "transformer-pool",
                                         "transformer-tied-layers",
                                         "layer-normalization",
                                         "output-omit-bias",
                                         "lemma-dim-emb",
                                         "lemma-dependency",
                                         "input-types",
                                         "right-left",
                                         "ulr"};
// Settings of other kinds of models, of training and of alignments, which change nothing here.
constexpr const char* kHarmlessSettings[] = {"bert-*",
                                             "char-*",
                                             "dec-cell-base-depth",
                                             "dec-cell-high-depth",
                                             "dim-rnn",
                                             "enc-cell",
                                             "enc-cell-depth",
                                             "enc-type",
                                             "factor-weight",
                                             "factors-combine",
                                             "skip",
                                             "transformer-aan-*",
                                             "transformer-depth-scaling",
                                             "transformer-dim-aan",
                                             "transformer-guided-alignment-layer",
                                             "ulr-*",
                                             "version"};

}  // namespace

Json json_of_yaml(std::string_view text, const std::string& where) {
  Json json = Json::Object{};
  try {
    Problems problems(where);
    if (text.find(':') != text.npos) json = json_of(parse_document(text, problems));
    problems.throw_if_any();
  } catch (const UsageError& error) {
    const std::string what = error.what();
    throw Error(what.substr(0, what.find('\n')));  // of several problems the first
  }
  return json;
}

void check_required(const Json& json, const std::string& where, std::span<const char* const> required) {
  std::vector<std::string> missing;
  for (const char* const name : required) {
    if (json.find(name) == nullptr) missing.push_back(quote(name));
  }
  if (missing.empty()) return;
  throw Error(where + ": " + listed({missing.begin(), missing.end()}) +
              (missing.size() == 1 ? " is" : " are") + " missing (copy the file again)");
}

bool is_in(std::span<const char* const> patterns, const std::string& name) {
  return std::ranges::any_of(patterns,
                             [&](const char* pattern) { return fnmatch(pattern, name.c_str(), 0) == 0; });
}

Json marian_settings(const MarianFile& file) {
  const std::string where = file.tensors().where() + ": special:model.yml";
  if (file.settings().empty())
    throw Error(file.tensors().where() +
                ": has no special:model.yml, the settings of the model (take the file that Marian wrote)");
  Json settings = json_of_yaml(file.settings(), where);
  check_required(settings, where, kRequiredSettings);
  for (const auto& [name, value] : settings.as_object()) {
    if (!is_in(kReadSettings, name) && !is_in(kHarmlessSettings, name))
      throw Error(where + ": " + quote(name) + " is a setting that this program does not know");
  }
  return settings;
}

}  // namespace headwater
