#include <fardel/format/unpacked_bundle.h>

#include "kit/bundles.h"
#include "kit/files.h"

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/digest_index.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <atomic>

namespace fardel::tests::unpacked_bundle_test {

// Returns the bytes that the test has set, and counts how often it is opened.
class CountingBlob final : public BlobSource {
public:
    explicit CountingBlob(std::vector<std::byte> bytes) : now(std::move(bytes)) {}
    Result<std::unique_ptr<BlobStream>> open() const override {
        ++opened;
        if (broken)
            return Error(ErrorCode::io, "no such luck");
        blob_ = make_memory_blob(now);
        return blob_->open();
    }
    std::optional<Hash> find_version() const override { return version; }

    std::vector<std::byte> now;
    std::optional<Hash> version;
    bool broken = false;
    mutable std::atomic<int> opened = 0;

private:
    mutable std::shared_ptr<const BlobSource> blob_;
};

// Assets with sizes around each boundary between blocks, two with equal bytes, and an empty one.
BundlePlan sized_plan() {
    BundlePlan plan;
    const std::size_t sizes[] = {0, 1, 4095, 4096, 65535, 65536, 65537, 200000, 262144, 262145, 200000};
    for (const std::size_t size : sizes) {
        const auto index = static_cast<std::uint32_t>(plan.assets.size());
        const std::string name = "a/" + std::to_string(index);
        plan.assets.push_back({.source = make_memory_blob(noise(size, static_cast<unsigned>(size))),
                               .key = name,
                               .streamed = index % 3 == 0});
        plan.names.push_back({.name = AssetName::parse(name).value(), .variants = {{.asset = index}}});
    }
    plan.metadata.push_back({.key = "name", .value = "sizes"});
    return plan;
}

BundlePlan plan_of(std::shared_ptr<const BlobSource> blob) {
    BundlePlan plan;
    plan.assets.push_back({.source = std::move(blob), .key = "the key"});
    plan.names.push_back({.name = AssetName::parse("x").value(), .variants = {{.asset = 0}}});
    return plan;
}

Result<std::vector<std::byte>> read_x(const std::shared_ptr<const ByteSource>& source) {
    const auto bundle = Bundle::open(source, {}).value();
    const auto name = bundle->find_name("x").value();
    return bundle->read_all(bundle->default_asset(bundle->name(*name).value()).value());
}

TEST_CASE("unpacked bundle: every asset reads back, and its id is that of the packed bundle") {
    const BundlePlan plan = sized_plan();
    const auto source = make_unpacked_source(plan).value();
    const auto bundle = Bundle::open(source, {}).value();
    for (const PlannedName& name : plan.names) {
        const auto index = bundle->find_name(name.name.view()).value();
        REQUIRE(index);
        const AssetIndex asset = bundle->default_asset(bundle->name(*index).value()).value();
        const auto bytes = bundle->read_all(asset).value();
        CHECK(id_from<AssetId>(blake3(bytes)) == bundle->asset(asset).value().id);
        CHECK(make_memory_source(bytes)->size_bytes() == bundle->asset(asset).value().raw_bytes);
        CHECK(bundle->verify_asset(asset));
    }
    CHECK(bundle->asset_count() == plan.assets.size() - 1);  // the two with equal bytes are one asset

    const tests::ScratchFolder scratch;
    const auto staged = write_bundle(plan, scratch.path("x.fardel"), {}).value();
    CHECK(staged.summary().bundle == bundle->id());
}

TEST_CASE("unpacked bundle: the number of threads changes nothing") {
    const BundlePlan plan = sized_plan();
    CHECK(all_bytes(*make_unpacked_source(plan, {.jobs = 1}).value()) ==
          all_bytes(*make_unpacked_source(plan, {.jobs = 8}).value()));
}

TEST_CASE("unpacked bundle: a plan without assets is a bundle") {
    const auto bundle = Bundle::open(make_unpacked_source({}).value(), {}).value();
    CHECK(bundle->asset_count() == 0);
    CHECK(bundle->name_count() == 0);
}

TEST_CASE("unpacked bundle: a blob that gives other bytes later is corrupt, one of another size a conflict") {
    const auto blob = std::make_shared<CountingBlob>(noise(100000, 1));
    const auto source = make_unpacked_source(plan_of(blob)).value();
    CHECK(read_x(source).value() == blob->now);

    const auto other = std::make_shared<CountingBlob>(noise(100000, 1));
    const auto changed = make_unpacked_source(plan_of(other)).value();
    other->now[70000] ^= std::byte{1};
    CHECK(read_x(changed).error().code() == ErrorCode::corrupt);

    const auto third = std::make_shared<CountingBlob>(noise(100000, 1));
    const auto grown = make_unpacked_source(plan_of(third)).value();
    third->now.push_back(std::byte{0});
    CHECK(read_x(grown).error().code() == ErrorCode::conflict);
}

TEST_CASE("unpacked bundle: a blob that cannot be read is an error with its key") {
    const auto blob = std::make_shared<CountingBlob>(noise(10, 1));
    blob->broken = true;
    const auto refused = make_unpacked_source(plan_of(blob));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == ErrorCode::io);
    CHECK(refused.error().text().find("the key") != std::string::npos);
}

