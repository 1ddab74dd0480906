// The file of piece slices: its bytes, right and wrong ones; the hashes at each offset, the sums, and the search.
#include <fardel/delivery/piece_slices.h>

#include "delta/slice_search.h"
#include "kit/bundles.h"
#include "kit/bytes.h"

#include <stop_token>

namespace fardel::tests::piece_slices_test {

constexpr std::uint64_t kStretchesOfTest = 5;

std::span<const std::byte> part(const Bytes& bytes, std::size_t offset, std::size_t length) {
    return std::span(bytes).subspan(offset, length);
}

TEST_CASE("piece slices: the head and its encoding, and heads that are refused") {
    BundleId id{};
    id.bytes.fill(3);
    const Bytes right = encode_slices_head(id, kStretchesOfTest);
    CHECK(text_of(right) == "FARDELPS" + std::string("\1\0\0\0\5\0\0\0", 8) + std::string(32, '\3'));
    CHECK(verify_slices_head(right, id, kStretchesOfTest));
    const auto code_after = [&](std::size_t at) {
        Bytes bytes = right;
        bytes[at] ^= std::byte{2};
        return code_of(verify_slices_head(bytes, id, kStretchesOfTest));
    };
    CHECK(code_after(0) == ErrorCode::malformed);
    CHECK(code_after(8) == ErrorCode::unsupported);
    CHECK(code_after(12) == ErrorCode::malformed);
    CHECK(code_after(16) == ErrorCode::conflict);
    CHECK(code_after(47) == ErrorCode::conflict);
    for (std::size_t length = 0; length < right.size(); ++length)
        CHECK_FALSE(verify_slices_head(part(right, 0, length), id, kStretchesOfTest));
    Bytes longer = right;
    longer.push_back({});
    CHECK(code_of(verify_slices_head(longer, id, kStretchesOfTest)) == ErrorCode::malformed);
}

TEST_CASE("piece slices: hashes and sums lie one after another, and the file ends with the last sum") {
    CHECK(hashes_offset(0) == 48);
    CHECK(hashes_offset(3) == 48 + 3 * 384);
    CHECK(sums_offset(0, 7) == 48 + 7 * 384);
    CHECK(sums_offset(2, 7) == 48 + 7 * 384 + 2 * 4096);
    CHECK(slices_file_bytes(7) == 48 + 7 * (384 + 4096));
}

// 00 01 02 … ff 00 01 …
Bytes counting_bytes(std::size_t length) {
    Bytes bytes;
    for (std::size_t i = 0; i < length; ++i)
        bytes.push_back(static_cast<std::byte>(i));
    return bytes;
}

TEST_CASE("piece slices: hashes and sums have the same bytes on every machine") {
    const Bytes stretch = counting_bytes(1030);
    const Bytes hashes = encode_slice_hashes(stretch);
    REQUIRE(hashes.size() == kStretchHashesBytes);
    CHECK(text_of(part(hashes, 0, 18)) == text_of(bytes_of_hex("ccbe6d4f07e9cf62d8a2db0c000000000000")));
    const Bytes sums = encode_slice_sums(stretch);
    REQUIRE(sums.size() == kStretchSumsBytes);
    CHECK(std::ranges::equal(part(sums, 0, 1024), part(stretch, 0, 1024)));
    CHECK(std::ranges::equal(part(sums, 1024, 6), part(stretch, 1024, 6)));
    CHECK(std::ranges::count(part(sums, 1030, sums.size() - 1030), std::byte{0}) ==
          static_cast<std::ptrdiff_t>(sums.size() - 1030));
    const std::vector<SliceHash> decoded = decode_slice_hashes(hashes, stretch.size());
    REQUIRE(decoded.size() == 2);
    CHECK(decoded[0] == RollingSliceHash(part(stretch, 0, 1024)).value());
    CHECK(decoded[1] == RollingSliceHash(part(stretch, 1024, 6)).value());
}

TEST_CASE("piece slices: a hash that is rolled is that of the bytes it has reached") {
    const Bytes bytes = noise(5000, 1);
    RollingSliceHash hash(part(bytes, 0, kSliceBytes));
    for (std::size_t at = 0;; ++at) {
        CHECK(hash.value() == RollingSliceHash(part(bytes, at, kSliceBytes)).value());
        if (at + kSliceBytes == bytes.size())
            break;
        hash.roll(bytes[at], bytes[at + kSliceBytes]);
    }
}

TEST_CASE("piece slices: each slice comes out of its sum and the others, and two of one sum do not") {
    for (const std::size_t length : {std::size_t{kStretchBytes}, std::size_t{40'000}, std::size_t{1}}) {
        const Bytes right = noise(length, 2);
        const Bytes sums = encode_slice_sums(right);
        for (std::uint32_t slice = 0; slice * kSliceBytes < length; ++slice) {
            Bytes stretch = right;
            const std::size_t begin = slice * kSliceBytes;
            const std::size_t end = std::min<std::size_t>(length, begin + kSliceBytes);
            std::fill(stretch.begin() + static_cast<std::ptrdiff_t>(begin),
                      stretch.begin() + static_cast<std::ptrdiff_t>(end), std::byte{0xee});
            fill_slice(stretch, slice, part(sums, slice % kSumsPerStretch * kSliceBytes, kSliceBytes));
            CHECK(stretch == right);
        }
    }
    CHECK(sums_for(0) == 0u);
    CHECK(sums_for(0b11'1100) == 0b1111u);
    CHECK(sums_for(std::uint64_t{1} << 63) == 0b1000u);
    CHECK(sums_for(0b1'0001) == std::nullopt);
    CHECK(sums_for(~std::uint64_t{0}) == std::nullopt);
}

TEST_CASE("slice search: slices are found at any offset, also one that was cut short by the end of its asset") {
    const std::string before = noise_text(2'500'000, 4);
    BundlePlan plan;
    add(plan, "old.bin", before, "application/octet-stream");
    const auto bundle = open_bundle(written(plan));
    const SliceSource source{.bundle = bundle.get(), .asset = AssetIndex{0}, .raw_bytes = before.size()};
    std::string after = before;
    after.insert(700'001, "inserted");
    after.erase(1'200'000, 777);
    std::vector<SliceHash> hashes;
    for (std::size_t at = 0; at < after.size(); at += kSliceBytes)
        hashes.push_back(RollingSliceHash(std::as_bytes(std::span(after).subspan(
                                              at, std::min<std::size_t>(after.size() - at, kSliceBytes))))
                             .value());
    SliceSearch search(hashes);
    REQUIRE(search.look_in(source, 7, {}));
    std::size_t missing = 0;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        const auto place = search.find(hashes[i]);
        missing += place ? 0 : 1;
        const std::string_view slice = std::string_view(after).substr(i * kSliceBytes, kSliceBytes);
        if (place)
            CHECK((place->source == 7 && std::string_view(before).substr(place->offset, slice.size()) == slice));
    }
    CHECK(missing <= 3);  // where bytes were inserted, and where they were removed
    std::stop_source stopped;
    stopped.request_stop();
    CHECK(code_of(search.look_in(source, 7, stopped.get_token())) == ErrorCode::cancelled);
}

TEST_CASE("slice search: nothing is found in other bytes, in fewer than a slice has, or without a hash") {
    SliceSearch search({RollingSliceHash(part(noise(kSliceBytes, 1), 0, kSliceBytes)).value()});
    search.look_at(noise(100'000, 9), {});
    search.look_at(noise(kSliceBytes - 1, 1), {});
    search.look_at({}, {});
    CHECK_FALSE(search.find(1));
    SliceSearch nothing({});
    nothing.look_at(Bytes(10'000), {});
    CHECK_FALSE(nothing.find(0));
}

TEST_CASE("piece slices: hashes that all occur, and many equal ones, cost one look-up per offset") {  // A162
    const Bytes bytes = noise(600'000, 3);
    std::vector<SliceHash> hashes;
    RollingSliceHash hash(part(bytes, 0, kSliceBytes));
    for (std::size_t at = 0; at + kSliceBytes < bytes.size(); ++at) {
        hashes.push_back(hash.value());
        hash.roll(bytes[at], bytes[at + kSliceBytes]);
    }
    hashes.resize(2 * hashes.size(), 0);
    SliceSearch search(hashes);
    search.look_at(bytes, {.source = 1, .offset = 10});
    CHECK(search.find(hashes[500]).value().offset == 510);
    const Bytes zeros(200'000);
    search.look_at(zeros, {});
    CHECK(search.find(0).value().offset == 0);
}

}  // namespace fardel::tests::piece_slices_test
