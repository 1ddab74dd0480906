// The hash that proves a page's bytes and its place: docs/bundle-format.md §3, written down a second time on purpose,
// so that a mistake in the reader's tree cannot hide from the verifier.
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
