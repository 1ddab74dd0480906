#include "kit/restricted_program.h"
#include "vfs/test_bundle.h"

#include <fardel/vfs/read_queue.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace fardel::tests::read_queue_test {

// A source whose reads wait while its gate is closed.
class GatedSource final : public ByteSource {
public:
    explicit GatedSource(Bytes bytes) : inner_(make_memory_source(std::move(bytes))) {}
    std::uint64_t size_bytes() const noexcept override { return inner_->size_bytes(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        std::unique_lock lock(mutex_);
        ++reads;
        changed_.notify_all();
        changed_.wait(lock, [this] { return open_; });
        return inner_->read_at(offset, out);
    }
    void prefetch(std::uint64_t offset, std::uint64_t length) const override {
        const std::scoped_lock lock(mutex_);
        prefetched.push_back({offset, length});
    }
    void open() const { set(true); }
    void close() const { set(false); }
    void wait_for_a_read() const {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return reads > 0; });
    }

    mutable int reads = 0;
    mutable std::vector<std::pair<std::uint64_t, std::uint64_t>> prefetched;

private:
    void set(bool open) const {
        const std::scoped_lock lock(mutex_);
        open_ = open;
        reads = 0;
        changed_.notify_all();
    }
    std::shared_ptr<const ByteSource> inner_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    mutable bool open_ = true;
};

struct Scene {
    std::shared_ptr<GatedSource> source;
    Vfs vfs{{.cache_bytes = 0}};

