#include "kit/bytes.h"
#include "kit/files.h"
#include "kit/ids.h"

#include <fardel/store/incoming_bundle.h>
#include <fardel/store/retention.h>

#include <atomic>

namespace fardel::tests::incoming_bundle_test {

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

TEST_CASE("incoming bundle: extras outlive an attempt, and end with the bundle") {
    const ScratchFolder scratch;
    const BundleStore store = value_of(BundleStore::open(scratch.path("store"), true));
    const Bytes first = noise(70'000, 1);
    const Bytes second = noise(5, 2);
    {
        IncomingBundle incoming = value_of(IncomingBundle::open(store, BundleId{}));
        CHECK_FALSE(value_of(incoming.has_extra("one")));
        CHECK_FALSE(value_of(incoming.read_extra("one")));
        CHECK(incoming.keep_extra("one", first));
        CHECK(incoming.keep_extra("two", second));
        CHECK(incoming.keep_extra("three", {}));
        CHECK(incoming.keep_extra("one", second));  // stays as it is
        CHECK(value_of(incoming.read_extra("one")) == first);
    }
    CHECK(value_of(store.check(true)).incoming == 1);
    {
        IncomingBundle incoming = value_of(IncomingBundle::open(store, BundleId{}));
        CHECK(value_of(incoming.read_extra("one")) == first);
        CHECK(value_of(incoming.read_extra("two")) == second);
        CHECK(value_of(incoming.read_extra("three")) == Bytes());
        CHECK(incoming.held_bytes() == 0);
        CHECK(incoming.discard());
        CHECK_FALSE(value_of(incoming.has_extra("one")));
    }
    CHECK(value_of(store.check(true)).incoming == 0);
    {
        IncomingBundle incoming = value_of(IncomingBundle::open(store, BundleId{}));
        CHECK(incoming.keep_extra("one", first));
    }
    CHECK(value_of(store.collect({.now = {1ll << 33}})).removed_incoming == 1);
    CHECK(std::filesystem::is_empty(scratch.path("store/incoming")));
}

TEST_CASE("incoming bundle: extras that a broken disk changed, or cut off, count for nothing") {  // A102
    const ScratchFolder scratch;
    const BundleStore store = value_of(BundleStore::open(scratch.path("store"), true));
    const std::vector<Bytes> kept{noise(300, 1), noise(10, 2), noise(200, 3)};
    const std::string path = scratch.path("store/incoming/" + BundleId{}.hex() + ".extras");
    const auto keep = [&](IncomingBundle& incoming) {
        for (std::size_t i = 0; i < kept.size(); ++i)
            CHECK(incoming.keep_extra(std::to_string(i), kept[i]));
    };
    {
        IncomingBundle incoming = value_of(IncomingBundle::open(store, BundleId{}));
        keep(incoming);
    }
    const std::string right = scratch.read("store/incoming/" + BundleId{}.hex() + ".extras");
    const auto check = [&](const std::string& text) {
        std::ofstream(path, std::ios::binary) << text;
        {
            IncomingBundle incoming = value_of(IncomingBundle::open(store, BundleId{}));
            for (std::size_t i = 0; i < kept.size(); ++i)
                if (const auto bytes = value_of(incoming.read_extra(std::to_string(i))))
                    CHECK(*bytes == kept[i]);
            keep(incoming);
        }
        IncomingBundle incoming = value_of(IncomingBundle::open(store, BundleId{}));
        for (std::size_t i = 0; i < kept.size(); ++i)
            CHECK(value_of(incoming.read_extra(std::to_string(i))) == kept[i]);
    };
    for (std::size_t at = 0; at < right.size(); at += 7) {
        CAPTURE(at);
        std::string changed = right;
        changed[at] ^= 0x40;
        check(changed);
        check(right.substr(0, at));
    }
    check(right + "x");
}

}  // namespace fardel::tests::incoming_bundle_test
