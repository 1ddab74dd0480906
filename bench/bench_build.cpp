// Compares fardel build, as a user runs it, with tar | zstd and zip: from scratch, after no change and after a change
// of one file.
#include "sections.h"
#include "stopwatch.h"

#include <fardel/format/bundle_writer.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace fardel::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kSources = 100'000;
constexpr int kZipLevel = 6;

// Returns a text like those that games contain by the thousand: about 300 to 1,300 bytes, no two equal.
std::string small_source(std::uint32_t index) {
    std::uint64_t state = (index + 1) * 0x9e3779b97f4a7c15u;
    const auto random = [&] {  // xorshift64*
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * 0x2545f4914f6cdd1du >> 32;
    };
    for (int i = 0; i < 4; ++i)
        (void)random();  // seeds of neighbours give similar first numbers
    static constexpr std::string_view kKeys[] = {"diffuse",   "normal",   "specular", "surface", "friction",
                                                 "footsteps", "emission", "scroll",   "alpha",   "damage"};
    std::string text = fmt::format("material \"set{}/part{}\"\n{{\n", index / 1000, index);
    for (auto lines = 10 + random() % 40; lines > 0; --lines)
        text += fmt::format("    {} {:.4f} {}\n", kKeys[random() % std::size(kKeys)],
                            static_cast<double>(random() % 1'000'000) / 1e4, random() % 100'000);
    return text + "}\n";
}

// Creates the folder once and keeps it.
std::string small_sources_folder(const Scene& scene, std::uint32_t count) {
    const std::string folder = fmt::format("{}/small-sources-{}", scene.scratch, count);
    if (fs::exists(folder))
        return folder;
    fmt::print(stderr, "making {} …\n", folder);
    const std::string staging = folder + ".part";
    fs::remove_all(staging);
    for (std::uint32_t i = 0; i < count; ++i) {
        const fs::path path = fmt::format("{}/materials/set{:04}/part{:06}.txt", staging, i / 1000, i);
        if (i % 1000 == 0)
            fs::create_directories(path.parent_path());
        const std::string text = small_source(i);
        std::ofstream file(path, std::ios::binary);
        if (!file.write(text.data(), static_cast<std::streamsize>(text.size())).flush())
            fail(Error(ErrorCode::io, path.string() + ": cannot be written"));
    }
    fs::rename(staging, folder);
    return folder;
}

// A project over a copy of a folder. The files may be changed; until then they are hard links to those of the folder.
class Project {
public:
    Project(const Scene& scene, const std::string& label, const std::string& sources)
        : folder_(fmt::format("{}/build-{}", scene.scratch, label)), program_(scene.program) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
        run_command(fmt::format("cp -al '{}' '{}'", sources, tree()));
        std::ofstream(folder_ + "/fardel.toml", std::ios::binary)
            << "name = \"bench\"\noutput = \"out.fardel\"\nsources = [\"tree\"]\n";
        for (const auto& entry : fs::recursive_directory_iterator(tree()))
            if (entry.is_regular_file()) {
                files_.push_back(entry.path().string());
                raw_megabytes_ += static_cast<double>(entry.file_size()) / 1e6;
            }
        std::ranges::sort(files_);
    }
    ~Project() { fs::remove_all(folder_); }
    Project(const Project&) = delete;
    Project& operator=(const Project&) = delete;

    std::size_t file_count() const { return files_.size(); }
    double raw_megabytes() const { return raw_megabytes_; }
    std::string bundle() const { return folder_ + "/out.fardel"; }
    std::string tar_zst() const { return folder_ + "/out.tar.zst"; }
    std::string zip() const { return folder_ + "/out.zip"; }

    void build(unsigned jobs, const char* more = "") const {
        run_command(fmt::format("'{}' build '{}' --jobs {} --level {} {} >'{}/report'", program_, folder_, jobs,
                                kLevelDefault, more, folder_));
    }
    void tar_and_zstd(unsigned threads) const {
        run_command(fmt::format("tar --sort=name -C '{}' -cf - . | zstd -q -f -T{} -{} -o '{}'", tree(), threads,
                                kLevelDefault, tar_zst()));
    }
    void zip_from_scratch() const {
        fs::remove(zip());
        run_command(fmt::format("cd '{}' && zip -q -r -{} '{}' .", tree(), kZipLevel, zip()));
    }
    // The exit code 12 of zip means that there was nothing to do.
    void zip_changes() const {
        run_command(
            fmt::format("cd '{}' && {{ zip -q -u -r -{} '{}' . || [ $? -eq 12 ]; }}", tree(), kZipLevel, zip()));
    }

    // Appends some bytes to a copy of the file in the middle, which then replaces the hard link.
    void change_one() {
        const std::string& path = files_[files_.size() / 2];
        fs::copy_file(path, path + ".new");
        std::ofstream(path + ".new", std::ios::binary | std::ios::app) << "changed " << ++changes_ << '\n';
        fs::rename(path + ".new", path);
    }

private:
    std::string tree() const { return folder_ + "/tree"; }

    std::string folder_;
    std::string program_;
    std::vector<std::string> files_;
    double raw_megabytes_ = 0;
    unsigned changes_ = 0;
};

