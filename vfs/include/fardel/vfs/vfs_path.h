// VfsPath: a path of the tree that a Vfs shows, parsed once from text; parse() is the only way from text to one.
//
//   /                         /assets                    /bundles
//   /<published name>         /assets/<asset id>         /bundles/<bundle id>[/<name>]
//
// Every path is absolute: text without the '/' at its front means the same as with it. No trailing '/', and nothing
// else is normalised; names follow the rules of AssetName, ids are exactly 64 lower-case hexadecimal digits.
// docs/vfs.md defines the rules. Text is untrusted. Pure values; any thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

enum class PathKind : std::uint8_t {
    root,
    assets,       // "/assets"
    asset,        // "/assets/<id>"
    bundles,      // "/bundles"
    bundle,       // "/bundles/<id>"
    bundle_name,  // "/bundles/<id>/<name>": a name or a folder of that bundle
    published,    // "/<name>": a published name or a folder
    nowhere,      // well formed, but nothing is ever there: "/assets/readme", "/Bundles"
};

// The parts of a path's text, without owning it: for callers that parse on each call.
struct PathParts {
    PathKind kind = PathKind::root;
    Hash id;                 // kinds asset, bundle, bundle_name
    std::string_view name;   // kinds bundle_name, published; a view of the parsed text
    std::uint64_t hash = 0;  // name_hash(name)
};

// Errors: malformed (empty, trailing '/', a rule of names), limit.
Result<PathParts> parse_path_parts(std::string_view text);

class VfsPath {
public:
    // Errors: those of parse_path_parts.
    static Result<VfsPath> parse(std::string_view text);
    static VfsPath of(const AssetId& asset);
    static VfsPath of(const BundleId& bundle);
    static VfsPath of(const BundleId& bundle, const AssetName& name);

    PathKind kind() const noexcept { return kind_; }
    // With its leading '/', whether or not the parsed text had one.
    const std::string& text() const noexcept { return text_; }
    // They view this path's text.
    PathParts parts() const noexcept;

    friend bool operator==(const VfsPath& a, const VfsPath& b) noexcept { return a.text_ == b.text_; }

private:
    VfsPath(std::string text, const PathParts& parts);

    std::string text_;
    std::size_t name_bytes_ = 0;  // the name is the text's tail
    std::uint64_t hash_ = 0;
    Hash id_;
    PathKind kind_ = PathKind::root;
};

inline constexpr std::size_t kNameExtensionsMax = 16;

// The extensions that a look-up tries behind a name, in this order. Those of a game's profile: docs/profiles.md.
class NameExtensions {
public:
    NameExtensions() = default;  // none
    // "tga,jpg,png": 1 to kNameExtensionsMax extensions without their dot, each once (case does not matter) and of 1 to
    // 32 ASCII letters, digits, '-' and '_'. Errors: malformed, limit.
    static Result<NameExtensions> parse(std::string_view text);

    const std::vector<std::string>& list() const noexcept { return list_; }
    // The names behind `name` in the order in which they are tried. If it has one of the extensions, in any case, they
    // are those with the others in its stead; otherwise those with each extension appended.
    std::vector<std::string> other_names(std::string_view name) const;

private:
    std::vector<std::string> list_;
};

// Whether "/<part>" is reserved: the part is "assets" or "bundles" under case folding.
bool is_reserved_root_part(std::string_view part);

}  // namespace fardel
