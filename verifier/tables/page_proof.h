// The hash that proves the bytes and the position of a page (docs/bundle-format.md §3). It is implemented a second time
// on purpose: the verifier must find a mistake in the reader's page tree.
#pragma once

#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>

#include <cstdint>
#include <span>

namespace fardel {

Hash page_proof(TableKind kind, std::uint32_t level, std::uint64_t page, std::uint64_t table_bytes,
                std::span<const std::byte> bytes) noexcept;

constexpr std::uint64_t page_count(std::uint64_t bytes) noexcept {
    return bytes / limits::kPageBytes + (bytes % limits::kPageBytes != 0 ? 1 : 0);
}

}  // namespace fardel
