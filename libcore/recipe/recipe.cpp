// Reading: the tree of the document against the rows of schema.hpp, then what holds between keys.
#include "recipe/recipe.hpp"

#include <algorithm>
#include <filesystem>
#include <type_traits>

#include "recipe/changes.hpp"
#include "recipe/consistency.hpp"
#include "recipe/document.hpp"
#include "recipe/key_values.hpp"
#include "recipe/scalars.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater {
namespace {

using schema::Between;
using schema::OneOf;
using schema::PathInData;
using schema::Text;

std::string join(const std::vector<std::string_view>& words) {
  std::string out;
  for (const std::string_view word : words) {
    if (!out.empty()) out += ", ";
    out += word;
  }
  return out;
}

// "; did you mean "x"?" or the words that are known.
std::string suggestion(std::string_view typed, const std::vector<std::string_view>& known) {
  const std::string_view nearest = nearest_word(typed, known);
  if (!nearest.empty()) return "; did you mean " + quote(nearest) + "?";
  return " (known: " + join(known) + ")";
}

template <class Number>
std::string check_range(const Number& value, const Between& range) {
  const double number = static_cast<double>(value);
  if (number >= range.min && number <= range.max) return {};
  const auto bound = [](double edge) {
    return std::is_integral_v<Number> ? std::to_string(static_cast<std::int64_t>(edge))
                                      : scalars::print(edge);
  };
  return scalars::print(value) + " is out of range (from " + bound(range.min) + " to " + bound(range.max) +
         ")";
}

std::string check_word(const std::string& value, const OneOf& rule) {
  if (rule.has(value)) return {};
  return "unknown value " + quote(value) + suggestion(value, rule.names());
}

std::string check(const auto& value, const schema::Rule& rule) {
  using Value = std::decay_t<decltype(value)>;
  if (const auto* range = std::get_if<Between>(&rule)) {
    if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>)
      return check_range(value, *range);
  }
  if constexpr (std::is_same_v<Value, std::string>) {
    if (const auto* words = std::get_if<OneOf>(&rule)) return check_word(value, *words);
    if (std::holds_alternative<PathInData>(rule)) return scalars::check_path(value);
    if (const auto* text = std::get_if<Text>(&rule))
      return *text != Text::any && value.empty() ? "an empty text (write one)" : "";
  }
  return {};
}

