#include "families/train_first_weights.hpp"

#include <fnmatch.h>
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "checkpoint/safetensors.hpp"
#include "data/ngram_vocabulary.hpp"
#include "families/label_names.hpp"
#include "families/layouts/layout.hpp"
#include "families/model_directory.hpp"
#include "families/registry.hpp"
#include "families/train_named_tensors.hpp"
#include "families/train_task.hpp"
#include "support/bits_version.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tensor/kernels/reduction/reduction.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

namespace {

using Names = std::vector<std::string>;

std::string some_of(const Names& names) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i ? ", " : "") + names[i];
  return names.size() > kShown ? text + ", ..." : text;
}

std::string counted(const Names& names, const std::string& what) {
  if (names.empty()) return "none " + what;
  return std::to_string(names.size()) + " " + what + " (" + listed_by_block(names) + ")";
}

std::string bytes_of(const std::vector<DirectoryFile>& files, std::string_view name) {
  for (const DirectoryFile& file : files) {
    if (file.name == name) return file.bytes;
  }
  throw Error("model: has no file " + std::string(name));
}

constexpr std::string_view kLabels = "config.json";  // of a TokenAxis whose rows are labels

Names texts_of(const Tokenizer& tokenizer) {
  Names texts;
  for (std::int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) texts.push_back(tokenizer.surface(id));
  return texts;
}

// The texts of what a file numbers: tokens, terms or labels.
Names texts_of(std::string_view file, const std::string& bytes, const std::string& where) {
  Names texts;
  if (file == kLabels) {
    const Json config = Json::parse(bytes, where);
    if (const Json* labels = config.find("id2label"))
      for (const auto& [id, label] : labels->as_object()) texts.push_back(label.as_string());
  } else if (file == "terms.tsv") {
    const NgramVocabulary terms = NgramVocabulary::parse(bytes, where);
    for (std::int32_t id = 0; id < terms.size(); ++id) texts.push_back(terms.term(id).ngram);
  } else {
    return texts_of(Tokenizer::parse(bytes, where));
  }
  return texts;
}

// For each id of ours the model's id of the same text, or -1.
std::vector<std::int32_t> match(const Names& ours, const Names& theirs) {
  std::unordered_map<std::string_view, std::int32_t> ids;
  for (std::size_t id = 0; id < theirs.size(); ++id) ids.emplace(theirs[id], static_cast<std::int32_t>(id));
  std::vector<std::int32_t> matched;
  for (const std::string& text : ours) {
    const auto found = ids.find(text);
    matched.push_back(found == ids.end() ? -1 : found->second);
  }
  return matched;
}

const TokenAxis* axis_of(const std::vector<TokenAxis>& axes, std::string_view tensor) {
  for (const TokenAxis& axis : axes) {
    if (axis.tensor == tensor) return &axis;
  }
  return nullptr;
}

using Shape = std::vector<std::int64_t>;

class Taker {
 public:
  Taker(const std::filesystem::path& directory, const Family& family, TaskModel& model)
      : shown_(directory.string()),
        folder_(open_model(directory)),
        tensors_(folder_),
        our_axes_(family.token_axes),
        their_axes_(folder_.family->token_axes),
        our_files_(model.files()),
        parameters_(model.parameters()),
        stacks_(tensors_, parameters_),
        reads_texts_(family.task != Task::image_classification &&
                     folder_.family->task != Task::image_classification) {}

  FirstWeights take(std::span<const std::string> drop) {
    check_patterns(drop);
    check_shapes(drop);
    FirstWeights report;
    report.skipped = folder_.skipped;
    std::set<std::string_view> used;
    for (const auto& p : parameters_.all()) {
      const TensorView* const tensor = tensor_of(*p);
      if (is_dropped(*p, drop)) {
        report.dropped.push_back(p->name);
        if (tensor != nullptr) used.insert(tensor->name);
      } else if (tensor == nullptr) {
        report.new_ones.push_back(p->name);
      } else {
        copy(*tensor, *p);
        report.taken.push_back(p->name);
        used.insert(tensor->name);
      }
    }
    for (const TensorView& tensor : tensors_.all()) {
      if (!used.contains(tensor.name)) report.left_out.push_back(tensor.name);
    }
    report.moved = stacks_.text();
    if (report.taken.empty())
      throw Error(shown_ + ": no tensor of it has a place in this model (" +
                  counted(report.left_out, "left out") + "; give a model of the same kind, or drop less)");
    report.vocabularies = vocabularies_;
    report.settings = other_settings();
    return report;
  }

