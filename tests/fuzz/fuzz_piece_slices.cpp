// Input: the head of a file of piece slices, then the hashes of a stretch, then bytes in which these are looked for. A
// head that is accepted encodes to the same bytes. What is found lies in the bytes, and has the hash.
#include <fardel/delivery/piece_slices.h>
#include "delta/slice_search.h"
#include "require.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

using namespace fardel;

int fuzz_piece_slices(const std::uint8_t* data, std::size_t size) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
    const auto head = bytes.first(std::min<std::size_t>(bytes.size(), kSlicesHeadBytes));
    constexpr std::uint64_t kStretchesOfInput = 2;
    if (verify_slices_head(head, BundleId(), kStretchesOfInput))
        require(std::ranges::equal(head, encode_slices_head(BundleId(), kStretchesOfInput)));
    const auto rest = bytes.subspan(head.size());
    if (rest.size() < kStretchHashesBytes)
        return 0;
    const std::vector<SliceHash> hashes = decode_slice_hashes(rest.first(kStretchHashesBytes), kStretchBytes);
    const auto content = rest.subspan(kStretchHashesBytes);
    SliceSearch search(hashes);
    search.look_at(content, {});
    SliceSet missing = 0;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        const auto place = search.find(hashes[i]);
        missing |= SliceSet{place ? 0u : 1u} << i;
        if (!place)
            continue;
        require(place->offset + kSliceBytes <= content.size());
        const auto slice = content.subspan(static_cast<std::size_t>(place->offset), kSliceBytes);
        require(RollingSliceHash(slice).value() == hashes[i]);
    }
    const auto sums = sums_for(missing);
    require(!sums || *sums < 1u << kSumsPerStretch);
    // What is made of anything stays inside its stretch.
    std::vector<std::byte> stretch(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                                                          content.size(), kStretchBytes)));
    const std::vector<std::byte> of_sums = encode_slice_sums(stretch);
    for (std::uint32_t i = 0; i < kSlicesPerStretch; ++i)
        fill_slice(stretch, i, std::span(of_sums).subspan(i % kSumsPerStretch * kSliceBytes, kSliceBytes));
    require(std::ranges::equal(stretch, content.first(stretch.size())));
    return 0;
}
