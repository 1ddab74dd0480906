// Fetching beside a library: what its files have is not fetched.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"

namespace fardel::tests::fetch_library_test {

BundleLibrary library_in(const ScratchFolder& scratch) {
    const std::string folders[] = {scratch.path("mods")};
    return value_of(BundleLibrary::open(folders));
}

TEST_CASE("fetch: bundles that a library has are not fetched, and stay where they are") {
    const ScratchFolder scratch;
    const Bytes base = BundleMaker().add_data("base.bin", random_text(7, 100'000)).write_quickly();
    const Bytes game = game_version("1", {bundle_id_of(base)});
    const TreeServer server({game});  // it does not have the other one
    scratch.write("mods/base.fardel", base);
    const BundleLibrary library = library_in(scratch);
    const BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({server.url()});
    CHECK_FALSE(fetch_one(store, bundle_id_of(game), options));
    options.work.library = borrow(library);
    const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(game), options));
    REQUIRE(fetched.plan.bundles.size() == 1);
    CHECK(is_whole(store, bundle_id_of(game)));
    CHECK_FALSE(is_whole(store, bundle_id_of(base)));
    CHECK(value_of(BundleLookup(&store, &library).closure(bundle_id_of(game))).size() == 2);
    CHECK(value_of(fetch_one(store, bundle_id_of(base), options)).plan.bundles.empty());

    SUBCASE("a file that was replaced meanwhile is fetched") {
        scratch.write("mods/base.fardel", game);
        const TreeServer whole({base});
        FetchOptions other = fetching_from({whole.url()});
        other.work.library = borrow(library);
        CHECK(value_of(fetch_one(store, bundle_id_of(base), other)).plan.bundles.size() == 1);
        CHECK(stored_bytes(store, bundle_id_of(base)) == base);
    }
    SUBCASE("a file that the policy does not trust does not count") {
        const TrustPolicy policy = value_of(TrustPolicy::parse("fardel-trust 1\n"));
        const TreeServer whole({base});
        FetchOptions other = fetching_from({whole.url()});
        other.work.library = borrow(library);
        other.work.policy = borrow(policy);
        CHECK(code_of(fetch_one(store, bundle_id_of(base), other)) == ErrorCode::untrusted);
    }
}

TEST_CASE("fetch: blocks and assets that a bundle in a library has are not fetched") {
    const ScratchFolder scratch;
    const Bytes before = game_version("1");
    const Bytes after = game_version("2");
    scratch.write("mods/game.fardel", before);
    const BundleLibrary library = library_in(scratch);
    const TreeServer server({after});
    FetchOptions options = fetching_from({server.url()});
    options.work.library = borrow(library);
    const BundleStore store = make_store(scratch);
    const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(after), options));
    CHECK(fetched.received_bytes < 40'000);
    CHECK(stored_bytes(store, bundle_id_of(after)) == after);
    CHECK(value_of(store.check(true)).findings.empty());
}

TEST_CASE("fetch: damaged blocks in a library are fetched") {
    const ScratchFolder scratch;
    const Bytes after = game_version("2");
    Bytes before = game_version("1");
    for (std::size_t at = 100'000; at < 500'000; at += 1000)
        before[at] ^= std::byte{1};
    scratch.write("mods/game.fardel", before);
    const BundleLibrary library = library_in(scratch);
    const TreeServer server({after});
    FetchOptions options = fetching_from({server.url()});
    options.work.library = borrow(library);
    const BundleStore store = make_store(scratch);
    CHECK(value_of(fetch_one(store, bundle_id_of(after), options)).received_bytes > 300'000);
    CHECK(stored_bytes(store, bundle_id_of(after)) == after);
}

}  // namespace fardel::tests::fetch_library_test
