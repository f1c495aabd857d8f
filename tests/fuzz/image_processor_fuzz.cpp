// Any bytes as a preprocessor_config.json: an error, or a pipeline of images that is written and read back as
// it is.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "families/vision/image_processor.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headwater;
  constexpr ImageShape kShape{.height = 4, .width = 6, .channels = 3};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const ImageProcessing read = image_processing_of(Json::parse(text, "f"), kShape);
    ImagePipelineSettings settings{.normalization = read.normalization, .resizing = read.resizing};
    settings.published = read.resize;
    const ImagePipeline pipeline(settings, read.statistics, kShape, kShape);
    const std::vector<std::uint8_t> pixels(kShape.bytes(), 255);
    ImagePipeline::Scratch scratch;
    for (const Real number : pipeline.apply(pixels, nullptr, scratch))
      if (!std::isfinite(number)) std::abort();
    const ImageProcessing again = image_processing_of(image_processor_of(read, kShape), kShape);
    if (again.normalization != read.normalization || again.resizing != read.resizing) std::abort();
    if (again.statistics.mean != read.statistics.mean || again.statistics.std != read.statistics.std)
      std::abort();
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
