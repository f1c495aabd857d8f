#include "recipe/reference.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "recipe/row_text.hpp"
#include "recipe/schema.hpp"
#include "support/name_list.hpp"

namespace headwater {

namespace {

// What kinds of models say of one thing: each text once, with the kinds that say it.
class Variants {
 public:
  void add(const std::string& text, std::string_view kind);
  // A text that not all of `kinds` say names those that do, or the others where they are fewer.
  std::string text(const std::vector<std::string_view>& kinds, std::string_view separator) const;
  // The kinds before each text.
  std::string after_kinds() const;

 private:
  struct Variant {
    std::string text;
    std::vector<std::string_view> kinds;
  };
  std::vector<Variant> texts_;
};

// A row of the page of all keys: a key of one section, or of several kinds of models.
struct KeyRow {
  std::string key;
  std::vector<std::string_view> kinds = {};
  // `conditions`: with which other keys a kind reads this one.
  Variants type = {}, standard = {}, allowed = {}, meaning = {}, conditions = {};

  // `kind` is empty outside of the section `model`; `readers` are those of the section.
  void add(const schema::Row& row, std::string_view kind, std::string_view readers);
  std::string text() const;
};

void Variants::add(const std::string& text, std::string_view kind) {
  auto found = std::ranges::find(texts_, text, &Variant::text);
  if (found == texts_.end()) found = texts_.insert(found, {text, {}});
  found->kinds.push_back(kind);
}

std::string Variants::text(const std::vector<std::string_view>& kinds, std::string_view separator) const {
  std::string out;
  for (const Variant& variant : texts_) {
    out += (out.empty() ? "" : std::string(separator)) + variant.text;
    std::vector<std::string_view> others;
    for (const std::string_view kind : kinds) {
      if (std::ranges::find(variant.kinds, kind) == variant.kinds.end()) others.push_back(kind);
    }
    if (others.empty()) continue;
    const bool are_few = others.size() < variant.kinds.size();
    out += are_few ? " (not of " + joined(others) + ")" : " (of " + joined(variant.kinds) + ")";
  }
  return out;
}

std::string Variants::after_kinds() const {
  std::string out;
  for (const Variant& variant : texts_) {
    out += (out.empty() ? "" : "; ") + joined(variant.kinds) + variant.text;
  }
  return out;
}

void KeyRow::add(const schema::Row& row, std::string_view kind, std::string_view readers) {
  kinds.push_back(kind);
  type.add(type_of(row), kind);
  const std::string value = default_of(row);
  standard.add(row.follows.from.empty() ? "`" + value + "`" : value, kind);
  if (const std::vector<schema::Word>* const words = words_of(row)) {
    for (const schema::Word& word : *words) {
      allowed.add("`" + std::string(word.word) + "`: " + std::string(word.meaning), kind);
    }
  } else {
    allowed.add(range_of(row), kind);
  }
  const bool names_kind = !kind.empty() && row.when.readers.starts_with(kind);
  std::string said = names_kind ? std::string(row.meaning.text) : meaning_of(row);
  if (!row.meaning.readers.empty() && row.meaning.readers != readers) {
    said += " (read by " + std::string(row.meaning.readers) + ")";
  }
  meaning.add(said, kind);
  conditions.add(names_kind ? std::string(row.when.readers.substr(kind.size())) : "", kind);
}

std::string KeyRow::text() const {
  return "| `" + key + "` | " + type.text(kinds, "; ") + " | " + standard.text(kinds, "; ") + " | " +
         allowed.text(kinds, "<br>") + " | " + meaning.text(kinds, "; ") + " |";
}

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
    titled(key, std::string(meaning.text) + " (of " + joined(names) + ")", meaning.readers, rows);
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
