// Failing sources, huge and hostile numbers, stop requests, progress.
#include "defects.h"

#include "kit/test.h"

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <cstring>

namespace fardel::tests::sources_test {

// A source with bad sectors: reading bytes [from, to) fails.
class BadSectors final : public ByteSource {
public:
    BadSectors(forge::Bytes bytes, std::uint64_t from, std::uint64_t to)
        : bytes_(std::move(bytes)), from_(from), to_(to) {}
    std::uint64_t size_bytes() const noexcept override { return bytes_.size(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset > bytes_.size() || out.size() > bytes_.size() - offset)
            return Error(ErrorCode::corrupt, "beyond the end");
        if (offset < to_ && offset + out.size() > from_)
            return Error(ErrorCode::io, "bad sector");
        if (!out.empty())
            std::memcpy(out.data(), bytes_.data() + offset, out.size());
        return ok();
    }

private:
    forge::Bytes bytes_;
    std::uint64_t from_;
    std::uint64_t to_;
};

VerifyReport verify_bad(const forge::Bytes& bytes, std::uint64_t from, std::uint64_t to) {
    VerifyOptions options;
    options.jobs = 2;
    auto report = verify_bundle(std::make_shared<BadSectors>(bytes, from, to), options);
    REQUIRE(report);
    return std::move(report).value();
}

// A file of any size whose bytes after `bytes` are zero and need no memory.
class SparseSource final : public ByteSource {
public:
    SparseSource(forge::Bytes bytes, std::uint64_t size) : bytes_(std::move(bytes)), size_(size) {}
    std::uint64_t size_bytes() const noexcept override { return size_; }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        std::ranges::fill(out, std::byte{0});
        if (offset < bytes_.size())
            std::memcpy(out.data(), bytes_.data() + offset,
                        std::min<std::uint64_t>(out.size(), bytes_.size() - offset));
        return ok();
    }

private:
    forge::Bytes bytes_;
    std::uint64_t size_;
};

// Makes the head claim sixteen gigabytes of references.
void claim_many_references(BundleHead& head) {
    for (TableEntry& table : head.tables)
        if (table.kind == TableKind::references)
            table.length_bytes = (table.count = 900'000'000) * 16;
    head.manifest_bytes = place_tables(head.tables);
}

TEST_CASE("verifier: a block that cannot be read costs that block, with the code of the source's error") {
    const auto bundle = forge::forge(forge::recipe_with_raw_pieces());
    const std::uint64_t at = bundle.layout_head.blocks_offset + bundle.layout_head.blocks_bytes - 10;
    const VerifyReport report = verify_bad(bundle.bytes, at, at + 1);
    const auto found = of_rule(report, "block-unreadable");
    REQUIRE(found.size() == 1);
    CHECK(report.found.errors == 1);
    CHECK(found[0].code == ErrorCode::io);
    CHECK(found[0].affected.size() == 1);
    CHECK(found[0].text.find("bad sector") != std::string::npos);
}

TEST_CASE("verifier: a page that cannot be read is named, the others are still checked") {
    const auto bundle = forge::forge(forge::wide_recipe(1000));
    const std::uint64_t at = bundle.layout_head.manifest_offset + bundle.head.find(TableKind::names)->offset + 4096;
    const VerifyReport report = verify_bad(bundle.bytes, at, at + 1);
    REQUIRE(of_rule(report, "page-unreadable").size() == 1);
    CHECK(of_rule(report, "page-unreadable")[0].where == "names, page 1");
    CHECK(of_rule(report, "page-damaged").empty());
}

TEST_CASE("verifier: heads and trailer that cannot be read are reported") {
    auto bundle = forge::forge(forge::small_recipe());
    forge::sign(bundle);
    CHECK(of_rule(verify_bad(bundle.bytes, 10, 11), "file-unreadable").size() == 1);
    CHECK(of_rule(verify_bad(bundle.bytes, 5000, 5001), "file-unreadable").size() == 1);
    CHECK(of_rule(verify_bad(bundle.bytes, bundle.bytes.size() - 1, bundle.bytes.size()), "file-unreadable").size() ==
          1);
}

// A24, A30: a size in a head alone never determines how much memory is allocated.
TEST_CASE("verifier: a head that claims sixteen gigabytes of tables in a small file costs nothing") {
    const auto bundle = drafted(forge::small_recipe(), [](forge::Draft& d) { d.edit_head = claim_many_references; })();
    const VerifyReport report = verify(bundle.bytes);
    CHECK(!of_rule(report, "file-cut-off").empty());
}

