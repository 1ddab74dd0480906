// How the blocks of a file are encoded that is made for a purpose.
#pragma once

#include <fardel/format/block_codec.h>
#include <fardel/format/bundle_plan.h>

namespace fardel {

// Without a filter: the block decides that. `level`: of BundlePurpose::balanced.
BlockEncoding encoding_for(BundlePurpose purpose, int level) noexcept;

}  // namespace fardel
