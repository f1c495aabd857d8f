#include "recipe/reference.hpp"

#include <algorithm>
#include <iterator>

#include "recipe/key_row.hpp"

namespace headwater {
namespace {

class Reference : public schema::Visitor {
 public:
  explicit Reference(ModelKinds kinds) : kinds_(kinds) {}

  // A key that an earlier kind has too joins its row; another one follows the key before it.
  void row(const schema::Row& row) override {
    std::vector<KeyRow>& rows = tables_[table_].rows;
    auto found = std::ranges::find(rows, row.key, &KeyRow::key);
    if (found == rows.end()) found = rows.insert(rows.begin() + last_, {.key = std::string(row.key)});
    found->add(row, kind_, readers_);
    last_ = found - rows.begin() + 1;
  }

  void section(std::string_view key, const schema::Meaning& meaning, const Rows& rows) override {
    titled(key, std::string(meaning.text), meaning.readers, rows);
  }

  void section_of_kinds(std::string_view key, const schema::Meaning& meaning, const ModelSection&,
                        const Rows& rows) override {
    std::vector<std::string_view> names;
    for (const ModelKind* kind : kinds_) {
      if (kind->reads(key)) names.push_back(kind->name);
    }
    titled(key, std::string(meaning.text) + " (of " + joined_by_commas(names) + ")", meaning.readers, rows);
  }

  void model(std::string_view key, const schema::Meaning& meaning, ModelSection&) override {
    titled(key, std::string(meaning.text), meaning.readers, [&](Visitor&) {
      std::string chosen(kinds_.front()->name);
      schema::kind_row(*this, kinds_, chosen);
      tables_[table_].has_kinds = true;
      for (const ModelKind* kind : kinds_) {
        kind_ = kind->name;
        last_ = std::ssize(tables_[table_].rows);  // keys before any that an earlier kind has: at the end
        kind->defaults()->rows(*this);
      }
      kind_ = {};
    });
  }

  void list(std::string_view key, const schema::Meaning& meaning, std::vector<Expectation>&) override {
    Expectation item;
    titled(key, std::string(meaning.text) + " (a list of)", meaning.readers,
           [&](Visitor&) { schema::rows(*this, item); });
  }

  void begin(const std::string& name, const std::string& rest = "") {
    table_ = tables_.size();
    last_ = 0;
    tables_.push_back({.name = name, .title = name + rest});
  }

  // A table that says the same as an earlier one names it.
  std::string text() const {
    std::string all;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const std::string rows = tables_[i].text();
      std::size_t same = 0;
      while (tables_[same].text() != rows) ++same;
      all += "\n### " + tables_[i].title + "\n\n" +
             (same < i ? "The keys of " + tables_[same].name + ".\n" : rows);
    }
    return all;
  }

 private:
  struct Table {
    std::string name;  // in backquotes
    std::string title;
    std::vector<KeyRow> rows = {};
    bool has_kinds = false;

    std::string text() const {
      std::string all = std::string("| key | type | default | allowed | meaning |") +
                        (has_kinds ? " of |\n|---|" : "\n|") + "---|---|---|---|---|\n";
      for (const KeyRow& row : rows) {
        all += row.text() + (has_kinds ? " " + row.conditions.after_kinds() + " |\n" : "\n");
      }
      return all;
    }
  };

  void titled(std::string_view key, const std::string& title, std::string_view readers, const Rows& rows) {
    const std::size_t outer = table_;
    const std::ptrdiff_t outer_last = last_;
    const std::string outer_path = path_;
    const std::string_view outer_readers = readers_;
    path_ += (path_.empty() ? "" : ".") + std::string(key);
    if (!readers.empty()) readers_ = readers;
    begin("`" + path_ + "`", ": " + title + "; read by " + std::string(readers_));
    rows(*this);
    path_ = outer_path;
    readers_ = outer_readers;
    table_ = outer;
    last_ = outer_last;
  }

  ModelKinds kinds_;
  std::vector<Table> tables_;
  std::size_t table_ = 0;    // the one that fields go to
  std::ptrdiff_t last_ = 0;  // where a new key goes
  std::string path_;
  std::string_view readers_;  // of the section
  std::string_view kind_;     // whose keys are read; empty outside of the section `model`
};

}  // namespace

std::string recipe_reference(ModelKinds kinds) {
  Recipe defaults;  // of no kind of model: the keys of all
  Reference reference(kinds);
  reference.begin("Top level");
  schema::rows(reference, defaults);
  return reference.text();
}

}  // namespace headwater
