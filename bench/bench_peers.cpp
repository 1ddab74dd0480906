// Compares open + read + close with other ways to store many files: plain files in a folder, squashfs through FUSE, a
// zip through PhysicsFS, and Fardel itself through FUSE.
#include "fuse_mount.h"
#include "physfs_peer.h"
#include "sections.h"
#include "small_files.h"

#include <fardel/format/bundle_writer.h>
#include <fardel/vfs/vfs.h>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <thread>

namespace fardel::bench {
namespace {

using std::chrono::steady_clock;

constexpr std::uint32_t kLooseFilesMax = 100'000;  // creating a million takes minutes, and so does removing them
constexpr std::uint32_t kSample = 100'000;
constexpr std::size_t kCacheBytes = 64u << 20;

// Opens, reads all, closes; returns the size.
using ReadFile = std::function<std::uint64_t(const std::string& path, std::vector<std::byte>& buffer)>;

// An opened or mounted image, which `read` keeps open.
struct Reader {
    std::string prefix;  // before a name
    ReadFile read;
};

struct Contender {
    std::string name;
    std::string absent;  // why it cannot take part; empty: it can
    std::function<Result<Reader>()> open;
    std::vector<std::string> names = {};  // the names to read; empty: the same as for Fardel
};

struct Pass {
    std::size_t files = 0;
    std::uint64_t bytes = 0;
    double seconds = 0;
};

struct Rates {
    double first = 0;  // each file for the first time since it was mounted
    double again = 0;
};

enum class Unit { files, megabytes };

// Reads until all files are read or the time is over. Each thread takes 16 files at a time.
Pass read_some(const ReadFile& read, const std::vector<std::string>& paths, unsigned threads, double seconds_max) {
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> files{0};
    std::atomic<std::uint64_t> total{0};
    const auto start = steady_clock::now();
    const auto seconds = [&] { return std::chrono::duration<double>(steady_clock::now() - start).count(); };
    const auto work = [&] {
        std::vector<std::byte> buffer;
        std::uint64_t bytes = 0;
        std::size_t count = 0;
        while (seconds() < seconds_max) {
            const std::size_t first = next.fetch_add(16);
            if (first >= paths.size())
                break;
            const std::size_t last = std::min(first + 16, paths.size());
            for (std::size_t i = first; i < last; ++i)
                bytes += read(paths[i], buffer);
            count += last - first;
        }
        files += count;
        total += bytes;
    };
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i)
        others.emplace_back(work);
    work();
    others.clear();
    return {.files = files, .bytes = total, .seconds = seconds()};
}

double rate(const Pass& pass, Unit unit) {
    return (unit == Unit::files ? static_cast<double>(pass.files) : static_cast<double>(pass.bytes) / 1e6) /
           pass.seconds;
}

std::uint64_t read_plain(const std::string& path, std::vector<std::byte>& buffer) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || ::fstat(file, &status) != 0)
        fail(Error(ErrorCode::io, path + ": cannot be opened"));
    const auto size = static_cast<std::size_t>(status.st_size);
    if (buffer.size() < size)
        buffer.resize(size);
    for (std::size_t at = 0; at < size;) {
        const ssize_t count = ::read(file, buffer.data() + at, size - at);
        if (count <= 0)
            fail(Error(ErrorCode::io, path + ": cannot be read"));
        at += static_cast<std::size_t>(count);
    }
    ::close(file);
    return size;
}

Reader vfs_reader(std::shared_ptr<const Vfs> vfs) {
    return {"/", [vfs = std::move(vfs)](const std::string& path, std::vector<std::byte>& buffer) {
                const File file = must(vfs->open(path));
                if (buffer.size() < file.size_bytes())
                    buffer.resize(file.size_bytes());
                return std::uint64_t{must(file.read_at(0, std::span(buffer).first(file.size_bytes())))};
            }};
}

Contender in_process(const Scene& scene, const std::string& bundle) {
    return {"Fardel", "", [&scene, bundle]() -> Result<Reader> {
                auto vfs = std::make_shared<Vfs>(VfsOptions{.cache_bytes = kCacheBytes});
                FARDEL_TRY(vfs->mount(bundle, {.policy = &scene.policy}));
                return vfs_reader(std::move(vfs));
            }};
}

