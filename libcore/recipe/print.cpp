// Writing a recipe, and telling two apart: the rows of schema.hpp walked in their order.
#include <algorithm>

#include "recipe/recipe.hpp"
#include "recipe/scalars.hpp"
#include "recipe/schema.hpp"

namespace headwater {
namespace {

std::string print_value(const std::vector<std::string>& values) {
  std::string out = "[";
  for (const std::string& value : values) {
    if (out.size() > 1) out += ", ";
    out += scalars::print(value);
  }
  return out + "]";
}

template <class Value>
std::string print_value(const Value& value) {
  return scalars::print(value);
}

class Printer {
 public:
  template <class Value, class Rule>
  void field(std::string_view key, const Value& value, const Rule&) {
    line(key, print_value(value));
  }

  template <class Rule>
  void field(std::string_view key, const std::optional<double>& value, const Rule&) {
    if (value) line(key, print_value(*value));
  }

  template <class Section>
  void section(std::string_view key, Section& value) {
    ((out_ += indent_) += key) += ":\n";
    indent_ += "  ";
    schema::rows(*this, value);
    indent_.resize(indent_.size() - 2);
  }

  template <class Item>
  void list(std::string_view key, std::vector<Item>& items) {
    ((out_ += indent_) += key) += items.empty() ? ": []\n" : ":\n";
    indent_ += "    ";
    for (Item& item : items) {
      const std::size_t start = out_.size();
      schema::rows(*this, item);
      out_[start + indent_.size() - 2] = '-';
    }
    indent_.resize(indent_.size() - 4);
  }

  std::string take() { return std::move(out_); }

 private:
  void line(std::string_view key, std::string_view value) {
    ((((out_ += indent_) += key) += ": ") += value) += '\n';
  }

  std::string out_, indent_;
};

// A recipe as (path of the key, value as text), in order.
class Flattener {
 public:
  using Rows = std::vector<std::pair<std::string, std::string>>;

  template <class Value, class Rule>
  void field(std::string_view key, const Value& value, const Rule&) {
    rows_.emplace_back(prefix_ + std::string(key), print_value(value));
  }

  template <class Rule>
  void field(std::string_view key, const std::optional<double>& value, const Rule&) {
    if (value) rows_.emplace_back(prefix_ + std::string(key), print_value(*value));
  }

  template <class Section>
  void section(std::string_view key, Section& value) {
    below(std::string(key), value);
  }

  template <class Item>
  void list(std::string_view key, std::vector<Item>& items) {
    for (std::size_t i = 0; i < items.size(); ++i)
      below(std::string(key) + "[" + std::to_string(i) + "]", items[i]);
  }

  const Rows& rows() const { return rows_; }

 private:
  template <class Section>
  void below(const std::string& key, Section& value) {
    const std::string outer = prefix_;
    prefix_ += key + ".";
    schema::rows(*this, value);
    prefix_ = outer;
  }

  Rows rows_;
  std::string prefix_;
};

Flattener flatten(Recipe recipe) {
  Flattener flattener;
  schema::rows(flattener, recipe);
  return flattener;
}

}  // namespace

std::string print_recipe(const Recipe& recipe) {
  Recipe copy = recipe;  // the rows take members by reference to serve the reader too
  Printer printer;
  schema::rows(printer, copy);
  return printer.take();
}

std::vector<std::string> differences(const Recipe& here, const Recipe& there) {
  const Flattener ours = flatten(here);
  const Flattener theirs = flatten(there);
  const auto find = [](const Flattener& in, const std::string& key) {
    return std::find_if(in.rows().begin(), in.rows().end(),
                        [&](const auto& row) { return row.first == key; });
  };
  std::vector<std::string> out;
  for (const auto& [key, value] : ours.rows()) {
    const auto other = find(theirs, key);
    if (other == theirs.rows().end()) {
      out.push_back(key + ": " + value + " here, absent there");
    } else if (other->second != value) {
      out.push_back(key + ": " + value + " here, " + other->second + " there");
    }
  }
  for (const auto& [key, value] : theirs.rows()) {
    if (find(ours, key) == ours.rows().end()) out.push_back(key + ": absent here, " + value + " there");
  }
  return out;
}

}  // namespace headwater
