#include "ranks/mpi.hpp"

#include <dlfcn.h>

#include <exception>

#include "ranks/mpi_library.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

constexpr std::string_view kLibrary = "headwater_mpi.so";

class MpiGroup : public ProcessGroup {
 public:
  MpiGroup(const MpiFunctions& mpi, int rank, int size) : ProcessGroup(rank, size), mpi_(mpi) {}
  ~MpiGroup() override {
    if (std::uncaught_exceptions() == 0) mpi_.leave();
  }

  void exchange(int partner, std::span<const std::byte> out, std::span<std::byte> in) override {
    if (!mpi_.exchange(partner, out.data(), out.size(), in.data(), in.size()))
      throw Error("MPI: the exchange with rank " + std::to_string(partner) + " failed");
  }

 private:
  const MpiFunctions& mpi_;
};

// Never closed: MPI keeps handlers and threads that are in it.
const MpiFunctions& open_library(std::span<const fs::path> folders) {
  std::string reason;
  for (const fs::path& folder : folders) {
    const std::string path = (folder / kLibrary).string();
    if (!is_taken(path)) continue;
    // The parts of MPI that it opens itself look for its names among those of the program.
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      reason = ": " + std::string(::dlerror());
      break;
    }
    const auto* const functions = static_cast<const MpiFunctions*>(::dlsym(library, kMpiFunctionsName));
    if (functions != nullptr && functions->version == kMpiFunctionsVersion) return *functions;
    reason = ": " + path + " is of another version";
    break;
  }
  if (!reason.empty()) throw Error("mpirun: MPI cannot be used" + reason);
  throw Error(
      "mpirun started several processes, but this program was built without MPI (install "
      "libopenmpi-dev and build again)");
}

}  // namespace

std::unique_ptr<ProcessGroup> join_mpi(std::span<const fs::path> folders, int most) {
  const MpiFunctions& mpi = open_library(folders);
  int rank = 0, size = 0;
  if (!mpi.join(&rank, &size)) throw Error("MPI does not start");
  auto group = std::make_unique<MpiGroup>(mpi, rank, size);
  if (size > most || (size & (size - 1)) != 0) {
    throw UsageError("mpirun started " + std::to_string(size) +
                     " ranks; a batch has 8 shards, which 1, 2, 4 or 8 ranks can share");
  }
  return group;
}

}  // namespace headwater
