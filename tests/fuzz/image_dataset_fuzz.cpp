// Any bytes as a data set of images: refused in one line, or images whose pixels lie inside the bytes and
// whose labels have names; written and read again they have the same hash.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "data/image_dataset.hpp"
#include "support/error.hpp"
#include "write_image_dataset.hpp"

namespace {

using namespace headwater;

std::string written(const ImageDataset& dataset) {
  const std::size_t count = dataset.examples();
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < count; ++i) labels.push_back(dataset.label(static_cast<std::int64_t>(i)));
  std::string out;
  write_image_dataset({.shape = dataset.shape(),
                       .pixels = {dataset.pixels(0).data(), count * dataset.pixels(0).size()},
                       .labels = labels,
                       .label_names = dataset.label_names()},
                      [&](std::string_view piece) { out += piece; });
  return out;
}

void check(const ImageDataset& dataset, std::string_view bytes) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  for (std::int64_t i = 0; i < dataset.examples(); ++i) {
    const auto pixels = dataset.pixels(i);
    if (pixels.empty() || pixels.data() < begin || pixels.data() + pixels.size() > begin + bytes.size())
      std::abort();
    const std::size_t label = dataset.label(i);
    if (label >= dataset.label_names().size() || dataset.label_names()[label].empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ImageDataset dataset;
  try {
    dataset.add(Safetensors(bytes, "f"));
    dataset.finish("f", false);
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f: ") || what.size() > 1000) std::abort();
    for (const char c : what) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) std::abort();
    }
    return 0;
  }
  check(dataset, bytes);
  const std::string copy = written(dataset);
  ImageDataset again;
  again.add(Safetensors(copy, "again"));
  check(again, copy);
  if (again.hash() != dataset.hash() || again.label_names() != dataset.label_names()) std::abort();
  return 0;
}
