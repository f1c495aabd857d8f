// Reading: the tree of the document against the rows of schema.hpp, then what holds between keys.
#include "recipe/recipe.hpp"

#include <algorithm>
#include <filesystem>
#include <type_traits>

#include "recipe/consistency.hpp"
#include "recipe/document.hpp"
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
  if (std::find(rule.words.begin(), rule.words.end(), value) != rule.words.end()) return {};
  return "unknown value " + quote(value) + suggestion(value, rule.words);
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
      return *text == Text::required && value.empty() ? "an empty text (write one)" : "";
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
    std::string wrong = scalars::read(item, value);
    if (wrong.empty()) wrong = check(value, rule);
    if (wrong.empty() && std::find(values.begin(), values.end(), value) != values.end())
      wrong = quote(value) + " stands twice (remove one)";
    if (!wrong.empty()) add(item.place, wrong);
    values.push_back(std::move(value));
  }
  return values;
}

// Fills structs from a map.
class Reader : public schema::Visitor {
 public:
  Reader(const Node& map, std::string path, ModelKinds kinds, Problems& problems)
      : map_(map), path_(std::move(path)), kinds_(kinds), problems_(problems) {}

  void field(std::string_view key, schema::Member member, const schema::Rule& rule, std::string_view,
             const schema::When&) override {
    const Node::Entry* entry = find(key);
    if (entry == nullptr || is_empty(*entry)) return;
    std::visit([&](auto* to) { read_value(*entry, rule, *to); }, member);
  }

  void renamed(std::string_view key, std::string_view now) override {
    const Node::Entry* entry = find_entry(map_, key);
    if (entry == nullptr) return;
    keys_.push_back(key);
    if (is_off(*entry)) return;
    problems_.add(entry->place, name(key) + ": is called otherwise now (write " + std::string(now) + ")");
  }

  void section(std::string_view key, std::string_view, const Rows& rows) override {
    const Node::Entry* entry = find(key);
    if (entry == nullptr || is_empty(*entry) || !is_map(entry->value, name(key))) return;
    Reader below(entry->value, name(key), kinds_, problems_);
    rows(below);
    below.finish();
  }

  void section_of_kinds(std::string_view key, std::string_view meaning, const ModelSection&,
                        const Rows& rows) override {
    section(key, meaning, rows);
  }

  void model(std::string_view key, std::string_view, ModelSection& model) override {
    const Node::Entry* entry = find(key);
    if (entry == nullptr || is_empty(*entry) || !is_map(entry->value, name(key))) return;
    Reader below(entry->value, name(key), kinds_, problems_);
    below.read_kind(model);
    model.settings().rows(below);
    below.finish_model(model.kind());
  }

  void list(std::string_view key, std::string_view, std::vector<Expectation>& member) override {
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
  void also_known(std::string_view key) { keys_.push_back(key); }

  void finish() {
    for (const Node::Entry& entry : map_.entries) {
      if (std::find(keys_.begin(), keys_.end(), entry.key) == keys_.end()) add_unknown(entry);
    }
  }

 private:
  const Node::Entry* find(std::string_view key) {
    keys_.push_back(key);
    return find_entry(map_, key);
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

  void read_list(const Node::Entry& entry, const schema::Rule& rule, std::vector<std::string>& to) {
    const auto* const words = std::get_if<OneOf>(&rule);
    if (entry.value.kind != Node::Kind::sequence) {
      problems_.add(entry.value.place, name(entry.key) + ": wanted a list, not " +
                                           std::string(describe(entry.value)) + " (write [" +
                                           std::string(words ? words->words.front() : "a, b") + "])");
      return;
    }
    to = read_words(entry.value, rule, [&](Place place, const std::string& wrong) {
      problems_.add(place, name(entry.key) + ": " + wrong);
    });
    if (to.empty() && words != nullptr) {
      problems_.add(entry.value.place,
                    name(entry.key) + ": an empty list (known: " + join(words->words) + ")");
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
    OneOf names;
    for (const ModelKind* kind : kinds_) names.words.push_back(kind->name);
    std::string chosen(model.kind().name);
    field("kind", &chosen, names, {}, {});
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
    problems_.add(entry.place, what + suggestion(entry.key, keys_));
  }

  // Keys of other kinds of models may only say their defaults, as recipes printed by older versions do.
  void finish_model(const ModelKind& kind) {
    for (const Node::Entry& entry : map_.entries) {
      if (std::find(keys_.begin(), keys_.end(), entry.key) != keys_.end()) continue;
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
    void field(std::string_view key, schema::Member member, const schema::Rule&, std::string_view,
               const schema::When&) override {
      if (key != entry.key) return;
      is_found = true;
      std::visit(
          [&](auto* value) {
            using Value = std::decay_t<decltype(*value)>;
            if constexpr (!std::is_same_v<Value, std::vector<std::string>> &&
                          !std::is_same_v<Value, std::vector<std::int64_t>> &&
                          !std::is_same_v<Value, std::optional<double>>) {
              Value written{};
              is_default = scalars::read(entry.value, written).empty() && written == *value;
            }
          },
          member);
    }
    void renamed(std::string_view key, std::string_view) override {
      if (key != entry.key) return;
      is_found = true;
      is_default = is_off(entry);
    }
    void section(std::string_view, std::string_view, const Rows&) override {}
    void section_of_kinds(std::string_view, std::string_view, const ModelSection&, const Rows&) override {}
    void model(std::string_view, std::string_view, ModelSection&) override {}
    void list(std::string_view, std::string_view, std::vector<Expectation>&) override {}
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
  std::vector<std::string_view> keys_;
};

}  // namespace

Recipe parse_recipe(std::string_view text, std::string_view where, ModelKinds kinds, std::string_view scale) {
  if (scale != "full" && scale != "quick") {
    throw UsageError("unknown scale " + quote(scale) + " (known: full, quick)");
  }
  Problems problems(where);
  const Node root = parse_document(text, problems);
  Recipe full;
  full.name = std::filesystem::path(where).stem().string();
  full.model = ModelSection(*kinds.front());
  Reader reader(root, "", kinds, problems);
  schema::rows(reader, full);
  reader.also_known("quick");
  reader.finish();
  const bool is_full_sound = !problems.any();
  if (is_full_sound) check_together(full, kinds, root, problems);
  Recipe quick = full;
  if (const Node::Entry* entry = find_entry(root, "quick")) {
    if (entry->value.kind == Node::Kind::map) {
      Reader quick_reader(entry->value, "quick", kinds, problems);
      schema::rows(quick_reader, quick);
      quick_reader.finish();
      if (!problems.any()) check_together(quick, kinds, entry->value, problems);
    } else {
      problems.add(
          entry->value.kind == Node::Kind::null ? entry->place : entry->value.place,
          "quick: wanted a map, not " + std::string(describe(entry->value)) + " (write key: value below it)");
    }
  }
  problems.throw_if_any();
  return scale == "quick" ? quick : full;
}

Recipe read_recipe(const std::filesystem::path& path, ModelKinds kinds, std::string_view scale) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;
  std::string text;
  try {
    text = read_file(path, kMaxBytes);
  } catch (const Error& error) {
    throw UsageError(error.what());  // which recipe to run is part of the call
  }
  return parse_recipe(text, path.string(), kinds, scale);
}

}  // namespace headwater
