#include "recipe/section_reader.hpp"

#include <algorithm>
#include <type_traits>

#include "recipe/key_values.hpp"
#include "recipe/scalars.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"

namespace headwater {
namespace {

bool is_off(const Node::Entry& entry) {
  bool is_on = true;
  std::int64_t number = 1;
  return (scalars::read(entry.value, is_on).empty() && !is_on) ||
         (scalars::read(entry.value, number).empty() && number == 0);
}

// Takes nothing as the value of a key that may be empty: a list, the path of a file, a text of any kind.
bool takes_nothing(const schema::Row& row) {
  if (auto* const* const list = std::get_if<std::vector<std::string>*>(&row.member)) {
    (*list)->clear();
    return true;
  }
  auto* const* const value = std::get_if<std::string*>(&row.member);
  const auto* const text = std::get_if<schema::Text>(&row.rule);
  const bool may_be_empty =
      text != nullptr ? *text == schema::Text::any : std::holds_alternative<schema::PathInData>(row.rule);
  if (value == nullptr || !may_be_empty) return false;
  (*value)->clear();
  return true;
}

// Fills structs from a map.
class Reader : public schema::Visitor {
 public:
  Reader(const Node& map, std::string path, ModelKinds kinds, Problems& problems)
      : map_(map), path_(std::move(path)), kinds_(kinds), problems_(problems) {
    for (const Node::Entry& entry : map.entries)
      if (!entry.is_key_plain)
        problems.add(entry.place, "a key in quotes, " + quote(entry.key) + " (remove the quotes)");
  }

  void row(const schema::Row& row) override {
    const Node::Entry* entry = find(row.key, row.when.is_read);
    if (entry == nullptr) return;
    // `--set training.init_from=` takes away what a recipe begins with, `data.test=` its test.
    if (entry->value.kind == Node::Kind::null && takes_nothing(row)) return;
    if (!is_empty(*entry)) read_value(*entry, name(row.key), row.rule, row.member, problems_);
  }

  void renamed(std::string_view key, std::string_view now) override {
    const Node::Entry* entry = find_entry(map_, key);
    if (entry == nullptr) return;
    old_keys_.push_back(key);
    if (is_off(*entry)) return;
    problems_.add(entry->place, name(key) + ": is called otherwise now (write " + std::string(now) + ")");
  }

  void section(std::string_view key, const schema::Meaning&, const Rows& rows) override {
    const Node::Entry* entry = find(key);
    if (entry == nullptr || is_empty(*entry) || !is_map(entry->value, name(key))) return;
    Reader below(entry->value, name(key), kinds_, problems_);
    rows(below);
    below.finish();
  }

  void section_of_kinds(std::string_view key, const schema::Meaning& meaning, const ModelSection& model,
                        const Rows& rows) override {
    section(key, meaning, rows);
    if (!model.kind().reads(key)) fitting_.pop_back();
  }

  void model(std::string_view key, const schema::Meaning&, ModelSection& model) override {
    const Node::Entry* entry = find(key);
    if (entry == nullptr || is_empty(*entry) || !is_map(entry->value, name(key))) return;
    Reader below(entry->value, name(key), kinds_, problems_);
    below.read_kind(model);
    model.settings().rows(below);
    below.finish_model(model.kind());
  }

  void list(std::string_view key, const schema::Meaning&, std::vector<Expectation>& member) override {
    const Node::Entry* entry = find(key);
    if (entry == nullptr || is_empty(*entry)) return;
    if (entry->value.kind != Node::Kind::sequence) {
      problems_.add(entry->value.place, name(key) + ": wanted a list, not " +
                                            std::string(describe(entry->value)) +
                                            " (begin each item with a dash)");
      return;
    }
    member.clear();
    for (const Node& item : entry->value.items) {
      const std::string path = name(key) + "[" + std::to_string(member.size()) + "]";
      Expectation value{};
      if (is_map(item, path)) {
        Reader below(item, path, kinds_, problems_);
        schema::rows(below, value);
        below.finish();
        check_item(value, item, path);
      }
      member.push_back(std::move(value));
    }
  }

  // A key that only the top level knows.
  void also_known(std::string_view key) { find(key); }

  void finish() {
    for (const Node::Entry& entry : map_.entries) {
      if (!is_known(entry.key)) add_unknown(entry);
    }
  }

 private:
  const Node::Entry* find(std::string_view key, bool is_read = true) {
    keys_.push_back(key);
    const Node::Entry* entry = find_entry(map_, key);
    if (is_read) fitting_.push_back(entry == nullptr ? key : std::string_view());
    return entry;
  }

  bool is_known(std::string_view key) const {
    return std::find(keys_.begin(), keys_.end(), key) != keys_.end() ||
           std::find(old_keys_.begin(), old_keys_.end(), key) != old_keys_.end();
  }

