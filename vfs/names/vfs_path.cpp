#include <fardel/vfs/vfs_path.h>

#include <fardel/base/ascii.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kAssets = "assets";
constexpr std::string_view kBundles = "bundles";
constexpr std::size_t kIdDigits = 64;

std::string_view first_part(std::string_view name) { return name.substr(0, name.find('/')); }

// The id at the start of `text`, if it ends with the text or at a '/'.
std::optional<Hash> find_leading_id(std::string_view text) {
    if (text.size() < kIdDigits || (text.size() > kIdDigits && text[kIdDigits] != '/'))
        return std::nullopt;
    auto id = Hash::parse(text.substr(0, kIdDigits));
    if (!id)
        return std::nullopt;
    return *id;
}

Error path_error(std::string_view text, Error reason) {
    return std::move(reason).with_context("path \"" + printable(text) + "\"");
}

constexpr std::size_t kExtensionBytesMax = 32;

bool is_extension(std::string_view text) {
    return !text.empty() && text.size() <= kExtensionBytesMax &&
           std::ranges::all_of(text, [](char c) { return is_ascii_letter_or_digit(c) || c == '-' || c == '_'; });
}

}  // namespace

bool is_reserved_root_part(std::string_view part) {
    if (part.empty())
        return false;
    // A part that begins with another ASCII character folds to the same first character, so it is not reserved.
    const auto first = static_cast<unsigned char>(part.front());
    if (first < 0x80 && (first | 0x20) != 'a' && (first | 0x20) != 'b')
        return false;
    return names_fold_equal(part, kAssets) || names_fold_equal(part, kBundles);
}

Result<PathParts> parse_path_parts(std::string_view text) {
    if (text.empty())
        return path_error(text, Error(ErrorCode::malformed, "is empty; the root is \"/\""));
    PathParts parts;
    if (text == "/")
        return parts;

    const std::string_view below_root = text.substr(text.front() == '/' ? 1 : 0);
    const std::string_view first = first_part(below_root);
    const std::string_view rest = below_root.substr(std::min(below_root.size(), first.size() + 1));

    if (first == kBundles) {
        if (const auto id = find_leading_id(rest)) {
            parts.id = *id;
            parts.kind = PathKind::bundle;
            if (rest.size() == kIdDigits)
                return parts;
            parts.kind = PathKind::bundle_name;
            parts.name = rest.substr(kIdDigits + 1);
            if (auto good = verify_name(parts.name); !good)
                return path_error(text, std::move(good).error());
            parts.hash = name_hash(parts.name);
            return parts;
        }
    } else if (first == kAssets && rest.size() == kIdDigits) {
        if (const auto id = find_leading_id(rest)) {
            parts.kind = PathKind::asset;
            parts.id = *id;
            return parts;
        }
    }

    // Only an id of 64 digits is special below these folders; whatever else is there has to be a name like any other.
    if (auto good = verify_name(below_root); !good)
        return path_error(text, std::move(good).error());
    if (below_root == kAssets) {
        parts.kind = PathKind::assets;
    } else if (below_root == kBundles) {
        parts.kind = PathKind::bundles;
        // `/Assets/x` names nothing: on a file system that folds case it would be confused with `/assets`.
    } else if (is_reserved_root_part(first)) {
        parts.kind = PathKind::nowhere;
    } else {
        parts.kind = PathKind::published;
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
    const std::size_t dot = name.rfind('.');
    const std::size_t slash = name.rfind('/');
    const bool has_one = dot != name.npos && (slash == name.npos || dot > slash);
    const std::string given = has_one ? lower_ascii_text(name.substr(dot + 1)) : std::string();
    const auto is_given = [&](const std::string& one) { return has_one && lower_ascii_text(one) == given; };
    // An unknown extension is part of the name: `floor.2` has the stem `floor.2`.
    const bool known = std::ranges::any_of(list_, is_given);
    const std::string stem(known ? name.substr(0, dot) : name);
    std::vector<std::string> out;
    for (const std::string& one : list_)
        if (!is_given(one))
            out.push_back(stem + "." + one);
    return out;
}

}  // namespace fardel
