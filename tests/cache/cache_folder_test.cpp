#include "cache_folder.h"

#include "cache_hold.h"
#include "cache_samples.h"
#include "kit/disks.h"
#include "kit/emulator.h"
#include "kit/failing_call.h"
#include "kit/files.h"
#include "kit/foreign_link.h"
#include "kit/portable.h"

#include <fardel/cache/cache_layers.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

namespace fardel::tests::cache_folder_test {

ErrorCode refusal(const std::string& path, bool create = true) { return code_of(CacheFolder::open(path, create)); }

CacheFolder opened_folder(const std::string& path) { return value_of(CacheFolder::open(path, true)); }

Status write_all(const std::string& folder, const Sample& sample) {
    FARDEL_TRY_ASSIGN(const auto layer, open_folder_layer(folder));
    for (std::size_t i = 0; i < sample.outputs.size(); ++i)
        FARDEL_TRY(
            layer->write_object(sample.asset(i), sample.outputs[i].size(), *make_memory_blob(sample.outputs[i])));
    FARDEL_TRY_ASSIGN(const auto bytes, encode_cache_record(sample.record));
    return layer->write_record(sample.record.key, bytes);
}

class FileLimit {
public:
    FileLimit(__rlimit_resource what, rlim_t most) : what_(what) {
        REQUIRE(::getrlimit(what, &before_) == 0);
        const rlimit limit{.rlim_cur = most, .rlim_max = before_.rlim_max};
        REQUIRE(::setrlimit(what, &limit) == 0);
    }
    ~FileLimit() { ::setrlimit(what_, &before_); }

private:
    __rlimit_resource what_;
    rlimit before_{};
};

TEST_CASE("cache folder: a folder that another user has replaced by a link is neither read nor written to") {  // A141
    if (!can_make_foreign_links())
        return;
    const ScratchFolder scratch;
    const CacheFolder folder = opened_folder(scratch.path("cache"));
    const Bytes bytes = bytes_of("object");
    const Hash id = blake3(bytes);
    REQUIRE(folder.write(CacheFileKind::object, id, bytes));
    std::filesystem::rename(scratch.path("cache/objects"), scratch.path("outside"));
    make_foreign_link(scratch.path("outside"), scratch.path("cache/objects"));
    make_foreign_link(scratch.path("outside"), scratch.path("cache/retention"));
    const auto found = folder.find_bytes({CacheFileKind::object, id}, 100);
    CHECK((!found || !*found));
    CHECK_FALSE(folder.remove(CacheFileKind::object, id));
    CHECK_FALSE(folder.write(CacheFileKind::object, Hash{}, bytes));
    CHECK_FALSE(CacheHold::open(folder));
    CHECK_FALSE(CacheTrimLock::open(folder));
    CHECK(std::distance(std::filesystem::recursive_directory_iterator(scratch.path("outside")),
                        std::filesystem::recursive_directory_iterator()) == 2);
}

TEST_CASE("cache folder: created with all folders above it, also by several threads at once, and opened again") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("a/b/cache");
    CHECK(refusal(path, false) == ErrorCode::missing);
    std::vector<std::thread> threads;
    std::vector<int> failed(16);
    for (std::size_t i = 0; i < 16; ++i)
        threads.emplace_back([&, i] { failed[i] = !CacheFolder::open(path, true); });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(failed == std::vector<int>(16));
    CHECK(CacheFolder::open(path, false));
    CHECK(CacheFolder::open(path + "/", true));
    CHECK(temporary_files(path) == 0);
}

TEST_CASE("cache folder: a folder of something else is refused and not changed") {  // A34
    const ScratchFolder scratch;
    scratch.write("home/letter.txt", std::string_view("dear"));
    CHECK(refusal(scratch.path("home")) == ErrorCode::malformed);
    CHECK(std::distance(fs::directory_iterator(scratch.path("home")), fs::directory_iterator()) == 1);
    scratch.write("other/CACHEDIR.TAG",
                  std::string_view("Signature: 8a477f597d28d172789f06886806bc55\n# of another program\n"));
    CHECK(refusal(scratch.path("other")) == ErrorCode::malformed);
    scratch.write(
        "later/CACHEDIR.TAG",
        std::string_view("Signature: 8a477f597d28d172789f06886806bc55\n# fardel derived-data cache, layout 2\n"));
    CHECK(refusal(scratch.path("later")) == ErrorCode::unsupported);
    CHECK(refusal(scratch.write("file", std::string_view("x"))) == ErrorCode::malformed);
    CHECK(refusal("") == ErrorCode::malformed);
    CHECK(refusal(scratch.path("file/below")) == ErrorCode::missing);
    CHECK(trim_cache_folder(scratch.path("home"), {}).error().code() == ErrorCode::malformed);
    CHECK(trim_cache_folder(scratch.path("none"), {}).error().code() == ErrorCode::missing);
    CHECK_FALSE(fs::exists(scratch.path("none")));
    CHECK(fs::exists(scratch.path("home/letter.txt")));
}

