// A program that mpirun started several times.
#pragma once

#include <vector>

#include "support/files.hpp"

namespace headwater::cli {

// How many processes mpirun, or srun with PMI, started, and which of them this is, by the environment that it
// gave them.
struct StartedRanks {
  int rank = 0, count = 1;
};
StartedRanks started_ranks();

// Which this is. Messages of a rank but the first name it, and its errors wait three seconds: where the first
// fails for the same reason, as it mostly does, that is said once, since the others are ended with it.
int rank();

// Where libraries lie that are opened only when they are needed: beside the program, and in lib/headwater of
// where it is installed.
std::vector<fs::path> library_folders();

}  // namespace headwater::cli
