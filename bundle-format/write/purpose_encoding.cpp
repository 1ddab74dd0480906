#include <fardel/format/purpose_encoding.h>

#include <fardel/format/block_encoder.h>

namespace fardel {

BlockEncoding encoding_for(BundlePurpose purpose, int level) noexcept {
    switch (purpose) {
        case BundlePurpose::load: return {.codec = Codec::lz4, .level = level};
        case BundlePurpose::size: return {.codec = Codec::zstd, .level = kLevelMax};
        case BundlePurpose::balanced: break;
    }
    return {.codec = Codec::zstd, .level = level};
}

}  // namespace fardel
