#include "write/asset_storage.h"

#include <fardel/format/bundle.h>

#include "bundle-format/plans.h"

#include <functional>
#include <stop_token>

namespace fardel::tests::asset_storage_test {

constexpr std::size_t kPiece = 65536;

// Calls on_open when it is opened and on_read before each read.
class TrickBlob final : public BlobSource {
public:
    std::string content;
    std::function<Status()> on_open = [] { return ok(); };
    std::function<Status(std::size_t reads_before)> on_read = [](std::size_t) { return ok(); };
    mutable int opened = 0;

    Result<std::unique_ptr<BlobStream>> open() const override {
        struct Stream final : BlobStream {
            const TrickBlob* blob = nullptr;
            std::unique_ptr<BlobStream> inner;
            std::size_t reads = 0;
            Result<std::size_t> read(std::span<std::byte> out) override {
                FARDEL_TRY(blob->on_read(reads++));
                return inner->read(out);
            }
        };
        ++opened;
        FARDEL_TRY(on_open());
        inner_ = blob_of(content);
        auto stream = std::make_unique<Stream>();
        stream->blob = this;
        FARDEL_TRY_ASSIGN(stream->inner, inner_->open());
        return std::unique_ptr<BlobStream>(std::move(stream));
    }

private:
    mutable std::shared_ptr<const BlobSource> inner_;
};

// Returns a plan of three assets, the second of which is `trick`.
BundlePlan plan_around(std::shared_ptr<const BlobSource> trick) {
    BundlePlan plan;
    add(plan, "a", noise_text(3 * kPiece, 1));
    add(plan, "b", "");
    add(plan, "c", "small");
    plan.assets[1].source = std::move(trick);
    return plan;
}

TEST_CASE("asset storage: each source is opened once, in order of type and key") {
    std::string order;
    BundlePlan plan;
    for (const auto& [key, type] :
         {std::pair("b", "text/z"), std::pair("d", "text/a"), std::pair("a", "text/z"), std::pair("c", "")}) {
        add(plan, key, "", type);
        const auto trick = std::make_shared<TrickBlob>();
        trick->content = key;
        trick->on_open = [&order, name = std::string(key)] {
            order += name;
            return ok();
        };
        plan.assets.back().source = trick;
    }
    (void)written(plan);
    CHECK(order == "cdab");  // an empty type means application/octet-stream
}

TEST_CASE("asset storage: a failing source ends the work with the source's error and the asset's key") {
    const auto trick = std::make_shared<TrickBlob>();
    trick->content = noise_text(10 * kPiece, 2);
    trick->on_open = [] { return Error(ErrorCode::denied, "not for you"); };
    CHECK(refusal(plan_around(trick)) == "denied: asset \"b\": not for you");

    trick->on_open = [] { return ok(); };
    for (const std::size_t at : {0u, 1u, 5u, 10u}) {
        trick->on_read = [at](std::size_t reads) {
            return reads == at ? Error(ErrorCode::conflict, "somebody writes") : ok();
        };
        CHECK(refusal(plan_around(trick)) == "conflict: asset \"b\": somebody writes");
    }
}

TEST_CASE("asset storage: a requested stop ends the work, before the next asset and within one") {
    std::stop_source stop;
    BundleWriteOptions options = quick();
    options.stop = stop.get_token();
    const auto trick = std::make_shared<TrickBlob>();
    trick->content = noise_text(100 * kPiece, 2);
    std::size_t last_read = 0;
    trick->on_read = [&](std::size_t reads) {
        last_read = reads;
        if (reads == 50)
            stop.request_stop();
        return ok();
    };
    CHECK(refusal(plan_around(trick), options) == "cancelled: asked to stop");
    CHECK(last_read <= 52);

    trick->opened = 0;
    CHECK(refusal(plan_around(trick), options) == "cancelled: asked to stop");
    CHECK(trick->opened == 0);
}

TEST_CASE("asset storage: progress rises to the totals") {
    BundleWriteProgress last;
    int calls = 0;
    BundleWriteOptions options = quick();
    options.progress = [&](const BundleWriteProgress& now) {
        CHECK(now.assets_done >= last.assets_done);
        CHECK(now.assets_total == 3);
        CHECK(now.raw_bytes >= last.raw_bytes);
        CHECK(now.stored_bytes >= last.stored_bytes);
        last = now;
        ++calls;
    };
    const AuditedBundle audit = audited(plan_around(blob_of(noise_text(20 * kPiece, 2))), options);
    CHECK(last.assets_done == 3);
    CHECK(last.raw_bytes == 23 * kPiece + 5);
    CHECK(last.stored_bytes == audit.layout.blocks_bytes);
    CHECK(calls >= 24);
}

TEST_CASE(
    "asset storage: whichever operation on the file fails, the error comes out and nothing becomes visible") {  // A102
    BundlePlan plan = plan_around(blob_of(noise_text(40 * kPiece, 2)));
    add(plan, "d", noise_text(40 * kPiece, 2));  // a duplicate, so that a resize can fail, too
    add(plan, "e", prose(1000, 3));
    plan.metadata = {{"name", std::string("faulty")}};

    MemoryDisk whole;
    REQUIRE(write_bundle(plan, make_memory_file(whole), quick())->commit());
    int n = 1;
    for (;; ++n) {
        CAPTURE(n);
        MemoryDisk disk;
        disk.fails_at = n;
        disk.failure = n % 2 == 0 ? ErrorCode::no_space : ErrorCode::io;
        auto bundle = write_bundle(plan, make_memory_file(disk), quick());
        if (bundle && bundle->commit()) {
            CHECK(disk.committed);
            CHECK(disk.operations == n - 1);
            CHECK(disk.bytes == whole.bytes);
            break;
        }
        CHECK_FALSE(disk.committed);
        if (!bundle) {
            CHECK(bundle.error().code() == disk.failure);
            CHECK(disk.removed);
            CHECK(disk.operations == n);  // no operation follows the failed one
        }
    }
    CHECK(n > 80);
}

}  // namespace fardel::tests::asset_storage_test
