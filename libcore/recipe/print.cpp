// Writing a recipe, and telling two apart: its rows walked in their order.
#include <algorithm>

#include "recipe/key_values.hpp"
#include "recipe/recipe.hpp"
#include "recipe/scalars.hpp"

namespace headwater {

std::optional<std::string> print_member(const schema::Member& member) {
  return std::visit(
      [](auto value) -> std::optional<std::string> {
        using Value = std::decay_t<decltype(*value)>;
        if constexpr (std::is_same_v<Value, std::optional<double>>) {
          return *value ? std::optional(scalars::print(**value)) : std::nullopt;
        } else if constexpr (std::is_same_v<Value, ClassWeights>) {
          if (!value->word.empty()) return value->word;
          std::string out = "{";
          for (const auto& [label, weight] : value->of_labels)
            out += (out.size() > 1 ? ", " : "") + scalars::print(label) + ": " + scalars::print(weight);
          return out + "}";
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>> ||
                             std::is_same_v<Value, std::vector<std::int64_t>>) {
          std::string out = "[";
          for (const auto& item : *value) out += (out.size() > 1 ? ", " : "") + scalars::print(item);
          return out + "]";
        } else {
          return scalars::print(*value);
        }
      },
      member);
}

namespace {

class Printer : public schema::Visitor {
 public:
  void row(const schema::Row& row) override {
    if (!row.when.is_read) return;
    if (const std::optional<std::string> value = print_member(row.member)) line(row.key, *value);
  }

  void section(std::string_view key, const schema::Meaning&, const Rows& rows) override {
    ((out_ += indent_) += key) += ":\n";
    indent_ += "  ";
    rows(*this);
    indent_.resize(indent_.size() - 2);
  }

  void section_of_kinds(std::string_view key, const schema::Meaning& meaning, const ModelSection& model,
                        const Rows& rows) override {
    if (model.kind().reads(key)) section(key, meaning, rows);
  }

  void model(std::string_view key, const schema::Meaning& meaning, ModelSection& model) override {
    section(key, meaning, [&](Visitor&) {
      line("kind", model.kind().name);
      model.settings().rows(*this);
    });
  }

  void list(std::string_view key, const schema::Meaning&, std::vector<Expectation>& items) override {
    ((out_ += indent_) += key) += items.empty() ? ": []\n" : ":\n";
    indent_ += "    ";
    for (Expectation& item : items) {
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

class Flattener : public schema::Visitor {
 public:
  explicit Flattener(WhichKeys which) : which_(which) {}

  void row(const schema::Row& row) override {
    if (!row.when.is_read && which_ == WhichKeys::read) return;
    if (std::optional<std::string> value = print_member(row.member))
      values_.emplace_back(prefix_ + std::string(row.key), std::move(*value));
  }

  void section(std::string_view key, const schema::Meaning&, const Rows& rows) override {
    below(std::string(key), [&] { rows(*this); });
  }

  void section_of_kinds(std::string_view key, const schema::Meaning& meaning, const ModelSection& model,
                        const Rows& rows) override {
    if (which_ == WhichKeys::all || model.kind().reads(key)) section(key, meaning, rows);
  }

  void model(std::string_view key, const schema::Meaning&, ModelSection& model) override {
    below(std::string(key), [&] {
      values_.emplace_back(prefix_ + "kind", std::string(model.kind().name));
      model.settings().rows(*this);
    });
  }

  void list(std::string_view key, const schema::Meaning&, std::vector<Expectation>& items) override {
    for (std::size_t i = 0; i < items.size(); ++i)
      below(std::string(key) + "[" + std::to_string(i) + "]", [&] { schema::rows(*this, items[i]); });
  }

  KeyValues take() { return std::move(values_); }

 private:
  template <class F>
  void below(const std::string& key, const F& rows) {
    const std::string outer = prefix_;
    prefix_ += key + ".";
    rows();
    prefix_ = outer;
  }

  WhichKeys which_;
  KeyValues values_;
  std::string prefix_;
};

// Takes back what follows from other keys, as if it had not been said.
class Forgetter : public schema::Visitor {
 public:
  void row(const schema::Row& row) override {
    if (row.follows.from.empty()) return;
    if (auto* const* const number = std::get_if<std::int64_t*>(&row.member)) **number = 0;
    if (auto* const* const text = std::get_if<std::string*>(&row.member)) (*text)->clear();
  }
  void section(std::string_view, const schema::Meaning&, const Rows& rows) override { rows(*this); }
  void section_of_kinds(std::string_view, const schema::Meaning&, const ModelSection&,
                        const Rows& rows) override {
    rows(*this);
  }
  void model(std::string_view, const schema::Meaning&, ModelSection& model) override {
    model.settings().rows(*this);
  }
  void list(std::string_view, const schema::Meaning&, std::vector<Expectation>&) override {}
};

}  // namespace

KeyValues chosen_values(const Recipe& recipe) {
  KeyValues values = key_values(filled_in(recipe), WhichKeys::read);
  Recipe without = recipe;
  Forgetter forgetter;
  schema::rows(forgetter, without);
  const KeyValues taken = key_values(without, WhichKeys::all),
                  again = key_values(filled_in(std::move(without)), WhichKeys::all);
  // What was taken back and comes again by itself. All keys stand in one order.
  std::size_t at = 0;
  std::erase_if(values, [&](const auto& row) {
    while (at < again.size() && again[at].first != row.first) ++at;
    return at < again.size() && again[at].second == row.second && taken[at].second != row.second;
  });
  return values;
}

KeyValues key_values(Recipe recipe, WhichKeys which) {
  Flattener flattener(which);
  schema::rows(flattener, recipe);
  return flattener.take();
}

KeyValues key_values(ModelSettings& settings) {
  Flattener flattener(WhichKeys::read);
  settings.rows(flattener);
  return flattener.take();
}

std::string print_recipe(const Recipe& recipe) {
  Recipe copy = filled_in(recipe);
  Printer printer;
  schema::rows(printer, copy);
  return printer.take();
}

std::vector<std::string> differences(const Recipe& here, const Recipe& there) {
  const KeyValues ours = key_values(filled_in(here), WhichKeys::read),
                  theirs = key_values(filled_in(there), WhichKeys::read);
  const auto find = [](const KeyValues& in, const std::string& key) {
    return std::find_if(in.begin(), in.end(), [&](const auto& row) { return row.first == key; });
  };
  std::vector<std::string> out;
  for (const auto& [key, value] : ours) {
    const auto other = find(theirs, key);
    if (other == theirs.end()) {
      out.push_back(key + ": " + value + " here, absent there");
    } else if (other->second != value) {
      out.push_back(key + ": " + value + " here, " + other->second + " there");
    }
  }
  for (const auto& [key, value] : theirs) {
    if (find(ours, key) == ours.end()) out.push_back(key + ": absent here, " + value + " there");
  }
  return out;
}

bool operator==(const ModelSection& a, const ModelSection& b) {
  if (a.kind_ != b.kind_) return false;
  if (a.kind_ == nullptr) return true;
  return key_values(*a.settings_->clone()) == key_values(*b.settings_->clone());
}

}  // namespace headwater
