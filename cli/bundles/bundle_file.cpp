#include "bundle_file.h"

#include "near_names.h"

#include <fardel/base/file.h>
#include <fardel/format/appended_record.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/vfs/bundle_variants.h>
#include <fardel/vfs/vfs_path.h>

#include <optional>
#include <utility>

namespace fardel {
namespace {

// Which of the assets that a name may mean is meant.
struct NameChoice {
    const VariantPreference& preference;
    const NameExtensions& extensions;
};

constexpr std::string_view kNoSuchAssetPath =
    "no such name in this bundle; the path of an asset is /assets/ and its whole id, 64 lower-case hexadecimal digits";

// The first of the names that `text` may mean and that is there; nothing if none is.
Result<std::optional<NameIndex>> find_meant(const Bundle& bundle, std::string_view text,
                                            const NameExtensions& extensions) {
    FARDEL_TRY_ASSIGN(auto index, bundle.find_name(text));
    for (const std::string& other : index ? std::vector<std::string>() : extensions.other_names(text)) {
        if (!verify_name(other))
            continue;
        FARDEL_TRY_ASSIGN(index, bundle.find_name(other));
        if (index)
            break;
    }
    return index;
}

Result<AssetIndex> asset_of_name(const Bundle& bundle, std::string_view path, std::string_view text,
                                 const NameChoice& choice, bool must_be_published) {
    FARDEL_TRY_ASSIGN(const auto index, find_meant(bundle, text, choice.extensions));
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
    return preferred_asset(bundle, name, choice.preference);
}

Result<AssetIndex> asset_of_id(const Bundle& bundle, std::string_view path, const Hash& id) {
    FARDEL_TRY_ASSIGN(const auto index, bundle.find_asset(id_from<AssetId>(id)));
    if (!index)
        return unresolved_path(bundle, path, "no such asset in this bundle");
    return *index;
}

}  // namespace

Result<std::shared_ptr<const ByteSource>> open_bundle_file(const std::string& path) {
    if (folder_exists(path))
        return Error(
            ErrorCode::malformed,
            printable(path) + ": a folder, not a bundle; 'fardel pack' or 'fardel build' makes a bundle of it");
    return open_bundle_source(path);
}

Result<std::shared_ptr<const Bundle>> open_bundle(const std::string& path) {
    FARDEL_TRY_ASSIGN(auto source, open_bundle_file(path));
    return Bundle::open(std::move(source), {.label = path});
}

Result<std::string> bundle_text(const Bundle& bundle, std::string_view key) {
    FARDEL_TRY_ASSIGN(const auto text, bundle.find_bundle_text(key));
    return std::string(text.value_or(""));
}

Result<AssetIndex> preferred_asset(const Bundle& bundle, const NameRecord& name, const VariantPreference& preference) {
    FARDEL_TRY_ASSIGN(const std::uint32_t chosen, choose_in_bundle(bundle, name, preference));
    if (chosen == 0)
        return bundle.default_asset(name);
    FARDEL_TRY_ASSIGN(const VariantRecord variant, bundle.variant(name.target + chosen));
    return AssetIndex{variant.asset};
}

Result<AssetIndex> find_asset_at(const Bundle& bundle, std::string_view path, const VariantPreference& preference,
                                 const NameExtensions& extensions) {
    const NameChoice choice{.preference = preference, .extensions = extensions};
    if (!path.starts_with('/')) {
        if (Status good = verify_name(path); !good)
            return in_bundle(bundle, std::move(good).error().with_context("\"" + printable(path) + "\""));
        return asset_of_name(bundle, path, path, choice, false);
    }
    auto parts = parse_path_parts(path);
    if (!parts)
        return in_bundle(bundle, std::move(parts).error());
    switch (parts->kind) {
        case PathKind::asset: return asset_of_id(bundle, path, parts->id);
        case PathKind::published: return asset_of_name(bundle, path, parts->name, choice, true);
        case PathKind::bundle_name:
            if (parts->id == id_from<Hash>(bundle.id()))
                return asset_of_name(bundle, path, parts->name, choice, false);
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
