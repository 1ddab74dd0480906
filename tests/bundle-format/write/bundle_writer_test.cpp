#include <fardel/format/bundle_writer.h>

#include "bundle-format/plans.h"
#include "kit/bundles.h"
#include "kit/files.h"

#include <fardel/format/bundle.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <map>
#include <set>

namespace fardel::tests::bundle_writer_test {

constexpr std::size_t kPiece = 65536;
constexpr std::size_t kStreamPiece = 262144;

// Returns the bytes of another source, a few at a time.
class TrickleBlob final : public BlobSource {
public:
    TrickleBlob(std::shared_ptr<const BlobSource> source, std::size_t step) : source_(std::move(source)), step_(step) {}
    Result<std::unique_ptr<BlobStream>> open() const override {
        struct Trickle final : BlobStream {
            std::unique_ptr<BlobStream> stream;
            std::size_t step = 1;
            Result<std::size_t> read(std::span<std::byte> out) override {
                return stream->read(out.first(std::min(out.size(), step)));
            }
        };
        auto trickle = std::make_unique<Trickle>();
        FARDEL_TRY_ASSIGN(trickle->stream, source_->open());
        trickle->step = step_;
        return std::unique_ptr<BlobStream>(std::move(trickle));
    }

private:
    std::shared_ptr<const BlobSource> source_;
    std::size_t step_;
};

// Returns the bytes that a reader finds under the name.
std::string read(const Bundle& bundle, std::string_view name) {
    const auto index = bundle.find_name(name).value();
    REQUIRE(index);
    const auto record = bundle.name(*index).value();
    const auto bytes = bundle.read_all(bundle.default_asset(record).value()).value();
    return text_of(bytes);
}

// A plan that uses every feature of the format.
BundlePlan varied_plan() {
    BundlePlan plan;
    for (int i = 0; i < 300; ++i)
        add(plan, "scripts/" + std::to_string(i) + ".shader",
            prose(static_cast<std::size_t>(i) * 37, static_cast<std::uint32_t>(i)));
    add(plan, "textures/wall", noise_text(3 * kPiece + 100, 1), "image/jpeg");
    add(plan, "textures/wall copy", noise_text(3 * kPiece + 100, 1), "image/jpeg");
    add(plan, "models/tree", prose(5 * kPiece, 2), "model/gltf-binary");
    add(plan, "music/theme", noise_text(kStreamPiece * 2 + 1, 3), "audio/ogg", true);
    add(plan, "music/short", prose(kPiece + 5, 4), "audio/ogg", true);
    add(plan, "empty", "");
    plan.assets[3].references = {{"../x", PlannedReference::Internal{7}, true},
                                 {"textures/wall", PlannedReference::Dynamic{"textures/wall"}}};
    plan.assets[3].metadata = {{"licence", std::string("CC0-1.0")}, {"metric.lines", 12.5}};
    plan.metadata = {{"version", std::string("1.0")}, {"name", std::string("base")}};
    return plan;
}

TEST_CASE("writer: a name leads to its asset, by the document and by the reader") {
    BundlePlan plan;
    add(plan, "maps/dm1", "a map");
    add(plan, "textures/base/wall", noise_text(1000, 1), "image/jpeg");
    add(plan, "models/big", noise_text(200'000, 2), "model/x");
    const auto bytes = written(plan);
    const AuditedBundle audit = tests::audit(bytes);
    CHECK(audit.content_named("maps/dm1") == "a map");
    CHECK(audit.content_named("textures/base/wall") == noise_text(1000, 1));
    CHECK(audit.content_named("models/big") == noise_text(200'000, 2));
    CHECK(audit.text(audit.assets[audit.asset_named("textures/base/wall")].content_type) == "image/jpeg");
    CHECK(audit.name("maps/dm1").flags == NameRecord::published);

    const auto bundle = open_bundle(bytes);
    CHECK(bundle->id() == audit.id);
    CHECK(read(*bundle, "maps/dm1") == "a map");
    CHECK(read(*bundle, "textures/base/wall") == noise_text(1000, 1));
    CHECK(read(*bundle, "models/big") == noise_text(200'000, 2));
}

TEST_CASE("writer: an empty plan gives a valid bundle") {  // A29
    const auto bytes = written({});
    CHECK(bytes.size() == 8192);
    const AuditedBundle audit = tests::audit(bytes);
    CHECK(audit.head.tables.empty());
    CHECK(audit.layout.tables.empty());
    const auto bundle = open_bundle(bytes);
    CHECK(bundle->asset_count() == 0);
    CHECK_FALSE(bundle->find_name("anything").value());
}

TEST_CASE("writer: a bundle of metadata alone has no block") {
    BundlePlan plan;
    plan.metadata = {{"name", std::string("nothing")}};
    const AuditedBundle audit = audited(plan);
    CHECK(audit.blocks.empty());
    CHECK(audit.metadata_of(kBundleSubject) == std::vector<std::string>{"name=nothing"});
}

TEST_CASE("writer: an asset of any size around the size of a piece is read back") {  // A29
    const std::size_t sizes[] = {0,
                                 1,
                                 2,
                                 kPiece - 1,
                                 kPiece,
                                 kPiece + 1,
                                 2 * kPiece - 1,
                                 2 * kPiece,
                                 2 * kPiece + 1,
                                 kStreamPiece - 1,
                                 kStreamPiece,
                                 kStreamPiece + 1,
                                 2 * kStreamPiece,
                                 2 * kStreamPiece + 1};
    for (const std::size_t size : sizes)
        for (const bool streamed : {false, true})
            for (const bool compressible : {false, true}) {
                CAPTURE(size);
                CAPTURE(streamed);
                CAPTURE(compressible);
                const std::string content = compressible ? prose(size, 1) : noise_text(size, 1);
                BundlePlan plan;
                add(plan, "a", "first", "video/x", streamed);
                add(plan, "b", content, "video/x", streamed);
                add(plan, "c", "last", "video/x", streamed);
                const auto bytes = written(plan);
                const AuditedBundle audit = tests::audit(bytes);
                CHECK(audit.content_named("b") == content);
                CHECK(audit.content_named("c") == "last");
                const std::size_t piece = streamed ? kStreamPiece : kPiece;
                const std::size_t pieces = (size + piece - 1) / piece;
                CHECK(audit.pieces.size() == (pieces > 1 ? pieces : 0));
                CHECK(read(*open_bundle(bytes), "b") == content);
            }
}

TEST_CASE("writer: the bytes do not depend on threads, the order of the plan or the steps of its sources") {
    const BundlePlan plan = varied_plan();
    const auto expected = written(plan, quick(1));
    (void)audit(expected);
    for (const unsigned jobs : {2u, 7u})
        CHECK(written(plan, quick(jobs)) == expected);

    FARDEL_RANDOM(random);
    for (int round = 0; round < 3; ++round) {
        std::vector<std::uint32_t> target(plan.assets.size());  // asset i moves to target[i]
        for (std::uint32_t i = 0; i < target.size(); ++i)
            target[i] = i;
        std::ranges::shuffle(target, random);
        BundlePlan shuffled = plan;
        for (std::uint32_t i = 0; i < target.size(); ++i) {
            shuffled.assets[target[i]] = plan.assets[i];
            PlannedAsset& asset = shuffled.assets[target[i]];
            asset.source = std::make_shared<TrickleBlob>(asset.source, 1 + random() % 9999);
            for (PlannedReference& reference : asset.references)
                if (auto* internal = std::get_if<PlannedReference::Internal>(&reference.target))
                    internal->asset = target[internal->asset];
            std::ranges::shuffle(asset.references, random);
            std::ranges::shuffle(asset.metadata, random);
        }
        for (PlannedName& name : shuffled.names)
            for (PlannedVariant& variant : name.variants)
                variant.asset = target[variant.asset];
        std::ranges::shuffle(shuffled.names, random);
        std::ranges::shuffle(shuffled.metadata, random);
        CHECK(written(shuffled, quick(3)) == expected);
    }
}

TEST_CASE("writer: the level changes the layout and never the bundle id") {
    const BundlePlan plan = varied_plan();
    std::set<std::string> layouts, bundles;
    for (const int level : {1, 3, 19}) {
        const AuditedBundle audit = audited(plan, {.level = level, .jobs = 2});
        bundles.insert(audit.id.hex());
        layouts.insert(audit.layout_id.hex());
    }
    CHECK(bundles.size() == 1);
    CHECK(layouts.size() == 3);
    CHECK(refusal(plan, {.level = 0}).starts_with("limit: "));
    CHECK(refusal(plan, {.level = 20}).starts_with("limit: "));
}

TEST_CASE("writer: what a bundle is made for changes the layout and never the bundle id") {
    const BundlePlan plan = varied_plan();
    std::set<std::string> layouts, bundles;
    for (const BundlePurpose purpose : {BundlePurpose::balanced, BundlePurpose::load, BundlePurpose::size}) {
        CAPTURE(purpose_name(purpose));
        const AuditedBundle audit = audited(plan, {.purpose = purpose, .jobs = 2});
        bundles.insert(audit.id.hex());
        layouts.insert(audit.layout_id.hex());
        CHECK(find_purpose(purpose_name(purpose)) == purpose);
    }
    CHECK(written(plan, {.purpose = BundlePurpose::load, .jobs = 1}) ==
          written(plan, {.purpose = BundlePurpose::load, .jobs = 5}));
    CHECK(bundles.size() == 1);
    CHECK(layouts.size() == 3);
    CHECK_FALSE(find_purpose(""));
    CHECK_FALSE(find_purpose("speed"));
}

TEST_CASE("writer: blocks of a sound have a filter, which the layout lists, and are read back") {
    std::string sound;
    for (int i = 0, level = 0; i < 150'000; ++i) {
        level += i * 7919 % 401 - 200;
        sound += {static_cast<char>(level), static_cast<char>(level >> 8)};
    }
    BundlePlan plan;
    add(plan, "sounds/small", sound.substr(0, 30'000), "audio/wav");
    add(plan, "sounds/large", sound, "audio/wav");
    add(plan, "sounds/stream", sound.substr(1), "audio/wav", true);
    for (const BundlePurpose purpose : {BundlePurpose::balanced, BundlePurpose::load, BundlePurpose::size}) {
        CAPTURE(purpose_name(purpose));
        const auto bundle = open_bundle(written(plan, {.purpose = purpose}));
        const Codec codec = purpose == BundlePurpose::load ? Codec::lz4 : Codec::zstd;
        CHECK(std::ranges::count(bundle->layout_head().codecs, with_filter(codec, Filter::delta16),
                                 &CodecVersion::codec) == 1);
        CHECK(read(*bundle, "sounds/small") == sound.substr(0, 30'000));
        CHECK(read(*bundle, "sounds/large") == sound);
        CHECK(read(*bundle, "sounds/stream") == sound.substr(1));
        std::string part(70'000, ' ');  // of two blocks
        const auto index = bundle->default_asset(bundle->name(*bundle->find_name("sounds/large").value()).value());
        REQUIRE(bundle->read_at(index.value(), 60'001, std::as_writable_bytes(std::span(part))));
        CHECK(part == sound.substr(60'001, 70'000));
        static_cast<void>(audited(plan, {.purpose = purpose}));
    }
    // A plan without them has no filter, so that readers which know none read it.
    BundlePlan texts;
    add(texts, "readme", prose(100'000, 4), "text/plain");
    const auto text_bundle = open_bundle(written(texts));
    for (const CodecVersion& codec : text_bundle->layout_head().codecs)
        CHECK(filter_of(codec.codec) == Filter::none);
}

TEST_CASE("writer: the bundle id of a plan never changes") {
    BundlePlan plan;
    add(plan, "maps/dm1", "a map");
    add(plan, "textures/base/wall", std::string(100'000, 'w'), "image/jpeg");
    plan.metadata = {{"name", std::string("golden")}};
    CHECK(audited(plan).id.hex() == "e9025e7fb4bf22e1fd4271cc2eef1343e505235d20f510ac5b16d0285b6a3a89");
}

TEST_CASE("writer: small assets share blocks with neighbours of their type only") {
    BundlePlan plan;
    for (int i = 0; i < 100; ++i) {
        add(plan, "text/" + std::to_string(i), prose(1000, static_cast<std::uint32_t>(i)), "text/plain");
        add(plan, "image/" + std::to_string(i), prose(1000, static_cast<std::uint32_t>(1000 + i)), "image/png");
    }
    const AuditedBundle audit = audited(plan);  // the audit checks that no block mixes types
    CHECK(audit.blocks.size() == 4);            // 65 in each first block, 35 in each second
    CHECK(audit.blocks[0].raw_bytes == 65'000);
    CHECK(audit.blocks[1].raw_bytes == 35'000);
}

TEST_CASE("writer: small assets are stored in the order of their keys") {
    BundlePlan plan;
    for (const char* name : {"c", "a", "d", "b"})
        add(plan, name, std::string("content of ") + name);
    const AuditedBundle audit = audited(plan);
    std::map<std::uint32_t, std::string> by_offset;
    for (const char* name : {"a", "b", "c", "d"})
        by_offset[audit.placements[audit.asset_named(name)].offset] += name;
    std::string order;
    for (const auto& [offset, name] : by_offset)
        order += name;
    CHECK(order == "abcd");
}

TEST_CASE("writer: equal bytes are stored once, small and large, first, between and last") {
    const std::string small = prose(500, 1), large = noise_text(4 * kPiece + 7, 2),
                      streamed = noise_text(kPiece + 9, 3);
    BundlePlan plan;
    add(plan, "a large", large);
    add(plan, "b large again", large);
    add(plan, "c small", small);
    add(plan, "d other", noise_text(2 * kPiece, 4));
    add(plan, "e large again", large);
    add(plan, "f small again", small);
    add(plan, "g streamed", streamed, "text/plain", true);
    add(plan, "h not streamed", streamed);  // would be two pieces, but the first asset with these bytes is streamed
    add(plan, "i empty", "");
    add(plan, "j empty again", "", "image/png");
    add(plan, "k large again, at the end", large, "zzz/last");
    MemoryDisk disk;
    const auto bundle = write_bundle(plan, make_memory_file(disk), quick());
    REQUIRE(bundle);
    const AuditedBundle audit = tests::audit(disk.bytes);  // no gap contains bytes that were taken back
    CHECK(audit.assets.size() == 5);
    CHECK(audit.blocks.size() == 5 + 1 + 2 + 1);
    CHECK(audit.asset_named("a large") == audit.asset_named("k large again, at the end"));
    CHECK(audit.content_named("e large again") == large);
    CHECK(audit.content_named("h not streamed") == streamed);
    CHECK(audit.assets[audit.asset_named("h not streamed")].piece_log2 == limits::kStreamBlockLog2);
    CHECK(audit.text(audit.assets[audit.asset_named("k large again, at the end")].content_type) == "text/plain");
    const BundleWriteSummary& summary = bundle->summary();
    CHECK(summary.assets == 5);
    CHECK(summary.names == 11);
    CHECK(summary.duplicates == 6);
    CHECK(summary.duplicate_bytes == 3 * large.size() + small.size() + streamed.size());
    CHECK(summary.raw_bytes == large.size() + small.size() + streamed.size() + 2 * kPiece);
    CHECK(summary.blocks == 9);
    CHECK(summary.bundle == audit.id);
    CHECK(summary.layout == audit.layout_id);
    CHECK(summary.manifest_bytes == audit.head.manifest_bytes);
}

TEST_CASE("writer: a duplicate that is too large for memory is taken back from the file") {
    const std::string large = noise_text(60 * kPiece, 1);
    for (const unsigned jobs : {1u, 2u, 5u}) {
        BundlePlan plan;
        add(plan, "a", large);
        add(plan, "b", large);
        MemoryDisk disk;
        const auto bundle = write_bundle(plan, make_memory_file(disk), quick(jobs));
        REQUIRE(bundle);
        CHECK(disk.bytes_largest > disk.bytes.size());  // the second copy was written at first
        CHECK(tests::audit(disk.bytes).blocks.size() == 60);
        plan.assets.pop_back();
        plan.names[1].variants[0].asset = 0;
        CHECK(written(plan) == disk.bytes);  // the file shows no trace of the second copy
    }
}

TEST_CASE("writer: memory holds a few blocks per thread, whatever the size of an asset") {
    struct Meter {
        std::uint64_t read = 0, stored = 0, ahead_most = 0;
    };
    // The bytes are incompressible, so that as many are written as were read.
    struct EndlessBlob final : BlobSource {
        Meter* meter;
        std::uint64_t size;
        EndlessBlob(Meter* m, std::uint64_t s) : meter(m), size(s) {}
        Result<std::unique_ptr<BlobStream>> open() const override {
            struct Stream final : BlobStream {
                Meter* meter = nullptr;
                std::uint64_t rest = 0;
                std::mt19937_64 random{1};
                Result<std::size_t> read(std::span<std::byte> out) override {
                    const std::size_t count = std::min<std::uint64_t>(out.size(), rest) & ~std::size_t{7};
                    for (std::size_t i = 0; i < count; i += 8) {
                        const std::uint64_t value = random();
                        std::memcpy(out.data() + i, &value, 8);
                    }
                    rest -= count;
                    meter->read += count;
                    meter->ahead_most = std::max(meter->ahead_most, meter->read - meter->stored);
                    return count;
                }
            };
            auto stream = std::make_unique<Stream>();
            stream->meter = meter;
            stream->rest = size;
            return std::unique_ptr<BlobStream>(std::move(stream));
        }
    };
    struct CountingFile final : StagedFile {
        Meter* meter;
        explicit CountingFile(Meter* m) : meter(m) {}
        Status write_at(std::uint64_t, std::span<const std::byte> bytes) override {
            meter->stored += bytes.size();
            return ok();
        }
        Status resize(std::uint64_t) override { return ok(); }
        Status commit() override { return ok(); }
    };

    Meter meter;
    BundlePlan plan;
    add(plan, "endless", "");
    plan.assets[0].source = std::make_shared<EndlessBlob>(&meter, 1024 * kPiece);
    const auto bundle = write_bundle(plan, std::make_unique<CountingFile>(&meter), quick(2));
    REQUIRE(bundle);
    CHECK(bundle->summary().raw_bytes == 1024 * kPiece);
    CHECK(meter.ahead_most <= 20 * kPiece);
}

TEST_CASE("writer: random plans are read back, in any combination") {
    FARDEL_RANDOM(random);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    for (int round = 0; round < 12; ++round) {
        BundlePlan plan;
        std::vector<std::string> contents;
        for (std::uint32_t i = 0, count = below(60); i < count; ++i) {
            const std::size_t size = below(8) == 0 ? below(600'000) : below(3) == 0 ? below(70'000) : below(2000);
            std::string content = !contents.empty() && below(5) == 0
                                      ? contents[below(static_cast<std::uint32_t>(contents.size()))]
                                  : below(2) == 0 ? noise_text(size, static_cast<std::uint32_t>(random()))
                                                  : prose(size, static_cast<std::uint32_t>(random()));
            const std::string types[] = {"text/plain", "image/png", "audio/ogg"};
            add(plan, "d" + std::to_string(below(4)) + "/" + std::to_string(i), content, types[below(3)],
                below(3) == 0);
            contents.push_back(std::move(content));
        }
        const auto bytes = written(plan, quick(1 + below(4)));
        const AuditedBundle audit = tests::audit(bytes);
        const auto bundle = open_bundle(bytes);
        for (std::size_t i = 0; i < contents.size(); ++i) {
            CHECK(audit.content_named(plan.names[i].name.view()) == contents[i]);
            CHECK(read(*bundle, plan.names[i].name.view()) == contents[i]);
        }
    }
}

TEST_CASE("writer: a folder of real files is packed into a real file and read back") {
    const ScratchFolder scratch;
    BundlePlan plan;
    for (std::uint32_t i = 0; i < 20; ++i) {
        const std::string name = "files/" + std::to_string(i);
        add(plan, name, "");
        plan.assets[i].source = make_file_blob(scratch.write(name, std::string_view(prose(i * i * 700, i))));
    }
    auto bundle = write_bundle(plan, scratch.path("out.fardel"), {});
    REQUIRE(bundle);
    CHECK_FALSE(std::filesystem::exists(scratch.path("out.fardel")));
    REQUIRE(bundle->commit());
    CHECK(std::filesystem::file_size(scratch.path("out.fardel")) == bundle->summary().file_bytes);
    const auto read_back = Bundle::open(open_file_source(scratch.path("out.fardel")).value(), {}).value();
    CHECK(read_back->id() == bundle->summary().bundle);
    for (std::uint32_t i = 0; i < 20; ++i)
        CHECK(read(*read_back, "files/" + std::to_string(i)) == prose(i * i * 700, i));
}

}  // namespace fardel::tests::bundle_writer_test