TEST_CASE("verifier: a sparse file of tables is refused at the caller's memory limit") {
    const auto bundle = drafted(forge::small_recipe(), [](forge::Draft& d) {
        d.edit_head = claim_many_references;
        d.edit_layout_head = [](LayoutHead& head) {
            head.layout_offset = 16ull << 30;
            head.trailer_offset = 17ull << 30;
        };
    })();
    const auto report = verify_bundle(std::make_shared<SparseSource>(bundle.bytes, 17ull << 30), {});
    REQUIRE(report);
    const auto found = of_rule(*report, "tables-too-large");
    REQUIRE(found.size() == 1);
    CHECK(found[0].code == ErrorCode::limit);
}

// A24
TEST_CASE("verifier: offsets and sizes at the end of 64 bits are only wrong") {
    for (const std::uint64_t value : {UINT64_MAX, UINT64_MAX - 4095, std::uint64_t{1} << 63}) {
        const std::uint64_t aligned = value / 4096 * 4096;
        for (const int field : {0, 1, 2, 3, 4, 5}) {
            CAPTURE(value);
            CAPTURE(field);
            const auto bundle = drafted(forge::small_recipe(), [=](forge::Draft& d) {
                d.edit_layout_head = [=](LayoutHead& head) {
                    switch (field) {
                        case 0: head.blocks_offset = aligned; break;
                        case 1: head.blocks_bytes = value; break;
                        case 2: head.manifest_offset = aligned; break;
                        case 3: head.layout_offset = aligned; break;
                        case 4: head.trailer_offset = aligned; break;
                        default: head.blocks_offset = head.manifest_offset = head.layout_offset = aligned; break;
                    }
                };
            })();
            CHECK(!verify(bundle.bytes).good());
        }
    }
}

// A20: what can be reported about a broken head.
TEST_CASE("verifier: with a damaged head, the bundle is known from the layout head, and blocks are still checked") {
    auto bundle = forge::forge(forge::small_recipe());
    bundle.bytes[50] ^= std::byte{1};
    bundle.bytes[bundle.layout_head.blocks_offset] ^= std::byte{1};
    const VerifyReport report = verify(bundle.bytes);
    CHECK(!report.bundle.id);
    CHECK(report.bundle.layout == bundle.layout_id);
    CHECK(of_rule(report, "head-refused").size() == 1);
    CHECK(of_rule(report, "block-damaged").size() == 1);
    REQUIRE(of_rule(report, "layout-of-another-bundle").size() == 1);
    CHECK(of_rule(report, "layout-of-another-bundle")[0].text.find(bundle.id.hex()) != std::string::npos);
    CHECK(report.found.errors == 3);
}

TEST_CASE("verifier: with a damaged layout head, the bundle is known from the head") {
    auto bundle = forge::forge(forge::small_recipe());
    bundle.bytes[4096] ^= std::byte{1};
    const VerifyReport report = verify(bundle.bytes);
    CHECK(report.bundle.id == bundle.id);
    CHECK(!report.bundle.layout);
    CHECK(report.counts.assets == 6);
    CHECK(report.found.errors == 1);
}

TEST_CASE("verifier: a stop request ends it, on one thread and on several") {
    const auto bundle = forge::forge(forge::recipe_with_raw_pieces());
    for (const unsigned jobs : {1u, 3u}) {
        std::stop_source stop;
        VerifyOptions options;
        options.jobs = jobs;
        options.stop = stop.get_token();
        options.progress = [&](const VerifyProgress&) { stop.request_stop(); };
        const auto report = verify_bundle(make_memory_source(bundle.bytes), options);
        REQUIRE(!report);
        CHECK(report.error().code() == ErrorCode::cancelled);
    }
}

TEST_CASE("verifier: progress rises to the stored bytes of all blocks") {
    auto recipe = forge::recipe_with_raw_pieces();
    for (std::uint32_t i = 0; i < 40; ++i)
        recipe.assets.push_back({.bytes = forge::noise(100'000, 100 + i)});
    const auto bundle = forge::forge(recipe);
    for (const unsigned jobs : {1u, 3u}) {
        std::vector<VerifyProgress> seen;
        VerifyOptions options;
        options.jobs = jobs;
        options.progress = [&](const VerifyProgress& progress) { seen.push_back(progress); };
        const VerifyReport report = verify(bundle.bytes, options);
        CHECK(report.good());
        REQUIRE(seen.size() > 2);
        for (std::size_t i = 1; i < seen.size(); ++i)
            CHECK(seen[i].stored_bytes_done > seen[i - 1].stored_bytes_done);
        CHECK(seen.back().stored_bytes_done == seen.back().stored_bytes_total);
    }
}

}  // namespace fardel::tests::sources_test
