#include "training/model_average.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "checkpoint/directory.hpp"
#include "checkpoint/safetensors.hpp"
#include "families/config.hpp"
#include "families/family.hpp"
#include "families/model_directory.hpp"
#include "families/model_files.hpp"
#include "families/quantized_model.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "training/weight_average.hpp"

namespace headwater {

namespace {

// What another program keeps beside its weights is not all known here.
void refuse_published(const ModelFolder& folder) {
  if (folder.layout == nullptr) return;
  throw Error(shown(folder.path) + ": cannot average a model that another program wrote (" +
              (folder.own_files ? "average what convert " + shown(folder.path) + " -o DIR writes"
                                : "average runs that begin with training.init_from: " + shown(folder.path)) +
              ")");
}

void check_same_files(const ModelFolder& first, const ModelFolder& other) {
  const auto check = [&](const std::string& name, bool is_same) {
    if (is_same) return;
    throw Error(shown(other.path / name) + ": differs from " + shown(first.path / name) +
                " (only models of one kind, size and vocabulary have a mean)");
  };
  check("config.json",
        without_bits_version(first.config).dump() == without_bits_version(other.config).dump());
  for (const std::string& name : files_of_model(first))
    check(name, other.has(name) && first.read(name) == other.read(name));
}

void check_same_tensors(const Safetensors& first, const Safetensors& other) {
  for (const TensorView& tensor : first.tensors()) {
    const TensorView* const same = other.find(tensor.name);
    if (same == nullptr || same->shape != tensor.shape)
      throw Error(other.where() + ": has no tensor " + quote(tensor.name) + " of the shape that it has in " +
                  first.where());
  }
  for (const TensorView& tensor : other.tensors()) first.at(tensor.name);
}

// Models of several bits versions have a mean of none.
std::string config_text_of_mean(const std::vector<ModelFolder>& models) {
  const auto version_of = [](const ModelFolder& model) {
    return bits_version(model.config, model.config_path());
  };
  const ModelFolder& first = models.front();
  const bool is_of_one_version = std::ranges::all_of(
      models, [&](const ModelFolder& model) { return version_of(model) == version_of(first); });
  return is_of_one_version ? first.config_text() : without_bits_version(first.config).dump(2) + "\n";
}

// Every number of the models' tensors, one tensor after the other in the order of the first file.
std::vector<Real> mean_of_tensors(const std::vector<std::unique_ptr<Safetensors>>& models) {
  std::size_t size = 0;
  for (const TensorView& tensor : models.front()->tensors())
    size += static_cast<std::size_t>(tensor.elements());
  std::vector<Real> mean(size);
  std::vector<std::vector<Real>> values(models.size());
  std::size_t at = 0;
  for (const TensorView& tensor : models.front()->tensors()) {
    const std::size_t elements = tensor.elements();
    std::vector<std::span<const Real>> of_all;
    for (std::size_t i = 0; i < models.size(); ++i) {
      values[i].resize(elements);
      read_numbers(models[i]->at(tensor.name), values[i]);
      of_all.emplace_back(values[i]);
    }
    const std::span<Real> of_tensor = std::span(mean).subspan(at, elements);
    mean_of(of_all, of_tensor);
    if (!std::all_of(of_tensor.begin(), of_tensor.end(), [](Real number) { return std::isfinite(number); }))
      throw Error("the mean of tensor " + quote(tensor.name) +
                  " is not finite (leave out the model that has "
                  "numbers that are not)");
    at += elements;
  }
  return mean;
}

}  // namespace

std::vector<fs::path> last_checkpoints(const fs::path& run, std::int64_t last) {
  if (!is_there(run / "checkpoints"))
    throw UsageError(shown(run) + ": has no folder checkpoints (name the directory of a run, or two models)");
  std::vector<fs::path> paths;
  for (const Checkpoint& checkpoint : list_checkpoints(run)) {
    if (last == 0 || static_cast<std::int64_t>(paths.size()) < last) paths.push_back(checkpoint.path);
  }
  const std::int64_t least = last == 0 ? 2 : last;
  if (static_cast<std::int64_t>(paths.size()) < least)
    throw Error(shown(run) + ": has " + counted(static_cast<std::int64_t>(paths.size()), "checkpoint") +
                ", not " + std::to_string(least) + " (train with a larger training.checkpoint.keep)");
  std::reverse(paths.begin(), paths.end());
  return paths;
}

void average_models(const std::vector<fs::path>& models, const fs::path& output) {
  if (is_taken(output)) throw UsageError(shown(output) + ": is there already (choose another --output)");
  std::vector<ModelFolder> folders;
  for (const fs::path& model : models) {
    folders.push_back(open_model(model));
    if (const std::vector<std::string>& skipped = folders.back().skipped; !skipped.empty())
      throw Error(skipped.front() + "; it is the newest of " + shown(model) +
                  " (bring it back, or name the checkpoints that the mean is of)");
  }
  const ModelFolder& first = folders.front();
  std::vector<std::unique_ptr<Safetensors>> tensors;
  for (const ModelFolder& folder : folders) {
    refuse_published(folder);
    refuse_quantized(folder, "average");
    check_same_files(first, folder);
    tensors.push_back(std::make_unique<Safetensors>(folder.weights()));
    check_same_tensors(*tensors.front(), *tensors.back());
  }
  const std::vector<Real> mean = mean_of_tensors(tensors);
  std::vector<float> numbers(mean.begin(), mean.end());  // as files have them
  std::vector<TensorView> to_write;
  std::size_t at = 0;
  for (const TensorView& tensor : tensors.front()->tensors()) {
    to_write.push_back(float_tensor(tensor.name, tensor.shape, numbers.data() + at));
    at += static_cast<std::size_t>(tensor.elements());
  }
  write_model(output, first, config_text_of_mean(folders),
              [&](const ByteSink& sink) { write_safetensors(std::move(to_write), {}, sink); });
}

}  // namespace headwater
