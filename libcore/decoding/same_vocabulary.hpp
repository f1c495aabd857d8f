// Which translators can choose tokens together.
#pragma once

#include "families/translator/directory.hpp"

namespace headwater {

// Throws Error naming `other` unless both read the same ids of a text, and write the same.
void check_same_vocabulary(const LoadedTranslator& first, const LoadedTranslator& other);

}  // namespace headwater
