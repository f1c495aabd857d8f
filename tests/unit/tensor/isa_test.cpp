#include "kernel_testing.hpp"
#include "support/error.hpp"

namespace headwater {
namespace {

TEST_CASE("isa: the widest available one is active, and each has a name") {
  const std::vector<kernels::Isa> available = testing::available_isas();
  REQUIRE(!available.empty());
  CHECK(kernels::active_isa() == available.front());
  CHECK(available.back() == kernels::Isa::portable);  // every machine with FMA has it
  CHECK(name_of(kernels::Isa::avx512) == "avx512");
  CHECK(name_of(kernels::Isa::avx2) == "avx2");
  CHECK(name_of(kernels::Isa::portable) == "portable");
}

TEST_CASE("isa: can be set to those available only") {
  const kernels::Isa before = kernels::active_isa();
  for (kernels::Isa isa : {kernels::Isa::avx512, kernels::Isa::avx2, kernels::Isa::portable}) {
    if (kernels::isa_available(isa)) {
      kernels::set_isa(isa);
      CHECK(kernels::active_isa() == isa);
    } else {
      CHECK_THROWS_AS(kernels::set_isa(isa), Error);
      CHECK(kernels::isa_available(kernels::active_isa()));
    }
  }
  kernels::set_isa(before);
}

}  // namespace
}  // namespace headwater