 private:
  void check_patterns(std::span<const std::string> drop) const {
    for (const std::string& pattern : drop) {
      const bool is_used =
          std::any_of(parameters_.all().begin(), parameters_.all().end(),
                      [&](const auto& p) { return fnmatch(pattern.c_str(), p->name.c_str(), 0) == 0; });
      if (!is_used)
        throw UsageError("training.drop: " + quote(pattern) +
                         " matches no parameter (inspect --tensors lists those of a saved model)");
    }
  }

  static bool is_dropped(const Parameter& p, std::span<const std::string> drop) {
    return std::any_of(drop.begin(), drop.end(), [&](const std::string& pattern) {
      return fnmatch(pattern.c_str(), p.name.c_str(), 0) == 0;
    });
  }

  // The model's tensor that a parameter begins with, or null.
  const TensorView* tensor_of(const Parameter& p) const {
    const TensorView* const tensor = tensors_.find(stacks_.name_there(p.name));
    return tensor != nullptr && stands_for_the_same(p.name) ? tensor : nullptr;
  }

  // A row of one head stands for a label, one of another for a token.
  bool stands_for_the_same(const std::string& name) const {
    const TokenAxis *const ours = axis_of(our_axes_, name), *const theirs = axis_of(their_axes_, name);
    if (ours == nullptr || theirs == nullptr) return true;
    return (ours->file == kLabels) == (theirs->file == kLabels);
  }

  // All of them before any is taken: one setting may be the cause of dozens.
  void check_shapes(std::span<const std::string> drop) const {
    const Parameter* first = nullptr;
    std::string theirs;
    Names others;
    for (const auto& p : parameters_.all()) {
      const TensorView* const tensor = tensor_of(*p);
      if (tensor == nullptr || is_dropped(*p, drop) || fits(*tensor, *p)) continue;
      others.push_back(p->name);
      if (first != nullptr) continue;
      first = p.get();
      theirs = shape_text(tensor->shape);
    }
    if (first == nullptr) return;
    const std::string ours = shape_text(Shape(first->shape.begin(), first->shape.end())),
                      cure = " (give the recipe the sizes of that model, or draw ";
    if (others.size() == 1)
      throw Error(tensors_.where() + ": tensor " + quote(first->name) + " has shape " + theirs +
                  ", this model's has " + ours + other_sizes() + cure + "it anew with --drop " + first->name +
                  ")");
    throw Error(tensors_.where() + ": " + std::to_string(others.size()) +
                " tensors have other shapes than this model's, the first " + quote(first->name) + ": " +
                theirs + " there, " + ours + " here" + other_sizes() + cure + "them anew with --drop" +
                pattern_of(others) + ")");
  }

  // " 'head.*'" where that matches these parameters and no others.
  std::string pattern_of(const Names& names) const {
    const std::string prefix = names.front().substr(0, names.front().find('.') + 1);
    const auto begins = [&](const std::string& name) { return name.starts_with(prefix); };
    const auto matched = std::count_if(parameters_.all().begin(), parameters_.all().end(),
                                       [&](const auto& p) { return begins(p->name); });
    const bool are_all = std::all_of(names.begin(), names.end(), begins) &&
                         matched == static_cast<std::ptrdiff_t>(names.size());
    return are_all ? " '" + prefix + "*'" : "";
  }

  static bool is_number(const std::string& value) {
    return value.find_first_not_of("0123456789") == std::string::npos;
  }

  // "model.width is 96 here, 64 there, model.norm ..." of the members in both configurations that differ,
  // where is_wanted(key, here, there).
  template <class Wanted>
  std::string differing(const Wanted& is_wanted) const {
    const Json ours = Json::parse(bytes_of(our_files_, "config.json"), "config.json");
    std::string text;
    for (const auto& [key, value] : ours.as_object()) {
      const Json* const other = folder_.config.find(key);
      if (other == nullptr || key == kBitsMember) continue;
      const std::string here = value.dump(), there = other->dump();
      if (here == there || !is_wanted(key, here, there)) continue;
      text.append(text.empty() ? "model." : ", model.").append(key);
      text += " is " + here + " here, " + there + " there";
    }
    return text;
  }

