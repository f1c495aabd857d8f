#include "families/config.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "recipe/scalars.hpp"
#include "support/bits_version.hpp"
#include "support/error.hpp"
#include "support/name_list.hpp"

namespace headwater {

namespace {

// A config has no sections: models say theirs as plain fields.
class FlatVisitor : public schema::Visitor {
 public:
  void section(std::string_view, const schema::Meaning&, const Rows& rows) override { rows(*this); }
  void section_of_kinds(std::string_view, const schema::Meaning&, const ModelSection&, const Rows&) override {
  }
  void model(std::string_view, const schema::Meaning&, ModelSection&) override {}
  void list(std::string_view, const schema::Meaning&, std::vector<Expectation>&) override {}
};

class Writer : public FlatVisitor {
 public:
  explicit Writer(Json& config) : config_(config) {}
  void row(const schema::Row& row) override {
    if (!row.when.is_read) return;
    const std::string_view key = row.key;
    std::visit(
        [&](auto value) {
          using Value = std::decay_t<decltype(*value)>;
          if constexpr (std::is_same_v<Value, std::vector<std::string>> ||
                        std::is_same_v<Value, std::vector<std::int64_t>>) {
            config_.set(key, Json::Array(value->begin(), value->end()));
          } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
            if (*value) config_.set(key, **value);
          } else if constexpr (std::is_same_v<Value, ClassWeights>) {
            throw Error(quote(key) + " is of a type that config.json does not hold");
          } else {
            config_.set(key, *value);
          }
        },
        row.member);
  }

 private:
  Json& config_;
};

// Keys that came later: files written before them mean their defaults.
constexpr std::string_view kLaterKeys[] = {"attention_window"};

class ConfigReader : public FlatVisitor {
 public:
  explicit ConfigReader(const Json& config) : config_(config) {}
  void row(const schema::Row& row) override {
    if (!row.when.is_read) return;
    if (std::ranges::find(kLaterKeys, row.key) != std::end(kLaterKeys) && config_.find(row.key) == nullptr)
      return;
    read(config_.at(row.key), row);
  }
  static void read(const Json& json, const schema::Row& row) {
    with_name(row.key,
              [&] { std::visit([&](auto value) { read(json, row.key, row.rule, value); }, row.member); });
  }

 private:
  static void read(const Json& json, std::string_view, const schema::Rule&, bool* value) {
    *value = json.as_bool();
  }
  static void read(const Json& json, std::string_view key, const schema::Rule& rule, std::int64_t* value) {
    *value = json.as_integer();
    check(key, rule, *value);
  }
  static void read(const Json& json, std::string_view key, const schema::Rule& rule, double* value) {
    *value = json.as_number();
    check(key, rule, *value);
  }
  static void read(const Json& json, std::string_view key, const schema::Rule& rule, std::string* value) {
    *value = json.as_string();
    const auto* const words = std::get_if<schema::OneOf>(&rule);
    if (words == nullptr || words->has(*value)) return;
    throw Error(quote(key) + " is " + quote(*value) + ", expected one of " + joined(words->names()));
  }
  static void read(const Json& json, std::string_view key, const schema::Rule& rule,
                   const schema::EnumMember& value) {
    std::string word;
    read(json, key, rule, &word);
    value.set(word);
  }
  static void read(const Json& json, std::string_view key, const schema::Rule& rule,
                   std::vector<std::int64_t>* values) {
    constexpr std::size_t kMaxItems = 1000;
    const Json::Array& items = json.as_array();
    if (items.size() > kMaxItems) throw Error(quote(key) + " has more than 1,000 numbers");
    values->clear();
    for (const Json& item : items) read(item, key, rule, &values->emplace_back());
  }
  static void read(const Json&, std::string_view key, const schema::Rule&, auto*) {
    throw Error(quote(key) + " is of a type that config.json does not hold");
  }

  template <class Number>
  static void check(std::string_view key, const schema::Rule& rule, Number value) {
    const auto* const range = std::get_if<schema::Between>(&rule);
    const double number = static_cast<double>(value);
    if (range == nullptr || (number >= range->min && number <= range->max)) return;
    const auto bound = [](double edge) { return scalars::print(static_cast<Number>(edge)); };
    throw Error(quote(key) + " is " + scalars::print(value) + ", expected " + bound(range->min) + " to " +
                bound(range->max));
  }

  const Json& config_;
};

}  // namespace

Json begin_config(std::string_view architecture, std::string_view model_type) {
  Json config;
  config.set("architectures", Json::Array{architecture});
  config.set("model_type", model_type);
  config.set(kBitsMember, kBitsVersion);
  return config;
}

std::optional<std::int64_t> bits_version(const Json& config, const std::filesystem::path& path) {
  if (config.find(kBitsMember) == nullptr) return {};
  try {
    return whole(config, kBitsMember, 1, std::numeric_limits<std::int32_t>::max());
  } catch (const Error& error) {
    throw Error(path.string() + ": " + error.what());
  }
}

Json without_bits_version(Json config) {
  std::erase_if(config.as_object(), [](const Json::Member& member) { return member.first == kBitsMember; });
  return config;
}

void write_settings(Json& config, ModelSettings& settings) {
  Writer writer(config);
  settings.rows(writer);
}

void read_member(const Json& value, const schema::Row& row) { ConfigReader::read(value, row); }

void read_settings(const Json& config, ModelSettings& settings) {
  ConfigReader reader(config);
  settings.rows(reader);
  settings.check({}, [](std::initializer_list<std::string_view> path, const std::string& what) {
    throw Error(quote(*(path.end() - 1)) + ": " + what);
  });
}

std::int64_t whole(const Json& config, std::string_view name, std::int64_t min, std::int64_t max) {
  const std::int64_t value = with_name(name, [&] { return config.at(name).as_integer(); });
  if (value < min || value > max) {
    throw Error(quote(name) + " is " + std::to_string(value) + ", expected " + std::to_string(min) + " to " +
                std::to_string(max));
  }
  return value;
}

std::string text_at(const Json& config, std::string_view name, const std::filesystem::path& path) {
  try {
    return config.at(name).as_string();
  } catch (const Error& error) {
    throw Error(path.string() + ": " + error.what());
  }
}

}  // namespace headwater
