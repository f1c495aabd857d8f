// The ranks that mpirun started.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "ranks/process_group.hpp"
#include "support/files.hpp"

namespace headwater {

// Joins the other ranks, by the library of MPI functions that lies in one of `folders`. Leaves them when it
// is destroyed, unless an error is on its way: then the others are ended by mpirun. Throws Error where there
// is no such library, or where the ranks are no power of two up to `most`.
std::unique_ptr<ProcessGroup> join_mpi(std::span<const fs::path> folders, int most);

}  // namespace headwater
