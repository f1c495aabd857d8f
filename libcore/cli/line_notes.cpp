#include "cli/line_notes.hpp"

#include "cli/tool.hpp"
#include "support/numbers.hpp"

namespace headwater::cli {

void LineNotes::say() const {
  for (const std::string& of_file : csv) note(of_file);
  if (!csv_like.empty()) warn(csv_like + "; " + csv_fix);
  if (!only_cr.empty())
    warn(only_cr + ": one line, with CRs inside; LF ends lines (tr '\\r' '\\n' makes such ends of CRs)");
  if (marked_files > 0) {
    const auto more = static_cast<std::int64_t>(marked_files) - 1;
    note(first_marked + (more > 0 ? " and " + counted(more, "other file") : "") +
         " began with a byte-order mark; it was dropped");
  }
  if (crlf_lines > 0)
    note(counted(static_cast<std::int64_t>(crlf_lines), "line") +
         (has_crlf_columns ? " with CR at the end of a column" : " ended in CR LF") + "; the CR was dropped");
}

}  // namespace headwater::cli
