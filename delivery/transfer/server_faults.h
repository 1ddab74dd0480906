// The error in the end, if several servers have failed: each in its own words, which begin with its URL.
#pragma once

#include <fardel/base/result.h>

#include <vector>

namespace fardel {

// `faults`: at least one, in the order of the servers. Its code is that of the last one; that a server lacks a file
// says less than what another one did.
Error join_faults(const std::vector<Error>& faults);

}  // namespace fardel
