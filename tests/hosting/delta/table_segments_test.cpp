// Tables of bundles with many names, cut into segments for deltas.
#include "delta/table_segments.h"

#include "kit/blobs.h"
#include "kit/bundles.h"
#include "kit/bytes.h"

#include <fardel/delivery/delta.h>
#include <fardel/delivery/delta_tables.h>
#include <fardel/hosting/make_delta.h>

#include <atomic>

namespace fardel::tests::table_segments_test {

// `from` to `to`: the numbers of the files, whose names have different lengths. `edited`: every so manieth has other
// content.
Bytes bundle_of_many(std::uint32_t from, std::uint32_t to, std::uint32_t edited = 0) {
    BundlePlan plan;
    for (std::uint32_t i = from; i < to; ++i) {
        const std::string number = std::to_string(100'000 + i);
        const bool is_edited = edited != 0 && i % edited == 0;
        const std::string end(i * 7919 % 13, 'x');
        add(plan, "scripts/" + number.substr(0, 3) + "/" + number + end + ".txt",
            number + (is_edited ? " edited" : ""));
    }
    return written(plan);
}

// Reads as another source does, until it is gone.
class VanishingSource final : public ByteSource {
public:
    explicit VanishingSource(const ByteSource& source) : source_(source) {}
    void vanish() const { is_gone_ = true; }
    std::uint64_t size_bytes() const noexcept override { return source_.size_bytes(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        return is_gone_ ? Status(Error(ErrorCode::io, "gone")) : source_.read_at(offset, out);
    }

private:
    const ByteSource& source_;
    mutable std::atomic<bool> is_gone_ = false;
};

struct Frames {
    std::vector<DeltaTables> segments;
    std::vector<Bytes> frames;
    std::uint64_t frame_bytes = 0;
};

Frames frames_between(const Bundle& old, const Bundle& target, int effort, unsigned jobs) {
    Frames made;
    made.segments = value_of(plan_table_segments(old_tables_of(old), new_tables_of(target)));
    const Status status = encode_table_segments(
        &old, target, made.segments, effort,
        [&](const DeltaTables& segment, std::span<const std::byte> frame) {
            CHECK(segment.frame_bytes == frame.size());
            made.frames.emplace_back(frame.begin(), frame.end());
            made.frame_bytes += frame.size();
            return ok();
        },
        jobs);
    CHECK(status);
    return made;
}

// The new image, as a client makes it.
Bytes image_from(const Bundle& old, const Frames& made) {
    TableDecoder decoder(&old);
    Bytes all;
    for (std::size_t i = 0; i < made.segments.size(); ++i) {
        const Bytes tables = value_of(decoder.decode(made.segments[i], made.frames[i]));
        all.insert(all.end(), tables.begin(), tables.end());
    }
    return all;
}

Bytes image_of(const Bundle& bundle) {
    const TableImage image = new_tables_of(bundle);
    Bytes bytes(static_cast<std::size_t>(image.size_bytes()));
    CHECK(image.read(*bundle.source(), 0, bytes));
    return bytes;
}

TEST_CASE("table segments: large tables are cut, small ones are not, and all refer to the old image") {
    const auto few = open_bundle(bundle_of_many(0, 500));
    const auto many = open_bundle(bundle_of_many(0, 9000));
    const auto empty = open_bundle(bundle_of_many(0, 0));
    for (const auto& old : {few, many, empty})
        for (const auto& target : {few, many, empty}) {
            const TableImage old_image = old_tables_of(*old);
            const TableImage image = new_tables_of(*target);
            const auto segments = value_of(plan_table_segments(old_image, image));
            CHECK((segments.size() > 1) == (target == many));
            std::uint64_t given = 0;
            for (const DeltaTables& segment : segments) {
                given += segment.raw_bytes;
                CHECK(segment.raw_bytes > 0);
                CHECK(segment.prefix_offset + segment.prefix_bytes <= old_image.size_bytes());
                if (segments.size() > 1) {
                    CHECK(segment.raw_bytes <= kTablesSegmentBytes);
                    CHECK(segment.prefix_bytes <= kTablesPrefixBytes);
                }
            }
            CHECK(given == image.size_bytes());
        }
}

// Where the records of a table begin in the image of a delta.
std::uint64_t image_offset(const BundleHead& head, TableKind kind) {
    const std::uint64_t offset = 2 * std::uint64_t{limits::kHeadBytes};
    for (const TableEntry& entry : head.tables)
        if (entry.kind == kind)
            return offset + entry.offset;
    return offset;
}

TEST_CASE("table segments: a segment refers to the same part of the same table, however much others have grown") {
    const auto old = open_bundle(bundle_of_many(0, 5000));
    const auto target = open_bundle(bundle_of_many(0, 10'000));
    const TableImage old_image = old_tables_of(*old);
    const TableImage image = new_tables_of(*target);
    CHECK(old_image.counterpart(image, 0) == 0);
    CHECK(old_image.counterpart(image, image.size_bytes()) == old_image.size_bytes());
    for (const TableKind kind : {TableKind::strings, TableKind::assets, TableKind::names}) {
        const TableEntry& before = *old->head().find(kind);
        const TableEntry& after = *target->head().find(kind);
        const std::uint64_t old_offset = image_offset(old->head(), kind);
        const std::uint64_t offset = image_offset(target->head(), kind);
        CHECK(old_image.counterpart(image, offset) == old_offset);
        const std::uint64_t middle = old_image.counterpart(image, offset + after.length_bytes / 2);
        CHECK(middle >= old_offset + before.length_bytes * 48 / 100);
        CHECK(middle <= old_offset + before.length_bytes * 52 / 100);
    }
}

TEST_CASE("table segments: any number of threads gives the same frames, and they give the new tables") {
    const auto old = open_bundle(bundle_of_many(0, 9000));
    const auto target = open_bundle(bundle_of_many(100, 9100, 50));
    const Frames made = frames_between(*old, *target, 22, 1);
    REQUIRE(made.segments.size() >= 4);
    CHECK(image_from(*old, made) == image_of(*target));
    CHECK(made.frame_bytes < new_tables_of(*target).size_bytes() / 5);
    for (const unsigned jobs : {2u, 7u}) {
        const Frames again = frames_between(*old, *target, 22, jobs);
        CHECK(again.segments == made.segments);
        CHECK(again.frames == made.frames);
    }
    const Frames quick = frames_between(*old, *target, 1, 2);
    CHECK(image_from(*old, quick) == image_of(*target));
    CHECK(quick.frame_bytes > made.frame_bytes);
}

TEST_CASE("table segments: an error of a file or of the receiver ends it") {
    const auto old = open_bundle(bundle_of_many(0, 9000));
    auto segments = value_of(plan_table_segments(old_tables_of(*old), new_tables_of(*old)));
    const auto vanishing = std::make_shared<const VanishingSource>(*old->source());
    const auto target = value_of(Bundle::open(vanishing, {}));
    vanishing->vanish();
    const auto take = [](auto&&...) { return ok(); };
    CHECK(code_of(encode_table_segments(old.get(), *target, segments, 1, take, 2)) == ErrorCode::io);
    CHECK(code_of(encode_table_segments(target.get(), *old, segments, 1, take, 2)) == ErrorCode::io);
    int taken = 0;
    const Status status = encode_table_segments(
        old.get(), *old, segments, 1,
        [&](auto&&...) { return ++taken == 2 ? Status(Error(ErrorCode::no_space, "full")) : ok(); }, 2);
    CHECK(code_of(status) == ErrorCode::no_space);
    CHECK(taken == 2);
}

TEST_CASE("table segments: a delta of tables alone gives them, also against no bundle") {
    const auto few = open_bundle(bundle_of_many(0, 50));
    const auto old = open_bundle(bundle_of_many(0, 9000));
    const auto target = open_bundle(bundle_of_many(0, 9050, 40));
    for (const auto& held : {std::shared_ptr<const Bundle>(), few, old})
        for (const auto& given : {few, target}) {
            const Bytes delta = value_of(make_tables_delta(held.get(), *given, 5));
            const auto source = make_memory_source(delta);
            const DeltaFront front = value_of(open_delta_front(*source));
            CHECK(front.directory.blocks.empty());
            Bytes file(static_cast<std::size_t>(given->source()->size_bytes()));
            const TablesPlace place{.set_file_bytes =
                                        [&](std::uint64_t file_bytes) {
                                            CHECK(file_bytes == file.size());
                                            return ok();
                                        },
                                    .write =
                                        [&](std::uint64_t offset, std::span<const std::byte> bytes) {
                                            REQUIRE(offset + bytes.size() <= file.size());
                                            std::ranges::copy(bytes,
                                                              file.begin() + static_cast<std::ptrdiff_t>(offset));
                                            return ok();
                                        }};
            CHECK(value_of(place_delta_tables(held.get(), front, *source, 32u << 20, place)));
            CHECK(value_of(Bundle::open(make_memory_source(file), {}))->verify_tables());
            // Against another bundle, and of more tables than are wanted.
            CHECK(code_of(place_delta_tables(held == old ? nullptr : old.get(), front, *source, 32u << 20, place)) ==
                  ErrorCode::conflict);
            CHECK_FALSE(value_of(place_delta_tables(held.get(), front, *source, 4000, place)));
        }
}

TEST_CASE("table segments: a delta between bundles with many names is made of them") {
    const Bytes old = bundle_of_many(0, 9000);
    const Bytes target = bundle_of_many(0, 9050, 40);
    MemoryDisk disk;
    const auto file = make_memory_file(disk);
    const DeltaSummary summary = value_of(make_delta(open_bundle(old), *open_bundle(target), *file));
    CHECK(summary.delta_bytes < target.size() / 4);
    const DeltaHead head = value_of(decode_delta_head(std::span(disk.bytes).first(kDeltaHeadBytes)));
    CHECK(head.table_segments >= 4);
    MemoryDisk made;
    const auto turned = make_memory_file(made);
    value_of(apply_delta(open_bundle(old), *make_memory_source(disk.bytes), *turned));
    CHECK(made.bytes == target);
}

}  // namespace fardel::tests::table_segments_test
