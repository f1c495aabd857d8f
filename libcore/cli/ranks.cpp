#include "cli/ranks.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "support/numbers.hpp"

namespace headwater::cli {

namespace {

// -1: not set, or no number.
int number_in_environment(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return -1;
  int number = -1;
  parse_number(value, number);
  return number;
}

}  // namespace

StartedRanks started_ranks() {
  // Open MPI's mpirun; srun --mpi=pmi2 and other launchers of PMI; srun --mpi=pmix.
  constexpr std::array<std::array<const char*, 2>, 3> kNames{
      {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
       {"PMI_RANK", "PMI_SIZE"},
       {"PMIX_RANK", "SLURM_NTASKS"}}};
  for (const auto& [rank_name, count_name] : kNames) {
    const int rank = number_in_environment(rank_name), count = number_in_environment(count_name);
    if (rank >= 0 && rank < count) return {rank, count};
  }
  return {};
}

std::vector<fs::path> library_folders() {
  std::array<char, 4096> file;
  const ssize_t length = ::readlink("/proc/self/exe", file.data(), file.size());
  if (length <= 0) return {};
  const fs::path folder =
      fs::path(std::string_view(file.data(), static_cast<std::size_t>(length))).parent_path();
  return {folder, folder.parent_path() / "lib" / "headwater"};
}

}  // namespace headwater::cli
