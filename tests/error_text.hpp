// The message of the Error that `action` throws, or "(no error)".
#pragma once

#include <string>

#include "support/error.hpp"

template <class Action>
std::string error_text(const Action& action) {
  try {
    action();
  } catch (const headwater::Error& error) {
    return error.what();
  }
  return "(no error)";
}