const Node::Entry* find_entry(const Node& map, std::string_view key) {
  for (const Node::Entry& entry : map.entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

bool is_off(const Node::Entry& entry) {
  bool is_on = true;
  std::int64_t number = 1;
  return (scalars::read(entry.value, is_on).empty() && !is_on) ||
         (scalars::read(entry.value, number).empty() && number == 0);
}

// A list of texts. Returns what is wrong with its items as "place: what" through `add`.
template <class Add>
std::vector<std::string> read_words(const Node& list, const schema::Rule& rule, const Add& add) {
  std::vector<std::string> values;
  for (const Node& item : list.items) {
    std::string value;
    const auto* const text = std::get_if<Text>(&rule);
    std::int64_t number = 0;
    const bool is_number =
        text != nullptr && *text == Text::or_number && scalars::read(item, number).empty() && number >= 0;
    std::string wrong;
    if (is_number) {
      value = item.text;
    } else {
      wrong = scalars::read(item, value);
    }
    if (wrong.empty()) wrong = check(value, rule);
    if (wrong.empty() && std::find(values.begin(), values.end(), value) != values.end())
      wrong = quote(value) + " stands twice (remove one)";
    if (!wrong.empty()) add(item.place, wrong);
    values.push_back(std::move(value));
  }
  return values;
}

// What stands where a list should, as its items: "label,source" -> "label, source". Empty where that is none.
std::string as_list(const Node& node) {
  constexpr std::size_t kMostBytes = 80;
  if (node.kind != Node::Kind::scalar || node.text.size() > kMostBytes || node.text != visible(node.text))
    return {};
  std::string items;
  std::string_view rest = node.text;
  for (bool is_last = false; !is_last;) {
    const std::size_t comma = rest.find(',');
    std::string_view item = rest.substr(0, comma);
    is_last = comma == rest.npos;
    if (!is_last) rest.remove_prefix(comma + 1);
    const std::size_t begin = item.find_first_not_of(' ');
    if (begin == item.npos) continue;
    item = item.substr(begin, item.find_last_not_of(' ') + 1 - begin);
    items += (items.empty() ? "" : ", ") + scalars::print(std::string(item));
  }
  return items;
}

// Fills structs from a map.
class Reader : public schema::Visitor {
 public:
  Reader(const Node& map, std::string path, ModelKinds kinds, Problems& problems)
      : map_(map), path_(std::move(path)), kinds_(kinds), problems_(problems) {
    for (const Node::Entry& entry : map.entries)
      if (!entry.is_key_plain)
        problems.add(entry.place, "a key in quotes, " + quote(entry.key) + " (remove the quotes)");
  }

  void row(const schema::Row& row) override {
    const Node::Entry* entry = find(row.key, row.when.is_read);
    if (entry == nullptr || is_empty(*entry)) return;
    std::visit([&](auto* to) { read_value(*entry, row.rule, *to); }, row.member);
  }

  void renamed(std::string_view key, std::string_view now) override {
    const Node::Entry* entry = find_entry(map_, key);
    if (entry == nullptr) return;
    old_keys_.push_back(key);
    if (is_off(*entry)) return;
    problems_.add(entry->place, name(key) + ": is called otherwise now (write " + std::string(now) + ")");
  }

  void section(std::string_view key, const schema::Meaning&, const Rows& rows) override {
    const Node::Entry* entry = find(key);
    if (entry == nullptr || is_empty(*entry) || !is_map(entry->value, name(key))) return;
    Reader below(entry->value, name(key), kinds_, problems_);
    rows(below);
    below.finish();
  }

  void section_of_kinds(std::string_view key, const schema::Meaning& meaning, const ModelSection& model,
                        const Rows& rows) override {
    section(key, meaning, rows);
    if (!model.kind().reads(key)) fitting_.pop_back();
  }

  void model(std::string_view key, const schema::Meaning&, ModelSection& model) override {
    const Node::Entry* entry = find(key);
    if (entry == nullptr || is_empty(*entry) || !is_map(entry->value, name(key))) return;
    Reader below(entry->value, name(key), kinds_, problems_);
    below.read_kind(model);
    model.settings().rows(below);
    below.finish_model(model.kind());
  }

  void list(std::string_view key, const schema::Meaning&, std::vector<Expectation>& member) override {
    const Node::Entry* entry = find(key);
    if (entry == nullptr || is_empty(*entry)) return;
    if (entry->value.kind != Node::Kind::sequence) {
      problems_.add(entry->value.place, name(key) + ": wanted a list, not " +
                                            std::string(describe(entry->value)) +
                                            " (begin each item with a dash)");
      return;
    }
    member.clear();
    for (const Node& item : entry->value.items) {
      const std::string path = name(key) + "[" + std::to_string(member.size()) + "]";
      Expectation value{};
      if (is_map(item, path)) {
        Reader below(item, path, kinds_, problems_);
        schema::rows(below, value);
        below.finish();
        check_item(value, item, path);
      }
      member.push_back(std::move(value));
    }
  }

  // A key that only the top level knows.
  void also_known(std::string_view key) { find(key); }

  void finish() {
    for (const Node::Entry& entry : map_.entries) {
      if (!is_known(entry.key)) add_unknown(entry);
    }
  }

 private:
  const Node::Entry* find(std::string_view key, bool is_read = true) {
    keys_.push_back(key);
    const Node::Entry* entry = find_entry(map_, key);
    if (is_read) fitting_.push_back(entry == nullptr ? key : std::string_view());
    return entry;
  }

  bool is_known(std::string_view key) const {
    return std::find(keys_.begin(), keys_.end(), key) != keys_.end() ||
           std::find(old_keys_.begin(), old_keys_.end(), key) != old_keys_.end();
  }

  std::string name(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

  template <class Value>
  void read_value(const Node::Entry& entry, const schema::Rule& rule, Value& to) {
    if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      read_list(entry, rule, to);
    } else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) {
      read_numbers(entry, rule, to);
    } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
      double value = 0;
      read_value(entry, rule, value);
      to = value;
    } else if constexpr (std::is_same_v<Value, ClassWeights>) {
      read_class_weights(entry, rule, to);
    } else {
      Value value{};
      std::string wrong = scalars::read(entry.value, value);
      if (wrong.empty()) wrong = check(value, rule);
      if (wrong.empty()) {
        to = std::move(value);
      } else {
        problems_.add(entry.value.place, name(entry.key) + ": " + wrong);
      }
    }
  }

  // A word of the rule, or a map of labels to numbers.
  void read_class_weights(const Node::Entry& entry, const schema::Rule& rule, ClassWeights& to) {
    ClassWeights weights;
    if (entry.value.kind != Node::Kind::map) {
      read_value(entry, rule, weights.word);
      to = std::move(weights);
      return;
    }
    weights.word.clear();
    for (const Node::Entry& label : entry.value.entries) {
      double weight = 0;
      std::string wrong = scalars::read(label.value, weight);
      if (wrong.empty()) wrong = check_range(weight, Between{1e-6, 1e6, schema::kNoUnit});
      if (!wrong.empty()) problems_.add(label.place, name(entry.key) + "." + label.key + ": " + wrong);
      weights.of_labels.emplace_back(label.key, weight);
    }
    if (weights.of_labels.empty())
      problems_.add(entry.value.place, name(entry.key) + ": no labels (write {label: number}, or balanced)");
    to = std::move(weights);
  }

  void read_list(const Node::Entry& entry, const schema::Rule& rule, std::vector<std::string>& to) {
    const auto* const words = std::get_if<OneOf>(&rule);
    if (entry.value.kind != Node::Kind::sequence) {
      const std::string example =
          words != nullptr ? std::string(words->words.front().word) : std::string("a, b");
      const std::string written = as_list(entry.value);
      problems_.add(entry.value.place, name(entry.key) + ": wanted a list, not " +
                                           std::string(describe(entry.value)) + " (write [" +
                                           (written.empty() ? example : written) + "])");
      return;
    }
    to = read_words(entry.value, rule, [&](Place place, const std::string& wrong) {
      problems_.add(place, name(entry.key) + ": " + wrong);
    });
    if (to.empty() && words != nullptr) {
      problems_.add(entry.value.place,
                    name(entry.key) + ": an empty list (known: " + join(words->names()) + ")");
    }
  }

  void read_numbers(const Node::Entry& entry, const schema::Rule& rule, std::vector<std::int64_t>& to) {
    if (entry.value.kind != Node::Kind::sequence) {
      problems_.add(entry.value.place, name(entry.key) + ": wanted a list, not " +
                                           std::string(describe(entry.value)) + " (write [128], or [])");
      return;
    }
    std::vector<std::int64_t> values;
    for (const Node& item : entry.value.items) {
      std::int64_t value = 0;
      std::string wrong = scalars::read(item, value);
      if (wrong.empty()) wrong = check(value, rule);
      if (!wrong.empty()) problems_.add(item.place, name(entry.key) + ": " + wrong);
      values.push_back(value);
    }
    to = std::move(values);
  }

  // The defaults of the kind that is named, where it is another one.
  void read_kind(ModelSection& model) {
    std::string chosen(model.kind().name);
    kind_row(*this, kinds_, chosen);
    if (chosen == model.kind().name) return;
    for (const ModelKind* kind : kinds_) {
      if (chosen == kind->name) model = ModelSection(*kind);
    }
  }

  bool is_empty(const Node::Entry& entry) {
    if (entry.value.kind != Node::Kind::null) return false;
    problems_.add(entry.place, name(entry.key) + ": no value (write one, or remove the key for the default)");
    return true;
  }

  bool is_map(const Node& node, const std::string& path) {
    if (node.kind == Node::Kind::map) return true;
    problems_.add(node.place, path + ": wanted a map, not " + std::string(describe(node)) +
                                  " (write key: value below it)");
    return false;
  }

  void add_unknown(const Node::Entry& entry) {
    std::string what = "unknown key " + quote(entry.key);
    if (!path_.empty()) what += " in " + quote(path_);
    const std::string_view nearest = nearest_word(entry.key, fitting_);
    const std::string elsewhere = nearest.empty() ? section_with(entry.key) : "";
    if (!nearest.empty()) {
      what += "; did you mean " + quote(nearest) + "?";
    } else if (!elsewhere.empty()) {
      what += " (it belongs to " + quote(elsewhere) + ")";
    } else {
      what += " (known: " + join(keys_) + ")";
    }
    problems_.add(entry.place, what);
  }

  // Where a key is read that is not of this section, if there is one such place only.
  std::string section_with(const std::string& key) const {
    const bool is_quick = path_ == "quick" || path_.starts_with("quick.");
    std::string found;
    for (const ModelKind* kind : kinds_) {
      Recipe recipe;
      recipe.model = ModelSection(*kind);
      for (const auto& [path, value] : key_values(recipe, WhichKeys::all)) {
        // Of each key the sections above it, and itself.
        for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
          const std::size_t end = std::min(path.find('.', dot + 1), path.size());
          if (path.compare(dot + 1, end - dot - 1, key) != 0) continue;
          const std::string section = (is_quick ? "quick." : "") + path.substr(0, dot);
          if (!found.empty() && found != section) return {};
          found = section;
        }
      }
    }
    return found == path_ ? std::string() : found;
  }

  // Keys of other kinds of models may only say their defaults, as recipes printed by older versions do.
  void finish_model(const ModelKind& kind) {
    for (const Node::Entry& entry : map_.entries) {
      if (is_known(entry.key)) continue;
      std::vector<std::string_view> readers;
      bool is_default = false;
      for (const ModelKind* other : kinds_) {
        KeyOfDefaults of_other(entry);
        other->defaults()->rows(of_other);
        if (!of_other.is_found) continue;
        readers.push_back(other->name);
        is_default = is_default || of_other.is_default;
      }
      if (readers.empty()) {
        add_unknown(entry);
      } else if (!is_default) {
        problems_.add(entry.value.place, name(entry.key) + ": " + kind.with_article() +
                                             " does not read it (it belongs to " + listed(readers) +
                                             "; remove it)");
      }
    }
  }

  // Whether a struct of defaults has a key, and its value.
  struct KeyOfDefaults : schema::Visitor {
    explicit KeyOfDefaults(const Node::Entry& of) : entry(of) {}
    void row(const schema::Row& row) override {
      if (row.key != entry.key) return;
      is_found = true;
      std::visit(
          [&](auto* value) {
            using Value = std::decay_t<decltype(*value)>;
            if constexpr (!std::is_same_v<Value, std::vector<std::string>> &&
                          !std::is_same_v<Value, std::vector<std::int64_t>> &&
                          !std::is_same_v<Value, std::optional<double>> &&
                          !std::is_same_v<Value, ClassWeights>) {
              Value written{};
              is_default = scalars::read(entry.value, written).empty() &&
                           (written == *value || is_former(row.follows, written));
            }
          },
          row.member);
    }
    template <class Value>
    static bool is_former(const schema::Follows& follows, const Value& written) {
      if constexpr (std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, std::string>) {
        const auto* const former = std::get_if<Value>(&follows.formerly);
        return former != nullptr && *former == written;
      }
      return false;
    }
    void renamed(std::string_view key, std::string_view) override {
      if (key != entry.key) return;
      is_found = true;
      is_default = is_off(entry);
    }
    void section(std::string_view, const schema::Meaning&, const Rows&) override {}
    void section_of_kinds(std::string_view, const schema::Meaning&, const ModelSection&,
                          const Rows&) override {}
    void model(std::string_view, const schema::Meaning&, ModelSection&) override {}
    void list(std::string_view, const schema::Meaning&, std::vector<Expectation>&) override {}
    const Node::Entry& entry;
    bool is_found = false, is_default = false;
  };

  void check_item(const Expectation& expectation, const Node& item, const std::string& path) {
    const auto has = [&](std::string_view key) { return find_entry(item, key) != nullptr; };
    if (!has("metric"))
      problems_.add(item.place, path + ": no metric (name one, e.g. metric: validation_loss)");
    if (!has("value")) problems_.add(item.place, path + ": no value (write the number expected)");
    const bool is_near = expectation.compare == "near";
    if (is_near && !has("tolerance")) {
      problems_.add(item.place,
                    path + ": no tolerance (write one, 0 for exactly, or compare: at_least or at_most)");
    }
    if (!is_near && has("tolerance")) {
      problems_.add(item.place, path + ": a tolerance beside compare: " + expectation.compare +
                                    " (move the value instead)");
    }
  }

  const Node& map_;
  std::string path_;
  ModelKinds kinds_;
  Problems& problems_;
  // Those that may stand here, under today's and under old names; those that fit: read with these settings,
  // and not said yet.
  std::vector<std::string_view> keys_, old_keys_, fitting_;
};