TEST_CASE("cache folder: links, folders, FIFOs and files with other names count as absent") {  // A13 A16 A18 A34
    const ScratchFolder scratch;
    const CacheFolder folder = opened_folder(scratch.path("cache"));
    const auto bytes = noise(100, 1);
    const Hash id = blake3(bytes);
    const std::string path = scratch.path("cache/" + cache_file_name(CacheFileKind::object, id));
    fs::create_directories(fs::path(path).parent_path());
    const std::string secret = scratch.write("secret", bytes);

    fs::create_symlink(secret, path);
    CHECK_FALSE(folder.find(CacheFileKind::object, id).value());
    CHECK_FALSE(folder.find_bytes({CacheFileKind::object, id}, 1000).value());
    CHECK_FALSE(read_blob(*folder.blob(CacheFileKind::object, id)));
    CHECK(folder.list(CacheFileKind::object, id.bytes[0]).value().files.empty());
    REQUIRE(folder.write(CacheFileKind::object, id, bytes));  // replaces the link
    CHECK(fs::is_regular_file(fs::symlink_status(path)));
    CHECK(folder.list(CacheFileKind::object, id.bytes[0]).value().files.size() == 1);
    fs::remove(path);

    fs::create_directory(path);
    CHECK_FALSE(folder.find(CacheFileKind::object, id).value());
    CHECK_FALSE(folder.write(CacheFileKind::object, id, bytes));
    CHECK(temporary_files(scratch.path("cache")) == 0);
    fs::remove(path);

    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK_FALSE(folder.find(CacheFileKind::object, id).value());
    CHECK_FALSE(folder.find_bytes({CacheFileKind::object, id}, 1000).value());
    fs::remove(path);

    const std::string beside = fs::path(path).parent_path().string() + "/";
    for (const std::string& name :
         {id.hex().substr(0, 63), id.hex() + "0", "0x" + id.hex(), std::string("letter.txt"), std::string(64, 'F')})
        std::ofstream(beside + name) << "x";
    Hash elsewhere = id;
    elsewhere.bytes[0] ^= 1;
    std::ofstream(beside + elsewhere.hex()) << "x";  // in the folder of two other digits
    CHECK(folder.list(CacheFileKind::object, id.bytes[0]).value().files.empty());

    fs::remove_all(scratch.path("cache/objects"));
    fs::create_directory_symlink(scratch.root(), scratch.path("cache/objects"));
    CHECK(folder.list(CacheFileKind::object, 0).value().files.empty());
}