  // ": model.width is 96 here, 64 there": sizes.
  std::string other_sizes() const {
    const std::string text = differing([](std::string_view key, const std::string& a, const std::string& b) {
      return is_number(a) && is_number(b) && !key.ends_with("vocabulary_size") && !key.ends_with("_token_id");
    });
    return text.empty() ? text : ": " + text;
  }

  // What has no shape, and may still make another model of the same weights: not how it is trained.
  std::string other_settings() const {
    constexpr std::array<std::string_view, 4> kPassedOver = {"architectures", "model_type", "initialization",
                                                             "id2label"};
    std::string text = differing([&](std::string_view key, const std::string& a, const std::string& b) {
      return !(is_number(a) && is_number(b)) && !key.ends_with("_hash") && !key.ends_with("_id") &&
             !key.ends_with("dropout") && std::ranges::find(kPassedOver, key) == kPassedOver.end();
    });
    if (const Json* const id = folder_.config.find("uncounted_token"))
      text += (text.empty() ? "" : ", ") + std::string("a token of the id ") + id->dump() +
              " has a position as any other here, padding's there";
    return text;
  }

  // What stands for texts on both sides may have more or fewer of them.
  bool goes_by_text(const std::string& name) const {
    const TokenAxis* const ours = axis_of(our_axes_, name);
    const TokenAxis* const theirs = axis_of(their_axes_, name);
    return ours != nullptr && theirs != nullptr && ours->axis == theirs->axis &&
           (ours->file != kLabels || theirs->file != kLabels);
  }

  // Rows of a table of positions before that of the first token: RoBERTa's padding has one.
  std::int64_t rows_before(const Parameter& p) const {
    return p.name.ends_with("embedding.positions") && folder_.config.find("uncounted_token") != nullptr ? 1
                                                                                                        : 0;
  }

  // A shorter table of positions in a text is the beginning of a longer one.
  bool begins_with(const TensorView& tensor, const Parameter& p) const {
    return reads_texts_ && p.name.ends_with("embedding.positions") && tensor.shape.size() == 2 &&
           tensor.shape[0] - rows_before(p) > p.value.rows && tensor.shape[1] == p.value.cols;
  }

  bool fits(const TensorView& tensor, const Parameter& p) const {
    if (begins_with(tensor, p)) return true;
    if (const std::int64_t before = rows_before(p); before > 0)
      return tensor.shape == Shape{p.value.rows + before, p.value.cols};
    Shape expected(p.shape.begin(), p.shape.end());
    if (goes_by_text(p.name) && tensor.shape.size() == expected.size()) {
      const std::size_t axis = axis_of(our_axes_, p.name)->axis;
      expected[axis] = tensor.shape[axis];
    }
    return tensor.shape == expected;
  }

