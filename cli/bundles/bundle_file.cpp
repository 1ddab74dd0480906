#include "bundle_file.h"

#include "near_names.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/vfs/vfs_path.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kNoSuchAssetPath =
    "no such name in this bundle; the path of an asset is /assets/ and its whole id, 64 lower-case hexadecimal digits";

Result<AssetIndex> asset_of_name(const Bundle& bundle, std::string_view path, std::string_view text,
                                 bool must_be_published) {
    FARDEL_TRY_ASSIGN(const auto index, bundle.find_name(text));
    if (!index && path.starts_with("/assets/"))
        return unresolved_path(bundle, path, kNoSuchAssetPath);
    if (!index) {
        FARDEL_TRY_ASSIGN(const std::string near, suggest_name(bundle, text));
        return unresolved_path(bundle, path, "no such name in this bundle" + near);
    }
    FARDEL_TRY_ASSIGN(const NameRecord name, bundle.name(*index));
    if (must_be_published && !name.is(NameRecord::published))
        return unresolved_path(bundle, path, "this name is not published; leave out the leading '/' to read it");
    if (name.is(NameRecord::tombstone))
        return unresolved_path(bundle, path, "a tombstone, which hides the name in other bundles and has no content");
    return bundle.default_asset(name);
}

Result<AssetIndex> asset_of_id(const Bundle& bundle, std::string_view path, const Hash& id) {
    FARDEL_TRY_ASSIGN(const auto index, bundle.find_asset(id_from<AssetId>(id)));
    if (!index)
        return unresolved_path(bundle, path, "no such asset in this bundle");
    return *index;
}

}  // namespace

Result<std::shared_ptr<const ByteSource>> open_bundle_file(const std::string& path) {
    std::error_code unknown;  // is what opening says
    if (std::filesystem::is_directory(path, unknown))
        return Error(
            ErrorCode::malformed,
            printable(path) + ": a folder, not a bundle; 'fardel pack' or 'fardel build' makes a bundle of it");
    return open_file_source(path);
}

Result<std::shared_ptr<const Bundle>> open_bundle(const std::string& path) {
    FARDEL_TRY_ASSIGN(auto source, open_bundle_file(path));
    return Bundle::open(std::move(source), {.label = path});
}

Result<std::string> bundle_text(const Bundle& bundle, std::string_view key) {
    FARDEL_TRY_ASSIGN(const auto text, bundle.find_bundle_text(key));
    return std::string(text.value_or(""));
}

Result<AssetIndex> find_asset_at(const Bundle& bundle, std::string_view path) {
    if (!path.starts_with('/')) {
        if (Status good = verify_name(path); !good)
            return in_bundle(bundle, std::move(good).error().with_context("\"" + printable(path) + "\""));
        return asset_of_name(bundle, path, path, false);
    }
    auto parts = parse_path_parts(path);
    if (!parts)
        return in_bundle(bundle, std::move(parts).error());
    switch (parts->kind) {
        case PathKind::asset: return asset_of_id(bundle, path, parts->id);
        case PathKind::published: return asset_of_name(bundle, path, parts->name, true);
        case PathKind::bundle_name:
            if (parts->id == id_from<Hash>(bundle.id()))
                return asset_of_name(bundle, path, parts->name, false);
            return unresolved_path(bundle, path, "this is the id of another bundle");
        case PathKind::root:
        case PathKind::assets:
        case PathKind::bundles:
        case PathKind::bundle: return unresolved_path(bundle, path, "a folder");
        case PathKind::nowhere: break;
    }
    return unresolved_path(bundle, path, kNoSuchAssetPath);
}

Error unresolved_path(const Bundle& bundle, std::string_view path, std::string_view problem) {
    return in_bundle(bundle, Error(ErrorCode::unresolved, "\"" + printable(path) + "\": " + std::string(problem)));
}

Error in_bundle(const Bundle& bundle, Error error) { return std::move(error).with_context(bundle.label()); }

}  // namespace fardel
