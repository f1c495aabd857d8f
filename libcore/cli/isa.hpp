// The choice of a code path, the same words in every tool that computes.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace headwater::cli {

// --isa auto | avx512 | avx2 | portable
void add_isa_option(CLI::App& app, std::string& isa);

}  // namespace headwater::cli