class Filler : public schema::Visitor {
 public:
  void row(const schema::Row& row) override {
    if (!row.when.is_read) return;
    if (auto* const* number = std::get_if<std::int64_t*>(&row.member)) {
      const auto* const value = std::get_if<std::int64_t>(&row.follows.value);
      if (**number == 0 && value != nullptr) **number = *value;
    } else if (auto* const* text = std::get_if<std::string*>(&row.member)) {
      const auto* const value = std::get_if<std::string>(&row.follows.value);
      if ((*text)->empty() && value != nullptr) **text = *value;
    }
  }
  void section(std::string_view, const schema::Meaning&, const Rows& rows) override { rows(*this); }
  void section_of_kinds(std::string_view key, const schema::Meaning&, const ModelSection& model,
                        const Rows& rows) override {
    if (model.kind().reads(key)) rows(*this);
  }
  void model(std::string_view, const schema::Meaning&, ModelSection& model) override {
    model.settings().rows(*this);
  }
  void list(std::string_view, const schema::Meaning&, std::vector<Expectation>&) override {}
};

}  // namespace

void fill_in(Recipe& recipe) {
  Filler filler;
  schema::rows(filler, recipe);
  if (recipe.shared_tokenizer) recipe.target_tokenizer = recipe.source_tokenizer;
}

