// Proves that a game which was split by maps is complete: each map's bundle, mounted with the bundles that it needs and
// no others, has everything that the map reaches, and every name in those assets resolves as it does in the whole game.
//
//     fardel_map_closures WHOLE.fardel PARTS ROOTS ARCHIVE…     PARTS: a folder of bundles; ROOTS: a glob, maps/*.bsp
#include <fardel/format/byte_source.h>
#include <fardel/format/manifest.h>
#include <fardel/packer/pack.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/vfs.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

namespace {

using namespace fardel;

struct PartFile {
    std::string path;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<const Bundle> bundle;
};

using Parts = std::map<BundleId, PartFile>;

Result<Parts> open_parts(const std::string& folder) {
    Parts parts;
    std::error_code error;
    for (std::filesystem::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
        if (file->path().extension() != ".fardel")
            continue;
        FARDEL_TRY_ASSIGN(auto source, open_file_source(file->path().string()));
        FARDEL_TRY_ASSIGN(auto bundle, Bundle::open(std::move(source), {.label = file->path().string()}));
        const BundleId id = bundle->id();
        parts.emplace(id, PartFile{file->path().string(), file->file_size(error), std::move(bundle)});
    }
    if (error)
        return Error(ErrorCode::io, folder + ": " + error.message());
    return parts;
}

Result<const PartFile*> part_with(const Parts& parts, const std::string& name) {
    for (const auto& [id, part] : parts) {
        FARDEL_TRY_ASSIGN(const auto found, part.bundle->find_name(name));
        if (found)
            return &part;
    }
    return Error(ErrorCode::missing, name + ": in no part");
}

// The part with its static dependencies, direct and indirect.
Result<std::vector<const PartFile*>> needed_by(const Parts& parts, const PartFile& part) {
    std::vector<const PartFile*> needed{&part};
    for (std::size_t at = 0; at < needed.size(); ++at)
        for (std::uint32_t i = 0; i < needed[at]->bundle->table_count(TableKind::dependencies); ++i) {
            FARDEL_TRY_ASSIGN(const DependencyRecord dependency, needed[at]->bundle->dependency(i));
            const auto found = parts.find(dependency.bundle);
            if (found == parts.end())
                return Error(ErrorCode::missing,
                             needed[at]->path + " needs bundle " + dependency.bundle.hex() + ", which is not there");
            if (std::ranges::find(needed, &found->second) == needed.end())
                needed.push_back(&found->second);
        }
    return needed;
}

Status mount_all(Vfs& vfs, const std::vector<const PartFile*>& parts) {
    for (const PartFile* const part : parts)
        if (auto mounted = vfs.mount(part->path, {.allow_unsigned = true}); !mounted)
            return std::move(mounted).error();
    return ok();
}

struct Sums {
    std::size_t maps = 0;
    std::size_t names = 0;
    std::size_t references = 0;
    std::size_t bundles = 0;  // mounted, summed over all maps
    std::size_t bundles_max = 0;
    std::uint64_t needed_bytes = 0;  // of those
    std::uint64_t closure_bytes = 0;
};

class Proof {
public:
    Proof(const PackPlan& game, const Vfs& whole, const Parts& parts) : game_(game), whole_(whole), parts_(parts) {}

    Status check_map(const RootClosure& closure) {
        FARDEL_TRY_ASSIGN(const PartFile* const part, part_with(parts_, closure.root));
        FARDEL_TRY_ASSIGN(const auto needed, needed_by(parts_, *part));
        Vfs vfs;
        FARDEL_TRY(mount_all(vfs, needed));
        FARDEL_TRY_ASSIGN(const UnresolvedNeeds links, vfs.check_links());
        if (!links.complete())
            return Error(ErrorCode::missing, closure.root + ": its bundles are not all that they need");
        std::set<std::uint32_t> reached;  // by index in the plan: several files may have equal bytes
        for (const std::uint32_t name : closure.names)
            reached.insert(asset_of(name));
        for (const std::uint32_t name : closure.names)
            FARDEL_TRY(check_name(vfs, name, reached));
        ++sums_.maps;
        sums_.names += closure.names.size();
        sums_.bundles += needed.size();
        sums_.bundles_max = std::max(sums_.bundles_max, needed.size());
        for (const PartFile* const one : needed)
            sums_.needed_bytes += one->size_bytes;
        sums_.closure_bytes += closure.size_bytes;
        return ok();
    }