void measure(const Scene& scene, Table& table, const std::string& what, Project& project) {
    table.heading(fmt::format("Build {}: {} files, {:.0f} MB, level {}", what, project.file_count(),
                              project.raw_megabytes(), kLevelDefault));
    const int rounds = scene.quick ? 1 : 2;
    const double zip_seconds = best_seconds(1, [&] { project.zip_from_scratch(); });
    const double zip_megabytes = megabytes(project.zip());
    const std::string zip_name = fmt::format("zip -r -{}", kZipLevel);
    double zstd_seconds[2] = {};
    for (const unsigned jobs : {1u, 2u}) {
        const double ours = best_seconds(rounds, [&] { project.build(jobs, "--anew"); });
        zstd_seconds[jobs - 1] = best_seconds(rounds, [&] { project.tar_and_zstd(jobs); });
        const std::string work = fmt::format("from scratch, {}", jobs == 1 ? "1 thread" : "2 threads");
        table.add(
            {work, ours, zstd_seconds[jobs - 1], "s", false, fmt::format("tar, zstd -T{} -{}", jobs, kLevelDefault)});
        table.add({work, ours, zip_seconds, "s", false, zip_name});
    }
    table.add({"size", megabytes(project.bundle()), megabytes(project.tar_zst()), "MB", false,
               fmt::format("tar, zstd -{}", kLevelDefault)});
    table.add({"size", megabytes(project.bundle()), zip_megabytes, "MB", false, zip_name});

    const double zip_again = best_seconds(rounds, [&] { project.zip_changes(); });
    for (const unsigned jobs : {1u, 2u}) {
        const double ours = best_seconds(3, [&] { project.build(jobs); });
        const std::string work = fmt::format("nothing changed, {}", jobs == 1 ? "1 thread" : "2 threads");
        table.add({work, ours, zip_again, "s", false, fmt::format("zip -u -r -{}", kZipLevel)});
        table.add({work, ours, zstd_seconds[jobs - 1], "s", false, "tar, zstd: all again"});
    }
    for (const unsigned jobs : {1u, 2u}) {
        double ours = 1e9;
        for (int round = 0; round < rounds; ++round) {  // the change itself is not measured
            project.change_one();
            ours = std::min(ours, best_seconds(1, [&] { project.build(jobs); }));
        }
        const double zip_change = best_seconds(1, [&] { project.zip_changes(); });
        const std::string work = fmt::format("one file changed, {}", jobs == 1 ? "1 thread" : "2 threads");
        table.add({work, ours, zip_change, "s", false, fmt::format("zip -u -r -{}", kZipLevel)});
        table.add({work, ours, zstd_seconds[jobs - 1], "s", false, "tar, zstd: all again"});
    }
}

}  // namespace

void bench_build(const Scene& scene, Table& table) {
    if (!fs::exists(scene.program))
        fail(Error(ErrorCode::missing, scene.program + ": not built; --program names it"));
    {
        Project small(scene, "small", small_sources_folder(scene, scene.quick ? 20'000u : kSources));
        measure(scene, table, "small sources", small);
    }
    Project game(scene, "game", game_folder(scene));
    measure(scene, table, "the game", game);
}

}  // namespace fardel::bench
