// Measures a bundle that is mounted from a store beside the same bundle as a file.
#include "sections.h"
#include "stopwatch.h"

#include <fardel/format/bundle_writer.h>
#include <fardel/packer/pack.h>
#include <fardel/store/bundle_store.h>
#include <fardel/vfs/vfs.h>

#include <filesystem>

namespace fardel::bench {
namespace {

constexpr std::uint64_t kSmallBytesMax = 16u << 10;

struct StoredGame {
    MountSubject subject;
    double add_mb_per_second = 0;
};

StoredGame add_game(const Scene& scene, const BundleStore& store) {
    const auto file = must(open_file_source(scene.bundle));
    StoreAddition added;
    const double seconds = best_seconds(1, [&] { added = must(store.add(file)); });
    return {.subject = must(store.open_bundle(added.bundle)),
            .add_mb_per_second = static_cast<double>(added.file_bytes) / seconds / 1e6};
}

BundleStore fresh_store(const std::string& path) {
    std::filesystem::remove_all(path);
    return must(BundleStore::open(path, true));
}

// The game without its last archive, so that the game itself is an update of it.
std::string older_game(const Scene& scene) {
    const std::string path = scene.scratch + "/older.fardel";
    if (!std::filesystem::exists(path)) {
        const std::vector<std::string> archives(scene.archives.begin(), scene.archives.end() - 1);
        write_signed(must(pack_sources(archives, {.name = "game", .version = must(BundleVersion::parse("0"))})).plan,
                     path, {});
    }
    return path;
}

void mount(Vfs& vfs, const MountSubject& subject, const Scene& scene) {
    MountChange change;
    change.mount.push_back({.subject = subject, .options = {.policy = &scene.policy}});
    (void)must(vfs.apply(std::move(change)));
}

double stored_mount_ms(const Scene& scene, const MountSubject& subject) {
    return 1e3 * best_seconds(30, [&] {
               Vfs vfs;
               mount(vfs, subject, scene);
           });
}

// Returns MB/s, or files/s if only small files are read.
double read_rate(const Scene& scene, const MountSubject& subject, bool small_only) {
    Vfs vfs({.cache_bytes = 64u << 20});
    mount(vfs, subject, scene);
    std::vector<std::string> paths;
    std::uint64_t bytes = 0;
    std::vector<std::string> folders{"/"};
    while (!folders.empty()) {
        const std::string folder = std::move(folders.back());
        folders.pop_back();
        if (folder == "/assets" || folder == "/bundles")
            continue;
        for (const ListingEntry& entry : must(vfs.list(folder))) {
            std::string path = (folder == "/" ? "" : folder) + "/" + entry.name;
            const auto stat = must(vfs.find_stat(path));
            if (!stat)
                continue;
            if (stat->kind == NodeKind::folder)
                folders.push_back(std::move(path));
            else if (!small_only || stat->size_bytes <= kSmallBytesMax) {
                bytes += stat->size_bytes;
                paths.push_back(std::move(path));
            }
        }
    }
    std::vector<std::byte> buffer;
    const double seconds = best_seconds(5, [&] {
        for (const std::string& path : paths) {
            const File file = must(vfs.open(path));
            if (buffer.size() < file.size_bytes())
                buffer.resize(file.size_bytes());
            must(file.read_at(0, std::span(buffer).first(file.size_bytes())));
        }
    });
    return (small_only ? static_cast<double>(paths.size()) : static_cast<double>(bytes) / 1e6) / seconds;
}

void rows(const Scene& scene, const std::string& what, const MountSubject& subject, Table& table) {
    table.add({"mount " + what, stored_mount_ms(scene, subject), stored_mount_ms(scene, scene.bundle), "ms", false,
               "a file", "1 ×"});
    table.add({"all files, " + what, read_rate(scene, subject, false), read_rate(scene, scene.bundle, false), "MB/s",
               true, "a file", "1 ×"});
    table.add({"files ≤ 16 KiB, " + what, read_rate(scene, subject, true), read_rate(scene, scene.bundle, true),
               "files/s", true, "a file", "1 ×"});
}

}  // namespace

void bench_store(const Scene& scene, Table& table) {
    table.heading("A bundle in a store beside the same bundle as a file, one thread, warm");
    const BundleStore alone = fresh_store(scene.scratch + "/store-alone");
    const StoredGame game = add_game(scene, alone);
    table.add({"add to an empty store", game.add_mb_per_second, 0, "MB/s", true, "", ""});
    rows(scene, "in one pack", game.subject, table);

    const BundleStore shared = fresh_store(scene.scratch + "/store-shared");
    (void)must(shared.add(must(open_file_source(older_game(scene)))));
    const StoredGame update = add_game(scene, shared);
    table.add({"add an update", update.add_mb_per_second, 0, "MB/s", true, "", ""});
    rows(scene, "in two packs", update.subject, table);
}

}  // namespace fardel::bench
