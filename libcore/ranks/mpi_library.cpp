#include "ranks/mpi_library.hpp"

#include <mpi.h>

#include <algorithm>

namespace {

using headwater::MpiFunctions;

bool join(int* rank, int* size) {
  int level = 0;
  return MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level) == MPI_SUCCESS &&
         level >= MPI_THREAD_SERIALIZED && MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
         MPI_Comm_size(MPI_COMM_WORLD, size) == MPI_SUCCESS;
}

// A message of MPI has at most 2^31 - 1 bytes.
bool exchange(int partner, const void* out, std::size_t out_bytes, void* in, std::size_t in_bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  for (std::size_t at = 0; at < std::max(out_bytes, in_bytes); at += kMost) {
    const auto rest = [&](std::size_t bytes) {
      return static_cast<int>(std::min(kMost, bytes - std::min(at, bytes)));
    };
    const int sent = rest(out_bytes), received = rest(in_bytes);
    const auto* const from = static_cast<const char*>(out) + (sent > 0 ? at : 0);
    auto* const to = static_cast<char*>(in) + (received > 0 ? at : 0);
    if (MPI_Sendrecv(from, sent, MPI_BYTE, sent > 0 ? partner : MPI_PROC_NULL, 0, to, received, MPI_BYTE,
                     received > 0 ? partner : MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return false;
  }
  return true;
}

void leave() { MPI_Finalize(); }

}  // namespace

extern "C" [[gnu::visibility("default")]] const MpiFunctions headwater_mpi_functions;
const MpiFunctions headwater_mpi_functions = {headwater::kMpiFunctionsVersion, join, exchange, leave};
