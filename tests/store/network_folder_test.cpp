// A store and derived data that two computers use over NFS, with the server and the clients of Linux.
#include "cache/cache_samples.h"
#include "two_computers.h"

#include "kit/own_kernel.h"

#include <fardel/cache/cache_layers.h>
#include <fardel/cache/derived_cache.h>

#include <sys/wait.h>
#include <unistd.h>

namespace fardel::tests::network_folder_test {

const TwoComputers kMounted{.one = "/mnt/one", .two = "/mnt/two", .server = "/mnt/server"};

// A106
TEST_CASE("network folder: NFS 4.2 between two computers keeps a store and derived data whole") {
    run_on_two_computers("inside nfs: *");
}

TEST_CASE("inside nfs: programs on two computers that are killed leave a whole store" *
          doctest::skip(!is_in_own_kernel())) {
    check_killed_programs(kMounted);
    check_whole(kMounted.open_server());
}

TEST_CASE("inside nfs: a collector sees at once what a writer on another computer holds" *
          doctest::skip(!is_in_own_kernel())) {
    check_collector_sees_writer(kMounted);
}

TEST_CASE("inside nfs: derived data that one computer trims is whole or missing on the other" *
          doctest::skip(!is_in_own_kernel())) {
    constexpr std::uint64_t kSamples = 100;
    constexpr std::uint64_t kSampleBytes = 1000;
    const auto cache_at = [](const std::string& mount) {
        std::vector<CacheLayerSlot> layers;
        layers.push_back({.layer = value_of(open_folder_layer(mount + "/cache"))});
        return value_of(DerivedCache::open(std::move(layers)));
    };
    const auto sample_of = [](std::uint64_t number) { return make_sample(number, {noise(kSampleBytes, number)}); };
    const auto there = cache_at(kMounted.two);
    for (std::uint64_t i = 0; i < kSamples; ++i)
        REQUIRE(there->put(sample_of(i).record, sample_of(i).blobs()));
    const pid_t trimmer = ::fork();
    REQUIRE(trimmer >= 0);
    if (trimmer == 0) {
        const CacheTrimOptions half{.bytes_max = kSamples * kSampleBytes / 2, .removals_per_second_max = 1'000'000};
        bool done = true;
        for (int round = 0; round < 10; ++round)
            done = done && trim_cache_folder(kMounted.one + "/cache", half).has_value();
        ::_exit(done ? 0 : 1);
    }
    const auto here = cache_at(kMounted.one);
    for (std::uint64_t i = 0; i < kSamples; ++i) {
        CAPTURE(i);
        const Sample fresh = sample_of(1000 + i);
        CHECK(there->put(fresh.record, fresh.blobs()));
        const auto on_other = here->find(fresh.record.key);  // at once
        REQUIRE(on_other);
        CHECK(value_of(read_blob(*on_other->outputs[0])) == fresh.outputs[0]);
        const Sample old = sample_of(i);
        if (const auto hit = there->find(old.record.key)) {
            const auto read = read_blob(*hit->outputs[0]);
            CHECK((read ? *read == old.outputs[0] : read.error().code() == ErrorCode::missing));
        }
    }
    int status = 0;
    REQUIRE(::waitpid(trimmer, &status, 0) == trimmer);
    CHECK(status == 0);
    for (const auto* const cache : {&here, &there}) {
        CHECK((*cache)->statistics().layers[0].broken == 0);
        CHECK((*cache)->statistics().layers[0].errors == 0);
    }
    CHECK(value_of(check_cache_folder(kMounted.server + "/cache", {})).broken.empty());
}

}  // namespace fardel::tests::network_folder_test
