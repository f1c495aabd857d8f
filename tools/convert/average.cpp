// The mean of models as a model.
#include "cli/lines.hpp"
#include "support/error.hpp"
#include "tools/convert/convert.hpp"
#include "training/model_average.hpp"

namespace headwater::convert {

void write_average(const Options& o) {
  const bool is_run = o.models.size() == 1;
  if (!is_run && o.last != 0) throw UsageError("--last is of the checkpoints of one run (name one)");
  const std::vector<fs::path> models = is_run ? last_checkpoints(o.models.front(), o.last)
                                              : std::vector<fs::path>(o.models.begin(), o.models.end());
  average_models(models, o.output);
  cli::LineWriter out;
  for (const fs::path& model : models) out.line(shown(model));
  out.flush();
}

}  // namespace headwater::convert
