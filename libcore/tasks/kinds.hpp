// Where the registry finds its rows: one function a kind, defined in the kind's own file.
#pragma once

#include "tasks/task.hpp"

namespace headwater {

const Task& encoder_decoder_task();
const Task& classifier_task();
const Task& bag_of_words_task();
const Task& language_model_task();
const Task& vision_task();

}  // namespace headwater
