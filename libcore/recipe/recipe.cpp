// Reading: the tree of the document against the rows of schema.hpp, then what holds between keys.
#include "recipe/recipe.hpp"

#include <algorithm>
#include <filesystem>
#include <type_traits>

#include "recipe/consistency.hpp"
#include "recipe/document.hpp"
#include "recipe/scalars.hpp"
#include "recipe/schema.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater {
namespace {

using schema::Anything;
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
std::string check(const Number& value, const Between& range) {
  static_assert(std::is_arithmetic_v<Number>);
  const double number = static_cast<double>(value);
  if (number >= range.least && number <= range.most) return {};
  const auto bound = [](double edge) {
    return std::is_integral_v<Number> ? std::to_string(static_cast<std::int64_t>(edge))
                                      : scalars::print(edge);
  };
  return scalars::print(value) + " is out of range (from " + bound(range.least) + " to " + bound(range.most) +
         ")";
}

std::string check(const std::string& value, const OneOf& rule) {
  if (std::find(rule.words.begin(), rule.words.end(), value) != rule.words.end()) return {};
  return "unknown value " + quote(value) + suggestion(value, rule.words);
}

std::string check(const std::string& value, PathInData) { return scalars::check_path(value); }

std::string check(const std::string& value, Text rule) {
  return rule == Text::needed && value.empty() ? "an empty text (write one)" : "";
}

template <class Value>
std::string check(const Value&, Anything) {
  return {};
}

// Fills a struct from a map.
class Reader {
 public:
  Reader(const Node& map, std::string path, Problems& problems)
      : map_(map), path_(std::move(path)), problems_(problems) {}

  template <class Value, class Rule>
  void field(std::string_view key, Value& member, const Rule& rule) {
    const Node::Entry* entry = find(key);
    if (entry == nullptr || is_empty(*entry)) return;
    Value value{};
    std::string wrong = scalars::read(entry->value, value);
    if (wrong.empty()) wrong = check(value, rule);
    if (wrong.empty()) {
      member = std::move(value);
    } else {
      problems_.add(entry->value.place, name(key) + ": " + wrong);
    }
  }

  template <class Rule>
  void field(std::string_view key, std::optional<double>& member, const Rule& rule) {
    double value = 0;
    const std::size_t before = keys_.size();
    if (find(key) == nullptr) return;
    keys_.resize(before);
    field(key, value, rule);
    member = value;
  }

  void field(std::string_view key, std::vector<std::string>& member, const OneOf& rule) {
    const Node::Entry* entry = find(key);
    if (entry == nullptr || is_empty(*entry)) return;
    if (entry->value.kind != Node::Kind::sequence) {
      problems_.add(entry->value.place, name(key) + ": wanted a list, not " +
                                            std::string(describe(entry->value)) + " (write [" +
                                            std::string(rule.words.front()) + "])");
      return;
    }
    std::vector<std::string> values;
    for (const Node& item : entry->value.items) {
      std::string value;
      std::string wrong = scalars::read(item, value);
      if (wrong.empty()) wrong = check(value, rule);
      if (wrong.empty() && std::find(values.begin(), values.end(), value) != values.end()) {
        wrong = quote(value) + " stands twice (remove one)";
      }
      if (!wrong.empty()) problems_.add(item.place, name(key) + ": " + wrong);
      values.push_back(std::move(value));
    }
    if (values.empty())
      problems_.add(entry->value.place, name(key) + ": an empty list (known: " + join(rule.words) + ")");
    member = std::move(values);
  }

  template <class Section>
  void section(std::string_view key, Section& member) {
    const Node::Entry* entry = find(key);
    if (entry == nullptr || is_empty(*entry) || !is_map(entry->value, name(key))) return;
    read_map(entry->value, name(key), member);
  }

  template <class Item>
  void list(std::string_view key, std::vector<Item>& member) {
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
      Item value{};
      if (is_map(item, path)) {
        read_map(item, path, value);
        check_item(value, item, path);
      }
      member.push_back(std::move(value));
    }
  }

  // A key that only the top level knows.
  void also_known(std::string_view key) { keys_.push_back(key); }

  void finish() {
    for (const Node::Entry& entry : map_.entries) {
      if (std::find(keys_.begin(), keys_.end(), entry.key) != keys_.end()) continue;
      std::string what = "unknown key " + quote(entry.key);
      if (!path_.empty()) what += " in " + quote(path_);
      problems_.add(entry.place, what + suggestion(entry.key, keys_));
    }
  }

 private:
  const Node::Entry* find(std::string_view key) {
    keys_.push_back(key);
    for (const Node::Entry& entry : map_.entries) {
      if (entry.key == key) return &entry;
    }
    return nullptr;
  }

  std::string name(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
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

  template <class Section>
  void read_map(const Node& map, const std::string& path, Section& member) {
    Reader reader(map, path, problems_);
    schema::rows(reader, member);
    reader.finish();
  }

  void check_item(const Expectation& expectation, const Node& item, const std::string& path) {
    const auto has = [&](std::string_view key) {
      return std::any_of(item.entries.begin(), item.entries.end(),
                         [&](const auto& e) { return e.key == key; });
    };
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
  Problems& problems_;
  std::vector<std::string_view> keys_;
};

const Node::Entry* find_entry(const Node& map, std::string_view key) {
  for (const Node::Entry& entry : map.entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

}  // namespace

Recipe parse_recipe(std::string_view text, std::string_view where, std::string_view scale) {
  if (scale != "full" && scale != "quick") {
    throw UsageError("unknown scale " + quote(scale) + " (known: full, quick)");
  }
  Problems problems(where);
  const Node root = parse_document(text, problems);
  Recipe full;
  full.name = std::filesystem::path(where).stem().string();
  Reader reader(root, "", problems);
  schema::rows(reader, full);
  reader.also_known("quick");
  reader.finish();
  const bool is_full_sound = !problems.any();
  if (is_full_sound) check_together(full, root, problems);
  Recipe quick = full;
  if (const Node::Entry* entry = find_entry(root, "quick")) {
    if (entry->value.kind == Node::Kind::map) {
      Reader quick_reader(entry->value, "quick", problems);
      schema::rows(quick_reader, quick);
      quick_reader.finish();
      if (!problems.any()) check_together(quick, entry->value, problems);
    } else {
      problems.add(
          entry->value.kind == Node::Kind::null ? entry->place : entry->value.place,
          "quick: wanted a map, not " + std::string(describe(entry->value)) + " (write key: value below it)");
    }
  }
  problems.throw_if_any();
  return scale == "quick" ? quick : full;
}

Recipe read_recipe(const std::filesystem::path& path, std::string_view scale) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20;
  std::string text;
  try {
    text = read_file(path, kMostBytes);
  } catch (const Error& error) {
    throw UsageError(error.what());  // which recipe to run is part of the call
  }
  return parse_recipe(text, path.string(), scale);
}

}  // namespace headwater
