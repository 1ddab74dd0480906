// Loading what a level needs: its map and the textures that the map's shader lump names.
#include "physfs_peer.h"
#include "sections.h"
#include "stopwatch.h"

#include <fardel/vfs/vfs.h>

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <memory>

namespace fardel::bench {
namespace {

std::uint32_t le32(const std::byte* at) {
    std::uint32_t value;
    std::memcpy(&value, at, 4);  // the map is little-endian, like the machines that run this
    return value;
}

// Texture names of a Quake III map: lump 1, records of 72 bytes that begin with 64 bytes of name.
std::vector<std::string> shader_names(const std::vector<std::byte>& map) {
    std::vector<std::string> names;
    if (map.size() < 24 || std::memcmp(map.data(), "IBSP", 4) != 0)
        return names;
    const std::uint64_t offset = le32(map.data() + 8 + 8);
    const std::uint64_t length = le32(map.data() + 8 + 12);
    for (std::uint64_t at = offset; at + 72 <= offset + length && at + 72 <= map.size(); at += 72) {
        const char* text = reinterpret_cast<const char*>(map.data() + at);
        names.emplace_back(text, strnlen(text, 64));
    }
    return names;
}

// Each map with the textures that it names and that both programs have.
std::vector<std::string> files_of_levels(const Vfs& vfs, const PhysfsPeer& physfs) {
    std::vector<std::string> files;
    for (const std::string& name : physfs.names()) {
        if (!name.starts_with("maps/") || !name.ends_with(".bsp"))
            continue;
        files.push_back(name);
        const auto map = must(must(vfs.open("/" + name)).read_all());
        for (const std::string& shader : shader_names(map))
            for (const char* ending : {".tga", ".jpg"})
                if (physfs.exists((shader + ending).c_str()) && must(vfs.find("/" + shader + ending))) {
                    files.push_back(shader + ending);
                    break;
                }
    }
    return files;
}

std::unique_ptr<Vfs> mount(const Scene& scene, BundlePurpose purpose, unsigned read_threads = 0) {
    auto vfs = std::make_unique<Vfs>(VfsOptions{.cache_bytes = 64u << 20, .read_threads = read_threads});
    (void)must(vfs->mount(game_bundle(scene, purpose), {.case_rule = CaseRule::fold, .policy = &scene.policy}));
    return vfs;
}

void read_each(const Vfs& vfs, const std::vector<std::string>& files, std::vector<std::byte>& buffer) {
    for (const std::string& name : files) {
        const File file = must(vfs.open(name));
        if (buffer.size() < file.size_bytes())
            buffer.resize(file.size_bytes());
        must(file.read_all(std::span(buffer).first(file.size_bytes())));
    }
}

// The same in one call, which the Vfs shares with its threads.
void read_batch(const Vfs& vfs, const std::vector<LookUp>& files) {
    must(vfs.read_files(files, [](std::size_t, const Result<std::span<const std::byte>>& content) {
        if (!content)
            fail(content.error());
    }));
}

}  // namespace

void bench_level(const Scene& scene, Table& table) {
    table.heading("Load levels: each map with the textures it names");
    PhysfsPeer physfs;
    physfs.mount(scene.archives);
    const std::vector<std::string> files = files_of_levels(*mount(scene, BundlePurpose::balanced), physfs);

    std::vector<std::byte> buffer;
    std::uint64_t bytes = 0;
    const double peer = best_seconds(3, [&] {
        bytes = 0;
        for (const std::string& name : files)
            bytes += physfs.read(name, buffer);
    });
    const double megabytes = static_cast<double>(bytes) / 1e6;
    const auto add = [&](const std::string& work, double seconds, const char* target) {
        table.add({work, megabytes / seconds, megabytes / peer, "MB/s", true, "PhysicsFS, pk3", target});
    };
    for (const BundlePurpose purpose : {BundlePurpose::load, BundlePurpose::balanced, BundlePurpose::size}) {
        const std::string what = fmt::format("{} files, for {}, ", files.size(), purpose_name(purpose));
        const bool load = purpose == BundlePurpose::load;
        double first = std::numeric_limits<double>::infinity();
        for (int i = 0; i < 3; ++i) {
            const auto vfs = mount(scene, purpose);  // which has compared no raw bytes yet
            first = std::min(first, best_seconds(1, [&] { read_each(*vfs, files, buffer); }));
        }
        add(what + "first read", first, load ? "≥ 5 ×" : "");
        const auto vfs = mount(scene, purpose);
        read_each(*vfs, files, buffer);
        add(what + "later", best_seconds(3, [&] { read_each(*vfs, files, buffer); }),
            load                                 ? "≥ 8 ×"
            : purpose == BundlePurpose::balanced ? "≥ 3.2 ×"
                                                 : "");
        const std::vector<LookUp> paths(files.begin(), files.end());
        const double one = best_seconds(3, [&] { read_batch(*vfs, paths); });
        add(what + "as a batch", one, "");
        const auto threaded = mount(scene, purpose, 1);
        read_batch(*threaded, paths);
        const double two = best_seconds(3, [&] { read_batch(*threaded, paths); });
        table.add({what + "as a batch, two threads", megabytes / two, megabytes / one, "MB/s", true, "one thread",
                   "≥ 1.9 ×"});
        read_each(*threaded, files, buffer);
        table.add({what + "each, large ones on two threads",
                   megabytes / best_seconds(3, [&] { read_each(*threaded, files, buffer); }), megabytes / one, "MB/s",
                   true, "one thread", ""});
    }
}

}  // namespace fardel::bench
