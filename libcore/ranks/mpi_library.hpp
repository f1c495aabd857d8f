// What the library of its own that is linked with MPI (ranks/mpi_library.cpp) gives a program that has opened
// it: programs are linked without MPI, and run where there is none.
#pragma once

#include <cstddef>

namespace headwater {

extern "C" {

struct MpiFunctions {
  int version;  // of this struct
  // Joins the processes that mpirun started; false: MPI has said why on stderr.
  bool (*join)(int* rank, int* size);
  // False: failed; MPI itself ends a run whose rank has gone.
  bool (*exchange)(int partner, const void* out, std::size_t out_bytes, void* in, std::size_t in_bytes);
  void (*leave)();
};

}  // extern "C"

inline constexpr int kMpiFunctionsVersion = 1;
inline constexpr const char* kMpiFunctionsName = "headwater_mpi_functions";

}  // namespace headwater
