// Two collectors, a writer and a reader as processes on one real store; each is killed at any moment, again and again.
#include "store/store_actors.h"

#include "kit/files.h"

namespace fardel::tests::retention_processes_test {

TEST_CASE(
    "retention: two collectors, a writer and a reader that are killed at any moment leave a whole store") {  // A106
    const ScratchFolder scratch;
    const SharedBundles bundles = make_shared_bundles(4);
    const std::string path = scratch.path("store");
    const BundleStore store = value_of(BundleStore::open(path, true));
    const std::uint64_t seed = random_seed();
    CAPTURE(seed);
    using enum StoreRole;
    StoreActors actors({{collector, path}, {collector, path}, {writer, path}, {fetcher, path}, {reader, path}}, bundles,
                       seed);
    actors.disturb(375, 5);
    actors.end();
    check_whole(store);
    check_goes_on(store, bundles);
}

}  // namespace fardel::tests::retention_processes_test
