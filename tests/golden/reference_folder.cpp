#include "reference_folder.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

using namespace headwater;

fs::path reference_path(const std::string& name) {
  const char* elsewhere = std::getenv("HEADWATER_REFERENCE");
  return fs::path(elsewhere != nullptr ? elsewhere : HEADWATER_SOURCE_DIR "/tests/golden/reference") / name;
}

fs::path path_made_here(const std::string& name) {
  const fs::path elsewhere = reference_path(name);
  if (fs::exists(elsewhere)) return elsewhere;
  return fs::path(HEADWATER_SOURCE_DIR "/tests/golden/reference") / name;
}

Safetensors made_here(const std::string& name) { return Safetensors(path_made_here(name)); }

Json reference_settings(const Safetensors& file) {
  for (const auto& [key, value] : file.metadata()) {
    if (key == "settings") return Json::parse(value, file.where());
  }
  throw Error(file.where() + ": no settings in its metadata");
}

std::vector<std::int32_t> read_ids(const TensorView& tensor) {
  std::vector<std::int32_t> ids;
  for (const std::int64_t id : read_integers(tensor)) ids.push_back(static_cast<std::int32_t>(id));
  return ids;
}

Distance distance(ConstMatrix ours, const std::vector<float>& theirs) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (static_cast<std::size_t>(ours.rows * ours.cols) != theirs.size()) return {kInfinity, kInfinity, 0};
  Distance result;
  double difference_squares = 0, squares = 0;
  for (Index r = 0; r < ours.rows; ++r) {
    for (Index c = 0; c < ours.cols; ++c) {
      const std::size_t at = r * ours.cols + c;
      const double a = static_cast<double>(ours.row(r)[c]), b = static_cast<double>(theirs[at]);
      if (!std::isfinite(a) || !std::isfinite(b)) return {kInfinity, kInfinity, at};
      if (std::abs(a - b) > result.absolute) {
        result.absolute = std::abs(a - b);
        result.at = at;
      }
      difference_squares += (a - b) * (a - b);
      squares += b * b;
    }
  }
  result.relative = difference_squares == 0 ? 0 : std::sqrt(difference_squares / squares);
  return result;
}
