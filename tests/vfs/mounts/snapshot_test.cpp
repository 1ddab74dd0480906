#include "mounts/snapshot.h"

#include "kit/test.h"

#include <atomic>

namespace fardel::tests::snapshot_test {

constexpr std::uint64_t kAlive = 0x600d'600d'600d'600dull;

std::atomic<int> living{0};

struct Value : std::enable_shared_from_this<Value> {
    explicit Value(int n) : number(n) { living.fetch_add(1); }
    ~Value() {
        mark = 0;
        living.fetch_sub(1);
    }
    std::uint64_t mark = kAlive;  // not atomic, so that ThreadSanitizer detects a late reader
    int number;
};

std::shared_ptr<const Value> make_value(int number) { return std::make_shared<const Value>(number); }

TEST_CASE("snapshot: a reader keeps the value it saw, the next one sees the new one") {
    Snapshot<Value> snapshot(make_value(1));
    CHECK(snapshot.read()->number == 1);
    const auto shared = snapshot.share();
    CHECK(snapshot.replace(make_value(2))->number == 1);
    CHECK(snapshot.read()->number == 2);
    CHECK(shared->number == 1);
}

TEST_CASE("snapshot: replace waits for current readers, and not for later ones") {
    Snapshot<Value> snapshot(make_value(1));
    std::atomic<bool> replaced{false};
    std::thread writer;
    {
        const auto early = snapshot.read();
        writer = std::thread([&] {
            snapshot.replace(make_value(2));
            replaced = true;
        });
        while (snapshot.read()->number == 1)
            std::this_thread::yield();
        const auto late = snapshot.read();
        CHECK_FALSE(replaced);
        CHECK(early->number == 1);
        CHECK(early->mark == kAlive);
    }
    writer.join();
    CHECK(replaced);
}

TEST_CASE("snapshot: one thread may have several readers") {
    Snapshot<Value> snapshot(make_value(7));
    const auto a = snapshot.read();
    const auto b = snapshot.read();
    const auto c = snapshot.read();
    CHECK(a->number + b->number + c->number == 21);
}

TEST_CASE("snapshot: values are freed once, and never under a reader") {
    living = 0;
    {
        Snapshot<Value> snapshot(make_value(0));
        std::atomic<bool> stop{false};
        std::atomic<std::uint64_t> bad{0};
        std::vector<std::thread> readers;
        for (int i = 0; i < 4; ++i)
            readers.emplace_back([&] {
                int last = 0;
                while (!stop) {
                    const auto reader = snapshot.read();
                    if (reader->mark != kAlive || reader->number < last)
                        ++bad;
                    last = reader->number;
                }
            });
        for (int i = 1; i <= 3000; ++i)
            snapshot.replace(make_value(i));
        stop = true;
        for (std::thread& reader : readers)
            reader.join();
        CHECK(bad == 0);
        CHECK(living == 1);
    }
    CHECK(living == 0);
}

TEST_CASE("snapshot: more threads than slots all get through") {
    Snapshot<Value> snapshot(make_value(0));
    std::atomic<std::uint64_t> bad{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 80; ++i)
        readers.emplace_back([&] {
            for (int round = 0; round < 50; ++round) {
                const auto reader = snapshot.read();
                std::this_thread::yield();
                if (reader->mark != kAlive)
                    ++bad;
            }
        });
    for (int i = 1; i <= 50; ++i)
        snapshot.replace(make_value(i));
    for (std::thread& reader : readers)
        reader.join();
    CHECK(bad == 0);
}

}  // namespace fardel::tests::snapshot_test
