// The functions of fardel_fetch.h that add to a store, export from it and keep it small.
#include "c_fetch.h"

#include "kit/bundles.h"

#include <fardel/delivery/fardel_fetch.h>
#include <fardel/format/c_interface.h>

#include <cstring>

namespace fardel::tests::c_store_test {

fardel_id plain(const Bytes& bundle) { return c::plain_id(bundle_id_of(bundle)); }

std::size_t count_of(const fardel_store* store) {
    std::size_t count = 0;
    REQUIRE(fardel_store_list(store, nullptr, nullptr, &count, nullptr) == FARDEL_OK);
    return count;
}

TEST_CASE("C store: a file is verified and added, and comes out again as it was") {
    const ScratchFolder scratch;
    const CStore store(scratch);
    const Bytes bundle = BundleMaker().add("a", std::string(5000, 'a')).write();
    const std::string path = scratch.write("game.fardel", bundle);
    fardel_store_addition addition = FARDEL_STORE_ADDITION_INIT;
    const auto stop = [](void*, std::uint64_t, std::uint64_t) -> std::int32_t { return 1; };
    CHECK(fardel_store_add(store, path.c_str(), nullptr, stop, nullptr, &addition, nullptr) == FARDEL_ERROR_CANCELLED);
    CHECK(count_of(store) == 0);
    REQUIRE(fardel_store_add(store, path.c_str(), nullptr, nullptr, nullptr, &addition, nullptr) == FARDEL_OK);
    const fardel_id id = plain(bundle);
    CHECK(std::memcmp(&addition.bundle, &id, sizeof id) == 0);
    CHECK(addition.was_there == 0);
    CHECK(addition.file_bytes == bundle.size());
    REQUIRE(fardel_store_add(store, path.c_str(), nullptr, nullptr, nullptr, &addition, nullptr) == FARDEL_OK);
    CHECK(addition.was_there == 1);

    const std::string out = scratch.path("out.fardel");
    REQUIRE(fardel_store_export(store, &id, out.c_str(), nullptr, nullptr, nullptr) == FARDEL_OK);
    CHECK(read_file(out) == read_file(path));
    const fardel_id none{};
    CHECK(fardel_store_export(store, &none, out.c_str(), nullptr, nullptr, nullptr) == FARDEL_ERROR_MISSING);

    flip_bit(path, bundle.size() / 2);
    fardel_error error = FARDEL_ERROR_INIT;
    CHECK(fardel_store_add(store, path.c_str(), nullptr, nullptr, nullptr, nullptr, &error) != FARDEL_OK);
    check_has(error.text, "nothing was added");
    CHECK(count_of(store) == 1);
}

TEST_CASE("C store: what a policy does not trust is not added") {
    const ScratchFolder scratch;
    const CStore store(scratch);
    const std::string path = scratch.write("game.fardel", BundleMaker().add("a", "x").write());
    fardel_trust_options trust = FARDEL_TRUST_OPTIONS_INIT;
    trust.policy_text = "fardel-trust 1\n";
    CHECK(fardel_store_add(store, path.c_str(), &trust, nullptr, nullptr, nullptr, nullptr) == FARDEL_ERROR_UNTRUSTED);
    CHECK(count_of(store) == 0);
}

TEST_CASE("C store: pins keep bundles, removals and collections free them, and usage says what there is") {
    const ScratchFolder scratch;
    const CStore store(scratch);
    const Bytes first = BundleMaker().add("a", "first").write();
    const Bytes second = BundleMaker().add("a", "second").write();
    for (const Bytes* bundle : {&first, &second}) {
        const std::string path = scratch.write("one.fardel", *bundle);
        REQUIRE(fardel_store_add(store, path.c_str(), nullptr, nullptr, nullptr, nullptr, nullptr) == FARDEL_OK);
    }
    const fardel_id kept = plain(first);
    const fardel_id gone = plain(second);
    CHECK(fardel_store_pin(store, &kept, "No Name", 0, nullptr) == FARDEL_ERROR_MALFORMED);
    REQUIRE(fardel_store_pin(store, &kept, "tournament", 0, nullptr) == FARDEL_OK);
    std::vector<std::string> pins;
    std::size_t count = 0;
    REQUIRE(fardel_store_list_pins(
                store,
                [](void* names, const fardel_id*, const char* name, std::uint64_t until_s) {
                    CHECK(until_s == 0);
                    static_cast<std::vector<std::string>*>(names)->push_back(name);
                },
                &pins, &count, nullptr) == FARDEL_OK);
    CHECK(pins == std::vector<std::string>{"tournament"});
    CHECK(count == 1);

    fardel_store_usage usage = FARDEL_STORE_USAGE_INIT;
    REQUIRE(fardel_store_read_usage(store, &usage, nullptr) == FARDEL_OK);
    CHECK(usage.bundles == 2);
    CHECK(usage.pins == 1);
    CHECK(usage.file_bytes == first.size() + second.size());

    CHECK(fardel_store_remove(store, &kept, 1, nullptr) == FARDEL_ERROR_DENIED);
    REQUIRE(fardel_store_remove(store, &gone, 1, nullptr) == FARDEL_OK);
    fardel_collection_options options = FARDEL_COLLECTION_OPTIONS_INIT;
    options.is_without_grace = 1;
    options.is_dry_run = 1;
    REQUIRE(fardel_store_collect(store, &options, nullptr, nullptr, nullptr, nullptr) == FARDEL_OK);
    CHECK(count_of(store) == 2);
    options.is_dry_run = 0;
    std::vector<std::string> reasons;
    std::uint64_t removed_bytes = 0;
    REQUIRE(fardel_store_collect(
                store, &options,
                [](void* context, const fardel_collected_bundle* bundle) {
                    CHECK(bundle->is_removed == 1);
                    static_cast<std::vector<std::string>*>(context)->push_back(bundle->reason);
                },
                &reasons, &removed_bytes, nullptr) == FARDEL_OK);
    CHECK(reasons == std::vector<std::string>{"removed by hand"});
    CHECK(removed_bytes > 0);
    CHECK(count_of(store) == 1);

    CHECK(fardel_store_unpin(store, &kept, "tournament", nullptr) == FARDEL_OK);
    CHECK(fardel_store_unpin(store, &kept, "tournament", nullptr) == FARDEL_ERROR_MISSING);
}

}  // namespace fardel::tests::c_store_test