    Scene() {
        BundleMaker maker;
        for (int i = 0; i < 8; ++i)
            maker.add(std::string(1, static_cast<char>('a' + i)), noise_text(70'000, static_cast<std::uint64_t>(i)));
        source = std::make_shared<GatedSource>(maker.write());
        REQUIRE(vfs.mount(source, unsigned_at()));
        for (int i = 0; i < 8; ++i)  // tables are read and verified before the gate closes
            REQUIRE(vfs.open("/" + std::string(1, static_cast<char>('a' + i))).value().read_all());
    }
    File file(char name) const { return vfs.open("/" + std::string(1, name)).value(); }
};

// The completed reads, in order.
struct Log {
    std::mutex mutex;
    std::string text;
    void add(char name, const Result<std::size_t>& result) {
        const std::scoped_lock lock(mutex);
        text += name;
        if (!result)
            text += '!';
    }
    std::size_t size() {
        const std::scoped_lock lock(mutex);
        return text.size();
    }
};

TEST_CASE("read queue: it starts as many threads as the system allows, and is busy if none can start") {
    if (!can_limit_threads())
        return;
    Scene scene;
    for (const rlim_t more_bytes : {rlim_t{1} << 20, rlim_t{40} << 20}) {
        const File file = scene.file('a');
        const pid_t child = ::fork();
        if (child == 0) {
            Bytes room(70'000);
            std::atomic<int> good = 0;
            limit_address_space(more_bytes);
            auto queue = ReadQueue::start(64);
            if (!queue)
                ::_exit(queue.error().code() == ErrorCode::busy ? 0 : 1);
            for (int i = 0; i < 3; ++i)
                (*queue)->submit({.file = file, .out = room, .done = [&](Result<std::size_t> count) {
                                      good += count && *count == 70'000;
                                  }});
            (*queue)->wait();
            ::_exit(good == 3 ? 0 : 2);
        }
        int status = -1;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(status == 0);
    }
}

TEST_CASE("read queue: bytes arrive verified, from many threads, each read done once") {
    Scene scene;
    auto queue = ReadQueue::start(3).value();
    std::vector<Bytes> room(64, Bytes(70'000));
    std::atomic<int> done = 0, good = 0;
    for (int i = 0; i < 64; ++i) {
        const auto at = static_cast<std::size_t>(i);
        queue->submit({.file = scene.file(static_cast<char>('a' + i % 8)),
                       .out = room[at],
                       .done = [&, at, i](Result<std::size_t> count) {
                           ++done;
                           good += count && *count == 70'000 &&
                                   text_of(room[at]) == noise_text(70'000, static_cast<std::uint64_t>(i % 8));
                       }});
    }
    queue->wait();
    CHECK(done == 64);
    CHECK(good == 64);
}

TEST_CASE("read queue: urgent reads come first, then reads in the order of the file") {
    Scene scene;
    auto queue = ReadQueue::start(1).value();
    Log log;
    std::vector<Bytes> room(9, Bytes(70'000));
    const auto request = [&](char name, int priority, std::size_t at) {
        return ReadRequest{.file = scene.file(name),
                           .out = room[at],
                           .priority = priority,
                           .done = [&log, name](Result<std::size_t> count) { log.add(name, count); }};
    };
    scene.source->close();
    queue->submit(request('h', 0, 8));
    scene.source->wait_for_a_read();
    std::vector<ReadRequest> batch;
    batch.push_back(request('c', 0, 0));
    batch.push_back(request('a', 0, 1));
    batch.push_back(request('g', 5, 2));
    batch.push_back(request('b', 0, 3));
    batch.push_back(request('f', -1, 4));
    batch.push_back(request('d', 5, 5));
    queue->submit(std::move(batch));
    scene.source->open();
    queue->wait();
    CHECK(log.text == "hdgabcf");
    // Neighbouring reads were prefetched as one range.
    const std::scoped_lock lock(log.mutex);
    bool one_stretch = false;
    const auto first = scene.file('a').bundle()->stored_range(scene.file('a').index(), 0, 70'000).value();
    const auto last = scene.file('c').bundle()->stored_range(scene.file('c').index(), 0, 70'000).value();
    for (const auto& [offset, length] : scene.source->prefetched)
        one_stretch = one_stretch || (offset == first.offset && offset + length == last.offset + last.length_bytes);
    CHECK(one_stretch);
}

TEST_CASE("read queue: a waiting read can be cancelled, a running one cannot") {
    Scene scene;
    auto queue = ReadQueue::start(1).value();
    Log log;
    std::vector<Bytes> room(3, Bytes(70'000));
    const auto submit = [&](char name, std::size_t at) {
        return queue->submit({.file = scene.file(name),
                              .out = room[at],
                              .done = [&log, name](Result<std::size_t> count) { log.add(name, count); }});
    };
    scene.source->close();
    const ReadId reading = submit('a', 0);
    scene.source->wait_for_a_read();
    const ReadId waiting = submit('b', 1);
    submit('c', 2);
    CHECK(queue->cancel(waiting));
    CHECK(log.text == "b!");
    CHECK_FALSE(queue->cancel(waiting));
    CHECK_FALSE(queue->cancel(reading));
    CHECK_FALSE(queue->cancel(ReadId{12345}));
    scene.source->open();
    queue->wait();
    CHECK(log.text == "b!ac");
}

TEST_CASE("read queue: its destruction cancels waiting reads and finishes running ones") {
    Scene scene;
    Log log;
    std::vector<Bytes> room(3, Bytes(70'000));
    auto queue = ReadQueue::start(1).value();
    scene.source->close();
    for (const char name : {'a', 'b', 'c'})
        queue->submit({.file = scene.file(name),
                       .out = room[static_cast<std::size_t>(name - 'a')],
                       .done = [&log, name](Result<std::size_t> count) { log.add(name, count); }});
    scene.source->wait_for_a_read();
    std::jthread opener([&] {
        wait_until([&] { return log.size() >= 4; });  // the waiting reads are cancelled
        scene.source->open();
    });
    queue.reset();
    CHECK(log.text == "b!c!a");
}

TEST_CASE("read queue: ends and damage are reported as read_at reports them") {
    Vfs vfs;
    const std::string content = noise_text(70'000, 3);
    mount(vfs, damage_content(BundleMaker().add("bad", content).add("good", "good").write(), id_of(content)));
    auto queue = ReadQueue::start().value();
    std::string bad, behind, part;
    Bytes room(70'000), nothing(10), little(10);
    queue->submit(
        {.file = vfs.open("/bad").value(), .out = room, .done = [&](Result<std::size_t> r) { bad = outcome_of(r); }});
    queue->submit({.file = vfs.open("/good").value(), .offset = 99, .out = nothing, .done = [&](Result<std::size_t> r) {
                       behind = std::to_string(r.value());
                   }});
    queue->submit({.file = vfs.open("/good").value(), .offset = 1, .out = little, .done = [&](Result<std::size_t> r) {
                       part = std::to_string(r.value());
                   }});
    queue->wait();
    CHECK(bad == "corrupt");
    CHECK(behind == "0");
    CHECK(part == "3");
}

TEST_CASE("read queue: a completed read may submit the next") {
    Scene scene;
    auto queue = ReadQueue::start(2).value();
    std::atomic<int> done = 0;
    Bytes room(70'000);
    std::function<void(Result<std::size_t>)> next = [&](Result<std::size_t>) {
        if (++done < 20)
            queue->submit({.file = scene.file(static_cast<char>('a' + done % 8)), .out = room, .done = next});
    };
    next(std::size_t{0});
    queue->wait();
    CHECK(done == 20);
}

}  // namespace fardel::tests::read_queue_test
