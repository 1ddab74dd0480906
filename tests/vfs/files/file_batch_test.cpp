// Vfs::read_files(), and reads of several blocks that an executor shares.
#include "kit/bundles.h"
#include "kit/bytes.h"
#include "kit/late_executor.h"

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/vfs/vfs.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory_resource>
#include <mutex>
#include <new>
#include <stdexcept>

namespace fardel::tests::file_batch_test {

// Notes the offsets of reads.
class NotingSource final : public ByteSource {
public:
    explicit NotingSource(Bytes bytes) : inner_(make_memory_source(std::move(bytes))) {}
    std::uint64_t size_bytes() const noexcept override { return inner_->size_bytes(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        const std::scoped_lock lock(mutex_);
        offsets.push_back(offset);
        return inner_->read_at(offset, out);
    }
    void prefetch(std::uint64_t offset, std::uint64_t length) const override {
        const std::scoped_lock lock(mutex_);
        announced.push_back({offset, length});
    }
    mutable std::vector<std::uint64_t> offsets;
    mutable std::vector<std::pair<std::uint64_t, std::uint64_t>> announced;

private:
    std::shared_ptr<const ByteSource> inner_;
    mutable std::mutex mutex_;
};

constexpr std::size_t kFiles = 40;

std::string name(std::size_t i) { return "files/" + std::to_string(100 + i); }
// Sizes from nothing to several blocks; two are alike.
const std::string& content(std::size_t i) {
    static const std::vector<std::string> contents = [] {
        std::vector<std::string> made(1);
        for (std::size_t one = 1; one < kFiles; ++one)
            made.push_back(one == 9 ? made[8] : noise_text(one * one * 300, static_cast<std::uint32_t>(one)));
        return made;
    }();
    return contents[i];
}

const Bytes& bundle_bytes() {
    static const Bytes bytes = [] {
        BundlePlan plan;
        for (std::size_t i = 0; i < kFiles; ++i)
            add(plan, name(i), content(i));
        add(plan, "words", std::string(300'000, 'w'));
        return written(plan);
    }();
    return bytes;
}

// In another order than that of the bundle.
std::vector<std::string> all_paths() {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < kFiles; ++i)
        paths.push_back("/" + name(i * 7 % kFiles));
    return paths;
}

std::vector<LookUp> look_ups(const std::vector<std::string>& paths) { return {paths.begin(), paths.end()}; }

struct Received {
    std::vector<std::size_t> order;
    std::map<std::size_t, std::string> contents;
    std::map<std::size_t, ErrorCode> errors;

    BatchReceiver receiver() {
        return [this](std::size_t index, const Result<std::span<const std::byte>>& read) {
            order.push_back(index);
            if (read)
                contents[index] = text_of(*read);
            else
                errors[index] = read.error().code();
            return true;
        };
    }
};

void check_all(const Received& received) {
    CHECK(received.order.size() == kFiles);
    CHECK(received.errors.empty());
    for (std::size_t i = 0; i < kFiles; ++i)
        CHECK(received.contents.at(i) == content(i * 7 % kFiles));
}

// The ways to have threads for reads.
struct Threads {
    unsigned own = 0;
    std::shared_ptr<LateExecutor> late = nullptr;

    VfsOptions options(VfsOptions given = {}) const {
        given.read_threads = own;
        if (late)
            given.run_task = [late = late](std::function<void()> task) { late->run(std::move(task)); };
        return given;
    }
};
std::vector<Threads> all_threads() {
    return {{}, {1}, {4}, {LateExecutor::kThreads, std::make_shared<LateExecutor>()}};
}

TEST_CASE("batch: every file comes once and whole, with any executor, order and bound of memory") {
    for (const Threads& threads : all_threads())
        for (const bool in_order : {false, true})
            for (const std::uint64_t bytes_max : {std::uint64_t{0}, std::uint64_t{50'000}, std::uint64_t{64u << 20}})
                for (const std::size_t cache_bytes : {std::size_t{0}, std::size_t{1u << 20}}) {
                    Vfs vfs(threads.options({.cache_bytes = cache_bytes}));
                    REQUIRE(vfs.mount(make_memory_source(bundle_bytes()), {.allow_unsigned = true}));
                    const auto paths = all_paths();
                    Received received;
                    CHECK(vfs.read_files(look_ups(paths), received.receiver(),
                                         {.in_order = in_order, .bytes_max = bytes_max}));
                    check_all(received);
                    if (in_order)
                        CHECK(std::ranges::is_sorted(received.order));
                    if (threads.late)
                        threads.late->run_all();
                }
}

TEST_CASE("batch: without an order, reads go through the bundle from front to back, and are announced as few ranges") {
    const auto source = std::make_shared<NotingSource>(bundle_bytes());
    Vfs vfs({.cache_bytes = 8u << 20});
    REQUIRE(vfs.mount(source, {.allow_unsigned = true}));
    const auto paths = all_paths();
    for (const std::string& path : paths)
        CHECK(vfs.exists(path));
    source->offsets.clear();
    Received received;
    CHECK(vfs.read_files(look_ups(paths), received.receiver()));
    check_all(received);
    const LayoutHead layout = open_bundle(bundle_bytes())->layout_head();
    std::erase_if(source->offsets, [&](std::uint64_t offset) {  // of tables
        return offset < layout.blocks_offset || offset >= layout.blocks_offset + layout.blocks_bytes;
    });
    CHECK(source->offsets.size() > 10);
    CHECK(std::ranges::is_sorted(source->offsets));
    CHECK(source->announced.size() == 1);  // less than 8 MiB, without gaps
}

TEST_CASE("batch: what is wrong with one file is said of that file, and the others come") {
    Bytes damaged = bundle_bytes();
    const auto bundle = open_bundle(bundle_bytes());
    const auto large = value_of(bundle->blocks_of(*value_of(bundle->find_asset(id_of(content(39))))));
    REQUIRE(large.size() > 4);
    damaged[static_cast<std::size_t>(bundle->layout_head().blocks_offset + large[3].stored_offset) + 5] ^= std::byte{1};
    for (const Threads& threads : all_threads()) {
        Vfs vfs(threads.options());
        REQUIRE(vfs.mount(make_memory_source(damaged), {.allow_unsigned = true}));
        const std::vector<std::string> paths{"/files/101", "/nowhere",   "/files/139",
                                             "bad//path",  "/files/102", "/files"};
        for (const bool in_order : {false, true}) {
            Received received;
            CHECK(vfs.read_files(look_ups(paths), received.receiver(), {.in_order = in_order}));
            CHECK(received.contents == std::map<std::size_t, std::string>{{0, content(1)}, {4, content(2)}});
            CHECK(received.errors == std::map<std::size_t, ErrorCode>{{1, ErrorCode::missing},
                                                                      {2, ErrorCode::corrupt},
                                                                      {3, ErrorCode::malformed},
                                                                      {5, ErrorCode::missing}});
        }
        CHECK(vfs.read_files({}, [](std::size_t, const auto&) -> bool {
            FAIL("nothing was asked for");
            return false;
        }));
    }
}

TEST_CASE("batch: the receiver ends it, by what it returns or throws") {
    for (const Threads& threads : all_threads()) {
        Vfs vfs(threads.options());
        REQUIRE(vfs.mount(make_memory_source(bundle_bytes()), {.allow_unsigned = true}));
        const auto paths = all_paths();
        std::size_t count = 0;
        const auto ending = [&](std::size_t, const auto&) { return ++count < 3; };
        const Status stopped = vfs.read_files(look_ups(paths), ending);
        REQUIRE_FALSE(stopped);
        CHECK(stopped.error().code() == ErrorCode::cancelled);
        CHECK(count == 3);
        const auto throwing = [](std::size_t, const auto&) -> bool { throw std::runtime_error("the game's own"); };
        CHECK_THROWS_AS((void)vfs.read_files(look_ups(paths), throwing), std::runtime_error);
        if (threads.late)
            threads.late->run_all();  // nothing of these calls is left
    }
}

// Counts the bytes in use, and fails beyond `allowed`.
class CountingMemory final : public std::pmr::memory_resource {
public:
    std::atomic<std::size_t> in_use = 0;
    std::atomic<std::size_t> most = 0;
    std::atomic<std::size_t> allowed = SIZE_MAX;

private:
    void* do_allocate(std::size_t size, std::size_t alignment) override {
        const std::size_t now = in_use += size;
        for (std::size_t before = most; before < now && !most.compare_exchange_weak(before, now);) {
        }
        if (now > allowed) {
            in_use -= size;
            throw std::bad_alloc();
        }
        return std::pmr::new_delete_resource()->allocate(size, alignment);
    }
    void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override {
        in_use -= size;
        std::pmr::new_delete_resource()->deallocate(memory, size, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST_CASE("batch: memory stays near its bound however slow the receiver is, and all of it comes from the game") {
    const auto memory = std::make_shared<CountingMemory>();
    {
        Vfs vfs({.cache_bytes = 0, .memory = memory, .read_threads = 3});
        REQUIRE(vfs.mount(make_memory_source(bundle_bytes()), {.allow_unsigned = true}));
        std::vector<std::string> paths;
        std::uint64_t bytes = 0;
        for (int round = 0; round < 20; ++round)
            for (const std::string& path : all_paths()) {
                paths.push_back(path);
                bytes += value_of(vfs.stat(path)).size_bytes;
            }
        constexpr std::uint64_t kMax = 1u << 20;
        REQUIRE(bytes > 50 * kMax);
        std::uint64_t received = 0;
        CHECK(vfs.read_files(look_ups(paths),
                             [&](std::size_t, const Result<std::span<const std::byte>>& read) {
                                 received += value_of(read).size();
                                 return true;
                             },
                             {.bytes_max = kMax}));
        CHECK(received == bytes);
        // Rooms are up to twice as large as their files, and each core has its buffers and last block.
        CHECK(memory->most < 6 * kMax);
    }
    CHECK(memory->in_use == 0);
}

TEST_CASE("batch: without memory it ends with bad_alloc on the caller's thread") {
    for (const std::size_t allowed : {std::size_t{0}, std::size_t{100'000}, std::size_t{1'000'000}}) {
        const auto memory = std::make_shared<CountingMemory>();
        {
            Vfs vfs({.cache_bytes = 0, .memory = memory, .read_threads = 3});
            REQUIRE(vfs.mount(make_memory_source(bundle_bytes()), {.allow_unsigned = true}));
            memory->allowed = allowed;
            const auto paths = all_paths();
            CHECK_THROWS_AS((void)vfs.read_files(look_ups(paths), [](std::size_t, const auto&) { return true; }),
                            std::bad_alloc);
            const File words = value_of(vfs.open("/words"));
            Bytes room(words.size_bytes());
            if (allowed == 0)
                CHECK_THROWS_AS((void)words.read_all(std::span(room)), std::bad_alloc);
            memory->allowed = SIZE_MAX;
            CHECK(words.read_all(std::span(room)));
            CHECK(text_of(room) == std::string(300'000, 'w'));
        }
        CHECK(memory->in_use == 0);
    }
}

TEST_CASE("batch: large reads are shared, at any offset and length, also by reads of the executor's own tasks") {
    const std::string expected = noise_text(3'000'000, 77);
    BundlePlan plan;
    add(plan, "large", expected);
    const std::string streamed = noise_text(2'000'000, 78);
    add(plan, "streamed", streamed, "audio/ogg", true);
    const Bytes bytes = written(plan);
    for (const Threads& threads : all_threads()) {
        Vfs vfs(threads.options());
        REQUIRE(vfs.mount(make_memory_source(bytes), {.allow_unsigned = true}));
        const File file = value_of(vfs.open("/large"));
        for (const std::size_t offset : {0, 1, 65'536, 65'537, 1'234'567, 2'999'999})
            for (const std::size_t length : {1, 65'536, 300'000, 3'000'000}) {
                Bytes room(length, std::byte{0xee});
                const std::size_t count = std::min(length, expected.size() - offset);
                CHECK(value_of(file.read_at(offset, room)) == count);
                CHECK(text_of(std::span(room).first(count)) == std::string_view(expected).substr(offset, count));
                CHECK(std::ranges::all_of(std::span(room).subspan(count),
                                          [](std::byte b) { return b == std::byte{0xee}; }));
            }
        CHECK(text_of(value_of(value_of(vfs.open("/streamed")).read_all())) == streamed);
        const std::vector<std::string> paths(8, "/large");
        int whole = 0;
        CHECK(vfs.read_files(look_ups(paths), [&](std::size_t, const Result<std::span<const std::byte>>& read) {
            whole += text_of(value_of(read)) == expected ? 1 : 0;
            return true;
        }));
        CHECK(whole == 8);
        if (threads.late)
            threads.late->run_all();
    }
}

TEST_CASE("batch: files outlive their Vfs with its threads, and a file may go last") {
    std::optional<File> file;
    {
        Vfs vfs({.read_threads = 2});
        REQUIRE(vfs.mount(make_memory_source(bundle_bytes()), {.allow_unsigned = true}));
        file = value_of(vfs.open("/files/139"));
    }
    CHECK(text_of(value_of(file->read_all())) == content(39));
}

}  // namespace fardel::tests::file_batch_test
