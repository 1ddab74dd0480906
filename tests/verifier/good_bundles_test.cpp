// Valid bundles of several writers: the verifier finds nothing in them.
#include "defects.h"
#include "kit/blobs.h"

#include <fardel/format/bundle_writer.h>

#include <cstring>

namespace fardel::tests::good_bundles_test {

std::vector<PlannedMetadata> planned(const forge::Metadata& metadata) {
    std::vector<PlannedMetadata> out;
    for (const auto& [key, value] : metadata)
        out.push_back({key, value});
    return out;
}

PlannedReference planned(const forge::Reference& reference) {
    PlannedReference out{reference.spelling, {}, reference.optional};
    if (const auto* internal = std::get_if<forge::Reference::Internal>(&reference.target))
        out.target = PlannedReference::Internal{internal->asset};
    else if (const auto* foreign = std::get_if<forge::Reference::Foreign>(&reference.target))
        out.target = PlannedReference::Foreign{foreign->asset, foreign->dependency};
    else
        out.target = PlannedReference::Dynamic{std::get<forge::Reference::Dynamic>(reference.target).name};
    return out;
}

// The same bundle, for the real writer.
BundlePlan plan_of(const forge::Recipe& recipe) {
    BundlePlan plan;
    for (const forge::Asset& asset : recipe.assets) {
        PlannedAsset out;
        out.source = make_memory_blob(asset.bytes);
        out.key = std::to_string(plan.assets.size());
        out.content_type = asset.content_type;
        out.streamed = asset.streamed;
        for (const forge::Reference& reference : asset.references)
            out.references.push_back(planned(reference));
        out.metadata = planned(asset.metadata);
        out.creator_metadata = planned(asset.creator_metadata);
        plan.assets.push_back(std::move(out));
    }
    for (const forge::Name& name : recipe.names) {
        PlannedName out{*AssetName::parse(name.text), {}, name.published, name.extends};
        for (const forge::Variant& variant : name.variants)
            out.variants.push_back({variant.tags, variant.asset});
        plan.names.push_back(std::move(out));
    }
    for (const forge::Consume& consume : recipe.consumes)
        plan.consumes.push_back({consume.text, consume.pattern, consume.optional});
    for (const forge::Dependency& dependency : recipe.dependencies)
        plan.dependencies.push_back({dependency.bundle, dependency.name, dependency.version, dependency.is_static});
    plan.metadata = planned(recipe.metadata);
    plan.creator_metadata = planned(recipe.creator_metadata);
    return plan;
}

struct Written {
    forge::Bytes bytes;
    BundleWriteSummary summary;
};

Written write(const BundlePlan& plan, int level = 3) {
    tests::MemoryDisk disk;
    BundleWriteOptions options;
    options.level = level;
    auto staged = write_bundle(plan, tests::make_memory_file(disk), options);
    REQUIRE_MESSAGE(staged, staged.error().text());
    REQUIRE(staged->commit());
    return {std::move(disk.bytes), staged->summary()};
}

std::vector<forge::Recipe> recipes() {
    return {forge::Recipe{},       forge::small_recipe(), forge::recipe_with_raw_pieces(),
            forge::wide_recipe(1), forge::wide_recipe(5), forge::wide_recipe(2000)};
}

TEST_CASE("verifier: a forged bundle of every kind of record, signed, has no findings") {
    for (auto& recipe : recipes()) {
        recipe.metadata = forge::small_recipe().metadata;  // a name to sign
        auto bundle = forge::forge(recipe);
        forge::sign(bundle);
        const TrustPolicy policy = forge::test_policy();
        VerifyOptions options;
        options.policy = &policy;
        options.time = TrustTime::at({1'800'000'000});
        const VerifyReport report = verify(bundle.bytes, options);
        CHECK_MESSAGE(report.findings.empty(), text_of(report));
        CHECK(report.good());
        CHECK(report.sizes.raw_bytes_proved == bundle.raw_bytes);
        REQUIRE(report.trailer.verdict);
        CHECK(report.trailer.verdict->trusted);
        CHECK(report.trailer.verdict->layout_signed);
    }
}

TEST_CASE("verifier: what the writer makes has no findings except that it is unsigned") {
    for (const auto& recipe : recipes())
        for (const int level : {1, 9, 19}) {
            const Written written = write(plan_of(recipe), level);
            const VerifyReport report = verify(written.bytes);
            CHECK_MESSAGE(report.found.errors + report.found.warnings == 0, text_of(report));
            CHECK(report.findings.size() == 1);
            CHECK(report.bundle.id == written.summary.bundle);
            CHECK(report.bundle.layout == written.summary.layout);
            CHECK(report.sizes.raw_bytes_proved == written.summary.raw_bytes);
            CHECK(report.sizes.stored_bytes == written.summary.stored_bytes);
        }
}

// Two implementations of the format, which share only the encoding of records, give the same bundle id.
TEST_CASE("forge and writer: the same content has the same bundle id") {
    for (const auto& recipe : recipes())
        CHECK(forge::forge(recipe).id == write(plan_of(recipe)).summary.bundle);
}

// A29
TEST_CASE("verifier: sizes around those of blocks and pages are all right") {
    for (const bool streamed : {false, true})
        for (const std::size_t size :
             {0, 1, 4095, 4096, 4097, 65535, 65536, 65537, 131071, 131072, 131073, 262143, 262144, 262145, 524289}) {
            forge::Recipe recipe;
            recipe.assets = {{.bytes = forge::noise(size, 1), .streamed = streamed},
                             {.bytes = forge::bytes_of("a neighbour")}};
            CAPTURE(size);
            CAPTURE(streamed);
            for (const forge::Bytes& bytes : {forge::forge(recipe).bytes, write(plan_of(recipe)).bytes}) {
                const VerifyReport report = verify(bytes);
                CHECK_MESSAGE(report.good(), text_of(report));
                CHECK(report.sizes.raw_bytes_proved == size + 11);
            }
        }
}

TEST_CASE("verifier: the report contains counts and names") {
    const auto bundle = forge::forge(forge::small_recipe());
    const VerifyReport report = verify(bundle.bytes);
    CHECK(report.bundle.id == bundle.id);
    CHECK(report.bundle.layout == bundle.layout_id);
    CHECK(report.bundle.name == "tests/small");
    CHECK(report.bundle.version == "1.0");
    CHECK(report.counts.assets == 6);
    CHECK(report.counts.names == 6);
    CHECK(report.counts.published == 6);
    CHECK(report.counts.variants == 4);
    CHECK(report.counts.references == 3);
    CHECK(report.counts.consumes == 3);
    CHECK(report.counts.dependencies == 2);
    CHECK(report.counts.blocks == 4);
    CHECK(report.sizes.file_bytes == bundle.bytes.size());
    CHECK(report.sizes.manifest_bytes == bundle.head.manifest_bytes);
    CHECK(report.sizes.layout_bytes == bundle.layout_head.layout_bytes);
    CHECK(report.sizes.raw_bytes == bundle.raw_bytes);
    CHECK(report.sizes.stored_bytes == bundle.stored_bytes);
    CHECK(report.trailer.envelopes == 0);
    CHECK(!report.trailer.verdict);
}

// A32
TEST_CASE("verifier: another format's bytes after the trailer make no bundle of both") {
    auto bundle = forge::forge(forge::small_recipe());
    for (const char c : std::string("PK\x05\x06"))
        bundle.bytes.push_back(static_cast<std::byte>(c));
    bundle.bytes.resize(bundle.bytes.size() + 18);
    CHECK(!verify(bundle.bytes).good());
}

}  // namespace fardel::tests::good_bundles_test
