// Reading: the tree of the document against the rows of schema.hpp, then what holds between keys.
#include "recipe/recipe.hpp"

#include <algorithm>

#include "recipe/document.hpp"
#include "recipe/section_reader.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater {

namespace {

class Filler : public schema::Visitor {
 public:
  void row(const schema::Row& row) override {
    if (!row.when.is_read) return;
    if (auto* const* number = std::get_if<std::int64_t*>(&row.member)) {
      const auto* const value = std::get_if<std::int64_t>(&row.follows.value);
      if (**number == 0 && value != nullptr) **number = *value;
    } else if (auto* const* text = std::get_if<std::string*>(&row.member)) {
      const auto* const value = std::get_if<std::string>(&row.follows.value);
      if ((*text)->empty() && value != nullptr) **text = *value;
    }
  }
  void section(std::string_view, const schema::Meaning&, const Rows& rows) override { rows(*this); }
  void section_of_kinds(std::string_view key, const schema::Meaning&, const ModelSection& model,
                        const Rows& rows) override {
    if (model.kind().reads(key)) rows(*this);
  }
  void model(std::string_view, const schema::Meaning&, ModelSection& model) override {
    model.settings().rows(*this);
  }
  void list(std::string_view, const schema::Meaning&, std::vector<Expectation>&) override {}
};

}  // namespace

void fill_in(Recipe& recipe) {
  Filler filler;
  schema::rows(filler, recipe);
  if (recipe.shared_tokenizer) recipe.target_tokenizer = recipe.source_tokenizer;
}

Recipe filled_in(Recipe recipe) {
  fill_in(recipe);
  return recipe;
}

// The keys that the command line sets, over those of the file.
static Recipe changed(Recipe recipe, ModelKinds kinds, const std::vector<std::string>& changes) {
  Problems problems("--set", names_of_changes(changes));
  const Node root = parse_changes(changes, problems);
  read_rows(root, "", kinds, recipe, problems);
  if (!problems.any()) check_together(filled_in(recipe), kinds, root, problems);
  problems.throw_if_any();
  return recipe;
}

Recipe parse_recipe(std::string_view text, std::string_view where, ModelKinds kinds, std::string_view scale,
                    const std::vector<std::string>& changes) {
  if (scale != "full" && scale != "quick") {
    throw UsageError("unknown scale " + quote(scale) + " (known: full, quick)");
  }
  Problems problems(where);
  const Node root = parse_document(text, problems);
  Recipe full;
  full.name = where == "-" ? "stdin" : std::filesystem::path(where).stem().string();
  full.model = ModelSection(*kinds.front());
  read_rows(root, "", kinds, full, problems, "quick");
  const bool is_full_sound = !problems.any();
  if (is_full_sound) check_together(filled_in(full), kinds, root, problems);
  Recipe quick = full;
  if (const Node::Entry* entry = find_entry(root, "quick")) {
    if (entry->value.kind == Node::Kind::map) {
      read_rows(entry->value, "quick", kinds, quick, problems);
      if (!problems.any()) check_together(filled_in(quick), kinds, entry->value, problems);
    } else {
      problems.add(
          entry->value.kind == Node::Kind::null ? entry->place : entry->value.place,
          "quick: wanted a map, not " + std::string(describe(entry->value)) + " (write key: value below it)");
    }
  }
  problems.throw_if_any();
  const Recipe& chosen = scale == "quick" ? quick : full;
  return filled_in(changes.empty() ? chosen : changed(chosen, kinds, changes));
}

// The tokenizers and terms of `model`, of the sections that it reads.
static void take_texts(const Recipe& model, Recipe& recipe) {
  const ModelKind& kind = model.model.kind();
  if (kind.reads("source_tokenizer")) recipe.source_tokenizer = model.source_tokenizer;
  if (kind.reads("target_tokenizer")) recipe.target_tokenizer = model.target_tokenizer;
  if (kind.reads("terms")) recipe.terms = model.terms;
}