TEST_CASE("cache folder: a hit counts as use, at most every half hour; reading does not") {
    const ScratchFolder scratch;
    const CacheFolder folder = opened_folder(scratch.path("cache"));
    const auto bytes = noise(100, 2);
    const Hash id = blake3(bytes);
    REQUIRE(folder.write(CacheFileKind::object, id, bytes));
    const auto set_age = [&](std::int64_t minutes) {
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        const timespec then[2] = {{.tv_sec = now.tv_sec - minutes * 60, .tv_nsec = 5},
                                  {.tv_sec = now.tv_sec - minutes * 60, .tv_nsec = 5}};
        REQUIRE(::utimensat(AT_FDCWD, scratch.path("cache/" + cache_file_name(CacheFileKind::object, id)).c_str(), then,
                            0) == 0);
        return folder.find(CacheFileKind::object, id).value().value();
    };
    const auto hold = CacheHold::open(folder);
    REQUIRE(hold);
    CacheFile file = set_age(20);
    CHECK(hold->use(file).value());
    CHECK(folder.find(CacheFileKind::object, id).value()->used_ns == file.used_ns);
    file = set_age(40);
    if (can_read_without_use()) {
        CHECK(read_blob(*folder.blob(CacheFileKind::object, id)));
        CHECK(folder.find(CacheFileKind::object, id).value()->used_ns == file.used_ns);
    }
    CHECK(hold->use(file).value());
    CHECK(folder.find(CacheFileKind::object, id).value()->used_ns >
          file.used_ns + std::int64_t(39) * 60 * 1'000'000'000);
    REQUIRE(folder.remove(CacheFileKind::object, id).value());
    CHECK_FALSE(hold->use(file).value());
}

TEST_CASE("cache folder: a writer that is killed at any system call leaves only whole entries") {  // A100 A101
    if (is_left_out_in_emulator("a program that is traced stops for ever"))
        return;
    const ScratchFolder scratch;
    const std::string path = scratch.path("cache");
    const Sample sample = make_sample(1, {noise(600'000, 1), noise(10, 2), {}});
    const int runs = for_each_call(2000, [&](int number) {
        if (!kill_at_call(number * kKillStep, [&] { return write_all(path, sample) ? 0 : 1; }))
            return false;
        if (const auto report = check_cache_folder(path, {})) {
            CHECK(report->broken.empty());
            CHECK(report->incomplete == 0);
            CHECK(report->unfinished <= static_cast<std::uint64_t>(number));
        } else {  // the writer was killed before the cache existed
            CHECK((report.error().code() == ErrorCode::missing || report.error().code() == ErrorCode::malformed));
        }
        return true;
    });
    CHECK(runs * kKillStep > 21);
    CHECK(write_all(path, sample));
    const auto report = check_cache_folder(path, {});
    REQUIRE(report);
    CHECK(report->records == 1);
    CHECK(report->objects == 3);
    CHECK(report->broken.empty());

    // Trimming removes what the killed writers have left, a day later.
    CHECK(report->unfinished > 0);
    for (const auto& entry : fs::recursive_directory_iterator(path))
        if (entry.path().extension() == ".tmp") {
            const timespec old[2] = {{.tv_sec = 1'000'000, .tv_nsec = 0}, {.tv_sec = 1'000'000, .tv_nsec = 0}};
            REQUIRE(::utimensat(AT_FDCWD, entry.path().c_str(), old, 0) == 0);
        }
    REQUIRE(trim_cache_folder(path, {}));
    CHECK(check_cache_folder(path, {})->unfinished == 0);
    CHECK(check_cache_folder(path, {})->objects == 3);
}

// A102
TEST_CASE(
    "cache folder: a full disk, a file too large, no descriptors: each is an error and leaves nothing incomplete") {
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "256k");
    REQUIRE_MESSAGE(disk.mounted(), "a tmpfs must be mountable here, as root is allowed to");
    const std::string path = disk.path("cache");
    REQUIRE(write_all(path, make_sample(1, {noise(1000, 1)})));
    const Sample large = make_sample(2, {noise(50'000, 2), noise(400'000, 3)});
    CHECK(write_all(path, large).error().code() == ErrorCode::no_space);
    CHECK(temporary_files(path) == 0);
    auto report = check_cache_folder(path, {});
    REQUIRE(report);
    CHECK(report->broken.empty());
    CHECK(report->records == 1);
    CHECK(report->objects == 2);  // one object fits, but no record that names it
    {
        struct sigaction ignore {};
        struct sigaction before {};
        ignore.sa_handler = SIG_IGN;
        ::sigaction(SIGXFSZ, &ignore, &before);
        const FileLimit limit(RLIMIT_FSIZE, 5000);
        CHECK(write_all(path, make_sample(3, {noise(6000, 4)})).error().code() == ErrorCode::limit);
        ::sigaction(SIGXFSZ, &before, nullptr);
    }
    for (rlim_t most = 3; most < 12; ++most) {
        Status written = ok();
        {
            const FileLimit limit(RLIMIT_NOFILE, most);
            written = write_all(path, make_sample(4, {noise(600, 5)}));
        }
        if (!written)
            CHECK(written.error().code() == ErrorCode::io);
    }
    CHECK(temporary_files(path) == 0);
    REQUIRE(disk.make_read_only());
    CHECK(write_all(path, make_sample(5)).error().code() == ErrorCode::denied);
    CHECK(trim_cache_folder(path, {}).error().code() == ErrorCode::denied);
    report = check_cache_folder(path, {});
    REQUIRE(report);
    CHECK(report->broken.empty());
}

TEST_CASE("cache folder: a folder of another user is read, and writing is denied") {  // A102 A108
    const ScratchFolder scratch;
    REQUIRE(::chmod(scratch.root().c_str(), 0755) == 0);
    const std::string path = scratch.path("cache");
    const Sample sample = make_sample(1);
    REQUIRE(write_all(path, sample));
    REQUIRE(::chmod(path.c_str(), 0555) == 0);
    const bool was_root = ::geteuid() == 0;
    if (was_root)
        REQUIRE(::seteuid(65534) == 0);
    else
        for (const auto& entry : fs::recursive_directory_iterator(path))
            if (entry.is_directory())
                ::chmod(entry.path().c_str(), 0555);
    const auto layer = open_folder_layer(path);
    const bool found = layer && (*layer)->find_record(sample.record.key).value().has_value();
    const Status written = write_all(path, make_sample(2));
    if (was_root)
        REQUIRE(::seteuid(0) == 0);
    else
        for (const auto& entry : fs::recursive_directory_iterator(path))
            if (entry.is_directory())
                ::chmod(entry.path().c_str(), 0755);
    CHECK(found);
    CHECK(written.error().code() == ErrorCode::denied);
}

}  // namespace fardel::tests::cache_folder_test