    const Sums& sums() const { return sums_; }

private:
    std::uint32_t asset_of(std::uint32_t name) const { return game_.plan.names[name].variants.front().asset; }
    std::string path_of(std::uint32_t name) const { return "/" + game_.plan.names[name].name.text(); }

    // Checks that the asset is the right one, and so is everything that it names and the map needs. The other shaders
    // of a script name images of other maps.
    Status check_name(const Vfs& vfs, std::uint32_t name, const std::set<std::uint32_t>& reached) {
        FARDEL_TRY_ASSIGN(const File in_whole, whole_.open(path_of(name)));
        FARDEL_TRY_ASSIGN(const File in_parts, vfs.open(path_of(name)));
        if (in_whole.asset_id() != in_parts.asset_id())
            return Error(ErrorCode::corrupt, path_of(name) + ": another asset than in the whole game");
        for (const PlannedReference& reference : game_.resolved->assets[asset_of(name)].references) {
            FARDEL_TRY_ASSIGN(const auto expected, whole_.find({reference.spelling, {}, &in_whole}));
            FARDEL_TRY_ASSIGN(const auto found, vfs.find({reference.spelling, {}, &in_parts}));
            if (!expected)
                return Error(ErrorCode::missing, path_of(name) + ": the whole game lacks " + reference.spelling);
            const auto* const target = std::get_if<PlannedReference::Internal>(&reference.target);
            const bool wanted = !target || reached.contains(target->asset);
            if (found ? found->asset_id() != expected->asset_id() : wanted)
                return Error(ErrorCode::missing,
                             path_of(name) + ": " + reference.spelling + " leads elsewhere than in the whole game");
            sums_.references += found ? 1 : 0;
        }
        return ok();
    }

    const PackPlan& game_;
    const Vfs& whole_;
    const Parts& parts_;
    Sums sums_;
};

Status prove(const std::string& whole, const std::string& folder, const std::string& roots,
             const std::vector<std::string>& archives) {
    FARDEL_TRY_ASSIGN(PackPlan game, pack_sources(archives, {.name = "game"}));
    FARDEL_TRY(resolve_packed(game, {.roots = {roots}}, false));
    Vfs vfs;
    if (auto mounted = vfs.mount(whole, {.allow_unsigned = true}); !mounted)
        return std::move(mounted).error();
    FARDEL_TRY_ASSIGN(const Parts parts, open_parts(folder));
    Proof proof(game, vfs, parts);
    std::uint64_t part_bytes = 0;
    for (const auto& [id, part] : parts)
        part_bytes += part.size_bytes;
    for (const RootClosure& closure : game.resolved->audit.roots)
        FARDEL_TRY(proof.check_map(closure));
    const Sums& sums = proof.sums();
    if (sums.maps == 0)
        return Error(ErrorCode::missing, roots + ": no map");
    const auto megabytes = [&](std::uint64_t bytes, std::size_t count) {
        return static_cast<double>(bytes) / 1e6 / static_cast<double>(count);
    };
    std::printf("%zu maps are whole: %zu names and %zu references of them lead where they do in the whole game\n",
                sums.maps, sums.names, sums.references);
    std::printf("%zu bundles, %.1f MB; as one: %.1f MB\n", parts.size(), megabytes(part_bytes, 1),
                megabytes(std::filesystem::file_size(whole), 1));
    std::printf(
        "a map needs %.1f bundles, at most %zu, with %.1f MB; what it reaches are %.1f MB before they are packed\n",
        static_cast<double>(sums.bundles) / static_cast<double>(sums.maps), sums.bundles_max,
        megabytes(sums.needed_bytes, sums.maps), megabytes(sums.closure_bytes, sums.maps));
    return ok();
}

}  // namespace

int main(int count, char** words) {
    if (count < 5) {
        std::fprintf(stderr, "usage: fardel_map_closures WHOLE.fardel PARTS ROOTS ARCHIVE...\n");
        return 2;
    }
    if (const Status proved = prove(words[1], words[2], words[3], {words + 4, words + count}); !proved) {
        std::fprintf(stderr, "fardel_map_closures: %s\n", proved.error().text().c_str());
        return 1;
    }
    return 0;
}
