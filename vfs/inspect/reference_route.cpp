#include "inspection.h"

#include "lookup/asset_choice.h"
#include "lookup/scope.h"

#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>
#include <fardel/format/printable.h>

#include <optional>
#include <string>
#include <string_view>

namespace fardel {
namespace {

bool same_asset(const std::optional<File>& found, const File& file) {
    return found && found->bundle_id() == file.bundle_id() && found->index() == file.index();
}

// The name that the link table gives for the target; the spelling itself without a link; empty: a target by its id.
Result<std::string> name_of(const Bundle& bundle, const std::optional<ReferenceRecord>& link,
                            std::string_view spelling) {
    if (!link)
        return std::string(spelling);
    const bool dynamic = link->kind == ReferenceKind::dynamic;
    if (!dynamic && (link->flags & ReferenceRecord::named) == 0)
        return std::string();
    FARDEL_TRY_ASSIGN(const std::string_view name, bundle.string(dynamic ? link->target : link->name));
    FARDEL_TRY(verify_name(name));
    return std::string(name);
}

}  // namespace

std::string_view reference_route_text(ReferenceRoute route) noexcept {
    switch (route) {
        case ReferenceRoute::none: return "none";
        case ReferenceRoute::fixed: return "static";
        case ReferenceRoute::dynamic: return "dynamic";
        case ReferenceRoute::unlisted: return "unlisted";
    }
    return "unknown";
}

Result<ReferencePath> find_reference_path(const MountSet& set, const File& from, std::string_view spelling) {
    FARDEL_TRY_ASSIGN(const auto link, find_link(from, spelling));
    FARDEL_TRY_ASSIGN(const auto file, find_in_scope(set, from, spelling));
    FARDEL_TRY_ASSIGN(const std::string name, name_of(*from.bundle(), link, spelling));
    ReferencePath out{.route = !link                                  ? ReferenceRoute::unlisted
                               : link->kind == ReferenceKind::dynamic ? ReferenceRoute::dynamic
                                                                      : ReferenceRoute::fixed,
                      .path = '/' + name};
    if (!file) {
        if (out.route == ReferenceRoute::fixed)
            return Error(ErrorCode::missing,
                         "reference \"" + printable(spelling) + "\": what it leads to is not visible");
        return out;  // the explanation of the path says that no mount has the name
    }
    const auto in_its_bundle = [&]() -> Result<bool> {
        const Mount* const mount = name.empty() ? nullptr : set.find_bundle(file->bundle_id());
        if (mount == nullptr)
            return false;
        FARDEL_TRY_ASSIGN(const auto found, find_own_file(set, *mount, name, name_hash(name)));
        return same_asset(found, *file);
    };
    const bool beside = out.route == ReferenceRoute::unlisted && file->bundle_id() == from.bundle_id();
    if (out.route != ReferenceRoute::fixed && !beside) {
        FARDEL_TRY_ASSIGN(const auto published, find_published_file(set, name, name_hash(name)));
        if (same_asset(published, *file))
            return out;
    }
    FARDEL_TRY_ASSIGN(const bool named, in_its_bundle());
    out.path = named ? "/bundles/" + file->bundle_id().hex() + '/' + name : "/assets/" + file->asset_id().hex();
    return out;
}

}  // namespace fardel
