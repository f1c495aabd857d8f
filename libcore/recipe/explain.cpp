// A recipe with what each key means as comments.
#include <algorithm>
#include <map>
#include <optional>

#include "recipe/key_values.hpp"
#include "recipe/reference.hpp"
#include "recipe/row_text.hpp"
#include "support/utf8.hpp"

namespace headwater {
namespace {

// The defaults of every key by its path, as texts.
class Defaults : public schema::Visitor {
 public:
  // The defaults of `kind`; that of model.kind itself is the kind that a recipe without it has.
  Defaults(const ModelKind& kind, std::string_view default_kind) : default_kind_(default_kind) {
    Recipe recipe;
    recipe.model = ModelSection(kind);
    schema::rows(*this, recipe);
  }
  const std::string& of(const std::string& path) const { return texts_.at(path); }

  void row(const schema::Row& row) override { texts_[path_ + std::string(row.key)] = default_of(row); }
  void section(std::string_view key, const schema::Meaning&, const Rows& rows) override {
    const std::string outer = path_;
    path_ += std::string(key) + ".";
    rows(*this);
    path_ = outer;
  }
  void section_of_kinds(std::string_view key, const schema::Meaning& meaning, const ModelSection&,
                        const Rows& rows) override {
    section(key, meaning, rows);
  }
  void model(std::string_view key, const schema::Meaning& meaning, ModelSection& model) override {
    section(key, meaning, [&](Visitor&) {
      std::string chosen(default_kind_);
      schema::kind_row(*this, {}, chosen);
      model.settings().rows(*this);
    });
  }
  void list(std::string_view key, const schema::Meaning& meaning, std::vector<Expectation>&) override {
    Expectation item;
    section(key, meaning, [&](Visitor&) { schema::rows(*this, item); });
  }

 private:
  std::string_view default_kind_;
  std::map<std::string, std::string> texts_;
  std::string path_;
};

// A recipe as YAML with what the page of all keys says as comments.
class Explainer : public schema::Visitor {
 public:
  Explainer(ModelKinds kinds, const Defaults& defaults) : kinds_(kinds), defaults_(defaults) {}

  void row(const schema::Row& row) override {
    if (!row.when.is_read) return;
    const std::optional<std::string> value = print_member(row.member);
    if (!value) return;
    if (!is_said_) explain(row, "");
    out_ += indent_ + std::string(row.key) + ": " + *value + "\n";
  }

  void section(std::string_view key, const schema::Meaning& meaning, const Rows& rows) override {
    below(key, meaning, "", rows);
  }

  void section_of_kinds(std::string_view key, const schema::Meaning& meaning, const ModelSection& model,
                        const Rows& rows) override {
    if (model.kind().reads(key)) section(key, meaning, rows);
  }

  void model(std::string_view key, const schema::Meaning& meaning, ModelSection& model) override {
    section(key, meaning, [&](Visitor&) {
      std::string chosen(model.kind().name);
      schema::kind_row(*this, kinds_, chosen);
      model.settings().rows(*this);
    });
  }

  // What an item's keys mean is said once, above the list.
  void list(std::string_view key, const schema::Meaning& meaning, std::vector<Expectation>& items) override {
    below(key, meaning, items.empty() ? " []" : "", [&](Visitor&) {
      indent_ += "  ";
      for (Expectation& item : items) {
        if (!is_said_) explain_item(item);
        is_said_ = true;
        const std::size_t start = out_.size();
        schema::rows(*this, item);
        out_[start + indent_.size() - 2] = '-';
      }
      is_said_ = false;
      indent_.resize(indent_.size() - 2);
    });
  }

  std::string take() { return std::move(out_); }

 private:
  void explain_item(Expectation& item) {
    struct OnlyComments : schema::Visitor {
      explicit OnlyComments(Explainer& to) : explainer(to) {}
      void row(const schema::Row& row) override { explainer.explain(row, std::string(row.key) + ": "); }
      void section(std::string_view, const schema::Meaning&, const Rows&) override {}
      void section_of_kinds(std::string_view, const schema::Meaning&, const ModelSection&,
                            const Rows&) override {}
      void model(std::string_view, const schema::Meaning&, ModelSection&) override {}
      void list(std::string_view, const schema::Meaning&, std::vector<Expectation>&) override {}
      Explainer& explainer;
    } comments(*this);
    schema::rows(comments, item);
  }

  void below(std::string_view key, const schema::Meaning& meaning, std::string_view rest, const Rows& rows) {
    const std::string outer_path = path_, outer_indent = indent_;
    const std::string_view outer_readers = readers_;
    if (!meaning.readers.empty()) readers_ = meaning.readers;
    path_ += std::string(key) + ".";
    out_ += "\n";
    comment("", std::string(meaning.text));
    out_ += indent_ + std::string(key) + ":" + std::string(rest) + "\n";
    indent_ += "  ";
    rows(*this);
    path_ = outer_path;
    indent_ = outer_indent;
    readers_ = outer_readers;
  }

  std::string said_of(const schema::Row& row) const {
    const std::string range = range_of(row);
    const std::string_view readers = row.meaning.readers.empty() ? readers_ : row.meaning.readers;
    return type_of(row) + (range.empty() ? "" : ", " + range) + "; default " +
           defaults_.of(path_ + std::string(row.key)) + "; read by " + std::string(readers);
  }

  void comment_words(const schema::Row& row) {
    const std::vector<schema::Word>* const words = words_of(row);
    if (words == nullptr) return;
    for (const schema::Word& word : *words)
      comment("  ", std::string(word.word) + ": " + std::string(word.meaning));
  }

  void explain(const schema::Row& row, const std::string& name) {
    comment("", name + meaning_of(row));
    comment("", said_of(row));
    comment_words(row);
  }

  // Lines of at most 110 characters; what goes on stands two further in.
  void comment(std::string_view inner, std::string_view text) {
    constexpr std::size_t kMost = 110;
    std::string start = indent_ + "# " + std::string(inner);
    std::string line = start;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      const std::string_view word = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.size() > start.size() && count_code_points(line) + 1 + count_code_points(word) > kMost) {
        out_ += line + "\n";
        start = indent_ + "# " + std::string(inner) + "  ";
        line = start;
      }
      line += (line.size() > start.size() ? " " : "") + std::string(word);
    }
    out_ += line + "\n";
  }

  ModelKinds kinds_;
  const Defaults& defaults_;
  std::string out_, indent_, path_;
  std::string_view readers_;
  bool is_said_ = false;
};

}  // namespace

std::string explain_recipe(const Recipe& recipe, ModelKinds kinds) {
  Recipe copy = filled_in(recipe);
  const Defaults defaults(recipe.model.kind(), kinds.front()->name);
  Explainer explainer(kinds, defaults);
  schema::rows(explainer, copy);
  return explainer.take();
}

}  // namespace headwater
