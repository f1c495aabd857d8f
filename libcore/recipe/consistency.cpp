#include "recipe/section_reader.hpp"

#include <algorithm>

#include "recipe/key_values.hpp"
#include "recipe/scalars.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"

namespace headwater {
namespace {

using Path = std::vector<std::string_view>;

// The place of a key given as a path, or of the nearest map above it.
Place place_of(const Node& root, const Path& path) {
  const Node* at = &root;
  Place place = root.place;
  for (const std::string_view key : path) {
    const Node::Entry* found = nullptr;
    for (const Node::Entry& entry : at->entries) {
      if (entry.key == key) found = &entry;
    }
    if (found == nullptr) break;
    at = &found->value;
    place = at->kind == Node::Kind::map ? found->place : at->place;
  }
  return place;
}

// A key that is not read with these settings is a mistake, unless it says the default (as recipes printed by
// older versions do).
class UseChecker : public schema::Visitor {
 public:
  UseChecker(const Recipe& recipe, ModelKinds kinds, const Node& map, Problems& problems)
      : kind_(recipe.model.kind()), kinds_(kinds), map_(map), problems_(problems) {
    Recipe defaults;
    defaults.model = ModelSection(kind_);
    defaults_ = key_values(defaults, WhichKeys::all);
    values_ = key_values(recipe, WhichKeys::all);
  }

  void row(const schema::Row& row) override {
    if (row.when.is_read) return;
    path_.push_back(row.key);
    const std::string value = value_of(values_, joined(path_, "."));
    const std::string former =
        std::visit([](const auto& was) { return scalars::print(was); }, row.follows.formerly);
    if (value != value_of(defaults_, joined(path_, ".")) && value != former)
      add(row.when.who.empty() ? kind_.with_article() : row.when.who, row.when.readers);
    path_.pop_back();
  }

  void section(std::string_view key, const schema::Meaning&, const Rows& rows) override {
    path_.push_back(key);
    rows(*this);
    path_.pop_back();
  }

  void section_of_kinds(std::string_view key, const schema::Meaning& meaning, const ModelSection&,
                        const Rows& rows) override {
    if (kind_.reads(key)) return section(key, meaning, rows);
    const std::string prefix = std::string(key) + ".";
    const auto differs = [&](const auto& row) {
      return row.first.starts_with(prefix) && row.second != value_of(defaults_, row.first);
    };
    if (!std::any_of(values_.begin(), values_.end(), differs)) return;
    std::vector<std::string_view> readers;
    for (const ModelKind* kind : kinds_) {
      if (kind->reads(key)) readers.push_back(kind->name);
    }
    path_.push_back(key);
    add(kind_.with_article(), listed(readers));
    path_.pop_back();
  }

  void model(std::string_view key, const schema::Meaning& meaning, ModelSection& model) override {
    section(key, meaning, [&](Visitor&) { model.settings().rows(*this); });
  }

  void list(std::string_view, const schema::Meaning&, std::vector<Expectation>&) override {}

 private:
  static std::string value_of(const KeyValues& values, const std::string& path) {
    for (const auto& [key, value] : values) {
      if (key == path) return value;
    }
    return {};
  }

  void add(const std::string& who, const std::string& readers) {
    problems_.add(place_of(map_, path_), joined(path_, ".") + ": " + who +
                                             " does not read it (it belongs to " + readers + "; remove it)");
  }

