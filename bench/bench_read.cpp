// Measures opening and reading all files of a game, its small files and its large ones, and compares verified reads
// with bare decoding.
#include "physfs_peer.h"
#include "sections.h"
#include "stopwatch.h"

#include <fardel/format/bundle.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/vfs/vfs.h>

#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

namespace fardel::bench {
namespace {

struct Names {
    std::vector<std::string> all;
    std::vector<std::string> small;  // ≤ 16 KiB
    std::vector<std::string> large;  // ≥ 256 KiB
};

std::uint64_t read_one(const Vfs& vfs, const std::string& path, std::vector<std::byte>& buffer) {
    const File file = must(vfs.open(path));
    if (buffer.size() < file.size_bytes())
        buffer.resize(file.size_bytes());
    return must(file.read_at(0, std::span(buffer).first(file.size_bytes())));
}

// Reads all files `passes` times and returns the total number of bytes. Each thread takes 16 names at a time. The
// threads stay for all passes: starting one takes as long as reading a hundred small files.
std::uint64_t read_all(const Vfs& vfs, const std::vector<std::string>& paths, unsigned threads, std::size_t passes) {
    const std::size_t reads = passes * paths.size();
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> total{0};
    const auto work = [&] {
        std::vector<std::byte> buffer;
        std::uint64_t bytes = 0;
        for (;;) {
            const std::size_t first = next.fetch_add(16);
            if (first >= reads)
                break;
            for (std::size_t i = first; i < std::min(first + 16, reads); ++i)
                bytes += read_one(vfs, paths[i % paths.size()], buffer);
        }
        total += bytes;
    };
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i)
        others.emplace_back(work);
    work();
    others.clear();
    return total;
}

// Returns the best time of one pass. A pass over small files takes milliseconds, in which the processor's frequency
// and other programs count for more than what is measured, so it is repeated for a quarter of a second. `pass` takes
// the number of passes.
template <class Pass>
double best_pass_seconds(int rounds, Pass&& pass) {
    const double first = best_seconds(1, [&] { pass(std::size_t{1}); });
    const auto passes = static_cast<std::size_t>(std::max(1.0, 0.25 / first));
    return best_seconds(rounds, [&] { pass(passes); }) / static_cast<double>(passes);
}

void rows(const char* what, const Vfs& vfs, const PhysfsPeer& physfs, std::vector<std::string> names, bool count_files,
          const char* target, Table& table) {
    std::vector<std::string> paths;
    for (const std::string& name : names)
        paths.push_back("/" + name);
    std::vector<std::byte> buffer;
    std::uint64_t bytes = 0;
    const double peer = best_pass_seconds(3, [&](std::size_t passes) {
        for (std::size_t i = 0; i < passes; ++i) {
            bytes = 0;
            for (const std::string& name : names)
                bytes += physfs.read(name, buffer);
        }
    });
    const double one = best_pass_seconds(5, [&](std::size_t passes) {
        if (read_all(vfs, paths, 1, passes) != passes * bytes)
            fail(Error(ErrorCode::corrupt, "PhysicsFS and Fardel read different sizes"));
    });
    const double two = best_pass_seconds(5, [&](std::size_t passes) { (void)read_all(vfs, paths, 2, passes); });
    const double amount = count_files ? static_cast<double>(names.size()) : static_cast<double>(bytes) / 1e6;
    const std::string unit = count_files ? "files/s" : "MB/s";
    table.add({std::string(what) + ", one thread", amount / one, amount / peer, unit, true, "PhysicsFS", target});
    table.add({std::string(what) + ", two threads", amount / two, amount / one, unit, true, "one thread", "≥ 1.9 ×"});
}

// Compares verified reads with decoding the same blocks from memory by zstd alone.
void against_bare_zstd(const Scene& scene, Table& table) {
    const auto source = must(open_file_source(scene.bundle));
    const auto bundle = must(Bundle::open(source, {.policy = &scene.policy, .label = scene.bundle}));
    const auto unsigned_bundle = must(Bundle::open(source, {.label = scene.bundle}));
    struct Stored {
        std::uint32_t raw_bytes;
        std::vector<std::byte> bytes;
    };
    std::vector<Stored> stored;
    std::vector<AssetIndex> compressed;
    std::vector<AssetIndex> raw;
    std::uint64_t raw_codec_bytes = 0;
    std::uint64_t zstd_bytes = 0;
    for (std::uint32_t i = 0; i < bundle->asset_count(); ++i) {
        const AssetRecord asset = must(bundle->asset(AssetIndex{i}));
        const std::uint64_t pieces = asset.piece_count();
        if (pieces < 4)
            continue;
        const std::uint32_t first = must(bundle->placement(AssetIndex{i})).first_block;
        bool all_zstd = true;
        bool all_raw = true;
        for (std::uint32_t b = 0; b < pieces; ++b) {
            const Codec codec = must(bundle->block(first + b)).codec;  // zstd without filters, for bare zstd
            all_zstd = all_zstd && codec == Codec::zstd;
            all_raw = all_raw && codec == Codec::raw;
        }
        if (all_raw) {
            raw.push_back(AssetIndex{i});
            raw_codec_bytes += asset.raw_bytes;
        }
        if (!all_zstd)
            continue;
        compressed.push_back(AssetIndex{i});
        zstd_bytes += asset.raw_bytes;
        for (std::uint32_t b = 0; b < pieces; ++b) {
            const BlockRecord block = must(bundle->block(first + b));
            stored.push_back({block.raw_bytes, std::vector<std::byte>(block.stored_bytes)});
            must(source->read_at(bundle->layout_head().blocks_offset + block.stored_offset, stored.back().bytes));
        }
    }
    std::vector<std::byte> out(256u << 10);
    ZSTD_DCtx* context = ZSTD_createDCtx();
    const double bare = best_seconds(3, [&] {
        for (const Stored& block : stored)
            (void)ZSTD_decompressDCtx(context, out.data(), block.raw_bytes, block.bytes.data(), block.bytes.size());
    });
    ZSTD_freeDCtx(context);
    std::vector<std::byte> buffer(1u << 20);
    const auto megabytes_per_second = [&](const Bundle& from, const std::vector<AssetIndex>& assets,
                                          std::uint64_t bytes) {
        const double seconds = best_seconds(3, [&] {
            for (const AssetIndex index : assets) {
                const std::uint64_t size = must(from.asset(index)).raw_bytes;
                if (buffer.size() < size)
                    buffer.resize(size);
                must(from.read_at(index, 0, std::span(buffer).first(size)));
            }
        });
        return static_cast<double>(bytes) / seconds / 1e6;
    };
    const double bare_rate = static_cast<double>(zstd_bytes) / bare / 1e6;
    table.add({"compressed large assets", megabytes_per_second(*bundle, compressed, zstd_bytes), bare_rate, "MB/s",
               true, "bare zstd", "≥ 0.8 ×"});
    table.add({"the same, layout not signed", megabytes_per_second(*unsigned_bundle, compressed, zstd_bytes), bare_rate,
               "MB/s", true, "bare zstd", ""});
    if (raw_codec_bytes > 0) {
        table.add({"raw large assets", megabytes_per_second(*bundle, raw, raw_codec_bytes), 0, "MB/s", true, "",
                   "≥ 2500 MB/s"});
        table.add({"the same, layout not signed", megabytes_per_second(*unsigned_bundle, raw, raw_codec_bytes), 0,
                   "MB/s", true, "", ""});
    }
}

}  // namespace

