// The course of training beside its losses.
#pragma once

#include <string_view>

#include "reports/page_parts.hpp"

namespace headwater {

// Pictures of the learning rate, of the norm of the gradient and of the speed over the steps, as a log.csv
// has them; a column that it lacks, or whose numbers are none, has no picture.
PageParts training_plots(std::string_view log);

}  // namespace headwater