Recipe filled_in(Recipe recipe) {
  fill_in(recipe);
  return recipe;
}

// The keys that the command line sets, over those of the file.
static Recipe changed(Recipe recipe, ModelKinds kinds, const std::vector<std::string>& changes) {
  Problems problems("--set", names_of_changes(changes));
  const Node root = parse_changes(changes, problems);
  Reader reader(root, "", kinds, problems);
  schema::rows(reader, recipe);
  reader.finish();
  if (!problems.any()) check_together(filled_in(recipe), kinds, root, problems);
  problems.throw_if_any();
  return recipe;
}

Recipe parse_recipe(std::string_view text, std::string_view where, ModelKinds kinds, std::string_view scale,
                    const std::vector<std::string>& changes) {
  if (scale != "full" && scale != "quick") {
    throw UsageError("unknown scale " + quote(scale) + " (known: full, quick)");
  }
  Problems problems(where);
  const Node root = parse_document(text, problems);
  Recipe full;
  full.name = where == "-" ? "stdin" : std::filesystem::path(where).stem().string();
  full.model = ModelSection(*kinds.front());
  Reader reader(root, "", kinds, problems);
  schema::rows(reader, full);
  reader.also_known("quick");
  reader.finish();
  const bool is_full_sound = !problems.any();
  if (is_full_sound) check_together(filled_in(full), kinds, root, problems);
  Recipe quick = full;
  if (const Node::Entry* entry = find_entry(root, "quick")) {
    if (entry->value.kind == Node::Kind::map) {
      Reader quick_reader(entry->value, "quick", kinds, problems);
      schema::rows(quick_reader, quick);
      quick_reader.finish();
      if (!problems.any()) check_together(filled_in(quick), kinds, entry->value, problems);
    } else {
      problems.add(
          entry->value.kind == Node::Kind::null ? entry->place : entry->value.place,
          "quick: wanted a map, not " + std::string(describe(entry->value)) + " (write key: value below it)");
    }
  }
  problems.throw_if_any();
  const Recipe& chosen = scale == "quick" ? quick : full;
  return filled_in(changes.empty() ? chosen : changed(chosen, kinds, changes));
}

Recipe read_recipe(const std::filesystem::path& path, ModelKinds kinds, std::string_view scale,
                   const std::vector<std::string>& changes) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;
  std::string text;
  try {
    text = read_any_file(path, kMaxBytes);
  } catch (const Error& error) {
    throw UsageError(error.what());  // which recipe to run is part of the call
  }
  return parse_recipe(text, path.string(), kinds, scale, changes);
}

}  // namespace headwater
