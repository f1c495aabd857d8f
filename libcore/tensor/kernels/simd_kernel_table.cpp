// The table of one instruction set; known when the program is linked, so that no start-up code runs with its
// instructions.
#include "tensor/kernels/kernel_table.hpp"

namespace headwater::kernels::HEADWATER_ISA {

#define HEADWATER_ROW(Table, name) extern const Table name##_functions;
HEADWATER_KERNEL_ROWS(HEADWATER_ROW)
#undef HEADWATER_ROW

extern const KernelTable functions;
#define HEADWATER_ROW(Table, name) .name = &name##_functions,
constinit const KernelTable functions{HEADWATER_KERNEL_ROWS(HEADWATER_ROW)};
#undef HEADWATER_ROW

}  // namespace headwater::kernels::HEADWATER_ISA
