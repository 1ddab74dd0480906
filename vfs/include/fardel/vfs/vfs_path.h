// Paths of the tree that a Vfs shows; LookUp: what a reader looks for in it; VariantPreference: which asset it wants of
// several that have one name.
//
//   /                         /assets                    /bundles
//   /<published name>         /assets/<asset id>         /bundles/<bundle id>[/<name>]
//
// Published names may be below /assets and /bundles, too: only what has the form of an id there is none.
//
// Every path is absolute: text without the '/' at its front means the same as with it. No trailing '/', and nothing
// else is normalised; names follow the rules of AssetName, ids are exactly 64 lower-case hexadecimal digits.
// docs/vfs.md defines the rules. Text is untrusted. Pure values; any thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class File;  // <fardel/vfs/file.h>

enum class PathKind : std::uint8_t {
    root,
    assets,       // "/assets": all assets, and the published names below it
    asset,        // "/assets/<id>"
    bundles,      // "/bundles": all bundles, and the published names below it
    bundle,       // "/bundles/<id>"
    bundle_name,  // "/bundles/<id>/<name>": a name or a folder of that bundle
    published,    // "/<name>": a published name or a folder
    nowhere,      // well formed, but nothing is ever there: "/assets/<id>/<name>"
};

// The parts of a path's text, without owning it.
struct PathParts {
    PathKind kind = PathKind::root;
    Hash id;                 // kinds asset, bundle, bundle_name
    std::string_view name;   // kinds bundle_name, published, assets, bundles; a view of the parsed text
    std::uint64_t hash = 0;  // name_hash(name)
};

// Errors: malformed (empty, trailing '/', a rule of names), limit.
Result<PathParts> parse_path_parts(std::string_view text);

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
    // are those with the others in its stead; otherwise those with each extension appended. The last is the name
    // without its own extension, if it has one.
    std::vector<std::string> other_names(std::string_view name) const;

private:
    std::vector<std::string> list_;
};

// What is looked up: vfs.open("/maps/dm01.bsp"), vfs.open({"textures/wall", &images}), vfs.open({"wall", {}, &map}).
// Views of its arguments, for one call.
struct LookUp {
    template <std::convertible_to<std::string_view> Text>
    LookUp(const Text& text, const NameExtensions* tried = nullptr, const File* referrer = nullptr)
        : path(text), extensions(tried), from(referrer) {}

    std::string_view path;  // of the tree; with `from`, a reference in that asset's content
    // For names as engines write them, "textures/base/water": the path as given, otherwise the first of its names with
    // another extension, or at last without one, that gives an asset. Each name is looked up in all mounts before the
    // next one is. Paths of /assets are taken as given. nullptr: the path as given only.
    const NameExtensions* extensions;
    // The asset whose reference is looked up: the target in its link table; else a name of its own bundle, published or
    // not; else one of a static dependency of that bundle, in declared order; else a published name. A reference that
    // begins with '/' is a path. nullptr: `path` is one.
    const File* from;
};

// A preference lists axes, the most important first, and for each axis the wanted values, the best first:
// "texture=astc,bc7,png lang=fr,en triangles<=20000". docs/vfs.md defines the rule.
struct AxisPreference {
    std::string axis;
    std::vector<std::string> values;  // best first
    // At most this: `axis` is then the name of a metric of assets, and there are no values.
    std::optional<double> most = std::nullopt;
    friend bool operator==(const AxisPreference&, const AxisPreference&) = default;
};

// Each axis and each metric once.
using VariantPreference = std::vector<AxisPreference>;

// Axes and values: 1 to 255 letters, digits and - _ . + ; at most 64 axes of 64 values each. Spaces or ';' stand
// between axes. Errors: malformed, limit.
Result<VariantPreference> parse_variant_preference(std::string_view text);
std::string format_variant_preference(const VariantPreference& preference);

}  // namespace fardel
