#include "bundles/whole_bundle.h"

#include "console/figures.h"
#include "console/progress_bar.h"

#include <fardel/format/name.h>
#include <fardel/verifier/verify_bundle.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fardel {

Status verify_whole_bundle(const std::shared_ptr<const ByteSource>& source, const std::string& label,
                           std::string_view consequence, VerifyOptions options, Console& console) {
    ProgressBar bar(console, "verifying");
    options.progress = [&](const VerifyProgress& progress) {
        bar.show_bytes(progress.stored_bytes_done, progress.stored_bytes_total);
    };
    FARDEL_TRY_ASSIGN(const VerifyReport report, verify_bundle(source, options));
    if (report.good())
        return ok();
    const auto first = std::ranges::find(report.findings, FindingSeverity::error, &VerifyFinding::severity);
    return Error(first->code, fmt::format("{}: {}; {}, because 'fardel verify' finds {}", label, format_finding(*first),
                                          consequence, format_count(report.found.errors, "error", "errors")));
}

}  // namespace fardel
