#include "recipe/reference.hpp"

#include "recipe/scalars.hpp"

namespace headwater {
namespace {

const char* type_of(const schema::Member& member) {
  return std::visit(
      [](const auto* value) {
        using Value = std::decay_t<decltype(*value)>;
        if constexpr (std::is_same_v<Value, bool>) return "truth value";
        if constexpr (std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, std::uint64_t>)
          return "whole number";
        if constexpr (std::is_same_v<Value, std::vector<std::string>>) return "list of words";
        if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) return "list of whole numbers";
        if constexpr (std::is_same_v<Value, std::string>) return "text";
        return "number";
      },
      member);
}

std::string default_of(const schema::Member& member) {
  return std::visit(
      [](const auto* value) -> std::string {
        using Value = std::decay_t<decltype(*value)>;
        if constexpr (std::is_same_v<Value, std::optional<double>>) {
          return *value ? scalars::print(**value) : "none";
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
          std::string out = "[";
          for (const std::string& word : *value) out += (out.size() > 1 ? ", " : "") + word;
          return out + "]";
        } else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) {
          std::string out = "[";
          for (const std::int64_t number : *value)
            out += (out.size() > 1 ? ", " : "") + scalars::print(number);
          return out + "]";
        } else if constexpr (std::is_same_v<Value, std::string>) {
          return value->empty() ? "none" : *value;
        } else {
          return scalars::print(*value);
        }
      },
      member);
}

std::string allowed_by(const schema::Rule& rule, const schema::Member& member) {
  if (const auto* const range = std::get_if<schema::Between>(&rule)) {
    const bool is_whole = std::string_view(type_of(member)).find("whole number") != std::string_view::npos;
    const auto bound = [&](double edge) {
      return is_whole ? scalars::print(static_cast<std::int64_t>(edge)) : scalars::print(edge);
    };
    return bound(range->min) + " to " + bound(range->max);
  }
  if (const auto* const words = std::get_if<schema::OneOf>(&rule)) {
    std::string out;
    for (const std::string_view word : words->words)
      out += (out.empty() ? "`" : ", `") + std::string(word) + "`";
    return out;
  }
  if (std::holds_alternative<schema::PathInData>(rule)) return "a path below the data root";
  return "";
}

class Reference : public schema::Visitor {
 public:
  explicit Reference(ModelKinds kinds) : kinds_(kinds) {}

  void field(std::string_view key, schema::Member member, const schema::Rule& rule, std::string_view meaning,
             const schema::When& when) override {
    std::string said(meaning);
    if (!when.readers.empty()) said += "; of " + when.readers;
    tables_[table_] += "| `" + std::string(key) + "` | " + type_of(member) + " | `" + default_of(member) +
                       "` | " + allowed_by(rule, member) + " | " + said + " |\n";
  }

  void section(std::string_view key, std::string_view meaning, const Rows& rows) override {
    const std::size_t outer = table_;
    const std::string outer_path = path_;
    path_ += (path_.empty() ? "" : ".") + std::string(key);
    begin("`" + path_ + "`: " + std::string(meaning));
    rows(*this);
    path_ = outer_path;
    table_ = outer;
  }

  void section_of_kinds(std::string_view key, std::string_view meaning, const ModelSection&,
                        const Rows& rows) override {
    std::string readers;
    for (const ModelKind* kind : kinds_) {
      if (kind->reads(key)) readers += (readers.empty() ? "" : ", ") + std::string(kind->name);
    }
    section(key, std::string(meaning) + " (of " + readers + ")", rows);
  }

  void model(std::string_view key, std::string_view meaning, ModelSection&) override {
    for (const ModelKind* kind : kinds_) {
      section(key, std::string(meaning) + ", with `kind: " + std::string(kind->name) + "`",
              [&](Visitor&) { kind->defaults()->rows(*this); });
    }
  }

  void list(std::string_view key, std::string_view meaning, std::vector<Expectation>&) override {
    Expectation item;
    section(key, std::string(meaning) + " (a list of)", [&](Visitor&) { schema::rows(*this, item); });
  }

  void begin(const std::string& title) {
    table_ = tables_.size();
    tables_.push_back("\n### " + title +
                      "\n\n| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n");
  }

  std::string text() const {
    std::string all;
    for (const std::string& table : tables_) all += table;
    return all;
  }

 private:
  ModelKinds kinds_;
  std::vector<std::string> tables_;
  std::size_t table_ = 0;  // the one that fields go to
  std::string path_;
};

}  // namespace

std::string recipe_reference(ModelKinds kinds) {
  Recipe defaults;
  defaults.model = ModelSection(*kinds.front());
  Reference reference(kinds);
  reference.begin("Top level");
  schema::rows(reference, defaults);
  return reference.text();
}

}  // namespace headwater
