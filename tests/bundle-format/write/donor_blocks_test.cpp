#include "write/donor_blocks.h"

#include "bundle-format/plans.h"
#include "kit/bundles.h"

#include <fardel/format/bundle.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <atomic>

namespace fardel::tests::donor_blocks_test {

constexpr std::size_t kPiece = 65536;
constexpr std::size_t kStreamPiece = 262144;

// Counts how often it is opened.
class CountedBlob final : public BlobSource {
public:
    CountedBlob(std::shared_ptr<const BlobSource> source, std::atomic<int>& opened)
        : source_(std::move(source)), opened_(opened) {}
    Result<std::unique_ptr<BlobStream>> open() const override {
        ++opened_;
        return source_->open();
    }

private:
    std::shared_ptr<const BlobSource> source_;
    std::atomic<int>& opened_;
};

struct Made {
    BundlePlan plan;
    std::vector<std::string> contents;  // one per asset
};

void put(Made& made, const std::string& name, std::string content, const std::string& type, bool streamed = false) {
    add(made.plan, name, content, type, streamed);
    made.contents.push_back(std::move(content));
}

// A plan with shared blocks, assets of one piece and of several pieces of both sizes, raw and compressed, duplicates
// and an empty asset.
Made varied() {
    Made made;
    for (int i = 0; i < 200; ++i)
        put(made, "scripts/" + std::to_string(i),
            prose(static_cast<std::size_t>(i) * 31 + 1, static_cast<std::uint32_t>(i)), "text/plain");
    put(made, "a/raw", noise_text(3 * kPiece + 100, 1), "image/jpeg");
    put(made, "a/raw again", noise_text(3 * kPiece + 100, 1), "image/jpeg");
    put(made, "a/text", prose(5 * kPiece, 2), "model/x");
    put(made, "a/one", prose(kPiece, 5), "model/x");
    put(made, "m/long", noise_text(2 * kStreamPiece + 1, 3), "audio/ogg", true);
    put(made, "m/short", prose(kPiece + 5, 4), "audio/ogg", true);
    put(made, "empty", "", "text/plain");
    return made;
}

void know_all(Made& made) {
    for (std::size_t i = 0; i < made.contents.size(); ++i)
        made.plan.assets[i].known = PlannedAsset::Known{id_of(made.contents[i]), made.contents[i].size()};
}

void count_all(Made& made, std::atomic<int>& opened) {
    for (PlannedAsset& asset : made.plan.assets)
        asset.source = std::make_shared<CountedBlob>(asset.source, opened);
}

void change(Made& made, std::size_t asset, std::string content) {
    made.plan.assets[asset].source = blob_of(content);
    made.plan.assets[asset].known.reset();
    made.contents[asset] = std::move(content);
}

struct Written {
    std::vector<std::byte> bytes;
    BundleWriteSummary summary;
};

Written write_from(const BundlePlan& plan, BundleDonor donor, unsigned jobs = 2) {
    MemoryDisk disk;
    BundleWriteOptions options = quick(jobs);
    options.donor = std::move(donor);
    auto bundle = value_of(write_bundle(plan, make_memory_file(disk), options));
    REQUIRE(bundle.commit());
    return {std::move(disk.bytes), bundle.summary()};
}

TEST_CASE("donor: known assets that the donor contains are not read at all, and the bundle is the same") {
    Made made = varied();
    const auto clean = written(made.plan);
    std::atomic<int> opens = 0;
    know_all(made);
    count_all(made, opens);
    for (const unsigned jobs : {1u, 3u}) {
        opens = 0;
        const Written again = write_from(made.plan, {open_bundle(clean), {}}, jobs);
        CHECK(again.bytes == clean);
        CHECK(again.summary.copied_blocks == again.summary.blocks);
        CHECK(opens <= 1);  // "empty" has no block that could be copied
    }
}

TEST_CASE("donor: assets without a known id are read, and their blocks are copied if whole blocks are the same") {
    Made made = varied();
    const auto clean = written(made.plan);
    const Written again = write_from(made.plan, {open_bundle(clean), {}});
    CHECK(again.bytes == clean);
    CHECK(again.summary.copied_blocks > 0);
}

TEST_CASE("donor: after a change the bundle is that of a clean build, and only neighbours of the change are read") {
    const Made before = varied();
    const auto donor = open_bundle(written(before.plan));
    for (const std::size_t changed :
         {std::size_t(0), std::size_t(77), std::size_t(199), std::size_t(200), std::size_t(202), std::size_t(203),
          std::size_t(204), std::size_t(205), std::size_t(206)}) {
        CAPTURE(changed);
        Made after = varied();
        know_all(after);
        change(after, changed, prose(before.contents[changed].size() + 7, 99));
        const auto clean = written(after.plan);
        std::atomic<int> opens = 0;
        count_all(after, opens);
        const Written incremental = write_from(after.plan, {donor, {}});
        CHECK(incremental.bytes == clean);
        CHECK(opens < 200);
    }
}

TEST_CASE("donor: assets that are added, removed or change their type give the bundle of a clean build") {
    const Made before = varied();
    const auto donor = open_bundle(written(before.plan));
    Made after = varied();
    know_all(after);
    after.plan.assets[5].content_type = "text/x-quake-shader";
    after.plan.assets[203].streamed = true;
    after.plan.assets[204].streamed = false;
    put(after, "scripts/0000", "new", "text/plain");
    const auto clean = written(after.plan);
    CHECK(write_from(after.plan, {donor, {}}).bytes == clean);
}

TEST_CASE("donor: a damaged block of the donor is encoded again") {
    Made made = varied();
    const auto clean = written(made.plan);
    know_all(made);
    const auto whole = open_bundle(clean);
    for (std::uint32_t block = 0; block < whole->table_count(TableKind::blocks); ++block) {
        auto damaged = clean;
        damaged[whole->layout_head().blocks_offset + whole->block(block)->stored_offset] ^= std::byte{1};
        CHECK(write_from(made.plan, {open_bundle(damaged), {}}).bytes == clean);
    }
}

TEST_CASE("donor: only blocks that were made for the wanted purpose are copied") {
    Made made = varied();
    for (std::size_t i = 0; i < made.plan.assets.size(); i += 3)
        made.plan.assets[i].purpose = BundlePurpose::load;
    made.plan.assets[202].purpose = BundlePurpose::size;  // of several pieces
    const Written before = write_from(made.plan, {});
    REQUIRE(before.summary.block_purposes.size() == before.summary.blocks);
    know_all(made);
    const BundleDonor donor{.bundle = open_bundle(before.bytes), .block_purposes = before.summary.block_purposes};
    const Written again = write_from(made.plan, donor);
    CHECK(again.bytes == before.bytes);
    CHECK(again.summary.copied_blocks == again.summary.blocks);
    CHECK(again.summary.block_purposes == before.summary.block_purposes);

    // All purposes change places: content is where it was, and its blocks are of no use.
    for (PlannedAsset& asset : made.plan.assets)
        asset.purpose = asset.purpose ? std::optional<BundlePurpose>() : BundlePurpose::size;
    const Written changed = write_from(made.plan, donor);
    CHECK(changed.bytes == write_from(made.plan, {}).bytes);
    CHECK(changed.summary.copied_blocks == 0);

    // A list that does not go with the blocks is of no use, either.
    const Written strange =
        write_from(varied().plan, {.bundle = donor.bundle, .block_purposes = {BundlePurpose::size}});
    CHECK(strange.bytes == written(varied().plan));
    CHECK(strange.summary.copied_blocks == 0);
    CHECK(strange.summary.block_purposes.empty());
}

TEST_CASE("donor: an asset whose bytes do not have the known id is a conflict, if it has to be read") {  // A110
    Made made = varied();
    know_all(made);
    for (const std::size_t asset : {std::size_t(3), std::size_t(200), std::size_t(205)}) {
        Made wrong = made;
        wrong.plan.assets[asset].source = blob_of(prose(made.contents[asset].size(), 1234));
        CHECK(has(refusal(wrong.plan), "conflict"));
        Made other = made;  // with a donor that does not have the block
        other.plan.assets[asset].source = wrong.plan.assets[asset].source;
        BundleWriteOptions options = quick();
        BundlePlan little;
        add(little, "x", "y");
        options.donor.bundle = open_bundle(written(little));
        CHECK(has(refusal(other.plan, options), "conflict"));
    }
}

}  // namespace fardel::tests::donor_blocks_test