  std::string name(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

  // The defaults of the kind that is named, where it is another one.
  void read_kind(ModelSection& model) {
    std::string chosen(model.kind().name);
    kind_row(*this, kinds_, chosen);
    if (chosen == model.kind().name) return;
    for (const ModelKind* kind : kinds_) {
      if (chosen == kind->name) model = ModelSection(*kind);
    }
  }

  bool is_empty(const Node::Entry& entry) {
    if (entry.value.kind != Node::Kind::null) return false;
    problems_.add(entry.place, name(entry.key) + ": no value (write one, or remove the key for the default)");
    return true;
  }

  bool is_map(const Node& node, const std::string& path) {
    if (node.kind == Node::Kind::map) return true;
    problems_.add(node.place, path + ": wanted a map, not " + std::string(describe(node)) +
                                  " (write key: value below it)");
    return false;
  }

  void add_unknown(const Node::Entry& entry) {
    std::string what = "unknown key " + quote(entry.key);
    if (!path_.empty()) what += " in " + quote(path_);
    const std::string_view nearest = nearest_word(entry.key, fitting_);
    const std::string elsewhere = nearest.empty() ? section_with(entry.key) : "";
    if (!nearest.empty()) {
      what += "; did you mean " + quote(nearest) + "?";
    } else if (!elsewhere.empty()) {
      what += " (it belongs to " + quote(elsewhere) + ")";
    } else {
      what += " (known: " + joined(keys_) + ")";
    }
    problems_.add(entry.place, what);
  }

  // Where a key is read that is not of this section, if there is one such place only.
  std::string section_with(const std::string& key) const {
    const bool is_quick = path_ == "quick" || path_.starts_with("quick.");
    std::string found;
    for (const ModelKind* kind : kinds_) {
      Recipe recipe;
      recipe.model = ModelSection(*kind);
      for (const auto& [path, value] : key_values(recipe, WhichKeys::all)) {
        // Each key, after the sections above it.
        for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
          const std::size_t end = std::min(path.find('.', dot + 1), path.size());
          if (path.compare(dot + 1, end - dot - 1, key) != 0) continue;
          const std::string section = (is_quick ? "quick." : "") + path.substr(0, dot);
          if (!found.empty() && found != section) return {};
          found = section;
        }
      }
    }
    return found == path_ ? std::string() : found;
  }

  // Keys of other kinds of models may only say their defaults, as recipes printed by older versions do.
  void finish_model(const ModelKind& kind) {
    for (const Node::Entry& entry : map_.entries) {
      if (is_known(entry.key)) continue;
      std::vector<std::string_view> readers;
      bool is_default = false;
      for (const ModelKind* other : kinds_) {
        KeyOfDefaults of_other(entry);
        other->defaults()->rows(of_other);
        if (!of_other.is_found) continue;
        readers.push_back(other->name);
        is_default = is_default || of_other.is_default;
      }
      if (readers.empty()) {
        add_unknown(entry);
      } else if (!is_default) {
        problems_.add(entry.value.place, name(entry.key) + ": " + kind.with_article() +
                                             " does not read it (it belongs to " + listed(readers) +
                                             "; remove it)");
      }
    }
  }

  // Whether a struct of defaults has a key, and its value.
  struct KeyOfDefaults : schema::Visitor {
    explicit KeyOfDefaults(const Node::Entry& of) : entry(of) {}
    void row(const schema::Row& row) override {
      if (row.key != entry.key) return;
      is_found = true;
      std::visit(
          [&](auto value) {
            using Value = std::decay_t<decltype(*value)>;
            if constexpr (!std::is_same_v<Value, std::vector<std::string>> &&
                          !std::is_same_v<Value, std::vector<std::int64_t>> &&
                          !std::is_same_v<Value, std::optional<double>> &&
                          !std::is_same_v<Value, ClassWeights>) {
              Value written{};
              is_default = scalars::read(entry.value, written).empty() &&
                           (written == *value || is_former(row.follows, written));
            }
          },
          row.member);
    }
    template <class Value>
    static bool is_former(const schema::Follows& follows, const Value& written) {
      if constexpr (std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, std::string>) {
        const auto* const former = std::get_if<Value>(&follows.formerly);
        return former != nullptr && *former == written;
      }
      return false;
    }
    void renamed(std::string_view key, std::string_view) override {
      if (key != entry.key) return;
      is_found = true;
      is_default = is_off(entry);
    }
    void section(std::string_view, const schema::Meaning&, const Rows&) override {}
    void section_of_kinds(std::string_view, const schema::Meaning&, const ModelSection&,
                          const Rows&) override {}
    void model(std::string_view, const schema::Meaning&, ModelSection&) override {}
    void list(std::string_view, const schema::Meaning&, std::vector<Expectation>&) override {}
    const Node::Entry& entry;
    bool is_found = false, is_default = false;
  };

  void check_item(const Expectation& expectation, const Node& item, const std::string& path) {
    const auto has = [&](std::string_view key) { return find_entry(item, key) != nullptr; };
    if (!has("metric"))
      problems_.add(item.place, path + ": no metric (name one, e.g. metric: validation_loss)");
    if (!has("value")) problems_.add(item.place, path + ": no value (write the number expected)");
    const bool is_near = expectation.compare == Comparison::near;
    if (is_near && !has("tolerance")) {
      problems_.add(item.place,
                    path + ": no tolerance (write one, 0 for exactly, or compare: at_least or at_most)");
    }
    if (!is_near && has("tolerance")) {
      problems_.add(item.place, path + ": a tolerance beside compare: " +
                                    std::string(name_of(expectation.compare)) + " (move the value instead)");
    }
  }

  const Node& map_;
  std::string path_;
  ModelKinds kinds_;
  Problems& problems_;
  // Those that may stand here, under today's and under old names; those that fit: read with these settings,
  // and not said yet.
  std::vector<std::string_view> keys_, old_keys_, fitting_;
};

}  // namespace

void read_rows(const Node& map, const std::string& path, ModelKinds kinds, Recipe& to, Problems& problems,
               std::string_view also_known) {
  Reader reader(map, path, kinds, problems);
  schema::rows(reader, to);
  if (!also_known.empty()) reader.also_known(also_known);
  reader.finish();
}

}  // namespace headwater
