// The verification that comes before a bundle is vouched for, stored or published.
#pragma once

#include "console/console.h"

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/verifier/finding.h>

#include <memory>
#include <string>
#include <string_view>

namespace fardel {

// Reads every byte of the file, with a progress bar, and returns the first error that `fardel verify` would report.
// `label` names the file; `consequence` says what was not done, "nothing was signed". Ctrl-C: cancelled.
Status verify_whole_bundle(const std::shared_ptr<const ByteSource>& source, const std::string& label,
                           std::string_view consequence, VerifyOptions options, Console& console);

}  // namespace fardel
