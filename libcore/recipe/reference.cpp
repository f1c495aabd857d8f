#include "recipe/reference.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "recipe/key_values.hpp"
#include "recipe/row_text.hpp"
#include "support/utf8.hpp"

namespace headwater {
namespace {

std::string allowed_by(const schema::Row& row) {
  const std::vector<schema::Word>* const words = words_of(row);
  if (words == nullptr) return range_of(row);
  std::string out;
  for (const schema::Word& word : *words) {
    out += (out.empty() ? "`" : "<br>`") + std::string(word.word) + "`: " + std::string(word.meaning);
  }
  return out;
}

class Reference : public schema::Visitor {
 public:
  explicit Reference(ModelKinds kinds) : kinds_(kinds) {}

  void row(const schema::Row& row) override {
    const std::string said = default_of(row);
    const std::string standard = row.follows.from.empty() ? "`" + said + "`" : said;
    const std::string_view readers = row.meaning.readers.empty() ? readers_ : row.meaning.readers;
    tables_[table_] += "| `" + std::string(row.key) + "` | " + type_of(row) + " | " + standard + " | " +
                       allowed_by(row) + " | " + meaning_of(row) + " | " + std::string(readers) + " |\n";
  }

  void section(std::string_view key, const schema::Meaning& meaning, const Rows& rows) override {
    titled(key, std::string(meaning.text), meaning.readers, rows);
  }

  void section_of_kinds(std::string_view key, const schema::Meaning& meaning, const ModelSection&,
                        const Rows& rows) override {
    std::string kinds;
    for (const ModelKind* kind : kinds_) {
      if (kind->reads(key)) kinds += (kinds.empty() ? "" : ", ") + std::string(kind->name);
    }
    titled(key, std::string(meaning.text) + " (of " + kinds + ")", meaning.readers, rows);
  }

  void model(std::string_view key, const schema::Meaning& meaning, ModelSection&) override {
    titled(key, std::string(meaning.text), meaning.readers, [&](Visitor&) {
      std::string chosen(kinds_.front()->name);
      schema::kind_row(*this, kinds_, chosen);
    });
    for (const ModelKind* kind : kinds_) {
      titled(key, std::string(meaning.text) + ", with `kind: " + std::string(kind->name) + "`",
             meaning.readers, [&](Visitor&) { kind->defaults()->rows(*this); });
    }
  }

  void list(std::string_view key, const schema::Meaning& meaning, std::vector<Expectation>&) override {
    Expectation item;
    titled(key, std::string(meaning.text) + " (a list of)", meaning.readers,
           [&](Visitor&) { schema::rows(*this, item); });
  }

  void begin(const std::string& title) {
    table_ = tables_.size();
    tables_.push_back(
        "\n### " + title +
        "\n\n| key | type | default | allowed | meaning | read by |\n|---|---|---|---|---|---|\n");
  }

  std::string text() const {
    std::string all;
    for (const std::string& table : tables_) all += table;
    return all;
  }

 private:
  void titled(std::string_view key, const std::string& title, std::string_view readers, const Rows& rows) {
    const std::size_t outer = table_;
    const std::string outer_path = path_;
    const std::string_view outer_readers = readers_;
    path_ += (path_.empty() ? "" : ".") + std::string(key);
    if (!readers.empty()) readers_ = readers;
    begin("`" + path_ + "`: " + title);
    rows(*this);
    path_ = outer_path;
    readers_ = outer_readers;
    table_ = outer;
  }

  ModelKinds kinds_;
  std::vector<std::string> tables_;
  std::size_t table_ = 0;  // the one that fields go to
  std::string path_;
  std::string_view readers_;  // of the section
};

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

std::string recipe_reference(ModelKinds kinds) {
  Recipe defaults;  // of no kind of model: the keys of all
  Reference reference(kinds);
  reference.begin("Top level");
  schema::rows(reference, defaults);
  return reference.text();
}

std::string explain_recipe(const Recipe& recipe, ModelKinds kinds) {
  Recipe copy = filled_in(recipe);
  const Defaults defaults(recipe.model.kind(), kinds.front()->name);
  Explainer explainer(kinds, defaults);
  schema::rows(explainer, copy);
  return explainer.take();
}

}  // namespace headwater