  void copy(const TensorView& tensor, Parameter& p) {
    const TokenAxis* const ours = axis_of(our_axes_, p.name);
    const TokenAxis* const theirs = axis_of(their_axes_, p.name);
    const bool have_axis = ours != nullptr && theirs != nullptr && ours->axis == theirs->axis;
    const Shape wanted(p.shape.begin(), p.shape.end());
    const bool by_text = goes_by_text(p.name);
    if (have_axis && !by_text) check_labels(p.name);
    std::vector<Real> values(tensor.elements());
    read_numbers(tensor, values);
    const Index bad = kernels::find_not_finite(static_cast<Index>(values.size()), values.data());
    if (bad >= 0)
      throw Error(tensors_.where() + ": tensor " + quote(p.name) + " is not finite at element " +
                  std::to_string(bad) + " (take another model, or draw it anew with --drop " + p.name + ")");
    // Where the vocabulary is one, also the rows behind it, which stand for no token.
    const bool is_whole = !by_text || (tensor.shape == wanted && is_same(ours->file, theirs->file));
    if (is_whole) {
      std::copy_n(values.begin() + rows_before(p) * p.value.cols, p.size(), p.value.data);
      return;
    }
    const std::vector<std::int32_t>& ids = vocabulary(ours->file, theirs->file).ids;
    std::int64_t outer = 1, inner = 1;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (i != ours->axis) (i < ours->axis ? outer : inner) *= wanted[i];
    const std::int64_t our_rows = wanted[ours->axis], their_rows = tensor.shape[ours->axis];
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t id = 0; id < std::min<std::int64_t>(our_rows, static_cast<std::int64_t>(ids.size()));
           ++id) {
        const std::int64_t from = ids[id];
        if (from < 0 || from >= their_rows) continue;
        std::copy_n(values.begin() + (o * their_rows + from) * inner, inner,
                    p.value.data + (o * our_rows + id) * inner);
      }
    }
  }

  // A row of a head stands for a class, whatever its number.
  void check_labels(const std::string& tensor) {
    if (gives_many_labels(folder_.config))
      throw Error(tensors_.where() + ": tensor " + quote(tensor) +
                  " gives each label by itself (problem_type " + kManyLabels +
                  "), this model one of them (draw the head anew with --drop 'head.*')");
    const Names ours = texts_of("config.json", bytes_of(our_files_, "config.json"), "config.json");
    const Names theirs = their_texts("config.json");
    if (ours != theirs)
      throw Error(tensors_.where() + ": tensor " + quote(tensor) + " is of the labels " + some_of(theirs) +
                  ", this model has " + some_of(ours) +
                  " (give --labels of that model, or draw the head anew with --drop 'head.*')");
  }

  Names their_texts(std::string_view file) const {
    const std::string where = (folder_.path / file).string();
    if (file == kLabels) return texts_of(file, folder_.config.dump(), where);
    if (folder_.layout == nullptr) return texts_of(file, folder_.read(file), where);
    return texts_of(published_tokenizer(file));
  }

  Tokenizer published_tokenizer(std::string_view file) const {
    try {
      const ModelTokenizers tokenizers = folder_.layout->tokenizers(folder_);
      return tokenizers.target && file == "target-tokenizer.json" ? *tokenizers.target : tokenizers.source;
    } catch (const Error& error) {
      throw Error(std::string(error.what()) +
                  "; tables of tokens go by their texts: draw them anew with --drop 'embedding.tokens'");
    }
  }

  // A vocabulary of ours against one of the model's.
  struct Matched {
    std::vector<std::int32_t> ids;
    bool is_same = false;
  };

  bool is_same(std::string_view ours, std::string_view theirs) { return vocabulary(ours, theirs).is_same; }

  const Matched& vocabulary(std::string_view ours, std::string_view theirs) {
    const auto [at, is_new] = matched_.try_emplace({std::string(ours), std::string(theirs)});
    if (is_new) {
      const Names here = texts_of(ours, bytes_of(our_files_, ours), std::string(ours)),
                  there = their_texts(theirs);
      at->second = {match(here, there), here == there};
      const auto missing = std::count(at->second.ids.begin(), at->second.ids.end(), -1);
      if (here != there)
        vocabularies_.push_back(std::string(ours) + ": " +
                                format_count(static_cast<std::int64_t>(here.size()) - missing) + " of " +
                                format_count(static_cast<std::int64_t>(here.size())) +
                                (ours == "terms.tsv" ? " terms" : " tokens"));
    }
    return at->second;
  }

  std::string shown_;
  ModelFolder folder_;
  NamedTensors tensors_;
  std::vector<TokenAxis> our_axes_, their_axes_;
  std::vector<DirectoryFile> our_files_;
  Parameters& parameters_;
  Stacks stacks_;
  bool reads_texts_;
  std::map<std::pair<std::string, std::string>, Matched> matched_;
  std::vector<std::string> vocabularies_;
};

}  // namespace

std::string FirstWeights::summary() const {
  const std::string what = taken.size() == 1 ? "tensor" : "tensors";
  return std::to_string(taken.size()) + " " + what + " taken (" + listed_by_block(taken) +
         (moved.empty() ? "" : "; " + moved) + "), " + counted(dropped, "dropped") + ", " +
         counted(new_ones, "new") + ", " + counted(left_out, "left out");
}

FirstWeights take_first_weights(const std::filesystem::path& directory, std::span<const std::string> drop,
                                const Family& family, TaskModel& model) {
  return Taker(directory, family, model).take(drop);
}

}  // namespace headwater