Contender plain_files(const std::string& name, const std::string& folder) {
    return {name, "", [folder]() -> Result<Reader> { return Reader{folder + "/", read_plain}; }};
}

// `words` is the program that mounts and the image that it shows.
Contender through_fuse(const Scene& scene, const std::string& name, std::vector<std::string> words) {
    return {name, "", [&scene, words = std::move(words)]() -> Result<Reader> {
                FARDEL_TRY_ASSIGN(const std::shared_ptr<FuseMount> mount, FuseMount::mount(words, scene.scratch));
                return Reader{mount->folder() + "/", [mount](const std::string& path, std::vector<std::byte>& buffer) {
                                  return read_plain(path, buffer);
                              }};
            }};
}

Contender fardel_mount(const Scene& scene, const std::string& bundle) {
    const std::string name = "fardel mount";
    if (!std::filesystem::exists(scene.program))
        return {name, "not built", {}};
    const std::string policy = scene.scratch + "/bench.trust";
    std::ofstream(policy, std::ios::binary) << scene.policy.format();
    return through_fuse(scene, name, {scene.program, "mount", "--foreground", "--trust", policy, bundle});
}

struct Squashing {
    std::string label;  // in the image's name
    std::string name;
    std::string options;  // of mksquashfs
};

std::vector<Squashing> squashings() {
    return {{"default", "squashfs, gzip 128K", ""},
            {"zstd-64k", fmt::format("squashfs, zstd -{} 64K", kLevelDefault),
             fmt::format("-comp zstd -Xcompression-level {} -b 64K", kLevelDefault)}};
}

// `make_image` returns the path of the image and creates it if it does not exist.
Contender squashfs(const Scene& scene, const Squashing& how,
                   const std::function<std::string(const Squashing&)>& make_image) {
    for (const char* program : {"mksquashfs", "squashfuse_ll"})
        if (!is_installed(program))
            return {how.name, std::string(program) + " is not installed", {}};
    return through_fuse(scene, how.name, {"squashfuse_ll", "-f", make_image(how)});
}

std::string game_squashfs(const Scene& scene, const Squashing& how) {
    const std::string path = fmt::format("{}/tree-{}.squashfs", scene.scratch, how.label);
    if (std::filesystem::exists(path))
        return path;
    fmt::print(stderr, "making {} …\n", path);
    run_command(
        fmt::format("rm -f '{0}.part' && mksquashfs '{1}' '{0}.part' -quiet -no-progress {2} && mv '{0}.part' '{0}'",
                    path, game_folder(scene), how.options));
    return path;
}

Contender physfs_zip(const std::string& name, const std::string& zip) {
    return {name, "", [zip]() -> Result<Reader> {
                const auto physfs = std::make_shared<PhysfsPeer>();
                physfs->mount({zip});
                return Reader{"", [physfs](const std::string& path, std::vector<std::byte>& buffer) {
                                  return physfs->read(path, buffer);
                              }};
            }};
}

std::vector<std::string> paths_of(const Reader& reader, const std::vector<std::string>& names) {
    std::vector<std::string> paths;
    paths.reserve(names.size());
    for (const std::string& name : names)
        paths.push_back(reader.prefix + name);
    return paths;
}

// Ends the program if the two readers return different bytes, because then no figure is meaningful.
void compare(const Reader& reader, const Reader& fardel, const std::vector<std::string>& names) {
    std::vector<std::byte> theirs;
    std::vector<std::byte> ours;
    for (std::size_t i = 0; i < names.size(); i += std::max<std::size_t>(names.size() / 100, 1)) {
        const std::uint64_t size = reader.read(reader.prefix + names[i], theirs);
        if (fardel.read(fardel.prefix + names[i], ours) != size ||
            !std::equal(ours.begin(), ours.begin() + static_cast<std::ptrdiff_t>(size), theirs.begin()))
            fail(Error(ErrorCode::corrupt, names[i] + ": a peer and Fardel read different bytes"));
    }
}

class Race {
public:
    // The first contender is Fardel.
    Race(const Scene& scene, std::vector<Contender> contenders, Table& table)
        : table_(table), contenders_(std::move(contenders)), seconds_max_(scene.quick ? 0.2 : 2) {}

