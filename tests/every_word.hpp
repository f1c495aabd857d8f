// A model's settings with each word of their keys, so that a new word is tested without another list of
// words.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "recipe/key_values.hpp"
#include "recipe/recipe.hpp"

// The settings once for each word that a key of theirs could have instead, where it goes with the other keys;
// with its name, "norm: pre".
inline std::vector<std::pair<std::string, headwater::ModelSection>> with_every_word(
    headwater::ModelSection section) {
  using namespace headwater;
  class EachRow : public schema::Visitor {
   public:
    explicit EachRow(std::function<void(const schema::Row&)> f) : f_(std::move(f)) {}
    void row(const schema::Row& row) override { f_(row); }
    void section(std::string_view, const schema::Meaning&, const Rows& rows) override { rows(*this); }
    void section_of_kinds(std::string_view, const schema::Meaning&, const ModelSection&,
                          const Rows&) override {}
    void model(std::string_view, const schema::Meaning&, ModelSection&) override {}
    void list(std::string_view, const schema::Meaning&, std::vector<Expectation>&) override {}

   private:
    std::function<void(const schema::Row&)> f_;
  };
  std::vector<std::pair<std::string, ModelSection>> all;
  const auto add = [&](std::string_view key, std::string_view word) {
    ModelSection changed = section;
    EachRow change([&](const schema::Row& row) {
      if (row.key != key) return;
      if (const auto* const member = std::get_if<schema::EnumMember>(&row.member)) return member->set(word);
      *std::get<std::string*>(row.member) = word;
    });
    changed.settings().rows(change);
    bool fits = true;
    changed.settings().check({}, [&](auto&&...) { fits = false; });
    if (fits) all.emplace_back(std::string(key) + ": " + std::string(word), std::move(changed));
  };
  EachRow find([&](const schema::Row& row) {
    const auto* const words = std::get_if<schema::OneOf>(&row.rule);
    const bool is_list = std::holds_alternative<std::vector<std::string>*>(row.member);
    if (words == nullptr || is_list || !row.when.is_read) return;
    const std::optional<std::string> value = print_member(row.member);
    for (const std::string_view word : words->names()) {
      if (word != value) add(row.key, word);
    }
  });
  section.settings().rows(find);
  return all;
}
