#include "recipe/reference.hpp"

#include <doctest/doctest.h>

#include "support/files.hpp"
#include "tasks/registry.hpp"

using namespace headwater;

TEST_CASE("recipes/README.md ends with every key that a recipe may have") {
  const std::string page = read_file(HEADWATER_SOURCE_DIR "/recipes/README.md");
  const std::string reference = recipe_reference(model_kinds());
  CHECK(reference.find("| `learning_rate` |") != std::string::npos);
  // inspect --keys prints the reference; write it into the page where this fails.
  CHECK(page.ends_with(reference));
}
