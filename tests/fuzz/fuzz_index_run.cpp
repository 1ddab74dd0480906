// Input: the head of a index run, and after its first byte a page. Heads that decode are exactly what their values
// encode to; they are decoded as they are, and with their hash in its position. A page with its hash gives its entries.
#include "index/index_run.h"
#include "require.h"

#include <fardel/format/hash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

using namespace fardel;

namespace {

void check_head(std::span<const std::byte> bytes) {
    const auto head = decode_run_head(bytes);
    if (!head)
        return;
    require(std::ranges::equal(encode_run_head(*head), bytes));
    require(bytes.size() % kRunPageBytes == 0);
}

// Puts the hash where the counts say that it belongs, and pads.
void check_sealed(std::span<const std::byte> bytes) {
    if (bytes.size() < kRunHeadStartBytes)
        return;
    const auto size = run_head_bytes(bytes.first(kRunHeadStartBytes));
    if (!size || *size > (1u << 20))
        return;
    std::uint32_t records = 0;
    std::uint32_t packs = 0;
    std::memcpy(&records, bytes.data() + 12, sizeof records);
    std::memcpy(&packs, bytes.data() + 16, sizeof packs);
    const std::size_t fields = kRunHeadStartBytes + std::size_t{64} * records + std::size_t{40} * packs;
    std::vector<std::byte> sealed(bytes.begin(),
                                  bytes.begin() + static_cast<std::ptrdiff_t>(std::min(fields, bytes.size())));
    sealed.resize(fields);
    const Hash hash = blake3(sealed);
    const auto end = std::as_bytes(std::span(hash.bytes));
    sealed.insert(sealed.end(), end.begin(), end.end());
    sealed.resize(*size);
    require(static_cast<bool>(decode_run_head(sealed)));
    check_head(sealed);
}

void check_page(std::span<const std::byte> bytes) {
    IndexRunPage page{};
    std::memcpy(page.data(), bytes.data(), std::min(bytes.size(), kRunPageBytes - sizeof(Hash)));
    const Hash hash = blake3(std::span<const std::byte>(page).first(kRunPageBytes - sizeof(Hash)));
    std::memcpy(page.data() + kRunPageBytes - sizeof(Hash), hash.bytes.data(), sizeof(Hash));
    const auto entries = decode_run_page(page, kRunPageEntries);
    require(static_cast<bool>(entries) && encode_run_page(*entries) == page);
}

}  // namespace

int fuzz_index_run(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    check_head(bytes);
    check_sealed(bytes);
    if (!bytes.empty())
        check_page(bytes.subspan(1));
    return 0;
}
