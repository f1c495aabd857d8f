// What a recipe may hold: each struct of settings says its rows once, a row a key with its member, what may
// stand there and what it means. The reader, the printer, the comparison, config.json and the page of all
// keys are visitors of the same rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headwater {

class ModelSection;
struct Expectation;

namespace schema {

// Inclusive bounds of a number; of a list of numbers: of each of them.
struct Between {
  double min, max;
};
// Any of these words; of a list of texts: each of them.
struct OneOf {
  std::vector<std::string_view> words;
};
// A path below the data root, or nothing.
struct PathInData {};
// Text of one line; must it be there?
enum class Text { any, required };
// Nothing to check beyond the type.
struct Anything {};
using Rule = std::variant<Anything, Between, OneOf, PathInData, Text>;

using Member = std::variant<bool*, std::int64_t*, std::uint64_t*, double*, std::string*,
                            std::vector<std::string>*, std::vector<std::int64_t>*, std::optional<double>*>;

// Whether a key is read with the settings as they are. One that is not may only say its default: "`who` does
// not read it (it belongs to `readers`; remove it)".
struct When {
  bool is_read = true;
  std::string who{}, readers{};
};

class Visitor {
 public:
  using Rows = std::function<void(Visitor&)>;
  virtual ~Visitor() = default;

  virtual void field(std::string_view key, Member member, const Rule& rule, std::string_view meaning,
                     const When& when) = 0;
  void field(std::string_view key, Member member, const Rule& rule, std::string_view meaning) {
    field(key, member, rule, meaning, When{});
  }
  // A switch of older versions, which is refused unless it is off: `now` says what to write instead.
  virtual void renamed(std::string_view /*key*/, std::string_view /*now*/) {}
  // A struct below the key.
  virtual void section(std::string_view key, std::string_view meaning, const Rows& rows) = 0;
  // The same of a section that only some kinds of models read: `key` stands in ModelKind::sections.
  virtual void section_of_kinds(std::string_view key, std::string_view meaning, const ModelSection& model,
                                const Rows& rows) = 0;
  // The section whose keys depend on its first, `kind`.
  virtual void model(std::string_view key, std::string_view meaning, ModelSection& model) = 0;
  virtual void list(std::string_view key, std::string_view meaning, std::vector<Expectation>& items) = 0;
};

inline constexpr double kBelowOne = 0.9999999;
inline constexpr Between kRate{0, 0.99};

}  // namespace schema
}  // namespace headwater
