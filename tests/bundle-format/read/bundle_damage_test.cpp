// The reader opens damaged files: it returns an error or the original bytes, never other bytes. A20, A21.
#include "kit/test.h"

#include <fardel/format/bundle.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include "bundle_forge/bundle_forge.h"
#include "bundle_forge/damage.h"

#include <algorithm>
#include <cstring>

namespace fardel::tests::bundle_damage_test {

// Everything that a reader can return, as text and bytes; an error is represented by its code.
struct Content {
    std::vector<forge::Bytes> assets;  // by name, each variant
    std::vector<std::string> texts;    // names, references, metadata, consumes, dependencies
};

// Returns nothing as soon as one read fails.
std::optional<Content> read_everything(const Bundle& bundle) {
    Content content;
    const auto text = [&](StringRef ref) {
        const auto found = bundle.string(ref);
        if (found)
            content.texts.emplace_back(*found);
        return bool(found);
    };
    for (std::uint32_t i = 0; i < bundle.name_count(); ++i) {
        const auto name = bundle.name(NameIndex{i});
        if (!name || !text(name->text))
            return std::nullopt;
        const auto found = bundle.find_name(content.texts.back());
        if (!found || !found->has_value() || **found != NameIndex{i})
            return std::nullopt;  // both look-ups find the same name
        if (name->is(NameRecord::tombstone))
            continue;
        std::vector<std::uint32_t> targets{name->target};
        if (name->is(NameRecord::has_variants)) {
            targets.clear();
            for (std::uint32_t v = 0; v < name->count; ++v) {
                const auto variant = bundle.variant(name->target + v);
                if (!variant)
                    return std::nullopt;
                targets.push_back(variant->asset);
                for (std::uint32_t t = 0; t < variant->tag_count; ++t) {
                    const auto tag = bundle.tag(variant->tag_first + t);
                    if (!tag || !text(tag->axis) || !text(tag->value))
                        return std::nullopt;
                }
            }
        }
        for (const std::uint32_t target : targets) {
            auto bytes = bundle.read_all(AssetIndex{target});
            if (!bytes)
                return std::nullopt;
            content.assets.push_back(*std::move(bytes));
        }
    }
    for (std::uint32_t i = 0; i < bundle.table_count(TableKind::references); ++i)
        if (const auto reference = bundle.reference(i); !reference || !text(reference->spelling))
            return std::nullopt;
    for (std::uint32_t i = 0; i < bundle.table_count(TableKind::metadata); ++i)
        if (const auto record = bundle.metadata(i); !record || !text(record->key))
            return std::nullopt;
    for (std::uint32_t i = 0; i < bundle.table_count(TableKind::creator_metadata); ++i)
        if (const auto record = bundle.creator_metadata(i); !record || !text(record->key))
            return std::nullopt;
    for (std::uint32_t i = 0; i < bundle.table_count(TableKind::consumes); ++i)
        if (const auto consume = bundle.consume(i); !consume || !text(consume->text))
            return std::nullopt;
    for (std::uint32_t i = 0; i < bundle.table_count(TableKind::dependencies); ++i) {
        const auto dependency = bundle.dependency(i);
        if (!dependency || !text(dependency->name))
            return std::nullopt;
        content.texts.push_back(dependency->bundle.hex());
    }
    for (std::uint32_t i = 0; i < bundle.table_count(TableKind::foreign_assets); ++i) {
        const auto foreign = bundle.foreign_asset(i);
        if (!foreign)
            return std::nullopt;
        content.texts.push_back(foreign->id.hex());
    }
    return content;
}

struct Outcome {
    bool opened = false;
    std::optional<Content> content;
};

Outcome read_bytes(forge::Bytes bytes, const TrustPolicy* policy) {
    BundleOptions options;
    options.policy = policy;
    options.time = TrustTime::at({1'800'000'000});
    const auto bundle = Bundle::open(make_memory_source(std::move(bytes)), std::move(options));
    if (!bundle)
        return {};
    return {true, read_everything(**bundle)};
}

struct Sample {
    forge::ForgedBundle bundle = [] {
        auto made = forge::forge(forge::small_recipe());
        forge::sign(made);
        return made;
    }();
    TrustPolicy policy = forge::test_policy();
    std::vector<std::size_t> envelope_starts = [this] {
        std::vector<std::size_t> starts;
        for (std::size_t at = bundle.layout_head.trailer_offset; at < bundle.bytes.size();) {
            starts.push_back(at);
            at += std::to_integer<std::size_t>(bundle.bytes[at + 8]) |
                  std::to_integer<std::size_t>(bundle.bytes[at + 9]) << 8;
        }
        return starts;
    }();
    Content content = read_everything(**Bundle::open(make_memory_source(bundle.bytes), {})).value();

    // By memcmp: byte by byte, as operator== does, this would be half of the time of a test that is not optimised.
    static bool is_equal(const forge::Bytes& a, const forge::Bytes& b) {
        return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
    }
    bool is_same(const std::optional<Content>& other) const {
        return other && std::ranges::equal(other->assets, content.assets, is_equal) && other->texts == content.texts;
    }
    // True for an error at opening or while reading, or if the whole content is unchanged.
    bool is_safe(const Outcome& outcome) const { return !outcome.content || is_same(outcome.content); }
};

TEST_CASE("bundle: an undamaged file reads whole, with a policy and without one") {
    const Sample sample;
    CHECK(sample.is_same(read_bytes(sample.bundle.bytes, nullptr).content));
    CHECK(sample.is_same(read_bytes(sample.bundle.bytes, &sample.policy).content));
    CHECK(sample.content.assets.size() == 7);
}

// A20
TEST_CASE("bundle: a file that is cut off at any byte does not open") {
    const Sample sample;
    const std::size_t trailer = sample.bundle.layout_head.trailer_offset;
    const std::size_t failed = forge::first_failure(sample.bundle.bytes.size(), [&](std::size_t size) {
        const forge::Bytes cut = forge::cut_to(sample.bundle.bytes, size);
        // A file that is cut between its envelopes is a whole bundle with fewer signatures.
        const bool whole = std::ranges::find(sample.envelope_starts, size) != sample.envelope_starts.end();
        return !read_bytes(cut, &sample.policy).opened && (whole || !read_bytes(cut, nullptr).opened);
    });
    CHECK(failed == sample.bundle.bytes.size());
    CHECK(sample.envelope_starts.front() == trailer);
}

// A21
TEST_CASE("bundle: a flipped bit anywhere is an error or changes nothing") {
    const Sample sample;
    const forge::Bytes& bytes = sample.bundle.bytes;
    const std::size_t unsigned_failed = forge::first_failing_bit(0, bytes.size(), [&](std::size_t bit) {
        return sample.is_safe(read_bytes(forge::flipped(bytes, bit), nullptr));
    });
    CHECK(unsigned_failed == bytes.size() * 8);
    // With a policy every opening verifies two signatures, so only one bit per byte is flipped, a different one each
    // time.
    const std::size_t signed_failed = forge::first_failure(bytes.size(), [&](std::size_t i) {
        return sample.is_safe(read_bytes(forge::flipped(bytes, i * 8 + i % 8), &sample.policy));
    });
    CHECK(signed_failed == bytes.size());
}

TEST_CASE("bundle: a flipped bit of the head never opens, signed or not") {
    const Sample sample;
    const std::size_t failed = forge::first_failing_bit(0, limits::kHeadBytes, [&](std::size_t bit) {
        return !read_bytes(forge::flipped(sample.bundle.bytes, bit), nullptr).opened;
    });
    CHECK(failed == limits::kHeadBytes * 8);
}

TEST_CASE("bundle: a flipped bit of the envelopes never opens under a policy that wants them") {
    const Sample sample;
    const std::size_t failed = forge::first_failing_bit(
        sample.bundle.layout_head.trailer_offset, sample.bundle.bytes.size(),
        [&](std::size_t bit) { return !read_bytes(forge::flipped(sample.bundle.bytes, bit), &sample.policy).opened; });
    CHECK(failed == sample.bundle.bytes.size() * 8);
}

// A21: if data are damaged, only the touched block fails.
TEST_CASE("bundle: a flipped bit of a block fails the assets in it and no others") {
    forge::ForgedBundle made = forge::forge(forge::recipe_with_raw_pieces());
    const auto good = Bundle::open(make_memory_source(made.bytes), {});
    REQUIRE(good);
    const LayoutHead& layout = made.layout_head;
    const std::uint32_t assets = (*good)->asset_count();
    for (std::uint64_t at = 0; at < layout.blocks_bytes; at += 7919) {
        const auto damaged =
            Bundle::open(make_memory_source(forge::flipped(made.bytes, (layout.blocks_offset + at) * 8 + at % 8)), {});
        REQUIRE(damaged);
        std::uint32_t hit = kNoIndex;  // the block that contains the byte; kNoIndex: a gap, which readers skip
        for (std::uint32_t i = 0; i < (*good)->table_count(TableKind::blocks); ++i)
            if (const auto block = (*good)->block(i);
                block && at >= block->stored_offset && at < block->stored_offset + block->stored_bytes)
                hit = i;
        for (std::uint32_t i = 0; i < assets; ++i) {
            CAPTURE(at);
            CAPTURE(i);
            const auto record = (*good)->asset(AssetIndex{i});
            const auto placement = (*good)->placement(AssetIndex{i});
            REQUIRE(record);
            REQUIRE(placement);
            const bool touched = hit != kNoIndex && record->raw_bytes != 0 && hit >= placement->first_block &&
                                 hit < placement->first_block + record->piece_count();
            const auto bytes = (*damaged)->read_all(AssetIndex{i});
            REQUIRE(bool(bytes) == !touched);
            if (bytes)
                CHECK(*bytes == *(*good)->read_all(AssetIndex{i}));
            else
                CHECK(bytes.error().code() == ErrorCode::corrupt);
        }
    }
}

TEST_CASE("bundle: bytes that fail verification are not left in the caller's memory") {
    forge::ForgedBundle made = forge::forge(forge::recipe_with_raw_pieces());
    made.bytes[made.layout_head.blocks_offset + 70'000] ^= std::byte{1};
    const auto bundle = Bundle::open(make_memory_source(made.bytes), {});
    REQUIRE(bundle);
    const auto asset = forge::recipe_with_raw_pieces().assets[6].bytes;
    for (std::uint32_t i = 0; i < (*bundle)->asset_count(); ++i) {
        const auto record = (*bundle)->asset(AssetIndex{i});
        REQUIRE(record);
        if (record->raw_bytes != asset.size())
            continue;
        forge::Bytes out(asset.size());
        CHECK(!(*bundle)->read_at(AssetIndex{i}, 0, out));
        for (std::size_t at = 0; at < out.size(); ++at)
            if (out[at] != std::byte{0} && out[at] != asset[at])
                FAIL_CHECK("a wrong byte at " << at);
    }
}

// The tables contain impossible values under correct hashes: a reader checks each value before it follows it. A24, A25.
TEST_CASE("bundle: indexes and sizes out of range are errors when they are followed") {
    const auto opened = [](auto edit) {
        forge::Draft draft = forge::draft(forge::small_recipe());
        edit(draft);
        auto bundle = Bundle::open(make_memory_source(forge::forge(draft).bytes), {});
        REQUIRE(bundle);
        return std::move(bundle).value();
    };
    const auto fails = [](const Bundle& bundle) { return !read_everything(bundle); };
    CHECK(fails(*opened([](forge::Draft& d) { d.names[0].target = 999; })));
    CHECK(fails(*opened([](forge::Draft& d) { d.names[0].text = 0xffff'fff0; })));
    CHECK(fails(*opened([](forge::Draft& d) { d.names.back().target = 0xffff'ffff; })));
    CHECK(fails(*opened([](forge::Draft& d) { d.variants[0].asset = 0xffff'ffff; })));
    CHECK(fails(*opened([](forge::Draft& d) { d.tags[0].axis = 0xffff'ffff; })));
    const auto first_used = [](forge::Draft& d) -> NameBucketRecord& {
        return *std::ranges::find_if(d.name_buckets, [](const NameBucketRecord& b) { return b.used > 0; });
    };
    CHECK(fails(*opened([&](forge::Draft& d) { first_used(d).names[0] = 999; })));
    CHECK(fails(*opened([&](forge::Draft& d) { first_used(d).used = 6; })));
    CHECK(fails(*opened([&](forge::Draft& d) { first_used(d).texts[0] = 0xffff'fff0; })));
    CHECK(fails(*opened([](forge::Draft& d) {
        for (auto& bucket : d.name_buckets) {
            bucket.hashes = {};
            bucket.spills = 1;
        }
    })));
    CHECK(fails(*opened([](forge::Draft& d) {
        for (auto& b : d.blocks)
            b.stored_offset = UINT64_MAX;
    })));
    CHECK(fails(*opened([](forge::Draft& d) {
        for (auto& b : d.blocks)
            b.stored_offset = UINT64_MAX - 10;
    })));
    CHECK(fails(*opened([](forge::Draft& d) {
        for (auto& p : d.placements)
            p.first_block = 0xffff'ffff;
    })));
    CHECK(fails(*opened([](forge::Draft& d) {
        for (auto& p : d.placements)
            p.offset = 0xffff'ffff;
    })));
    CHECK(fails(*opened([](forge::Draft& d) {
        for (auto& a : d.assets)
            if (a.piece_first != kNoIndex)
                a.piece_first = 0xffff'fff0;
    })));
    CHECK(fails(*opened([](forge::Draft& d) {
        for (auto& a : d.assets)
            if (a.piece_first != kNoIndex)
                a.raw_bytes = limits::kAssetBytesMax;
    })));
}

}  // namespace fardel::tests::bundle_damage_test
