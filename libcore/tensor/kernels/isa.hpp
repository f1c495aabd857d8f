// Which of the compiled code paths runs.
#pragma once

#include <string_view>

#include "support/enum_names.hpp"

namespace headwater::kernels {

enum class Isa { avx512, avx2, portable };
Isa active_isa();                        // the widest this CPU has, unless set
bool isa_available(Isa);                 // compiled in and supported by this CPU
void set_isa(Isa);                       // tests and --isa; throws Error where not available
Isa isa_of_name(std::string_view name);  // throws Error for an unknown name

}  // namespace headwater::kernels