  const ModelKind& kind_;
  ModelKinds kinds_;
  const Node& map_;
  Problems& problems_;
  KeyValues defaults_, values_;
  Path path_;
};

// A model must have the metric that its epochs are chosen by.
void check_metrics(const Recipe& recipe, ModelKinds kinds, const Complain& complain) {
  const ModelKind& kind = recipe.model.kind();
  const auto check = [&](const std::string& metric, std::initializer_list<std::string_view> path) {
    if (std::find(kind.metrics.begin(), kind.metrics.end(), metric) != kind.metrics.end()) return;
    std::vector<std::string> whose;
    for (const ModelKind* other : kinds) {
      const bool has =
          std::find(other->metrics.begin(), other->metrics.end(), metric) != other->metrics.end();
      std::string name = other->family.empty() ? other->with_article() : std::string(other->family);
      if (has && std::find(whose.begin(), whose.end(), name) == whose.end()) whose.push_back(std::move(name));
    }
    const std::string owners = listed({whose.begin(), whose.end()});
    complain(path, metric + " is of " + owners + ", " + kind.with_article() + " has " + listed(kind.metrics));
  };
  check(recipe.training.best_metric, {"training", "best_metric"});
  if (recipe.training.early_stopping.patience > 0)  // read, that is
    check(recipe.training.early_stopping.metric, {"training", "early_stopping", "metric"});
}

// Parts are whole shards of the batch, of which there are 8.
void check_parts(const TrainingSettings& training, const Complain& complain) {
  if (8 % training.accumulate == 0) return;
  complain({"training", "accumulate"}, "a batch cannot be computed in " +
                                           std::to_string(training.accumulate) +
                                           " equal parts (write 1, 2, 4 or 8)");
}

// It becomes part of a script's name and of a folder's.
void check_set(const std::string& set, const Complain& complain) {
  if (set.starts_with('-') || set.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != set.npos)
    complain({"data", "set"},
             quote(set) + " is no name of a set (lower-case letters, digits and -, which does not begin it)");
}

// Punctuation that is stripped cannot become tokens.
void check_tokenizers(const Recipe& recipe, const Complain& complain) {
  const auto check = [&](const TokenizerSettings& s, const char* section) {
    if (!recipe.model.kind().reads(section) || s.kind != "word" || !s.split_punctuation) return;
    if (s.standardize == "none" || s.standardize == "lower") return;
    complain(
        {section, "split_punctuation"},
        "standardize: " + s.standardize + " strips what is to be split (write standardize: none, or lower)");
  };
  check(recipe.source_tokenizer, "source_tokenizer");
  check(recipe.target_tokenizer, "target_tokenizer");
}

// A CSV file has a name for each column.
void check_csv_columns(const DataSettings& data, const Complain& complain) {
  if (data.csv_columns.empty() || data.csv_columns.size() == data.columns.size()) return;
  complain({"data", "csv_columns"}, std::to_string(data.csv_columns.size()) + " names for the " +
                                        std::to_string(data.columns.size()) + " columns " +
                                        joined(data.columns) + " (write one for each, in this order)");
}

// Windows have one length, and are of one column.
void check_examples(const Recipe& recipe, const Complain& complain) {
  if (recipe.data.examples == DataExamples::lines || !recipe.model.kind().reads("data.examples")) return;
  if (recipe.training.batch_tokens > 0)
    complain({"training", "batch_tokens"},
             "windows of a long text have all the same length (write batch_sequences)");
  if (recipe.model.columns().size() > 1)
    complain({"data", "examples"}, "texts in two columns are lines (write examples: lines)");
}

void check_orders(const std::vector<std::string>& orders, const Complain& complain) {
  for (const std::string& order : orders) {
    if (order != "reversed" && order != "shuffled")
      complain({"data", "test_orders"}, "unknown order " + quote(order) + " (known: reversed, shuffled)");
  }
}

void check_columns(const Recipe& recipe, const Complain& complain) {
  const ModelKind& kind = recipe.model.kind();
  const std::vector<std::string>& columns = recipe.data.columns;
  const std::vector<std::string_view> wanted = recipe.model.columns();
  if (std::is_permutation(columns.begin(), columns.end(), wanted.begin(), wanted.end())) return;
  if (kind.columns.empty()) return;  // then the key is not read
  complain({"data", "columns"}, kind.with_article() + (wanted == kind.columns ? "" : " with these settings") +
                                    " reads " + listed(wanted) + " (write [" + joined(wanted) + "])");
}

}  // namespace

void check_together(const Recipe& recipe, ModelKinds kinds, const Node& map, Problems& problems) {
  Recipe copy = recipe;  // the rows take members by pointer to serve the reader too
  UseChecker uses(recipe, kinds, map, problems);
  schema::rows(uses, copy);
  const Complain complain = [&](std::initializer_list<std::string_view> path, const std::string& what) {
    problems.add(place_of(map, path), joined(path, ".") + ": " + what);
  };
  recipe.model.settings().check(recipe, complain);
  check_metrics(recipe, kinds, complain);
  check_columns(recipe, complain);
  check_orders(recipe.data.test_orders, complain);
  check_examples(recipe, complain);
  check_tokenizers(recipe, complain);
  check_csv_columns(recipe.data, complain);
  check_set(recipe.data.set, complain);
  check_parts(recipe.training, complain);
  const DecodingSettings& decoding = recipe.decoding;
  if (decoding.max_new_tokens > 0 && decoding.min_new_tokens > decoding.max_new_tokens)
    complain({"decoding", "min_new_tokens"},
             std::to_string(decoding.min_new_tokens) + " is above max_new_tokens, " +
                 std::to_string(decoding.max_new_tokens) + " (lower it, or raise that)");
  const ScheduleSettings& schedule = recipe.training.schedule;
  if (schedule.kind == ScheduleKind::inverse_square_root && schedule.warmup_steps == 0)
    complain({"training", "schedule", "kind"},
             "inverse_square_root needs warmup_steps (write warmup_steps: 4000)");
  if (schedule.kind == ScheduleKind::step && schedule.every_epochs == 0 && schedule.every_steps == 0)
    complain({"training", "schedule", "kind"},
             "step needs every_epochs or every_steps (write every_epochs: 10)");
}

}  // namespace headwater
