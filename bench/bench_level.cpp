// Loading what a level needs: its map and the textures that the map's shader lump names.
#include "physfs_peer.h"
#include "sections.h"
#include "stopwatch.h"

#include <fardel/vfs/vfs.h>

#include <cstring>

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

}  // namespace

void bench_level(const Scene& scene, Table& table) {
    table.heading("Load levels: each map with the textures it names");
    PhysfsPeer physfs;
    physfs.mount(scene.archives);
    Vfs vfs({.cache_bytes = 64u << 20});
    (void)must(vfs.mount(scene.bundle, {.case_rule = CaseRule::fold, .policy = &scene.policy}));

    std::vector<std::string> closure;
    for (const std::string& name : physfs.names()) {
        if (!name.starts_with("maps/") || !name.ends_with(".bsp"))
            continue;
        closure.push_back(name);
        const auto map = must(must(vfs.open("/" + name)).read_all());
        for (const std::string& shader : shader_names(map))
            for (const char* ending : {".tga", ".jpg"})
                if (physfs.exists((shader + ending).c_str()) && must(vfs.find("/" + shader + ending))) {
                    closure.push_back(shader + ending);
                    break;
                }
    }
    std::vector<std::byte> buffer;
    std::uint64_t bytes = 0;
    const double peer = best_seconds(3, [&] {
        bytes = 0;
        for (const std::string& name : closure)
            bytes += physfs.read(name, buffer);
    });
    const double ours = best_seconds(3, [&] {
        for (const std::string& name : closure) {
            const File file = must(vfs.open("/" + name));
            if (buffer.size() < file.size_bytes())
                buffer.resize(file.size_bytes());
            (void)must(file.read_at(0, std::span(buffer).first(file.size_bytes())));
        }
    });
    const double megabytes = static_cast<double>(bytes) / 1e6;
    table.add({"all levels, " + std::to_string(closure.size()) + " files", megabytes / ours, megabytes / peer, "MB/s",
               true, "PhysicsFS, pk3", "≥ 4 ×"});
}

}  // namespace fardel::bench