    // `again_files` is the number of names that are read a second time, also for a peer with other names.
    void run(const std::string& what, const std::vector<std::string>& names, std::size_t again_files, Unit unit) {
        for (const unsigned threads : {1u, 2u}) {
            std::vector<Rates> rates;
            for (Contender& contender : contenders_)
                rates.push_back(rates_of(contender, names, again_files, threads, unit));
            const std::string suffix = threads == 1 ? "one thread" : "two threads";
            rows(what + ", first time, " + suffix, rates, &Rates::first, unit);
            rows(what + ", again, " + suffix, rates, &Rates::again, unit);
        }
    }

    // Measures the time until the first file is read, including the start of programs that mount.
    void opening(const std::string& what, const std::string& name) {
        std::vector<Rates> times;
        for (Contender& contender : contenders_)
            times.push_back({.first = opening_ms(contender, name), .again = 0});
        for (std::size_t i = 1; i < contenders_.size(); ++i)
            table_.add(
                {what, times[0].first, times[i].first, "ms", false, contenders_[i].name, "", contenders_[i].absent});
    }

private:
    static double opening_ms(Contender& contender, const std::string& name) {
        double best = 0;
        std::vector<std::byte> buffer;
        for (int round = 0; round < 5 && contender.absent.empty(); ++round) {
            const auto start = steady_clock::now();
            const auto reader = open(contender);
            if (!reader)
                break;
            (void)reader->read(reader->prefix + name, buffer);
            const double ms = std::chrono::duration<double, std::milli>(steady_clock::now() - start).count();
            best = round == 0 ? ms : std::min(best, ms);
        }
        return best;
    }

    static std::optional<Reader> open(Contender& contender) {
        Result<Reader> reader = contender.open();
        if (reader)
            return std::move(reader).value();
        contender.absent = reader.error().text();
        return std::nullopt;
    }

    Rates rates_of(Contender& contender, const std::vector<std::string>& names, std::size_t again_files,
                   unsigned threads, Unit unit) {
        if (!contender.absent.empty())
            return {};
        const auto reader = open(contender);
        if (!reader)
            return {};
        const std::vector<std::string>& asked = contender.names.empty() ? names : contender.names;
        std::vector<std::string> paths = paths_of(*reader, asked);
        Rates rates{.first = rate(read_some(reader->read, paths, threads, seconds_max_), unit), .again = 0};
        paths.resize(std::min(paths.size(), again_files));
        (void)read_some(reader->read, paths, threads, 5 * seconds_max_);  // the files that the first pass did not reach
        for (int round = 0; round < 3; ++round)
            rates.again = std::max(rates.again, rate(read_some(reader->read, paths, threads, seconds_max_), unit));
        if (&contender != &contenders_[0])
            compare(*reader, must(contenders_[0].open()), asked);
        return rates;
    }

    void rows(const std::string& what, const std::vector<Rates>& rates, double Rates::*which, Unit unit) {
        for (std::size_t i = 1; i < contenders_.size(); ++i)
            table_.add({what, rates[0].*which, rates[i].*which, unit == Unit::files ? "files/s" : "MB/s", true,
                        contenders_[i].name, "", contenders_[i].absent});
    }

    Table& table_;
    std::vector<Contender> contenders_;
    double seconds_max_;
};

void the_game(const Scene& scene, Table& table) {
    const std::string folder = game_folder(scene);
    std::vector<std::string> all;
    std::vector<std::string> small;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file())
            continue;
        all.push_back(entry.path().lexically_relative(folder).generic_string());
        if (entry.file_size() <= 16u << 10)
            small.push_back(all.back());
    }
    std::ranges::sort(all);
    std::ranges::sort(small);
    std::ranges::shuffle(small, std::mt19937(3));

    std::vector<Contender> contenders{in_process(scene, scene.bundle), plain_files("plain files", folder)};
    for (const Squashing& how : squashings())
        contenders.push_back(squashfs(scene, how, [&](const Squashing& it) { return game_squashfs(scene, it); }));
    contenders.push_back(fardel_mount(scene, scene.bundle));

    table.heading(fmt::format("Peers: the game's files, open + read + close, cache {} MiB", kCacheBytes >> 20));
    Race race(scene, std::move(contenders), table);
    race.run("all files", all, all.size(), Unit::megabytes);
    race.run("files ≤ 16 KiB, random order", small, small.size(), Unit::files);
}