Recipe parse_recipe_over(const Recipe& model, std::string_view text, std::string_view where, ModelKinds kinds,
                         std::string_view scale, const std::vector<std::string>& changes,
                         std::vector<std::string>& others) {
  Recipe recipe = parse_recipe(text, where, kinds, scale, changes);
  take_texts(model, recipe);
  Problems problems(where);  // all faults have been found above
  const Node root = parse_document(text, problems);
  read_rows(root, "", kinds, recipe, problems, "quick");
  if (const Node::Entry* quick = find_entry(root, "quick"); quick != nullptr && scale == "quick")
    read_rows(quick->value, "quick", kinds, recipe, problems);
  read_rows(parse_changes(changes, problems), "", kinds, recipe, problems);
  fill_in(recipe);

  Recipe there = recipe;
  take_texts(model, there);
  there.terms.output = recipe.terms.output;  // what stands for a term is up to this recipe
  if (!keeps_size(there.source_tokenizer.kind)) there.source_tokenizer.size = recipe.source_tokenizer.size;
  if (!keeps_size(there.target_tokenizer.kind)) there.target_tokenizer.size = recipe.target_tokenizer.size;
  others = differences(recipe, there);
  // Keys of tokenizers of another kind are no difference.
  std::erase_if(others, [](const std::string& other) {
    return other.ends_with(", absent there") || other.find(": absent here, ") != other.npos;
  });
  return recipe;
}

std::string recipe_text(const std::filesystem::path& path) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;
  try {
    return read_any_file(path, kMaxBytes);
  } catch (const Error& error) {
    throw UsageError(error.what());  // which recipe to run is part of the call
  }
}

Recipe read_recipe(const std::filesystem::path& path, ModelKinds kinds, std::string_view scale,
                   const std::vector<std::string>& changes) {
  return parse_recipe(recipe_text(path), path.string(), kinds, scale, changes);
}

namespace {

void put_at(Node& node, int line) {
  node.place = {line, 1};
  for (Node& item : node.items) put_at(item, line);
  for (Node::Entry& entry : node.entries) {
    entry.place = {line, 1};
    put_at(entry.value, line);
  }
}

Node value_of(const std::string& text, const std::string& called) {
  Problems problems("", {called});
  if (text.find_first_of("\r\n") != std::string::npos)
    problems.stop({1, 1}, "a line end (write the value in one line)");
  Node root = parse_document("value: " + text, problems);
  problems.throw_if_any();
  return std::move(root.entries.front().value);
}

Node::Entry* entry_of(Node& map, const std::string& key) {
  const auto found = std::find_if(map.entries.begin(), map.entries.end(),
                                  [&](const Node::Entry& entry) { return entry.key == key; });
  return found == map.entries.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> names_of_changes(const std::vector<std::string>& changes) {
  std::vector<std::string> names;
  for (const std::string& change : changes) names.push_back("--set " + visible(change));
  return names;
}

Node parse_changes(const std::vector<std::string>& changes, Problems& problems) {
  const std::vector<std::string> names = names_of_changes(changes);
  Node root;
  root.kind = Node::Kind::map;
  root.place = {0, 1};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const int line = static_cast<int>(i) + 1;
    const std::size_t equals = changes[i].find('=');
    if (equals == std::string::npos || equals == 0)
      problems.stop({line, 1}, "wanted KEY=VALUE (for instance --set training.epochs=3)");
    std::string path = changes[i].substr(0, equals);
    Node* map = &root;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.')) {
      Node::Entry* below = entry_of(*map, path.substr(0, dot));
      if (below == nullptr) {
        Node section;
        section.kind = Node::Kind::map;
        section.place = {line, 1};
        map->entries.push_back({path.substr(0, dot), {line, 1}, std::move(section)});
        below = &map->entries.back();
      }
      if (below->value.kind != Node::Kind::map)
        problems.stop({line, 1}, quote(path.substr(0, dot)) + " has a value already (remove one --set)");
      map = &below->value;
      path.erase(0, dot + 1);
    }
    if (entry_of(*map, path) != nullptr) {
      problems.add({line, 1}, quote(path) + " is set twice (remove one --set)");
      continue;
    }
    Node value = value_of(changes[i].substr(equals + 1), names[i]);
    put_at(value, line);
    map->entries.push_back({path, {line, 1}, std::move(value)});
  }
  return root;
}

}  // namespace headwater
