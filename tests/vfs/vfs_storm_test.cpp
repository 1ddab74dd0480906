// Everything at once: threads open, read, list, mount, swap, replace, refresh, prefer, lock and unlock, while files are
// edited, replaced, cut and deleted under them. Twenty seconds under ThreadSanitizer, a few otherwise.
#include "kit/files.h"
#include "test_bundle.h"

#include <fardel/base/sanitizers.h>
#include <fardel/format/bundle.h>
#include <fardel/vfs/read_queue.h>
#include <fardel/vfs/vfs.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace fardel::tests::vfs_storm_test {

constexpr std::chrono::seconds kTime{kThreadSanitizer ? 20 : 5};

// The contents that may be read at a path.
const std::map<std::string, std::set<std::string>> kContents = {
    {"/map", {"old map", "new map"}},
    {"/wall", {"sd", "hd"}},
    {"/edited", {std::string(100, 'a'), std::string(5000, 'b'), std::string(70'000, 'c')}},
    {"/base/big", {noise_text(150'000, 1)}},
    {"/on disk", {noise_text(200'000, 2)}},
};

// Errors that a reader may get while files change; a mount that does not change never returns them.
bool is_expected(const Error& error) {
    switch (error.code()) {
        case ErrorCode::missing:
        case ErrorCode::corrupt:
        case ErrorCode::malformed:
        case ErrorCode::conflict:
        case ErrorCode::io: return true;
        default: return false;
    }
}

class Storm {
public:
    Storm() {
        mount(vfs_, BundleMaker().add("base/big", noise_text(150'000, 1)).add("wall", "sd").write(),
              unsigned_at("", -5));
        BundleMaker hd;
        hd.add_variants("wall", {"hd"}, true);
        hd.plan().names[0].variants[0].tags = {{"quality", "hd"}};
        mount(vfs_, hd.write());
        for (int i = 0; i < 12; ++i)  // enough for some to be in a run
            mount(vfs_, BundleMaker().add("filler/" + std::to_string(i), "filler").write(), unsigned_at("", -9));
        on_disk_ = BundleMaker().add("on disk", noise_text(200'000, 2)).write();
        scratch_.write("on_disk.fardel", on_disk_);
        scratch_.write("folder/edited", std::string(100, 'a'));
        auto folder = vfs_.mount(scratch_.path("folder"), unsigned_at());
        REQUIRE(folder);
        folder_ = *folder;
        swapped_ = mount(vfs_, old_map_);
        queue_ = ReadQueue::start(2).value();
    }

    void run() {
        const std::vector<std::function<void()>> work = {
            [this] { read_names(); },    [this] { read_names(); },   [this] { look_around(); },
            [this] { read_in_queue(); }, [this] { mount_disk(); },   [this] { swap_map(); },
            [this] { edit_folder(); },   [this] { switch_modes(); }, [this] { sabotage(); },
        };
        std::vector<std::thread> threads;
        for (const auto& one : work)
            threads.emplace_back([this, &one] {
                while (!stop_) {
                    one();
                    ++rounds_;
                }
            });
        std::this_thread::sleep_for(kTime);
        stop_ = true;
        for (std::thread& thread : threads)
            thread.join();
        queue_.reset();
        CHECK_MESSAGE(wrong_ == 0, log_);
        CHECK(good_ > 100);
        CHECK(rounds_ > 100);
    }

private:
    // `what` describes the first failure.
    void expect(bool good, std::string_view what, const Error* error = nullptr) {
        if (good) {
            ++good_;
            return;
        }
        const std::scoped_lock lock(log_mutex_);
        if (wrong_++ < 10)
            log_ += std::string(what) + (error != nullptr ? ": " + error->text() : "") + "\n";
    }
    // A success, or an error that the concurrent changes explain.
    template <class R>
    void expect_ok_or_expected(const R& result, std::string_view what) {
        expect(result || is_expected(result.error()), what, result ? nullptr : &result.error());
    }
    template <class R>
    void expect_ok(const R& result, std::string_view what) {
        expect(static_cast<bool>(result), what, result ? nullptr : &result.error());
    }
    void check(const std::string& path, const Result<std::vector<std::byte>>& bytes) {
        expect_ok_or_expected(bytes, path);
        if (bytes)
            expect(kContents.at(path).contains(text_of(*bytes)), "wrong bytes at " + path);
    }

    void read_names() {
        const std::uint64_t locks = locks_;
        const auto never_locked = [&] { return locks % 2 == 0 && locks == locks_; };
        for (const auto& [path, contents] : kContents) {
            const auto file = vfs_.find(path);
            expect_ok_or_expected(file, path);
            if (file && *file)
                check(path, (*file)->read_all());
            else if (file)
                expect(path != "/base/big" || !never_locked(), "not there: " + path);
        }
        // This mount does not change.
        const auto by_id = vfs_.find("/assets/" + id_of(noise_text(150'000, 1)).hex());
        expect_ok(by_id, "by id");
        expect(!by_id || *by_id || !never_locked(), "not there by id");
    }

    void look_around() {
        expect_ok(vfs_.explain("/map"), "explain");
        expect_ok_or_expected(vfs_.list("/"), "list");
        expect_ok_or_expected(vfs_.check_links(), "check_links");
        expect_ok_or_expected(vfs_.conflicts(), "conflicts");
        expect(!vfs_.mounts().empty(), "mounts");
    }

    void read_in_queue() {
        const auto file = vfs_.find("/base/big");
        if (!file || !*file)
            return;
        std::vector<std::byte> room(3 * 10'000);
        std::vector<ReadRequest> batch;
        std::atomic<int> right = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const std::span<std::byte> out = std::span(room).subspan(i * 10'000, 10'000);
            batch.push_back({.file = **file,
                             .offset = i * 50'000,
                             .out = out,
                             .priority = static_cast<int>(i),
                             .done = [&right, out, i](Result<std::size_t> count) {
                                 right += count && text_of(out) == noise_text(150'000, 1).substr(i * 50'000, 10'000);
                             }});
        }
        queue_->submit(std::move(batch));
        queue_->wait();
        expect(right == 3, "a batch of reads");
    }

    void mount_disk() {
        const auto id = vfs_.mount(scratch_.path("on_disk.fardel"), unsigned_at("", 3));
        expect_ok_or_expected(id, "mount");
        if (!id)
            return;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        expect_ok(vfs_.unmount(*id), "unmount");
    }

    void swap_map() {
        MountChange change;
        change.unmount = {swapped_};
        change.mount.push_back({.subject = make_memory_source(even_ ? old_map_ : new_map_), .options = unsigned_at()});
        const auto ids = vfs_.apply(std::move(change));
        expect_ok(ids, "apply");
        if (ids)
            swapped_ = ids->front();
        even_ = !even_;
        expect_ok(vfs_.replace(swapped_,
                               {.subject = make_memory_source(even_ ? old_map_ : new_map_), .options = unsigned_at()}),
                  "replace");
    }

    void edit_folder() {
        edit_ = (edit_ + 1) % 3;
        scratch_.write("folder/edited", edit_ == 0   ? std::string(100, 'a')
                                        : edit_ == 1 ? std::string(5000, 'b')
                                                     : std::string(70'000, 'c'));
        expect_ok_or_expected(vfs_.refresh(folder_), "refresh");
    }

    void switch_modes() {
        vfs_.prefer(parse_variant_preference("quality=hd").value());
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        vfs_.prefer({});
        PureRules rules;
        rules.unsigned_allowed = true;
        rules.bundles = {
            {.bundle = Bundle::open(make_memory_source(old_map_), {}).value()->id(), .mount_point = "", .name = ""}};
        ++locks_;
        vfs_.enter_pure(PurePolicy::make(rules).value());
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        vfs_.leave_pure();
        ++locks_;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }

    // A33
    void sabotage() {
        const std::string path = scratch_.path("on_disk.fardel");
        std::error_code ignored;
        scratch_.write("next", on_disk_);
        std::filesystem::rename(scratch_.path("next"), path, ignored);
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
        std::filesystem::resize_file(path, 50'000, ignored);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::filesystem::remove(path, ignored);
    }

    ScratchFolder scratch_;
    Bytes on_disk_;
    const Bytes old_map_ = BundleMaker().add("map", "old map").write();
    const Bytes new_map_ = BundleMaker().add("map", "new map").write();
    Vfs vfs_{VfsOptions{.cache_bytes = 256u << 10}};
    MountId folder_{};
    MountId swapped_{};
    bool even_ = false;
    int edit_ = 0;
    std::unique_ptr<ReadQueue> queue_;
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> locks_{0};  // odd: in pure mode, or entering or leaving it
    std::atomic<std::uint64_t> wrong_{0}, good_{0}, rounds_{0};
    std::mutex log_mutex_;
    std::string log_;
};

TEST_CASE("storm: everything at once gives right bytes or a named error") { Storm().run(); }

}  // namespace fardel::tests::vfs_storm_test