std::vector<std::string> sample(std::uint32_t files) {
    std::mt19937 random(4);
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < std::min(kSample, files); ++i)
        names.push_back(made_up_name(static_cast<std::uint32_t>(random() % files)));
    return names;
}

void many_small_files(const Scene& scene, Table& table) {
    constexpr std::size_t kAgain = 2'000;  // a peer that decodes a block per file reads them in a few seconds
    const std::uint32_t files = scene.small_files;
    const std::uint32_t loose = std::min(files, kLooseFilesMax);
    const std::string fewer = loose < files ? fmt::format(", only {} of them", loose) : "";
    const std::string bundle = small_files_bundle(scene, files);
    std::vector<Contender> contenders{in_process(scene, bundle),
                                      plain_files("plain files" + fewer, small_files_folder(scene, loose))};
    contenders.back().names = sample(loose);
    for (const Squashing& how : squashings())
        contenders.push_back(squashfs(
            scene, how, [&](const Squashing& it) { return small_files_squashfs(scene, files, it.label, it.options); }));
    contenders.push_back(fardel_mount(scene, bundle));
    const std::string physfs = "PhysicsFS, zip" + fewer;
    contenders.push_back(is_installed("zip") ? physfs_zip(physfs, small_files_zip(scene, loose))
                                             : Contender{physfs, "zip is not installed", {}});
    contenders.back().names = sample(loose);

    table.heading(fmt::format("Peers: {} files of about 1 KiB, random sample, open + read + close, cache {} MiB", files,
                              kCacheBytes >> 20));
    Race race(scene, std::move(contenders), table);
    race.opening("open or mount, read one file", made_up_name(loose / 2));
    race.run("small files", sample(files), kAgain, Unit::files);
}

void read_many_bundles(const Scene& scene, unsigned threads, Table& table) {
    table.heading(fmt::format("Bundles of 2,500 small assets mounted: open + read + close, random order, {}",
                              threads == 1 ? "one thread" : "two threads"));
    constexpr std::uint32_t kEach = 2'500;
    Rates alone;
    for (const std::uint32_t bundles : {1u, 10u, 100u, 400u}) {
        if (scene.quick && bundles > 10) {
            fmt::print("| {} bundles: left out, --quick | – | – | – | – |\n", bundles);
            continue;
        }
        const auto vfs = std::make_shared<Vfs>(VfsOptions{.cache_bytes = kCacheBytes});
        std::vector<std::string> names;
        for (std::uint32_t b = 0; b < bundles; ++b) {
            (void)must(vfs->mount(made_up_bundle(scene, kEach, b + 1), {.policy = &scene.policy}));
            for (std::uint32_t i = 0; i < kEach; ++i)
                names.push_back("/" + made_up_name(i, b + 1));
        }
        std::ranges::shuffle(names, std::mt19937(5));
        names.resize(std::min<std::size_t>(names.size(), kSample));
        const std::vector<std::string> in_order = names;  // the copies are in memory in this order, too
        const Reader reader = vfs_reader(vfs);
        const double seconds_max = scene.quick ? 0.2 : 2;
        Rates rates{.first = rate(read_some(reader.read, in_order, threads, seconds_max), Unit::files), .again = 0};
        for (int round = 0; round < 3; ++round)
            rates.again =
                std::max(rates.again, rate(read_some(reader.read, in_order, threads, seconds_max), Unit::files));
        const std::string what = fmt::format("{} bundle{}", bundles, bundles == 1 ? "" : "s");
        if (bundles == 1)
            alone = rates;
        table.add(
            {what + ", first time", rates.first, bundles == 1 ? 0 : alone.first, "files/s", true, "1 bundle", ""});
        table.add({what + ", again", rates.again, bundles == 1 ? 0 : alone.again, "files/s", true, "1 bundle", ""});
    }
}

}  // namespace

void bench_peers(const Scene& scene, Table& table) {
    the_game(scene, table);
    many_small_files(scene, table);
}

void bench_bundles(const Scene& scene, Table& table) {
    for (const unsigned threads : {1u, 2u})
        read_many_bundles(scene, threads, table);
}

}  // namespace fardel::bench
