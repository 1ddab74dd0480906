// Bundles that a word of the command line names.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <string>
#include <vector>

namespace fardel {

// All 64 digits of an id. Error: malformed, with the word.
Result<BundleId> parse_bundle_id(const std::string& word);
Result<std::vector<BundleId>> parse_bundle_ids(const std::vector<std::string>& words);

// An id, or the bundle file of that name. Errors: those of open_bundle.
Result<BundleId> id_of_word(const std::string& word);

}  // namespace fardel
