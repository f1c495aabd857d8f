// The images that a model is given.
#pragma once

#include "families/vision/directory.hpp"
#include "tools/images/inputs.hpp"

namespace headwater::images {

// `reading`: how the images that it learned from were read. Any sides are taken where it makes images fit
// itself, but for files that are to be resized before.
inline InputSettings input_settings(const VisionSettings& model, const ImageReading& reading,
                                    bool resizes_files) {
  const bool is_before = resizes_files && !model.images.published;  // a published model's pipeline does it
  InputSettings settings{.wanted = is_before ? model.image_shape() : image_settings(model).shape,
                         .resizes_files = is_before,
                         .reading = reading};
  if (is_before || model.images.published) {
    settings.filter = filter_text(model.images.published);
    settings.model_height = model.image_height;
    settings.model_width = model.image_width;
  }
  return settings;
}

}  // namespace headwater::images
