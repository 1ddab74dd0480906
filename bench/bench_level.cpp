// Loading what a level needs: its map and the textures that the map's shader lump names.
#include "physfs_peer.h"
#include "sections.h"
#include "stopwatch.h"

#include <fardel/vfs/vfs.h>

#include <fmt/format.h>

#include <cstring>
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
        return true;
    }));
}

}  // namespace

void bench_level(const Scene& scene, Table& table) {
    table.heading("Load levels: each map with the textures it names");
    PhysfsPeer physfs;
    physfs.mount(scene.archives);
    const std::vector<std::string> files = files_of_levels(*mount(scene, BundlePurpose::balanced), physfs);
    const std::vector<LookUp> paths(files.begin(), files.end());

    std::vector<std::byte> buffer;
    std::uint64_t bytes = 0;
    for (const BundlePurpose purpose : {BundlePurpose::load, BundlePurpose::balanced, BundlePurpose::size}) {
        const auto one = mount(scene, purpose);
        const auto two = mount(scene, purpose, 1);
        std::unique_ptr<Vfs> fresh;
        read_batch(*one, paths);
        read_batch(*two, paths);
        const std::vector<double> seconds = interleaved_seconds(
            scene.quick ? 1 : 4, {[&] {
                                      bytes = 0;
                                      for (const std::string& name : files)
                                          bytes += physfs.read(name, buffer);
                                  },
                                  [&] {
                                      fresh = mount(scene, purpose);  // which has compared no raw bytes yet
                                      read_each(*fresh, files, buffer);
                                  },
                                  [&] { read_each(*one, files, buffer); }, [&] { read_batch(*one, paths); },
                                  [&] { read_batch(*two, paths); }});
        const double megabytes = static_cast<double>(bytes) / 1e6;
        const auto add = [&](const char* work, std::size_t ours, std::size_t peer, const char* target) {
            table.add({fmt::format("{} files, for {}, {}", files.size(), purpose_name(purpose), work),
                       megabytes / seconds[ours], megabytes / seconds[peer], "MB/s", true,
                       peer == 0 ? "PhysicsFS, pk3" : "one thread", target});
        };
        const bool is_load = purpose == BundlePurpose::load;
        add("first read", 1, 0, is_load ? "≥ 5 ×" : "");
        add("later", 2, 0, is_load ? "≥ 6 ×" : purpose == BundlePurpose::balanced ? "≥ 3.2 ×" : "");
        add("as a batch", 3, 0, "");
        add("as a batch, two threads", 4, 3, "≥ 1.9 ×");
    }
}

}  // namespace fardel::bench
