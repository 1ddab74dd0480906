#include <fardel/vfs/vfs_path.h>

#include <fardel/base/ascii.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/id_path.h>
#include <fardel/format/meant_names.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

Error path_error(std::string_view text, Error reason) {
    return std::move(reason).with_context("path \"" + printable(text) + "\"");
}

constexpr std::size_t kExtensionBytesMax = 32;

bool is_extension(std::string_view text) {
    return !text.empty() && text.size() <= kExtensionBytesMax &&
           std::ranges::all_of(text, [](char c) { return is_ascii_letter_or_digit(c) || c == '-' || c == '_'; });
}

}  // namespace

Result<PathParts> parse_path_parts(std::string_view text) {
    if (text.empty())
        return path_error(text, Error(ErrorCode::malformed, "is empty; the root is \"/\""));
    PathParts parts;
    if (text == "/")
        return parts;

    const std::string_view below_root = text.substr(text.front() == '/' ? 1 : 0);
    const auto id_path = find_id_path(below_root);
    const bool in_bundles = id_path && id_path->folder == IdPath::Folder::bundles;
    if (in_bundles && !id_path->below.empty()) {
        if (auto good = verify_name(id_path->below); !good)
            return path_error(text, std::move(good).error());
        parts.kind = PathKind::bundle_name;
        parts.id = *id_path->id;
        parts.name = id_path->below;
        parts.hash = name_hash(parts.name);
        return parts;
    }
    if (auto good = verify_name(below_root); !good)
        return path_error(text, std::move(good).error());
    if (id_path && !id_path->below.empty()) {
        parts.kind = PathKind::nowhere;
    } else if (id_path && id_path->id) {
        parts.kind = in_bundles ? PathKind::bundle : PathKind::asset;
        parts.id = *id_path->id;
    } else {
        parts.kind = !id_path ? PathKind::published : in_bundles ? PathKind::bundles : PathKind::assets;
        parts.name = below_root;
        parts.hash = name_hash(below_root);
    }
    return parts;
}

Result<NameExtensions> NameExtensions::parse(std::string_view text) {
    NameExtensions out;
    for (const std::string_view one : split_text(text, ',')) {
        const auto equal = [&](const std::string& other) { return lower_ascii_text(other) == lower_ascii_text(one); };
        if (!is_extension(one))
            return Error(ErrorCode::malformed, "extensions \"" + printable(text) +
                                                   "\": letters, digits, '-' and '_' are expected, as in \"tga,jpg\"");
        if (std::ranges::any_of(out.list_, equal))
            return Error(ErrorCode::malformed, "extensions \"" + printable(text) + "\": one is there twice");
        if (out.list_.size() == kNameExtensionsMax)
            return Error(ErrorCode::limit, "more than " + std::to_string(kNameExtensionsMax) + " extensions");
        out.list_.emplace_back(one);
    }
    return out;
}

std::vector<std::string> NameExtensions::other_names(std::string_view name) const {
    std::vector<std::string> out = meant_names(name, list_);
    out.erase(out.begin());
    return out;
}

}  // namespace fardel
