// The section `model` of a recipe: which kind of model, and the settings of that kind. The kinds are the
// caller's (families/registry.hpp): this room knows none.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recipe/schema.hpp"
#include "support/error.hpp"

namespace headwater {

struct Recipe;

// Called for each fault between keys: the path of the key at fault, and "what (what to do)".
using Complain = std::function<void(std::initializer_list<std::string_view> path, const std::string& what)>;

// Settings of one kind of model, whatever their struct is.
class ModelSettings {
 public:
  virtual ~ModelSettings() = default;
  virtual std::unique_ptr<ModelSettings> clone() const = 0;
  virtual void rows(schema::Visitor& visitor) = 0;
  // What holds between keys that are each right by themselves.
  // For a config.json `recipe` is empty, and without a model.
  virtual void check(const Recipe& recipe, const Complain& complain) const = 0;
  // data.columns where these settings ask for others than their kind; empty: its own.
  virtual std::vector<std::string_view> columns() const { return {}; }
};

// Those that are an S.
template <class S>
class ModelSettingsOf : public ModelSettings {
 public:
  S value;
};

// What a recipe must know of a kind of model.
struct ModelKind {
  std::string_view name;                        // model.kind
  std::string_view article = "a";               // "an encoder_decoder"
  std::string_view meaning;                     // what it is, for the page of all keys
  std::vector<std::string_view> columns;        // data.columns, in any order
  std::vector<std::string_view> sections = {};  // that it reads, of those that only some kinds read
  std::vector<std::string_view> metrics;        // of validation: what an epoch can be chosen by
  std::string_view family = "";                 // who else has these metrics: "classifiers"
  bool is_solved = false;                       // at once: without steps and epochs
  std::unique_ptr<ModelSettings> (*defaults)();

  std::string with_article() const { return std::string(article) + " " + std::string(name); }
  bool reads(std::string_view section) const {
    return std::find(sections.begin(), sections.end(), section) != sections.end();
  }
};
// The first is the kind of a recipe that names none.
using ModelKinds = std::span<const ModelKind* const>;

class ModelSection {
 public:
  ModelSection() = default;  // of no kind: to be assigned to
  explicit ModelSection(const ModelKind& kind) : kind_(&kind), settings_(kind.defaults()) {}
  ModelSection(const ModelKind& kind, std::unique_ptr<ModelSettings> settings)
      : kind_(&kind), settings_(std::move(settings)) {}
  ModelSection(const ModelSection& other)
      : kind_(other.kind_), settings_(other.settings_ ? other.settings_->clone() : nullptr) {}
  ModelSection& operator=(ModelSection other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(settings_, other.settings_);
    return *this;
  }
  ModelSection(ModelSection&&) noexcept = default;
  ~ModelSection() = default;

  explicit operator bool() const { return kind_ != nullptr; }
  const ModelKind& kind() const { return *kind_; }
  ModelSettings& settings() { return *settings_; }
  const ModelSettings& settings() const { return *settings_; }
  // What data.columns must hold, in any order.
  std::vector<std::string_view> columns() const {
    std::vector<std::string_view> own = settings_->columns();
    return own.empty() ? kind_->columns : own;
  }

  // The settings as the struct of their kind. Throws Error where they are of another.
  template <class S>
  S& as() {
    return const_cast<S&>(std::as_const(*this).as<S>());
  }
  template <class S>
  const S& as() const {
    const auto* const typed = dynamic_cast<const ModelSettingsOf<S>*>(settings_.get());
    if (typed == nullptr) throw Error("model: settings of another kind than asked for");
    return typed->value;
  }

  // The same kind with the same values.
  friend bool operator==(const ModelSection& a, const ModelSection& b);

 private:
  const ModelKind* kind_ = nullptr;
  std::unique_ptr<ModelSettings> settings_;
};

}  // namespace headwater
