#include "recipe/reference.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>

#include "families/registry.hpp"
#include "recipe/row_text.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/split.hpp"
#include "text/learning/subword_learner.hpp"

using namespace headwater;

namespace {

// Every row of every kind of model, with what its section says.
class RowReader : public schema::Visitor {
 public:
  explicit RowReader(const std::function<void(const std::string&, const schema::Row&, std::string_view)>& f)
      : f_(f) {}
  void row(const schema::Row& row) override {
    f_(path_ + std::string(row.key), row, row.meaning.readers.empty() ? readers_ : row.meaning.readers);
  }
  void section(std::string_view key, const schema::Meaning& meaning, const Visitor::Rows& rows) override {
    const std::string outer = path_;
    const std::string_view outer_readers = readers_;
    CHECK_FALSE(meaning.text.empty());
    path_ += std::string(key) + ".";
    if (!meaning.readers.empty()) readers_ = meaning.readers;
    rows(*this);
    path_ = outer;
    readers_ = outer_readers;
  }
  void section_of_kinds(std::string_view key, const schema::Meaning& meaning, const ModelSection&,
                        const Visitor::Rows& rows) override {
    section(key, meaning, rows);
  }
  void model(std::string_view key, const schema::Meaning& meaning, ModelSection& model) override {
    section(key, meaning, [&](Visitor&) {
      std::string kind(model.kind().name);
      schema::kind_row(*this, model_kinds(), kind);
      model.settings().rows(*this);
    });
  }
  void list(std::string_view key, const schema::Meaning& meaning, std::vector<Expectation>&) override {
    Expectation item;
    section(key, meaning, [&](Visitor&) { schema::rows(*this, item); });
  }

 private:
  const std::function<void(const std::string&, const schema::Row&, std::string_view)>& f_;
  std::string path_;
  std::string_view readers_;
};

using UseRow = std::function<void(const std::string& path, const schema::Row&, std::string_view readers)>;

void for_each_row(const ModelKind& kind, const UseRow& use) {
  Recipe recipe;
  recipe.model = ModelSection(kind);
  RowReader rows(use);
  schema::rows(rows, recipe);
}

}  // namespace

TEST_CASE("every key says what it means and what reads it, every word what it does") {
  std::size_t keys = 0;
  const auto check = [&](const std::string& path, const schema::Row& row, std::string_view readers) {
    INFO(path);
    ++keys;
    CHECK_FALSE(row.meaning.text.empty());
    CHECK(row.meaning.text.find('|') == std::string_view::npos);  // it stands in a table
    CHECK_FALSE(readers.empty());
    if (const std::vector<schema::Word>* words = words_of(row)) {
      CHECK_FALSE(words->empty());
      for (const schema::Word& word : *words) {
        INFO(std::string(word.word));
        CHECK_FALSE(word.meaning.empty());
      }
    } else {
      CHECK_FALSE(range_of(row).empty());
    }
  };
  for (const ModelKind* kind : model_kinds()) for_each_row(*kind, check);
  CHECK(keys > 200);
}

TEST_CASE("every key of every kind of model stands in the reference, once, with the kinds that read it") {
  const std::string reference = recipe_reference(model_kinds());
  constexpr std::string_view kTitle = "### `", kRow = "| `", kSame = "The keys of `";
  std::map<std::string, std::string>
      row_of;  // each key's; in the section `model` its last column has the kinds
  std::string section;
  for (const std::string_view line : split(reference, '\n')) {
    const auto name_after = [&](std::string_view mark) {
      return std::string(line.substr(mark.size(), line.find('`', mark.size()) - mark.size()));
    };
    if (line.starts_with(kTitle)) section = name_after(kTitle) + ".";
    if (line.starts_with(kRow)) {
      const std::string key = section + name_after(kRow);
      INFO(key);
      CHECK(row_of.emplace(key, line.substr(0, line.size() - 2)).second);
    }
    if (!line.starts_with(kSame)) continue;
    std::map<std::string, std::string> same;
    const std::string of = name_after(kSame) + ".";
    for (const auto& [key, row] : row_of) {
      if (key.starts_with(of)) same.emplace(section + key.substr(of.size()), row);
    }
    CHECK(!same.empty());
    row_of.merge(same);
  }
  for (const ModelKind* kind : model_kinds()) {
    for_each_row(*kind, [&](const std::string& path, const schema::Row& row, std::string_view) {
      INFO(std::string(kind->name), ": ", path);
      REQUIRE(row_of.contains(path));
      const std::string& line = row_of.at(path);
      if (!path.starts_with("model.") || path == "model.kind") return;
      const std::string readers = line.substr(line.rfind(" | "));
      CHECK(readers.find(kind->name) != std::string::npos);
      if (const std::vector<schema::Word>* const words = words_of(row)) {
        for (const schema::Word& word : *words)
          CHECK(line.find("`" + std::string(word.word) + "`: ") != std::string::npos);
      }
    });
  }
}

TEST_CASE("recipes/keys.md has every key that a recipe may have") {
  const std::string page = read_file(HEADWATER_SOURCE_DIR "/recipes/keys.md");
  const std::string reference = recipe_reference(model_kinds());
  for (const char* word : {"learning_rate", "cosine", "adamw", "inverse_square_root"}) {
    INFO(word);
    CHECK(reference.find("`" + std::string(word) + "`") != std::string::npos);
  }
  // make pages writes it.
  CHECK(page.ends_with(reference));
}

TEST_CASE("a recipe may name every kind of subwords that can be learned, with the settings that it reads") {
  const auto is_read = [](const SubwordKind& kind, const std::string& setting) {
    try {
      (void)parse_recipe("source_tokenizer: {kind: " + std::string(kind.name) + setting + "}\n", "r.yaml");
      return true;
    } catch (const UsageError&) {
      return false;
    }
  };
  for (const SubwordKind& kind : subword_kinds()) {
    INFO(std::string(kind.name));
    CHECK(is_read(kind, ""));
    CHECK(is_read(kind, ", min_frequency: 3") == kind.has_min_frequency);
    CHECK(is_read(kind, ", character_coverage: 0.99") == kind.has_coverage);
    CHECK(is_read(kind, ", end_of_word_suffix: </w>") == kind.has_suffix);
  }
}
