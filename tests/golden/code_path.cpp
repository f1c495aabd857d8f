// HEADWATER_ISA=portable golden: the reference tests on another code path than the widest.
#include <cstdlib>

#include "tensor/kernels/isa.hpp"

namespace {

[[maybe_unused]] const bool is_set = [] {
  const char* const name = std::getenv("HEADWATER_ISA");
  if (name != nullptr) headwater::kernels::set_isa(headwater::kernels::isa_of_name(name));
  return name != nullptr;
}();

}  // namespace
