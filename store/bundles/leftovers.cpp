#include "bundles/leftovers.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kIncomingIdDigits = 64;

struct OpenedPart {
    Descriptor folder;
    std::vector<std::string> names;
};

std::optional<OpenedPart> open_part(const FilePath& path) {
    auto folder = open_folder(path, path);
    if (!folder)
        return std::nullopt;
    auto names = list_names(*folder, path);
    if (!names)
        return std::nullopt;
    return OpenedPart{*std::move(folder), *std::move(names)};
}

bool is_unnamed(std::string_view name) { return name.starts_with(kUnnamedPackStart); }
// Whoever writes it may hold a lock that is not seen here.
bool may_be_written(const std::string& name, const FileStatus& status) {
    constexpr std::int64_t kDayNs = std::int64_t{24} * 60 * 60 * 1'000'000'000;
    return name.starts_with(kUnlockedPackStart) && status.modified_ns > wall_clock_ns() - kDayNs;
}
bool is_temporary_file(std::string_view name) { return name.starts_with(".fardel-") && name.ends_with(".tmp"); }

// Calls `visit(folder, name, size_bytes)` for each such file whose lock is free, while it holds the lock: a living
// writer holds it as long as the file has this name.
template <class Accepts, class Visit>
void visit_abandoned(const FilePath& path, const Accepts& accepts, const Visit& visit) {
    const auto part = open_part(path);
    if (!part)
        return;
    for (const std::string& name : part->names) {
        if (!accepts(name))
            continue;
        const auto file = open_regular_file({part->folder, name}, name, {.links = Links::refused});
        if (!file || may_be_written(name, file->status))
            continue;
        if (const auto locked = lock_file(file->descriptor, name); locked && *locked)
            visit(part->folder, name, file->status.size_bytes);
    }
}

std::optional<BundleId> incoming_id(const std::string& name) {
    if (name.size() <= kIncomingIdDigits || name[kIncomingIdDigits] != '.')
        return std::nullopt;
    const auto id = BundleId::parse(std::string_view(name).substr(0, kIncomingIdDigits));
    return id ? std::optional(*id) : std::nullopt;
}

// While the lock of incoming files is held.
void remove_incoming_files(const StoreFolder& folder, const BundleId& bundle) {
    for (const char* const ending : {"extras", "log", "pack"}) {
        const FilePath path = folder.incoming_path(bundle, ending);
        static_cast<void>(remove_file(path, path));
    }
}

}  // namespace

StoreLeftovers count_leftovers(const StoreFolder& folder) {
    StoreLeftovers leftovers;
    for (const FilePath& part :
         {folder.root(), folder.part_path("bundles"), folder.index_path(), folder.part_path("packs")})
        visit_abandoned(
            part, [](const std::string& name) { return is_unnamed(name) || is_temporary_file(name); },
            [&](const Descriptor&, const std::string&, std::uint64_t size_bytes) {
                ++leftovers.abandoned_files;
                leftovers.abandoned_bytes += size_bytes;
            });
    if (const auto incoming = open_part(folder.part_path("incoming"))) {
        std::set<BundleId> bundles;
        for (const std::string& name : incoming->names) {
            const auto id = incoming_id(name);
            const auto status = find_file_status({incoming->folder, name}, name, Links::refused);
            if (!id || !status || !*status)
                continue;
            bundles.insert(*id);
            leftovers.incoming_bytes += (*status)->size_bytes;
        }
        leftovers.incoming = bundles.size();
    }
    return leftovers;
}

void remove_abandoned_packs(const StoreFolder& folder) {
    visit_abandoned(folder.part_path("packs"), is_unnamed,
                    [](const Descriptor& packs, const std::string& name, std::uint64_t) {
                        static_cast<void>(remove_file({packs, name}, name));
                    });
    visit_abandoned(folder.index_path(), is_temporary_file,
                    [](const Descriptor& index, const std::string& name, std::uint64_t) {
                        static_cast<void>(remove_file({index, name}, name));
                    });
}

void remove_needless_incoming(const StoreFolder& folder) {
    const auto incoming = open_part(folder.part_path("incoming"));
    if (!incoming)
        return;
    for (const std::string& name : incoming->names) {
        const auto id = incoming_id(name);
        if (!id)
            continue;
        const auto record = folder.find_record(*id);
        if (!record || !*record || !(*record)->is_complete())
            continue;
        const auto lock = folder.lock_incoming(*id);
        if (!lock)
            continue;  // a fetch is under way, and removes it
        remove_incoming_files(folder, *id);
    }
}

StoreLeftovers remove_old_incoming(const StoreFolder& folder, UnixTime before, bool dry_run) {
    StoreLeftovers removed;
    const auto incoming = open_part(folder.part_path("incoming"));
    if (!incoming)
        return removed;
    struct Received {
        std::uint64_t bytes = 0;
        std::int64_t changed_ns = 0;
    };
    std::map<BundleId, Received> found;
    for (const std::string& name : incoming->names) {
        const auto id = incoming_id(name);
        const auto status = find_file_status({incoming->folder, name}, name, Links::refused);
        if (!id || !status || !*status)
            continue;
        Received& received = found[*id];
        received.bytes += (*status)->size_bytes;
        received.changed_ns = std::max(received.changed_ns, (*status)->modified_ns);
    }
    for (const auto& [id, received] : found) {
        // The newest of its files counts: a slow fetch writes to one of them and leaves the others for days.
        if (second_of(received.changed_ns) >= before)
            continue;
        const auto lock = folder.lock_incoming(id);
        if (!lock)
            continue;  // a fetch is under way
        if (!dry_run)
            remove_incoming_files(folder, id);
        ++removed.incoming;
        removed.incoming_bytes += received.bytes;
    }
    return removed;
}

}  // namespace fardel
