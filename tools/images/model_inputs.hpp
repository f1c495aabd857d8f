// The images that a model is given.
#pragma once

#include "pretrained/vision_model.hpp"
#include "tools/images/inputs.hpp"

namespace headwater::images {

// `reading`: how the images that it learned from were read. Any sides are taken where it makes images fit
// itself, but for files that are to be resized before.
inline InputSettings input_settings(const VisionSettings& model, const ImageReading& reading,
                                    bool resizes_files) {
  return {.wanted = resizes_files ? model.image_shape() : image_settings(model).shape,
          .resizes_files = resizes_files,
          .reading = reading};
}

}  // namespace headwater::images
