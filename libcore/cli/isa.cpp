#include "cli/isa.hpp"

#include <CLI/CLI.hpp>

namespace headwater::cli {

void add_isa_option(CLI::App& app, std::string& isa) {
  app.add_option("--isa", isa, "code path of the kernels; every one gives the same bits")
      ->check(CLI::IsMember({"auto", "avx512", "avx2", "portable"}))
      ->capture_default_str();
}

}  // namespace headwater::cli
