// Which ranges of a file are held, and what was received and belongs nowhere.
#include "incoming/held_ranges.h"

#include "kit/test.h"

namespace fardel::tests::held_ranges_test {

constexpr std::uint64_t kFileBytes = 60;

// Of each byte of the file: where in the pack it is.
using HeldBytes = std::vector<std::optional<std::uint64_t>>;

HeldBytes bytes_of(const HeldRanges& ranges) {
    HeldBytes bytes(kFileBytes);
    for (const auto& [offset, range] : ranges.by_offset())
        for (std::uint64_t i = 0; i < range.length_bytes; ++i)
            bytes.at(offset + i) = range.pack_offset + i;
    return bytes;
}

std::uint64_t run_length(const HeldBytes& bytes, std::uint64_t from, std::uint64_t to) {
    std::uint64_t length = 0;
    while (from + length < to && bytes[from + length])
        ++length;
    return length;
}

TEST_CASE("held ranges: whatever is added, cut and asked, the answers are those of single bytes") {
    FARDEL_RANDOM(random);
    const auto number = [&](std::uint64_t below) { return random() % below; };
    for (int round = 0; round < 200; ++round) {
        HeldRanges ranges;
        HeldBytes bytes(kFileBytes);
        for (int step = 0; step < 40; ++step) {
            const std::uint64_t offset = number(kFileBytes);
            const std::uint64_t length = 1 + number(kFileBytes - offset);
            const auto overlapping = ranges.overlapping(offset, length);
            const std::uint64_t held = run_length(bytes, offset, offset + length);
            CHECK(ranges.holds(offset, length) == (held == length));
            CHECK(overlapping.empty() == std::none_of(bytes.begin() + static_cast<std::ptrdiff_t>(offset),
                                                      bytes.begin() + static_cast<std::ptrdiff_t>(offset + length),
                                                      [](const auto& byte) { return byte.has_value(); }));
            const HeldRanges::Run run = ranges.run_at(offset);
            CHECK(run.is_held == bytes[offset].has_value());
            for (std::uint64_t i = 0; i < run.length_bytes && offset + i < kFileBytes; ++i)
                CHECK(bytes[offset + i].has_value() == run.is_held);
            if (overlapping.empty()) {
                const HeldRange range{length, kIncomingPack, number(1000), 0};
                ranges.add(offset, range);
                for (std::uint64_t i = 0; i < length; ++i)
                    bytes[offset + i] = range.pack_offset + i;
            } else if (number(2) == 0) {
                for (const auto& [start, range] : overlapping)
                    ranges.cut(start, offset, offset + length);
                std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), length, std::nullopt);
            } else {
                const auto& [start, range] = overlapping.front();
                ranges.remove(start);
                std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(start), range.length_bytes, std::nullopt);
            }
            REQUIRE(bytes_of(ranges) == bytes);
            CHECK(ranges.held_bytes() == static_cast<std::uint64_t>(std::ranges::count_if(
                                             bytes, [](const auto& byte) { return byte.has_value(); })));
        }
        ranges.clear();
        CHECK(ranges.held_bytes() == 0);
        CHECK(ranges.by_offset().empty());
    }
}

TEST_CASE("held ranges: what is left of a range that is cut has no entry in the log") {
    HeldRanges ranges;
    ranges.add(10, {.length_bytes = 30, .pack = kIncomingPack, .pack_offset = 5, .log_at = 7});
    ranges.add(50, {.length_bytes = 5, .pack = kIncomingPack, .pack_offset = 40, .log_at = 8});
    ranges.cut(10, 20, 25);
    REQUIRE(ranges.by_offset().size() == 3);
    CHECK(ranges.by_offset().at(10).log_at == 0);
    CHECK(ranges.by_offset().at(25).log_at == 0);
    CHECK(ranges.by_offset().at(50).log_at == 8);
    ranges.forget_log_entries();
    CHECK(ranges.by_offset().at(50).log_at == 0);
}

TEST_CASE("kept blocks: of several with one hash, the first one stays and counts") {
    KeptBlocks kept;
    const Hash hash{};
    CHECK(kept.find(hash) == nullptr);
    kept.add(hash, {.length_bytes = 3, .pack = kIncomingPack, .pack_offset = 1});
    kept.add(hash, {.length_bytes = 4, .pack = kIncomingPack, .pack_offset = 2});
    REQUIRE(kept.find(hash) != nullptr);
    CHECK(kept.find(hash)->pack_offset == 1);
    CHECK(kept.size_bytes() == 3);
}

}  // namespace fardel::tests::held_ranges_test
