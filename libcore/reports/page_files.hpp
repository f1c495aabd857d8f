// The text of the files in libcore/reports/page.
#pragma once

#include <string_view>

namespace headwater {

extern const std::string_view kAttentionPageHtml, kAttentionPageCss, kAttentionPageJs, kReportCss;

}  // namespace headwater
