#include "name_listing.h"

#include "bundle_file.h"
#include "near_names.h"

#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/vfs/vfs_path.h>

namespace fardel {
namespace {

Result<std::uint32_t> lower_bound(const Bundle& bundle, const std::string& text) {
    FARDEL_TRY_ASSIGN(const NameIndex index, bundle.lower_bound_name(text));
    return static_cast<std::uint32_t>(index);
}

NameRange all_names(const Bundle& bundle) { return {0, bundle.name_count()}; }

Result<NameRange> names_below(const Bundle& bundle, std::string_view path, const std::string& name) {
    if (Status good = verify_name(name); !good)
        return in_bundle(bundle, std::move(good).error().with_context("\"" + printable(path) + "\""));
    FARDEL_TRY_ASSIGN(const auto exact, bundle.find_name(name));
    if (exact) {
        const auto index = static_cast<std::uint32_t>(*exact);
        return NameRange{index, index + 1};
    }
    FARDEL_TRY_ASSIGN(const std::uint32_t first, lower_bound(bundle, name + '/'));
    FARDEL_TRY_ASSIGN(const std::uint32_t last, lower_bound(bundle, name + static_cast<char>('/' + 1)));
    if (first >= last) {
        FARDEL_TRY_ASSIGN(const std::string near, suggest_name(bundle, name));
        return unresolved_path(bundle, path, "no such name or folder in this bundle" + near);
    }
    return NameRange{first, last};
}

Result<ListedVariant> asset_at(const Bundle& bundle, std::uint32_t index) {
    ListedVariant listed{.index = AssetIndex{index}};
    FARDEL_TRY_ASSIGN(listed.asset, bundle.asset(AssetIndex{index}));
    FARDEL_TRY_ASSIGN(listed.type, bundle.string(listed.asset.content_type));
    return listed;
}

// A variant belongs to one name. If several could claim it, listing all names would take a multiple of the bundle.
Result<ListedVariant> variant_at(const Bundle& bundle, std::uint32_t index, std::uint32_t name) {
    FARDEL_TRY_ASSIGN(const VariantRecord record, bundle.variant(index));
    if (record.name != name)
        return in_bundle(
            bundle, Error(ErrorCode::malformed, "name " + std::to_string(name) + " claims variant " +
                                                    std::to_string(index) + " of name " + std::to_string(record.name)));
    FARDEL_TRY_ASSIGN(ListedVariant listed, asset_at(bundle, record.asset));
    for (std::uint32_t i = 0; i < record.tag_count; ++i) {
        FARDEL_TRY_ASSIGN(const TagRecord tag, bundle.tag(record.tag_first + i));
        FARDEL_TRY_ASSIGN(const std::string_view axis, bundle.string(tag.axis));
        FARDEL_TRY_ASSIGN(const std::string_view value, bundle.string(tag.value));
        listed.tags.push_back({axis, value});
    }
    return listed;
}

}  // namespace

Result<NameRange> find_names_at(const Bundle& bundle, std::string_view path) {
    if (path.empty())
        return all_names(bundle);
    if (path.size() > 1 && path.ends_with('/'))  // shells complete the names of folders like this
        path.remove_suffix(1);
    if (!path.starts_with('/'))
        return names_below(bundle, path, std::string(path));

    auto parts = parse_path_parts(path);
    if (!parts)
        return in_bundle(bundle, std::move(parts).error());
    const bool of_this = parts->id == id_from<Hash>(bundle.id());
    NameRange range;
    if (parts->kind == PathKind::root || (parts->kind == PathKind::bundle && of_this)) {
        range = all_names(bundle);
    } else if (!parts->name.empty() && (parts->kind != PathKind::bundle_name || of_this)) {
        FARDEL_TRY_ASSIGN(range, names_below(bundle, path, std::string(parts->name)));
    } else {
        return unresolved_path(bundle, path, "no name of this bundle has such a path");
    }
    range.published_only = parts->kind != PathKind::bundle && parts->kind != PathKind::bundle_name;
    return range;
}

Result<std::string_view> name_text_at(const Bundle& bundle, std::uint32_t index) {
    FARDEL_TRY_ASSIGN(const std::string_view text, bundle.name_text(NameIndex{index}));
    if (Status good = verify_name(text); !good)
        return in_bundle(bundle, std::move(good).error().with_context("name " + std::to_string(index)));
    return text;
}

Result<ListedName> name_at(const Bundle& bundle, std::uint32_t index) {
    ListedName listed;
    FARDEL_TRY_ASSIGN(listed.text, name_text_at(bundle, index));
    FARDEL_TRY_ASSIGN(listed.record, bundle.name(NameIndex{index}));
    const NameRecord& name = listed.record;
    if (name.is(NameRecord::has_variants)) {
        for (std::uint32_t i = 0; i < name.count; ++i) {
            FARDEL_TRY_ASSIGN(ListedVariant variant, variant_at(bundle, name.target + i, index));
            listed.variants.push_back(std::move(variant));
        }
    } else if (!name.is(NameRecord::tombstone)) {
        FARDEL_TRY_ASSIGN(ListedVariant plain, asset_at(bundle, name.target));
        listed.variants.push_back(std::move(plain));
    }
    return listed;
}

}  // namespace fardel
