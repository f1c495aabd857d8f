// One value of a recipe against the rule of its row: scalars, lists, and weights of labels.
#include "recipe/section_reader.hpp"

#include <algorithm>
#include <type_traits>

#include "recipe/scalars.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"

namespace headwater {

namespace {

using schema::Between;
using schema::OneOf;
using schema::PathInData;
using schema::Text;

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
  return unknown_word("value", value, rule.fitting.empty() ? rule.names() : rule.fitting);
}

std::string check(const auto& value, const schema::Rule& rule) {
  using Value = std::decay_t<decltype(value)>;
  if (const auto* range = std::get_if<Between>(&rule)) {
    if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>)
      return check_range(value, *range);
  }
  if constexpr (std::is_same_v<Value, std::string>) {
    if (std::holds_alternative<PathInData>(rule)) return scalars::check_path(value);
    if (const auto* text = std::get_if<Text>(&rule))
      return *text != Text::any && value.empty() ? "an empty text (write one)" : "";
  }
  return {};
}

// A text, or one of the rule's words, whatever YAML takes it for: true and 0, too.
std::string read_text(const Node& node, const schema::Rule& rule, std::string& value) {
  if (const auto* words = std::get_if<OneOf>(&rule)) {
    value = node.text;
    if (node.kind == Node::Kind::scalar) return check_word(value, *words);
    return "wanted a word, not " + std::string(describe(node)) + " (known: " + joined(words->names()) + ")";
  }
  const std::string wrong = scalars::read(node, value);
  return wrong.empty() ? check(value, rule) : wrong;
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
      wrong = read_text(item, rule, value);
    }
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

// The value of one key.
class ValueReader {
 public:
  ValueReader(const Node::Entry& entry, const std::string& name, const schema::Rule& rule, Problems& problems)
      : value_(entry.value), name_(name), rule_(rule), problems_(problems) {}

  template <class Value>
  void read(Value* to) {
    Value value{};
    std::string wrong;
    if constexpr (std::is_same_v<Value, std::string>) {
      wrong = read_text(value_, rule_, value);
    } else {
      wrong = scalars::read(value_, value);
      if (wrong.empty()) wrong = check(value, rule_);
    }
    if (wrong.empty()) {
      *to = std::move(value);
    } else {
      add(wrong);
    }
  }

  void read(const schema::EnumMember& to) {
    std::string word = *to;
    read(&word);
    to.set(word);
  }

  void read(std::optional<double>* to) {
    double value = 0;
    read(&value);
    *to = value;
  }

  // A word of the rule, or a map of labels to numbers.
  void read(ClassWeights* to) {
    ClassWeights weights;
    if (value_.kind != Node::Kind::map) {
      read(&weights.word);
      *to = std::move(weights);
      return;
    }
    weights.word.clear();
    for (const Node::Entry& label : value_.entries) {
      double weight = 0;
      std::string wrong = scalars::read(label.value, weight);
      if (wrong.empty()) wrong = check_range(weight, Between{1e-6, 1e6, schema::kNoUnit});
      if (!wrong.empty()) problems_.add(label.place, name_ + "." + label.key + ": " + wrong);
      weights.of_labels.emplace_back(label.key, weight);
    }
    if (weights.of_labels.empty()) add("no labels (write {label: number}, or balanced)");
    *to = std::move(weights);
  }

  void read(std::vector<std::string>* to) {
    const auto* const words = std::get_if<OneOf>(&rule_);
    if (value_.kind != Node::Kind::sequence) {
      const std::string example =
          words != nullptr ? std::string(words->words.front().word) : std::string("a, b");
      const std::string written = as_list(value_);
      add("wanted a list, not " + std::string(describe(value_)) + " (write [" +
          (written.empty() ? example : written) + "])");
      return;
    }
    *to = read_words(value_, rule_, [&](Place place, const std::string& wrong) {
      problems_.add(place, name_ + ": " + wrong);
    });
    if (to->empty() && words != nullptr) add("an empty list (known: " + joined(words->names()) + ")");
  }

  void read(std::vector<std::int64_t>* to) {
    if (value_.kind != Node::Kind::sequence) {
      add("wanted a list, not " + std::string(describe(value_)) + " (write [128], or [])");
      return;
    }
    std::vector<std::int64_t> values;
    for (const Node& item : value_.items) {
      std::int64_t value = 0;
      std::string wrong = scalars::read(item, value);
      if (wrong.empty()) wrong = check(value, rule_);
      if (!wrong.empty()) problems_.add(item.place, name_ + ": " + wrong);
      values.push_back(value);
    }
    *to = std::move(values);
  }

 private:
  void add(const std::string& wrong) { problems_.add(value_.place, name_ + ": " + wrong); }

  const Node& value_;
  const std::string& name_;
  const schema::Rule& rule_;
  Problems& problems_;
};

}  // namespace

void read_value(const Node::Entry& entry, const std::string& name, const schema::Rule& rule,
                const schema::Member& to, Problems& problems) {
  ValueReader reader(entry, name, rule, problems);
  std::visit([&](auto member) { reader.read(member); }, to);
}

}  // namespace headwater
