#include "autograd/parameter.hpp"

#include <algorithm>
#include <cmath>

#include "support/error.hpp"
#include "support/random.hpp"

namespace headwater {

Parameter* Parameters::declare(std::string name, std::vector<Index> shape, Index rows, Index cols,
                               Initializer initializer, double fan_in, double fan_out) {
  if (find(name) != nullptr) throw Error("parameters: " + quote(name) + " is declared twice");
  auto parameter = std::make_unique<Parameter>();
  parameter->name = std::move(name);
  parameter->shape = std::move(shape);
  parameter->value = Matrix(nullptr, rows, cols);
  parameter->initializer = initializer;
  parameter->fan_in = fan_in;
  parameter->fan_out = fan_out;
  all_.push_back(std::move(parameter));
  Parameter* const declared = all_.back().get();
  by_name_.emplace(declared->name, declared);
  return declared;
}

void Parameters::lay_out() {
  std::sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a->name < b->name; });
  size_ = 0;
  for (const auto& p : all_) {
    p->offset = size_;
    size_ += p->size();
  }
}

void Parameters::allocate_over(Real* values, std::shared_ptr<void> owner) {
  lay_out();
  values_ = FlatArray(values, FlatArrayDeleter{0, std::move(owner)});
  for (const auto& p : all_) p->value.data = values + p->offset;
}

void Parameters::allocate(bool with_gradients) {
  lay_out();
  values_ = make_flat_array(size_);
  if (with_gradients) gradients_ = make_flat_array(size_);
  for (const auto& p : all_) {
    p->value.data = values_.get() + p->offset;
    if (!with_gradients) continue;
    p->gradient.values = Matrix(gradients_.get() + p->offset, p->value.rows, p->value.cols);
    if (p->is_table) p->gradient.rows.reserve(static_cast<std::size_t>(p->value.rows));
  }
}

Parameter* Parameters::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

void Parameters::initialize(std::uint64_t seed) {
  std::uint32_t place = 0;
  for (const auto& p : all_) {
    const RandomStream stream{.seed = seed, .purpose = Purpose::initialize, .layer = place++, .step = 0};
    Real* const value = p->value.data;
    switch (p->initializer) {
      case Initializer::zeros:
        std::fill_n(value, p->size(), Real(0));
        break;
      case Initializer::ones:
        std::fill_n(value, p->size(), Real(1));
        break;
      case Initializer::glorot_uniform:
      case Initializer::embedding_uniform: {
        // Glorot & Bengio 2010: uniform(-limit, limit), limit = sqrt(6 / (fan_in + fan_out)); embeddings:
        // limit 0.05.
        const float limit = p->initializer == Initializer::embedding_uniform
                                ? 0.05f
                                : static_cast<float>(std::sqrt(6.0 / (p->fan_in + p->fan_out)));
        for (Index i = 0; i < p->size(); i += 4) {
          const auto words = philox_block(stream, static_cast<std::uint64_t>(i / 4));
          for (Index j = i; j < std::min(i + 4, p->size()); ++j) {
            const float uniform = static_cast<float>(words[static_cast<std::size_t>(j - i)] >> 8) * 0x1p-24f;
            value[j] = limit * (2.0f * uniform - 1.0f);
          }
        }
        break;
      }
    }
  }
}

void Parameters::begin_step() {
  for (const auto& p : all_) p->gradient.begin_step();
}

}  // namespace headwater
