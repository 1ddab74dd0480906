// Damages what a layer returns, to test the code that checks it.
#pragma once

#include <fardel/format/bundle_plan.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace fardel {

// Flips the bit that `number` selects; does nothing if there are no bytes.
void spoil(std::vector<std::byte>& bytes, std::uint64_t number);
// Flips a bit of the first byte; adds a byte to an empty blob.
std::shared_ptr<const BlobSource> make_spoiled_blob(std::shared_ptr<const BlobSource> blob);

}  // namespace fardel
