// The names inside a model directory that writing and recovering share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "support/drafts.hpp"
#include "support/files.hpp"

namespace headwater {

inline constexpr std::string_view kCheckpoints = "checkpoints", kLatest = "latest", kBest = "best";

// The draft of a checkpoint of this step: what a run writes until it takes its name.
std::string draft_name(std::int64_t step, std::string_view suffix);

// A step as a folder is named: plain decimal without leading zeros.
std::optional<std::int64_t> parse_step(std::string_view name);

// Where a link leads; nothing where there is none. Throws Error where it cannot be read.
std::optional<fs::path> link_target(const fs::path& link);
// The step that a link `latest` or `best` points to, where it is such a link.
std::optional<std::int64_t> linked_step(const fs::path& link);

// Makes `link` point to `target`, under `temporary` first, then by rename; nothing where it does already.
void swap_link(const fs::path& link, const std::string& target, const fs::path& temporary);

}  // namespace headwater
