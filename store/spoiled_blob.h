// What a layer gives, changed on the way, for tests of those who ask it.
#pragma once

#include <fardel/format/bundle_plan.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace fardel {

// One bit flipped, which `number` decides; nothing happens to no bytes.
void spoil(std::vector<std::byte>& bytes, std::uint64_t number);
// One bit of its first bytes flipped, or one byte more than none.
std::shared_ptr<const BlobSource> make_spoiled_blob(std::shared_ptr<const BlobSource> blob);

}  // namespace fardel
