// SPDX 2.3 documents about bundles: docs/provenance.md says what is in them.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>
#include <fardel/format/bundle.h>

#include <memory>
#include <span>
#include <string>

namespace fardel {

// The JSON text, the same for the same bundles and time. A bundle that is there twice counts once. Reads the tables of
// the bundles, and no asset. Errors: those of the bundles; limit (1 GiB of text).
Result<std::string> format_spdx_document(std::span<const std::shared_ptr<const Bundle>> bundles, UnixTime created);

}  // namespace fardel
