// Threads that read while others mount and unmount; run under ThreadSanitizer too.
#include "test_bundle.h"

#include <fardel/vfs/vfs.h>

#include <atomic>

namespace fardel::tests::vfs_threads_test {

TEST_CASE("threads: readers see whole sets of mounts, and right bytes, at any time") {
    const std::string big = noise_text(150'000, 1);
    Vfs vfs(VfsOptions{.cache_bytes = 256u << 10});
    mount(vfs, BundleMaker().add("a", "base").add("b", "base").add("base/big", big).write());
    for (int i = 0; i < 12; ++i)  // enough for some to be in a run
        mount(vfs, BundleMaker().add("base/" + std::to_string(i), "filler").write(), unsigned_at("", -1));
    // Both names appear and disappear together: one bundle, one change.
    const Bytes patch = BundleMaker().add("a", "patch").add("b", "patch").add("patch/only", "patch").write();
    const Bytes other = BundleMaker().add("other", big).write();
    const std::string big_path = "/assets/" + id_of(big).hex();

    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> wrong{0};
    std::atomic<std::uint64_t> rounds{0};
    const auto expect = [&](bool good) {
        if (!good)
            ++wrong;
    };
    const auto read_names = [&] {
        while (!stop) {
            const std::string a = content_at(vfs, "/a");
            expect(a == "base" || a == "patch");
            const auto file = vfs.open("/base/big");
            std::vector<std::byte> part(5000);
            expect(file && file->read_at(70'000, part).has_value() && text_of(part) == big.substr(70'000, 5000));
            ++rounds;
        }
    };
    const auto read_assets = [&] {
        while (!stop) {
            expect(content_at(vfs, big_path) == big);
            const auto only = vfs.find("/patch/only");
            expect(only.has_value());
            expect(content_at(vfs, "/base/3") == "filler");
            ++rounds;
        }
    };
    const auto look_around = [&] {
        while (!stop) {
            const std::string entries = listing_of(vfs, "/");
            expect(entries.starts_with("a@ assets/ b@ base/ bundles/"));
            expect(vfs.explain("/a").has_value() && vfs.read_link("/b").has_value());
            expect(vfs.tainted() && !vfs.mounts().empty());
            ++rounds;
        }
    };
    const auto change = [&](const Bytes& bundle, std::string mount_point) {
        while (!stop) {
            const auto id = vfs.mount(make_memory_source(bundle), unsigned_at(mount_point, 1));
            expect(id.has_value());
            std::this_thread::yield();
            expect(id && vfs.unmount(*id));
        }
    };
    std::vector<std::thread> threads;
    threads.emplace_back(read_names);
    threads.emplace_back(read_names);
    threads.emplace_back(read_assets);
    threads.emplace_back(look_around);
    threads.emplace_back(change, patch, "");
    threads.emplace_back(change, other, "");
    std::this_thread::sleep_for(std::chrono::seconds(2));
    stop = true;
    for (std::thread& thread : threads)
        thread.join();
    CHECK(wrong == 0);
    CHECK(rounds > 0);
    CHECK(vfs.mounts().size() == 13);
}

}  // namespace fardel::tests::vfs_threads_test
