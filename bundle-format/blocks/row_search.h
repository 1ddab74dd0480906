// How libzstd searches. Left to itself, it searches small windows by rows where the processor compares sixteen bytes at
// once, and otherwise by chains: equal bytes would be encoded differently on s390x. So its choice on x86-64 is made for
// every processor.
#pragma once

#include <zstd.h>

#include <cstdint>

namespace fardel {

// Call it before each frame. `searched_bytes`: of the content and of what stands before it.
inline void choose_row_search(ZSTD_CCtx* context, std::uint64_t searched_bytes) noexcept {
    // ZSTD_c_useRowMatchFinder and its values have names only in zstd.h's experimental part.
    constexpr int kByRows = 1, kByChains = 2;
    ZSTD_CCtx_setParameter(context, ZSTD_c_experimentalParam14, searched_bytes > 1u << 14 ? kByRows : kByChains);
}

}  // namespace fardel