void bench_read(const Scene& scene, Table& table) {
    table.heading("Open + read + close, warm page cache");
    PhysfsPeer physfs;
    physfs.mount(scene.archives);
    Vfs vfs({.cache_bytes = 64u << 20});
    (void)must(vfs.mount(scene.bundle, {.case_rule = CaseRule::fold, .policy = &scene.policy}));
    Names names;
    for (const std::string& name : physfs.names()) {
        const auto stat = must(vfs.find_stat("/" + name));
        if (!stat)
            continue;  // a name that Fardel's rules refuse
        names.all.push_back(name);
        if (stat->size_bytes <= 16u << 10)
            names.small.push_back(name);
        if (stat->size_bytes >= 256u << 10)
            names.large.push_back(name);
    }
    std::vector<std::string> random = names.small;
    std::ranges::shuffle(random, std::mt19937(3));
    rows("all files, MB/s", vfs, physfs, names.all, false, "≥ 3 ×", table);
    rows("files ≤ 16 KiB, in order", vfs, physfs, names.small, true, "≥ 25 ×", table);
    rows("files ≤ 16 KiB, random order", vfs, physfs, random, true, "≥ 25 ×", table);
    rows("files ≥ 256 KiB", vfs, physfs, names.large, false, "≥ 3 ×", table);
    Vfs quick({.cache_bytes = 64u << 20});
    (void)must(
        quick.mount(game_bundle(scene, BundlePurpose::load), {.case_rule = CaseRule::fold, .policy = &scene.policy}));
    rows("files ≥ 256 KiB, for load", quick, physfs, names.large, false, "≥ 6 ×", table);
    against_bare_zstd(scene, table);
}

}  // namespace fardel::bench
