// Compares the time and size of packing a folder with zstd alone, zip and tar + zstd over the same files.
#include "sections.h"
#include "stopwatch.h"

#include <fardel/format/bundle_writer.h>
#include <fardel/packer/pack.h>

#include <fmt/format.h>
#include <zstd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace fardel::bench {
namespace {

constexpr unsigned kThreads = 2;

// Returns the seconds that zstd alone needs for the same files in pieces of 64 KiB, on all threads, without writing.
double bare_zstd_seconds(const std::vector<std::string>& files) {
    return best_seconds(2, [&] {
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            ZSTD_CCtx* context = ZSTD_createCCtx();
            std::vector<char> raw(64u << 10);
            std::vector<char> out(ZSTD_compressBound(raw.size()));
            for (std::size_t i = next++; i < files.size(); i = next++) {
                std::ifstream file(files[i], std::ios::binary);
                while (file.read(raw.data(), static_cast<std::streamsize>(raw.size())), file.gcount() > 0)
                    (void)ZSTD_compressCCtx(context, out.data(), out.size(), raw.data(),
                                            static_cast<std::size_t>(file.gcount()), kLevelDefault);
            }
            ZSTD_freeCCtx(context);
        };
        std::vector<std::jthread> threads;
        for (unsigned i = 0; i < kThreads; ++i)
            threads.emplace_back(work);
    });
}

}  // namespace

void bench_pack(const Scene& scene, Table& table) {
    table.heading(fmt::format("Pack the game's files from a folder, level {}, {} threads", kLevelDefault, kThreads));
    const std::string folder = game_folder(scene);
    std::vector<std::string> files;
    double raw_megabytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) {
            files.push_back(entry.path().string());
            raw_megabytes += static_cast<double>(entry.file_size()) / 1e6;
        }

    const std::string packed = scene.scratch + "/packed.fardel";
    const double ours = best_seconds(2, [&] {
        const PackPlan plan =
            must(pack_sources(std::vector{folder}, {.name = "game", .version = must(BundleVersion::parse("1"))}));
        must(must(write_bundle(plan.plan, packed, {.level = kLevelDefault, .jobs = kThreads})).commit());
    });
    table.add({"scan, hash, pack, decode and compare", raw_megabytes / ours, raw_megabytes / bare_zstd_seconds(files),
               "MB/s", true, "bare zstd, same pieces", "≥ 0.95 ×"});

    const std::string tar = scene.scratch + "/tree.tar";
    const std::string zst = tar + ".zst";
    const std::string zip = scene.scratch + "/tree.zip";
    run_command(fmt::format("tar --sort=name -C '{}' -cf '{}' .", folder, tar));
    const double cli = best_seconds(
        1, [&] { run_command(fmt::format("zstd -q -f -T{} -{} '{}' -o '{}'", kThreads, kLevelDefault, tar, zst)); });
    table.add({"the same", raw_megabytes / ours, raw_megabytes / cli, "MB/s", true,
               fmt::format("zstd -T{} -{} of a tar", kThreads, kLevelDefault), ""});
    if (!std::filesystem::exists(zip))
        run_command(
            fmt::format("cd '{}' && zip -q -9 -r '{}.part.zip' . && mv '{}.part.zip' '{}'", folder, zip, zip, zip));

    table.heading("Size of the game's files");
    table.add({"packed", megabytes(packed), megabytes(zip), "MB", false, "zip -9", ""});
    table.add({"packed", megabytes(packed), megabytes(zst), "MB", false, fmt::format("tar, zstd -{}", kLevelDefault),
               "≥ 1.03 ×"});
    table.add({"for load", megabytes(game_bundle(scene, BundlePurpose::load)), megabytes(zip), "MB", false, "zip -9",
               "> 1 ×"});
    const std::string smallest = scene.scratch + "/tree-19.tar.zst";
    if (!std::filesystem::exists(smallest))
        run_command(fmt::format("zstd -q -f -T{} -19 '{}' -o '{}'", kThreads, tar, smallest));
    table.add({"for size", megabytes(game_bundle(scene, BundlePurpose::size)), megabytes(smallest), "MB", false,
               "tar, zstd -19", "> 1 ×"});
    for (const std::string& path : {packed, tar, zst})
        std::filesystem::remove(path);
}

}  // namespace fardel::bench
