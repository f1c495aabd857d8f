// The names inside a model directory that writing and recovering share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "support/files.hpp"

namespace headwater {

inline constexpr std::string_view kCheckpoints = "checkpoints", kLatest = "latest", kBest = "best";

// ".tmp-<step>-<pid><suffix>": what clean_up may remove once the process is gone.
std::string temporary_name(std::int64_t step, std::string_view suffix);

// A step as a folder is named: plain decimal without leading zeros.
std::optional<std::int64_t> parse_step(std::string_view name);

// The step that a link `latest` or `best` points to, where it is such a link.
std::optional<std::int64_t> linked_step(const fs::path& link);

// Where a link leads; nothing where there is none. Throws Error where it cannot be read.
std::optional<fs::path> link_target(const fs::path& link);
// Makes `link` point to `target`, under `temporary` first, then by rename; nothing where it does already.
void swap_link(const fs::path& link, const std::string& target, const fs::path& temporary);

}  // namespace headwater
