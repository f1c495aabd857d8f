// What a recipe may hold: each struct of settings says its rows once, a row a key with its member, what may
// stand there and what it means. The reader, the printer, the comparison, config.json and the page of all
// keys are visitors of the same rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/enum_names.hpp"

namespace headwater {

class ModelSection;
struct Expectation;

// How often an example counts by its label: none (once) | balanced, or a number for each of some labels.
struct ClassWeights {
  std::string word = "none";                              // empty where labels have numbers
  std::vector<std::pair<std::string, double>> of_labels;  // as the recipe has them; any other label's is 1
  bool operator==(const ClassWeights&) const = default;
};

namespace schema {

// Inclusive bounds of a number, and what it counts or measures ("tokens", "steps"; none of factors and
// shares); of a list of numbers: of each of them.
struct Between {
  constexpr Between(double lowest, double highest, std::string_view counted)
      : min(lowest), max(highest), unit(counted) {}
  double min, max;
  std::string_view unit;
};
inline constexpr std::string_view kNoUnit = "";

// A word that may stand there, and what it does: no word without its meaning.
struct Word {
  constexpr Word(std::string_view written, std::string_view what) : word(written), meaning(what) {}
  constexpr Word(Enum auto value, std::string_view what) : word(name_of(value)), meaning(what) {}
  std::string_view word, meaning;
};
// Any of these; of a list of texts: each of them.
struct OneOf {
  std::vector<Word> words;
  std::vector<std::string_view> fitting = {};  // what to suggest; none: all
  bool has(std::string_view word) const;
  std::vector<std::string_view> names() const;
};
// A path below the data root, or nothing.
struct PathInData {};
// Text of one line; must it be there? `or_number`: it must, and a plain whole number is a text too, 2 as "2".
enum class Text { any, required, or_number };
// Nothing to check beyond the type.
struct Anything {};
using Rule = std::variant<Anything, Between, OneOf, PathInData, Text>;

// A member that is an enum, by the names of its values. Like the pointers beside it, it is read by `*`.
class EnumMember {
 public:
  template <Enum E>
  EnumMember(E* member)  // NOLINT(google-explicit-constructor): a row is one line
      : member_(member),
        get_([](const void* from) { return name_of(*static_cast<const E*>(from)); }),
        set_([](void* to, std::string_view name) { *static_cast<E*>(to) = value_of<E>(name).value(); }) {}
  std::string operator*() const { return std::string(get_(member_)); }
  void set(std::string_view name) const { set_(member_, name); }  // of a value

 private:
  void* member_;
  std::string_view (*get_)(const void* from);
  void (*set_)(void* to, std::string_view name);
};

using Member = std::variant<bool*, std::int64_t*, std::uint64_t*, double*, std::string*, EnumMember,
                            std::vector<std::string>*, std::vector<std::int64_t>*, std::optional<double>*,
                            ClassWeights*>;

// What the page of all keys says of a key or section: what it means, with the paper where there is one, and
// which tools or stages of a recipe read it (nothing: those that read the section).
struct Meaning {
  constexpr Meaning(const char* what)
      : text(what) {}  // NOLINT(google-explicit-constructor): a row is one line
  constexpr Meaning(std::string_view what, std::string_view tools) : text(what), readers(tools) {}
  std::string_view text, readers{};
};

// Whether a key is read with the settings as they are. One that is not may only say its default: "`who` does
// not read it (it belongs to `readers`; remove it)".
struct When {
  bool is_read = true;
  std::string who{}, readers{};
};

// The default of a key that follows from others: a whole number that is 0, or a text that is empty, becomes
// `value` once all keys are read. `from` says how, in the words of the keys. `formerly`: the default of older
// versions, whose recipes say it also where the key is not read.
struct Follows {
  using Value = std::variant<std::int64_t, std::string>;
  std::string_view from{};
  Value value{};
  Value formerly{};
};

// One key. The schema's structs have a member for each.
struct Row {
  std::string_view key;
  Member member;
  const Rule& rule;
  Meaning meaning;
  const When& when;
  const Follows& follows;
};

class Visitor {
 public:
  using Rows = std::function<void(Visitor&)>;
  virtual ~Visitor() = default;

  virtual void row(const Row& row) = 0;
  void field(std::string_view key, Member member, const Rule& rule, const Meaning& meaning,
             const When& when = {}) {
    row({key, member, rule, meaning, when, Follows{}});
  }
  void field(std::string_view key, Member member, const Rule& rule, const Meaning& meaning,
             const Follows& follows, const When& when = {}) {
    row({key, member, rule, meaning, when, follows});
  }
  // An enum whose names are all words that may stand there: what each does, in the enum's order.
  template <Enum E, std::size_t kCount>
  void field(std::string_view key, E* member, const char* const (&meanings)[kCount], const Meaning& meaning,
             const When& when = {}) {
    static_assert(kCount == value_names<E>.size());
    OneOf words;
    for (std::size_t i = 0; i < kCount; ++i) words.words.emplace_back(value_names<E>[i], meanings[i]);
    field(key, member, words, meaning, when);
  }
  // A switch of older versions, which is refused unless it is off: `now` says what to write instead.
  virtual void renamed(std::string_view /*key*/, std::string_view /*now*/) {}
  // A struct below the key.
  virtual void section(std::string_view key, const Meaning& meaning, const Rows& rows) = 0;
  // The same of a section that only some kinds of models read: `key` stands in ModelKind::sections.
  virtual void section_of_kinds(std::string_view key, const Meaning& meaning, const ModelSection& model,
                                const Rows& rows) = 0;
  // The section whose keys depend on its first, `kind`.
  virtual void model(std::string_view key, const Meaning& meaning, ModelSection& model) = 0;
  virtual void list(std::string_view key, const Meaning& meaning, std::vector<Expectation>& items) = 0;
};

inline constexpr double kBelowOne = 0.9999999;
// A share from which one can be left over: of dropout and smoothing.
inline constexpr Between kShare{0, 0.99, kNoUnit};

}  // namespace schema
}  // namespace headwater