TEST_CASE("unpacked bundle: a blob whose digest is known is not read again") {
    const auto blob = std::make_shared<CountingBlob>(noise(100000, 1));
    blob->version = blake3(noise(1, 1));
    const auto digests = std::make_shared<DigestCache>();
    const auto first = all_bytes(*make_unpacked_source(plan_of(blob), {.digests = digests}).value());
    const int opened = blob->opened;
    CHECK(all_bytes(*make_unpacked_source(plan_of(blob), {.digests = digests}).value()).size() == first.size());
    CHECK(blob->opened == opened + 1);  // all_bytes reads the bytes; the digest is known

    blob->version = blake3(noise(2, 2));
    blob->now = noise(100000, 7);
    const auto source = make_unpacked_source(plan_of(blob), {.digests = digests}).value();
    CHECK(read_x(source).value() == blob->now);
}

TEST_CASE("unpacked bundle: a blob that was read ahead is read again only if the plan has other pieces of it") {
    const auto blob = std::make_shared<CountingBlob>(noise(100, 1));
    const auto digests = std::make_shared<DigestCache>();
    BundlePlan plan = plan_of(blob);
    digest_ahead(plan.assets, {.digests = digests});
    CHECK(all_bytes(*make_unpacked_source(plan).value()).size() > 100);
    const int without_version = blob->opened;

    blob->version = blake3(noise(1, 1));
    digest_ahead(plan.assets, {.digests = digests});
    CHECK(digests->find(*blob->version)->first_bytes().size() == kBlobHeadBytes);
    CHECK(blob->opened == without_version + 1);
    const auto source = make_unpacked_source(plan, {.digests = digests}).value();
    CHECK(blob->opened == without_version + 1);
    CHECK(read_x(source).value() == blob->now);

    plan.assets[0].streamed = true;
    CHECK(read_x(make_unpacked_source(plan, {.digests = digests}).value()).value() == blob->now);
    blob->broken = true;
    blob->version = blake3(noise(2, 2));
    digest_ahead(plan.assets, {.digests = digests});
    CHECK(digests->find(*blob->version) == nullptr);
}

TEST_CASE("unpacked bundle: many blobs stay readable though few stay open") {
    BundlePlan plan;
    for (std::uint32_t i = 0; i < 300; ++i) {
        const std::string name = std::to_string(i);
        plan.assets.push_back({.source = std::make_shared<CountingBlob>(noise(1000 + i, i)), .key = name});
        plan.names.push_back({.name = AssetName::parse(name).value(), .variants = {{.asset = i}}});
    }
    const auto bundle = Bundle::open(make_unpacked_source(plan).value(), {}).value();
    for (int round = 0; round < 2; ++round)
        for (std::uint32_t i = 0; i < bundle->asset_count(); ++i)
            CHECK(bundle->verify_asset(AssetIndex{i}));
}

TEST_CASE("unpacked bundle: a requested stop is obeyed") {
    std::stop_source stop;
    stop.request_stop();
    CHECK(code_of(make_unpacked_source(sized_plan(), {.stop = stop.get_token()})) == ErrorCode::cancelled);
}

}  // namespace fardel::tests::unpacked_bundle_test
