#include "kit/bytes.h"
#include "kit/ids.h"
#include "kit/results.h"
#include "kit/scratch_folder.h"

#include <fardel/store/incoming_bundle.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace fardel {
namespace {

using namespace fardel::tests;

constexpr std::uint64_t kFileBytes = 1'000'000;

TEST_CASE("incoming bundle: bytes that are held stay as they are when a longer range is written over them") {
    const ScratchFolder scratch;
    const BundleStore store = value_of(BundleStore::open(scratch.path("store"), true));
    const Bytes right = noise(kFileBytes, 1);
    const auto part = [&](std::size_t from, std::size_t size) { return std::span(right).subspan(from, size); };
    {
        IncomingBundle incoming = value_of(IncomingBundle::open(store, BundleId{}));
        REQUIRE(incoming.set_file_bytes(kFileBytes));
        REQUIRE(incoming.write(10'000, part(10'000, 5'000)));
        REQUIRE(incoming.write(50'000, part(50'000, 5'000)));
        const Bytes other = noise(100'000, 2);
        Bytes mixed(right.begin(), right.begin() + 100'000);
        std::copy_n(other.begin(), 5'000, mixed.begin() + 10'000);
        REQUIRE(incoming.write(0, mixed));
        CHECK(incoming.held_bytes() == 100'000);
    }
    const IncomingBundle again = value_of(IncomingBundle::open(store, BundleId{}));
    CHECK(again.held_bytes() == 100'000);
    Bytes read(100'000);
    CHECK(value_of(again.source())->read_at(0, read));
    CHECK(std::ranges::equal(read, part(0, 100'000)));
}

TEST_CASE("incoming bundle: a live source shows what is written later, to many threads, and outlives it") {
    const ScratchFolder scratch;
    const BundleStore store = value_of(BundleStore::open(scratch.path("store"), true));
    const Bytes right = noise(kFileBytes, 1);
    std::shared_ptr<const ByteSource> live;
    {
        IncomingBundle incoming = value_of(IncomingBundle::open(store, BundleId{}));
        REQUIRE(incoming.set_file_bytes(kFileBytes));
        live = value_of(incoming.live_source());
        CHECK(live->size_bytes() == kFileBytes);
        std::atomic<bool> done = false;
        std::atomic<int> wrong = 0;
        std::vector<std::jthread> readers;
        for (int i = 0; i < 3; ++i)
            readers.emplace_back([&] {
                Bytes read(4'000);
                while (!done)
                    for (std::size_t at = 0; at + read.size() <= kFileBytes; at += 10'000)
                        if (live->read_at(at, read) &&
                            !std::ranges::equal(read, std::span(right).subspan(at, read.size())))
                            ++wrong;
            });
        for (std::size_t at = 0; at < kFileBytes; at += 5'000)
            REQUIRE(incoming.write(at, std::span(right).subspan(at, 5'000)));
        done = true;
        readers.clear();
        CHECK(wrong == 0);
    }
    Bytes read(kFileBytes);
    CHECK(live->read_at(0, read));
    CHECK(read == right);
}

}  // namespace
}  // namespace fardel
