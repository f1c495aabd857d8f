// What each head looks at, over all texts or images.
#include "reports/head_patterns.hpp"
#include "support/numbers.hpp"
#include "tools/attn-dump/attn_dump.hpp"

namespace headwater::attn_dump {

std::string HeadReport::output(std::string_view what) const {
  const std::vector<HeadRow> rows = statistics_.rows();
  if (options_.format == "csv") return head_csv(rows);
  if (options_.format == "json") return head_json(rows);
  if (rows.empty())
    throw Error("no " + std::string(what) + "s with tokens, so there is no picture (give one at least)");
  return head_grid_svg(rows, name_of_model(options_.model) + ", " + counted(statistics_.texts(), what),
                       what == "image" ? "all patches of each image" : "the first 24 tokens of each text");
}

}  // namespace headwater::attn_dump
