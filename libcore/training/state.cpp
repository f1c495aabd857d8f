#include "training/state.hpp"

#include <algorithm>
#include <cmath>

#include "support/bytes.hpp"
#include "support/error.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

namespace {

constexpr int kFormatVersion = 1;

Json totals_to_json(const LossTotals& t) {
  Json json;
  json.set("loss", t.loss);
  json.set("correct", t.correct);
  json.set("predicted", t.predicted);
  json.set("useful", t.useful);
  json.set("sequences", t.sequences);
  json.set("positions", t.positions);
  json.set("padded", t.padded);
  if (t.batch_positions > 0) json.set("batch_positions", t.batch_positions);
  if (t.parts[0].weight == 0) return json;
  Json::Array parts;
  for (const LossPart& part : t.parts) {
    if (part.weight == 0) break;
    Json& entry = parts.emplace_back();
    entry.set("weight", part.weight).set("loss", part.loss);
    entry.set("correct", part.correct).set("predicted", part.predicted);
  }
  json.set("parts", std::move(parts));
  return json;
}

std::int64_t count_at(const Json& json, std::string_view name) {
  const std::int64_t value = json.at(name).as_integer();
  if (value < 0) throw Error(quote(name) + " is " + std::to_string(value) + ", expected a count");
  return value;
}

LossTotals totals_from_json(const Json& json) {
  LossTotals t;
  t.loss = json.at("loss").as_number();
  t.correct = count_at(json, "correct");
  t.predicted = count_at(json, "predicted");
  t.useful = count_at(json, "useful");
  t.sequences = count_at(json, "sequences");
  t.positions = count_at(json, "positions");
  t.padded = count_at(json, "padded");
  if (json.find("batch_positions") != nullptr) t.batch_positions = count_at(json, "batch_positions");
  const Json* const parts = json.find("parts");  // of several losses
  if (parts == nullptr) return t;
  const Json::Array& all = parts->as_array();
  if (all.size() > t.parts.size()) throw Error("\"parts\" has more losses than a run can have");
  for (std::size_t i = 0; i < all.size(); ++i) {
    LossPart& part = t.parts[i];
    part.weight = all[i].at("weight").as_number();
    if (!(part.weight > 0)) throw Error("\"weight\" of a loss is not above 0");
    part.loss = all[i].at("loss").as_number();
    part.correct = count_at(all[i], "correct");
    part.predicted = count_at(all[i], "predicted");
  }
  return t;
}

}  // namespace

Json TrainingState::to_json() const {
  Json json;
  json.set("format_version", kFormatVersion);
  json.set("step", step);
  json.set("epoch", epoch);
  json.set("position", position);
  json.set("epoch_totals", totals_to_json(epoch_totals));
  json.set("has_best", has_best);
  json.set("best_value", best_value);
  json.set("best_step", best_step);
  json.set("stopping_value", stopping_value);
  json.set("stopping_epoch", stopping_epoch);
  if (first_loss) json.set("first_loss", *first_loss);
  if (last_loss) json.set("last_loss", *last_loss);
  json.set("is_finished", is_finished);
  json.set("data_hash", data_hash);
  if (!changes.empty()) json.set("changes", Json::Array(changes.begin(), changes.end()));
  return json;
}

TrainingState TrainingState::from_json(const Json& json, const std::string& where) {
  try {
    const std::int64_t version = json.at("format_version").as_integer();
    if (version != kFormatVersion) {
      throw Error("format_version is " + std::to_string(version) + ", this program reads " +
                  std::to_string(kFormatVersion));
    }
    TrainingState state;
    state.step = count_at(json, "step");
    state.epoch = count_at(json, "epoch");
    state.position = count_at(json, "position");
    state.epoch_totals = totals_from_json(json.at("epoch_totals"));
    state.has_best = json.at("has_best").as_bool();
    state.best_value = json.at("best_value").as_number();
    state.best_step = count_at(json, "best_step");
    if (json.find("stopping_epoch") != nullptr) {  // older runs had no early stopping
      state.stopping_value = json.at("stopping_value").as_number();
      state.stopping_epoch = count_at(json, "stopping_epoch");
    }
    if (const Json* loss = json.find("first_loss")) state.first_loss = loss->as_number();
    if (const Json* loss = json.find("last_loss")) state.last_loss = loss->as_number();
    state.is_finished = json.at("is_finished").as_bool();
    state.data_hash = json.at("data_hash").as_string();
    if (const Json* list = json.find("changes"))
      for (const Json& change : list->as_array()) state.changes.push_back(change.as_string());
    return state;
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

void check_finite(std::span<const Real> numbers, const std::string& what, const Parameter& p,
                  std::int64_t step) {
  const Index at = kernels::find_not_finite(p.size(), numbers.data());
  if (at < 0) return;
  throw Error("step " + std::to_string(step) + ": " + what + " of " + quote(p.name) +
              " is not finite at element " + std::to_string(at) +
              "; this step is not saved (lower training.optimizer.learning_rate)");
}

void write_states(std::vector<Optimizer::State> states, const Parameters& parameters, const GiveNumbers& give,
                  std::int64_t step, const ByteSink& sink) {
  std::ranges::sort(states, {}, &Optimizer::State::name);
  std::vector<TensorShape> shapes;
  for (const Optimizer::State& s : states) {
    for (const auto& p : parameters.all()) shapes.push_back({s.name + "." + p->name, Dtype::f32, p->shape});
  }
  sink(safetensors_head(shapes, {}));
  for (const Optimizer::State& s : states) {
    for (std::size_t place = 0; place < parameters.all().size(); ++place) {
      const Parameter& p = *parameters.all()[place];
      const std::span<const Real> numbers = give ? give(s, place) : numbers_of(s, p);
      check_finite(numbers, "the optimizer's " + s.name, p, step);
      sink(raw_bytes(numbers));
    }
  }
}

void read_states(const fs::path& path, const std::vector<Optimizer::State>& states,
                 const Parameters& parameters, const TakeNumbers& take) {
  const Safetensors tensors(path);
  std::vector<Real> numbers;  // of one tensor
  for (const Optimizer::State& s : states) {
    for (std::size_t place = 0; place < parameters.all().size(); ++place) {
      const Parameter& p = *parameters.all()[place];
      const TensorView& tensor = tensors.at(s.name + "." + p.name);
      if (tensor.elements() != p.size()) {
        throw Error(path.string() + ": tensor " + quote(tensor.name) + " has " +
                    std::to_string(tensor.elements()) + " elements, the model " + std::to_string(p.size()));
      }
      if (!take) {
        read_numbers(tensor, numbers_of(s, p));
        continue;
      }
      numbers.resize(p.size());
      read_numbers(tensor, numbers);
      take(s, place, numbers);
    }
  }
}

}  // namespace headwater
